/* xml.h -- a bounded XML document as a small tree of elements; the only door to libxml2.
 *
 * For files people write: every element and attribute knows its line and where its value stands in
 * the text. No network, no document types, no entities but the five of XML itself; nothing is
 * printed. Attribute values may be secrets, so no error quotes them. */
#ifndef LOADSTONE_COMMON_BASE_XML_H
#define LOADSTONE_COMMON_BASE_XML_H

#include "common/base/err.h"
#include "common/base/scope.h"
#include "common/base/vec.h"

#include <stdbool.h>
#include <stddef.h>

struct xml_attribute {
    char *name;
    char *value; /* entities and character references resolved */
    int line;
    size_t value_off, value_len; /* the raw value, between its quotes, in the document's text */
};

struct xml_element {
    char *name;
    int line;                             /* of its '<' */
    VEC(struct xml_attribute) attributes; /* in file order */
    VEC(struct xml_element *) children;   /* in file order */
    char *text;                           /* its own text, without that of its children; "" */
};

struct xml_document {
    char *text; /* as it was given, but in UTF-8 and without a byte order mark; NUL after len */
    size_t len;
    bool recoded; /* it was given in another encoding */
    struct xml_element *root;
};

struct xml_limits {
    size_t max_bytes;
    int max_depth;       /* 1: the root alone */
    size_t max_elements; /* over the whole document */
};

/* Where a document is wrong. Members are 0 or "" when they mean nothing. */
struct xml_place {
    int line, column; /* from 1; a column counts characters */
    char element[64], attribute[64];
};

/* Parses text, len bytes, no NUL needed. 0 and *ret_document (release with xml_document_free()), or
 * ERR_LIMIT above a limit, or ERR_CONFIG: *place says where, err what is wrong in plain words,
 * without the place. UTF-8, and what an encoding declaration or byte order mark names. Any thread.
 */
int xml_parse(const char *text, size_t len, const struct xml_limits *limits,
              struct xml_document **ret_document, struct xml_place *place, struct err *err);
void xml_document_free(struct xml_document *document);
DEFINE_FREEP(xml_document)

/* The attribute of that name, or NULL. Borrowed. */
const struct xml_attribute *xml_attribute_find(const struct xml_element *element, const char *name);

#endif
