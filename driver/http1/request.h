/* request.h -- writes request heads into a fixed buffer, without allocation.
 *
 * The buffer is sized before the run (adaptor head_bytes), so running out of it is our bug: the
 * writer then stops and sets `full`. */
#ifndef LOADSTONE_DRIVER_HTTP1_REQUEST_H
#define LOADSTONE_DRIVER_HTTP1_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct writer {
    char *at;
    char *end;
    bool full;
};

static inline void write_bytes(struct writer *writer, const char *data, size_t len)
{
    if ((size_t)(writer->end - writer->at) < len) {
        writer->full = true;
        return;
    }
    memcpy(writer->at, data, len);
    writer->at += len;
}

#define write_literal(writer, literal) write_bytes((writer), (literal), sizeof(literal) - 1)

static inline void write_text(struct writer *writer, const char *text)
{
    write_bytes(writer, text, strlen(text));
}

/* A number in decimal. */
void write_number(struct writer *writer, int64_t number);

/* Percent-encodes all but RFC 3986's unreserved characters, and '/' where keep_slash: the URI
 * encoding that AWS Signature Version 4 asks for (AWS General Reference, "Create a canonical
 * request"). */
void write_encoded(struct writer *writer, const char *data, size_t len, bool keep_slash);

#endif
