/* form.h -- the fields of a submitted form, and of a query string.
 *
 * Reads application/x-www-form-urlencoded ("a=1&b=x%20y"; WHATWG URL, section 5) and
 * multipart/form-data (RFC 7578: parts between "--BOUNDARY" lines, each with a
 * Content-Disposition that names it). Pure: bytes in, fields out. */
#ifndef LOADSTONE_COMMON_WIRE_FORM_H
#define LOADSTONE_COMMON_WIRE_FORM_H

#include "common/base/err.h"
#include "common/base/vec.h"

#include <stddef.h>

#define FORM_FIELDS_MAX 256

struct form_field {
    char *name;
    char *value; /* NUL-terminated beyond its length */
    size_t len;  /* a value may hold NULs */
};

struct form {
    VEC(struct form_field) fields; /* in the order sent */
};

/* Each appends to *form. ERR_PROTOCOL when the text is no such form, ERR_LIMIT above
 * FORM_FIELDS_MAX; what was appended before stays, for form_release(). */
int form_parse_urlencoded(const char *text, size_t len, struct form *form, struct err *err);
int form_parse_multipart(const char *content_type, const char *body, size_t len, struct form *form,
                         struct err *err);
void form_release(struct form *form);

/* The first field of that name, or NULL. */
const struct form_field *form_find(const struct form *form, const char *name);

/* Decodes %XX (and '+' as a space when plus is set) into out, which has room for len + 1 bytes;
 * returns the length. A '%' without two hex digits stays as it is. */
size_t form_percent_decode(const char *text, size_t len, int plus, char *out);

#endif
