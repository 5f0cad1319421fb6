/* query.h -- percent-encoding and the parameters of a query string. Source: RFC 3986. */
#ifndef LOADSTONE_DRIVER_TARGET_QUERY_H
#define LOADSTONE_DRIVER_TARGET_QUERY_H

#include "driver/target/slice.h"

#define QUERY_PARAMS_MAX 64

/* Decodes %XX (and, when plus_is_space, '+') into out, which holds at least text.len
 * bytes. Returns the length, or -1 when a '%' is not followed by two hex digits. */
long percent_decode(struct slice text, bool plus_is_space, char *out);

/* Encodes all but the unreserved characters (and '/', when keep_slash) as %XX with capitals.
 * out holds at least 3 * text.len bytes. Returns the byte after the last. */
char *percent_encode(struct slice text, bool keep_slash, char *out);

struct query_param {
    struct slice name;  /* decoded */
    struct slice value; /* decoded; empty without '=' */
};

/* Parameters in the order sent; text holds what they point to. */
struct query {
    size_t count;
    struct query_param params[QUERY_PARAMS_MAX];
};

/* Decodes text into at most QUERY_PARAMS_MAX parameters; buf holds text.len bytes and must
 * outlive *query. 0, or -1 for bad encoding or too many. */
int query_parse(struct slice text, char *buf, struct query *query);

/* The value of the first parameter of that name; p is NULL when absent (never NULL when present).
 */
struct slice query_get(const struct query *query, struct slice name);
static inline bool query_has(const struct query *query, struct slice name)
{
    return query->count && query_get(query, name).p;
}

#endif
