/* answer.h -- what goes back: a head, and a body that is text, a piece of an object, or nothing.
 *
 * Built as answer_start(); answer_field() ...; answer_end_*(). The connection sends it. */
#ifndef LOADSTONE_DRIVER_TARGET_ANSWER_H
#define LOADSTONE_DRIVER_TARGET_ANSWER_H

#include "common/base/strbuf.h"
#include "driver/target/store.h"

#define ANSWER_HEAD_MAX (64 << 10)
#define ANSWER_TEXT_MAX (32 << 20)

struct target_thread;

struct answer {
    int status;
    bool close;     /* close the connection after it */
    bool head_only; /* a HEAD request's */
    bool minor_0;   /* to HTTP/1.0: a kept connection has to be announced */
    struct strbuf head;
    struct strbuf text;
    struct object *object; /* a reference, or NULL */
    int64_t offset;        /* of the body within the object */
    int64_t body_len;      /* bytes of text or object that follow the head */
};

void answer_init(struct answer *answer);
void answer_release(struct answer *answer);
/* Drops the last answer, keeping memory. */
void answer_reset(struct answer *answer);

/* Status line and the fields every answer has. */
void answer_start(struct answer *answer, struct target_thread *thread, int status);
void answer_field(struct answer *answer, struct slice name, struct slice value);
/* Whole lines "Name: value\r\n". */
void answer_lines(struct answer *answer, const char *lines, size_t len);

/* No body: Content-Length: 0, or no length for 204 and 304. */
void answer_end_empty(struct answer *answer);
/* What `text` holds. */
void answer_end_text(struct answer *answer, struct slice content_type);
/* len bytes of the object from offset; takes the reference. */
void answer_end_object(struct answer *answer, struct object *object, int64_t offset, int64_t len);

#endif
