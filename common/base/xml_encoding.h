/* xml_encoding.h -- the bytes of an XML document as UTF-8 (XML 1.0, appendix F). */
#ifndef LOADSTONE_COMMON_BASE_XML_ENCODING_H
#define LOADSTONE_COMMON_BASE_XML_ENCODING_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* A copy of text without byte order mark, in UTF-8, with a NUL behind; owned by the caller. The
 * encoding is told by the byte order mark or the declaration; without either it is UTF-8, whose
 * bytes are not checked here. *ret_recoded: it was another encoding, and a declaration in the copy
 * says UTF-8. 0, ERR_LIMIT when the copy would pass max_bytes, or ERR_CONFIG. */
int xml_to_utf8(const char *text, size_t len, size_t max_bytes, char **ret_text, size_t *ret_len,
                bool *ret_recoded, struct err *err);

#endif
