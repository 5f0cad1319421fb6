/* xalloc.c -- see xalloc.h. */
#include "common/base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *pointer)
{
    if (!pointer) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return pointer;
}

void *xmalloc(size_t size)
{
    return check(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
    return check(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *pointer, size_t size)
{
    return check(realloc(pointer, size ? size : 1));
}

void *xreallocarray(void *pointer, size_t count, size_t size)
{
    return check(reallocarray(pointer, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
    return text ? check(strdup(text)) : NULL;
}

char *xstrndup(const char *text, size_t len)
{
    return check(strndup(text, len));
}

char *xasprintf(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    return check(len < 0 ? NULL : text);
}
