/* verify.h -- who signed a request, and whether the signature is right.
 *
 * SigV4 in the Authorization header and in the query (presigned), SigV2 in both. Pure but for a
 * cache of signing keys; one verifier per thread. Sources: Amazon S3 API reference,
 * "Authenticating requests (AWS Signature Version 4)", and "Signing and authenticating REST
 * requests" (version 2). */
#ifndef LOADSTONE_DRIVER_TARGET_VERIFY_H
#define LOADSTONE_DRIVER_TARGET_VERIFY_H

#include "common/base/digest.h"
#include "driver/target/http_request.h"
#include "driver/target/query.h"
#include "driver/target/s3_errors.h"

#define VERIFY_SKEW_S     (15 * 60)
#define VERIFY_SCOPE_MAX  128
#define VERIFY_CACHE_KEYS 16

struct user {
    struct slice access;
    struct slice secret;
};

/* Read-only while requests are served. */
struct verify_policy {
    const struct user *users;
    size_t user_count;
    bool anonymous;      /* unsigned requests and any key are let in, nothing is checked */
    struct slice region; /* the only one scopes may name; empty: any */
};

/* What the signature says about the body. */
enum payload_kind {
    PAYLOAD_UNSIGNED,
    PAYLOAD_SHA256,        /* the body has the hash in `sha256` */
    PAYLOAD_CHUNKS,        /* aws-chunked, unsigned */
    PAYLOAD_CHUNKS_SIGNED, /* aws-chunked, each chunk signed with `key` */
};

struct verdict {
    const struct user *user; /* NULL: unsigned, or a key that nobody checked */
    enum payload_kind payload;
    bool payload_trailer; /* aws-chunked with trailing fields */
    uint8_t sha256[SHA256_BYTES];
    const struct hmac_key *key;   /* good until the next verify_request(); chunks only */
    struct slice signature;       /* the seed signature, 64 hex digits; in the request */
    struct slice scope, amz_date; /* in the request; chunks only */
};

struct verify_key {
    const struct user *user;
    size_t scope_len;
    char scope[VERIFY_SCOPE_MAX];
    struct hmac_key key;
};

struct verifier {
    const struct verify_policy *policy;
    char *scratch; /* where canonical requests are put together */
    size_t next_key;
    struct verify_key keys[VERIFY_CACHE_KEYS];
};

void verifier_init(struct verifier *verifier, const struct verify_policy *policy);
void verifier_release(struct verifier *verifier);

/* bucket is set when it was named by the host, which version 2 signs. S3_OK fills *verdict;
 * otherwise the reason to refuse the request. */
enum s3_error verify_request(struct verifier *verifier, const struct http_request *req,
                             const struct query *query, struct slice host_bucket, int64_t now_s,
                             struct verdict *verdict);

/* Equal bytes? Takes the same time for any difference. */
bool verify_same(const void *a, const void *b, size_t len);

#endif
