/* response.h -- incremental parser of HTTP/1.x answers (RFC 9110, RFC 9112).
 *
 * Fed with whatever arrived, in any cuts; it never looks back, allocates only when a head comes in
 * several pieces, and never reads beyond one answer. 1xx answers are skipped. Bodies:
 * Content-Length, chunked (extensions and trailers skipped), until close, or none (204, 304,
 * answers to HEAD). Header folding, bare LF line ends inside a head, conflicting lengths and heads
 * above HTTP_HEAD_MAX_BYTES are refused. */
#ifndef LOADSTONE_DRIVER_HTTP1_RESPONSE_H
#define LOADSTONE_DRIVER_HTTP1_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum response_state {
    RESPONSE_HEAD,        /* waiting for the end of the head */
    RESPONSE_FIXED,       /* body of known length */
    RESPONSE_UNTIL_CLOSE, /* body ends with the connection */
    RESPONSE_CHUNK_SIZE,
    RESPONSE_CHUNK_EXT,
    RESPONSE_CHUNK_SIZE_LF,
    RESPONSE_CHUNK_DATA,
    RESPONSE_CHUNK_CR,
    RESPONSE_CHUNK_LF,
    RESPONSE_TRAILER, /* at the start of a trailer line */
    RESPONSE_TRAILER_LINE,
    RESPONSE_TRAILER_LF,
    RESPONSE_DONE,
    RESPONSE_BAD,
};

struct response {
    enum response_state state;
    int status;             /* 0 until the head is there */
    bool keep_alive;        /* the connection can serve another request after DONE */
    bool no_body;           /* set by the caller: the request was a HEAD */
    int64_t content_length; /* -1: not said */
    int64_t left;           /* of FIXED and of the current chunk */
    int64_t body_bytes;     /* of the body so far, without framing */
    const char *problem;    /* a literal, when BAD */
    int chunk_digits;
    int64_t trailer_bytes;
    char *head; /* a head that came in pieces; kept for the next answer */
    size_t head_len, head_cap;
};

/* Makes ready for the next answer; keeps memory. The structure must be zeroed before its first use.
 */
void response_begin(struct response *response, bool no_body);
void response_release(struct response *response);

enum response_event {
    RESPONSE_EVENT_MORE, /* all input used, more is needed */
    RESPONSE_EVENT_HEAD, /* the head is complete: *ret_span is it, valid until the next call */
    RESPONSE_EVENT_BODY, /* *ret_span is a piece of the body, inside the input */
    RESPONSE_EVENT_DONE, /* the answer is complete; what is left of the input is not part of it */
    RESPONSE_EVENT_BAD,  /* not HTTP, or over a ceiling: see problem */
};

struct span {
    const char *data;
    size_t len;
};

/* Takes bytes from *input (which moves forward) up to the next event. Call again until MORE, DONE
 * or BAD. An answer without a body gives HEAD, then DONE. */
enum response_event response_feed(struct response *response, struct span *input,
                                  struct span *ret_span);

/* The connection ended: DONE where that is the end of the body, else BAD (what is missing is in
 * problem). */
enum response_event response_close(struct response *response);

/* Body bytes that may be thrown away unseen before the next framing byte; 0 when the parser must
 * see what comes. */
int64_t response_skippable(const struct response *response);
/* Counts len such bytes as received. Returns DONE or MORE. */
enum response_event response_skip(struct response *response, int64_t len);

/* The value of a header field in a head as given by RESPONSE_EVENT_HEAD, name in lower case; false
 * when absent. */
bool response_header(struct span head, const char *name, struct span *ret_value);

#endif
