/* verify_private.h -- what verify.c, verify_v4.c and verify_v2.c share; nobody else includes it. */
#ifndef LOADSTONE_DRIVER_TARGET_VERIFY_PRIVATE_H
#define LOADSTONE_DRIVER_TARGET_VERIFY_PRIVATE_H

#include "driver/target/verify.h"

/* Of verifier->scratch: three times the longest target, plus all fields, plus the small lines. */
#define VERIFY_SCRATCH_BYTES (4 * REQUEST_HEAD_MAX + 16384)

/* The user with that access key, or NULL. */
const struct user *verify_find_user(const struct verify_policy *policy, struct slice access);
/* What x-amz-content-sha256 tells about the body, into verdict->payload and its neighbours.
 * S3_INVALID_ARGUMENT. */
enum s3_error verify_read_payload(struct slice line, struct verdict *verdict);

/* Each as verify_request(), for a request that carries a signature of its kind. text is what
 * follows the scheme's name in Authorization. */
enum s3_error verify_v4_header(struct verifier *verifier, const struct http_request *req,
                               const struct query *query, struct slice text, int64_t now_s,
                               struct verdict *verdict);
enum s3_error verify_v4_query(struct verifier *verifier, const struct http_request *req,
                              const struct query *query, int64_t now_s, struct verdict *verdict);
enum s3_error verify_v2_header(struct verifier *verifier, const struct http_request *req,
                               const struct query *query, struct slice host_bucket,
                               struct slice text, int64_t now_s, struct verdict *verdict);
enum s3_error verify_v2_query(struct verifier *verifier, const struct http_request *req,
                              const struct query *query, struct slice host_bucket, int64_t now_s,
                              struct verdict *verdict);

/* Appends to out, which has room; returns the byte after it. */
static inline char *verify_put(char *out, struct slice text)
{
    if (text.len)
        memcpy(out, text.p, text.len);
    return out + text.len;
}

static inline char *verify_put_line(char *out, struct slice text)
{
    out = verify_put(out, text);
    *out++ = '\n';
    return out;
}

#endif
