/* strbuf.c -- see strbuf.h. */
#include "common/base/strbuf.h"

#include "common/base/err.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char strbuf_empty[1] = "";

char *strbuf_reserve(struct strbuf *sb, size_t len)
{
    if (len > sb->max || sb->len > sb->max - len) {
        sb->overflow = true;
        return NULL;
    }
    if (sb->cap == 0 || sb->len + len + 1 > sb->cap) {
        size_t cap = MAX(sb->len + len + 1, MIN(sb->cap * 2, sb->max + 1));
        cap = MAX(cap, (size_t)64);
        char *old = sb->cap ? sb->buf : NULL;
        sb->buf = xrealloc(old, cap);
        sb->buf[sb->len] = '\0';
        sb->cap = cap;
    }
    return sb->buf + sb->len;
}

void strbuf_commit(struct strbuf *sb, size_t len)
{
    sb->len += len;
    if (sb->cap)
        sb->buf[sb->len] = '\0';
}

int strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
    char *end = strbuf_reserve(sb, len);
    if (!end)
        return ERR_LIMIT;
    if (len)
        memcpy(end, data, len);
    strbuf_commit(sb, len);
    return 0;
}

int strbuf_adds(struct strbuf *sb, const char *text)
{
    return strbuf_add(sb, text, strlen(text));
}

int strbuf_addc(struct strbuf *sb, char c)
{
    return strbuf_add(sb, &c, 1);
}

int strbuf_addf(struct strbuf *sb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *end = len < 0 ? NULL : strbuf_reserve(sb, (size_t)len);
    if (end) {
        vsnprintf(end, (size_t)len + 1, format, again);
        strbuf_commit(sb, (size_t)len);
    }
    va_end(again);
    return end ? 0 : ERR_LIMIT;
}

void strbuf_reset(struct strbuf *sb)
{
    sb->len = 0;
    sb->overflow = false;
    if (sb->cap)
        sb->buf[0] = '\0';
}

void strbuf_release(struct strbuf *sb)
{
    if (sb->cap)
        free(sb->buf);
    sb->buf = strbuf_empty;
    sb->len = sb->cap = 0;
    sb->overflow = false;
}

char *strbuf_take(struct strbuf *sb)
{
    char *text = sb->cap ? sb->buf : xstrdup("");
    sb->buf = strbuf_empty;
    sb->len = sb->cap = 0;
    sb->overflow = false;
    return text;
}
