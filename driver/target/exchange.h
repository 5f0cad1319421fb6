/* exchange.h -- one request and its answer, without any socket.
 *
 *   bytes of a head -> exchange_start() -> body_*(&exchange->body) -> exchange_finish() -> answer
 *
 * exchange_start() routes, checks the signature and decides where the body goes;
 * exchange_finish() carries the operation out. Both may be followed by an answer that says no. */
#ifndef LOADSTONE_DRIVER_TARGET_EXCHANGE_H
#define LOADSTONE_DRIVER_TARGET_EXCHANGE_H

#include "driver/target/answer.h"
#include "driver/target/body.h"
#include "driver/target/faults.h"
#include "driver/target/target.h"

struct exchange;

/* S3_OK: *ex is as the handler left it (finish: the answer is written). Else: refuse with it. */
typedef enum s3_error (*exchange_step)(struct exchange *ex);

struct route {
    const char *name;     /* "GetObject" */
    exchange_step begin;  /* before the body: starts the body it wants; NULL: none is wanted */
    exchange_step finish; /* after it: writes the answer */
};

struct exchange {
    struct target_thread *thread;
    struct http_request req; /* slices into the connection's buffer */
    struct query query;
    struct slice bucket, key; /* decoded */
    struct slice host_bucket; /* set when the bucket came from the host */
    struct bucket *found;     /* of `bucket`, once looked up */
    struct verdict verdict;
    const struct route *route;
    enum s3_error error; /* why it was refused before its body was read */
    bool control;        /* one of /_loadstone/: not counted, no faults */
    bool loopback;       /* the peer is on this host; set by the connection */
    int part_number;
    struct fault_plan plan;
    struct body body;
    struct answer answer;
    int64_t started_ns;
    int64_t sent; /* bytes of the answer's body that went out; set by the connection */
    char *text;   /* what names and query decode to */
    size_t text_cap;
};

void exchange_init(struct exchange *ex, struct target_thread *thread);
void exchange_release(struct exchange *ex);

/* head_len bytes at head hold a whole head, and stay where they are until the answer is sent.
 * True: receive the body (maybe none) into ex->body, then exchange_finish(). False: the
 * head is no HTTP; the answer is ready and closes the connection. */
bool exchange_start(struct exchange *ex, const char *head, size_t head_len);
/* True when the client waits for a "100 Continue" and shall get it. */
bool exchange_wants_continue(const struct exchange *ex);
void exchange_finish(struct exchange *ex);
/* After the answer was sent, or given up: counts and logs it, drops what it held. */
void exchange_end(struct exchange *ex);
/* The answer to a head that cannot be read: too long (431) or too slow (408). */
void exchange_refuse(struct exchange *ex, int status);

/* ---- for handlers ---- */

/* Bucket of the request into ex->found, or S3_NO_SUCH_BUCKET. */
enum s3_error exchange_find_bucket(struct exchange *ex);
/* A body that is kept as text (XML). */
enum s3_error exchange_begin_text(struct exchange *ex);
/* An XML answer: starts it and its text; close with exchange_end_xml(). */
struct strbuf *exchange_start_xml(struct exchange *ex);
enum s3_error exchange_end_xml(struct exchange *ex);
/* An answer without body. */
enum s3_error exchange_answer_empty(struct exchange *ex, int status);

#endif
