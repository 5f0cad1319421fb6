/* body.h -- a request body on its way in: unframed, hashed, kept or counted, and judged.
 *
 * The connection moves bytes; this decides where they go and, at the end, whether they are
 * what the head said. After an error the rest is swallowed, so that the answer can be sent
 * and the connection kept. */
#ifndef LOADSTONE_DRIVER_TARGET_BODY_H
#define LOADSTONE_DRIVER_TARGET_BODY_H

#include "common/base/strbuf.h"
#include "driver/target/aws_chunks.h"
#include "driver/target/store.h"

#define BODY_TEXT_MAX (4 << 20) /* an XML body: 10,000 parts or 1,000 long keys fit */

enum body_kind {
    BODY_DROP, /* nobody wants it */
    BODY_TEXT, /* kept in `text` */
    BODY_KEEP, /* kept in `blob` */
    BODY_SIZE, /* checked and counted, not kept (null mode) */
};

struct body {
    enum body_kind kind;
    int64_t wire_left; /* bytes that are still to come from the peer */
    int64_t wire_size; /* bytes the peer announced */
    int64_t declared;  /* bytes of content announced */
    int64_t size;      /* bytes of content received */
    enum s3_error error;
    bool sha, md5, crc; /* which sums are made */
    uint32_t crc_value;
    struct digest sha_state, md5_state;
    uint8_t md5_value[MD5_BYTES]; /* after body_finish(), when md5 */
    struct blob *blob;
    struct strbuf text;
    struct aws_chunks *chunks; /* kept for reuse; in use when `chunked` */
    bool chunked;
};

void body_init(struct body *body);
void body_release(struct body *body);

/* A body that is swallowed, wire_size bytes. */
void body_drop(struct body *body, int64_t wire_size);
/* A body that is wanted, framed and protected as head and verdict say. S3_MISSING_LENGTH,
 * S3_ENTITY_TOO_LARGE (above max bytes), S3_INVALID_REQUEST, S3_INVALID_DIGEST, S3_STORE_FULL. */
enum s3_error body_start(struct body *body, enum body_kind kind, struct store *store,
                         const struct http_request *req, const struct verdict *verdict,
                         int64_t max);

/* True when bytes may be thrown away unseen; then count them with body_skip(). */
bool body_ignores(const struct body *body);
void body_skip(struct body *body, int64_t len);
/* Where bytes can be received without a copy, or NULL; then add them with body_add() in place. */
char *body_space(struct body *body, size_t *ret_len);
/* Takes len wire bytes. */
void body_add(struct body *body, const char *data, size_t len);

/* After the last byte: the body's own error, or BadDigest, XAmzContentSHA256Mismatch,
 * IncompleteBody. */
enum s3_error body_finish(struct body *body, const struct http_request *req,
                          const struct verdict *verdict);

#endif
