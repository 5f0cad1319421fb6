/* slice.h -- text that belongs to somebody else: a pointer and a length, no NUL. */
#ifndef LOADSTONE_DRIVER_TARGET_SLICE_H
#define LOADSTONE_DRIVER_TARGET_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct slice {
    const char *p; /* may be NULL when len is 0 */
    size_t len;
};

/* The slice of a string literal. */
#define SLICE(literal) ((struct slice){(literal), sizeof(literal) - 1})

static inline struct slice slice_of(const char *text)
{
    return (struct slice){text, strlen(text)};
}

static inline bool slice_is(struct slice a, struct slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

/* As slice_is, but ASCII case does not matter. */
static inline bool slice_is_nocase(struct slice a, struct slice b)
{
    return a.len == b.len && (a.len == 0 || strncasecmp(a.p, b.p, a.len) == 0);
}

static inline bool slice_starts(struct slice a, struct slice prefix)
{
    return a.len >= prefix.len && (prefix.len == 0 || memcmp(a.p, prefix.p, prefix.len) == 0);
}

/* Byte order, the shorter first: the order of S3 listings. <0, 0, >0. */
static inline int slice_compare(struct slice a, struct slice b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int diff = len ? memcmp(a.p, b.p, len) : 0;
    if (diff)
        return diff;
    return a.len < b.len ? -1 : a.len > b.len;
}

/* Cuts *rest at the first separator: returns what stands before it, and *rest is
 * what follows; without one, returns all and *rest becomes empty (p NULL). */
static inline struct slice slice_cut(struct slice *rest, char separator)
{
    const char *at = rest->len ? memchr(rest->p, separator, rest->len) : NULL;
    struct slice head = *rest;
    if (!at) {
        *rest = (struct slice){NULL, 0};
        return head;
    }
    head.len = (size_t)(at - rest->p);
    *rest = (struct slice){at + 1, rest->len - head.len - 1};
    return head;
}

/* Without spaces and tabs at both ends. */
static inline struct slice slice_trim(struct slice a)
{
    while (a.len && (a.p[0] == ' ' || a.p[0] == '\t')) {
        a.p++;
        a.len--;
    }
    while (a.len && (a.p[a.len - 1] == ' ' || a.p[a.len - 1] == '\t'))
        a.len--;
    return a;
}

#endif
