/* xml_encoding.c -- see xml_encoding.h. */
#include "common/base/xml_encoding.h"

#include "common/base/scope.h"
#include "common/base/strbuf.h"
#include "common/base/xalloc.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/banned.h"

#define ENCODING_NAME_BYTES 40

static const struct {
    const char *bytes;
    size_t len;
    bool is_mark; /* not part of the text */
    const char *encoding;
} beginnings[] = {
    {"\xef\xbb\xbf", 3, true, "UTF-8"}, {"\xff\xfe", 2, true, "UTF-16LE"},
    {"\xfe\xff", 2, true, "UTF-16BE"},  {"<\0", 2, false, "UTF-16LE"},
    {"\0<", 2, false, "UTF-16BE"},
};

/* The name in encoding="..." of a declaration in ASCII; *ret_name is NULL without one. */
static void find_declared(const char *text, size_t len, const char **ret_name, size_t *ret_len)
{
    *ret_name = NULL;
    if (len < 6 || memcmp(text, "<?xml", 5) != 0)
        return;
    const char *end = memmem(text, len, "?>", 2);
    if (!end)
        return;
    const char *at = memmem(text, (size_t)(end - text), "encoding", 8);
    if (!at)
        return;
    at += 8;
    while (at < end && strchr(" \t\r\n=", *at))
        at++;
    if (at >= end || (*at != '"' && *at != '\''))
        return;
    const char *close = memchr(at + 1, *at, (size_t)(end - at - 1));
    if (!close || close == at + 1)
        return;
    *ret_name = at + 1;
    *ret_len = (size_t)(close - at - 1);
}

static bool is_utf8_name(const char *name)
{
    static const char *const names[] = {"UTF-8", "UTF8", "US-ASCII", "ASCII"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

static int recode(const char *encoding, const char *text, size_t len, struct strbuf *sb,
                  struct err *err)
{
    iconv_t converter = iconv_open("UTF-8", encoding);
    if (converter == (iconv_t)-1)
        return err_set(err, ERR_CONFIG, "the document's encoding %s is not known, expected UTF-8",
                       encoding);
    char *in = (char *)text; /* iconv does not write to it */
    size_t in_left = len;
    int rc = 0;
    while (in_left > 0 && rc == 0) {
        char block[4096], *out = block;
        size_t out_left = sizeof(block);
        size_t result = iconv(converter, &in, &in_left, &out, &out_left);
        if (result == (size_t)-1 && errno != E2BIG)
            rc =
                err_set(err, ERR_CONFIG, "byte %zu of the document is not valid in its encoding %s",
                        len - in_left + 1, encoding);
        else if (strbuf_add(sb, block, sizeof(block) - out_left) < 0)
            rc = err_set(err, ERR_LIMIT, "the document is longer than %zu bytes in UTF-8", sb->max);
    }
    iconv_close(converter);
    return rc;
}

/* Makes the declaration of text true: it is UTF-8 now. */
static char *with_declaration(struct strbuf *sb, size_t *ret_len)
{
    const char *name;
    size_t name_len;
    find_declared(sb->buf, sb->len, &name, &name_len);
    struct strbuf fixed = STRBUF_INIT(sb->len + 8);
    if (name) {
        strbuf_add(&fixed, sb->buf, (size_t)(name - sb->buf));
        strbuf_adds(&fixed, "UTF-8");
        name += name_len;
        strbuf_add(&fixed, name, sb->len - (size_t)(name - sb->buf));
    } else {
        strbuf_add(&fixed, sb->buf, sb->len);
    }
    *ret_len = fixed.len;
    return strbuf_take(&fixed);
}

int xml_to_utf8(const char *text, size_t len, size_t max_bytes, char **ret_text, size_t *ret_len,
                bool *ret_recoded, struct err *err)
{
    char encoding[ENCODING_NAME_BYTES] = "UTF-8";
    bool is_told = false;
    for (size_t i = 0; i < ARRAY_LEN(beginnings) && !is_told; i++) {
        if (len < beginnings[i].len || memcmp(text, beginnings[i].bytes, beginnings[i].len) != 0)
            continue;
        is_told = true;
        memcpy(encoding, beginnings[i].encoding, strlen(beginnings[i].encoding) + 1);
        if (beginnings[i].is_mark) {
            text += beginnings[i].len;
            len -= beginnings[i].len;
        }
    }
    const char *name = NULL;
    size_t name_len = 0;
    if (!is_told)
        find_declared(text, len, &name, &name_len);
    if (name) {
        size_t count = MIN(name_len, sizeof(encoding) - 1);
        memcpy(encoding, name, count);
        encoding[count] = '\0';
    }
    if (is_utf8_name(encoding)) {
        char *copy = xmalloc(len + 1);
        memcpy(copy, text, len);
        copy[len] = '\0';
        *ret_text = copy;
        *ret_len = len;
        *ret_recoded = false;
        return 0;
    }
    AUTO(strbuf_release) struct strbuf sb = STRBUF_INIT(max_bytes);
    int rc = recode(encoding, text, len, &sb, err);
    if (rc < 0)
        return rc;
    *ret_text = with_declaration(&sb, ret_len);
    *ret_recoded = true;
    return 0;
}
