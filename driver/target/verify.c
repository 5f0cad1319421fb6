/* verify.c -- see verify.h: finds out how a request is signed; verify_v4.c and verify_v2.c check.
 */
#include "driver/target/verify_private.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <stdlib.h>

void verifier_init(struct verifier *verifier, const struct verify_policy *policy)
{
    memset(verifier, 0, sizeof(*verifier));
    verifier->policy = policy;
    verifier->scratch = xmalloc(VERIFY_SCRATCH_BYTES);
}

void verifier_release(struct verifier *verifier)
{
    free(verifier->scratch);
    verifier->scratch = NULL;
}

bool verify_same(const void *a, const void *b, size_t len)
{
    const unsigned char *x = a;
    const unsigned char *y = b;
    unsigned char diff = 0;
    for (size_t i = 0; i < len; i++)
        diff |= x[i] ^ y[i];
    return diff == 0;
}

const struct user *verify_find_user(const struct verify_policy *policy, struct slice access)
{
    for (size_t i = 0; i < policy->user_count; i++)
        if (slice_is(policy->users[i].access, access))
            return &policy->users[i];
    return NULL;
}

enum s3_error verify_read_payload(struct slice line, struct verdict *verdict)
{
    static const struct {
        struct slice name;
        enum payload_kind kind;
        bool trailer;
    } kinds[] = {
        {SLICE("UNSIGNED-PAYLOAD"), PAYLOAD_UNSIGNED, false},
        {SLICE("STREAMING-AWS4-HMAC-SHA256-PAYLOAD"), PAYLOAD_CHUNKS_SIGNED, false},
        {SLICE("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"), PAYLOAD_CHUNKS_SIGNED, true},
        {SLICE("STREAMING-UNSIGNED-PAYLOAD-TRAILER"), PAYLOAD_CHUNKS, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (slice_is(line, kinds[i].name)) {
            verdict->payload = kinds[i].kind;
            verdict->payload_trailer = kinds[i].trailer;
            return S3_OK;
        }
    }
    if (line.len != 64 || hex_decode(line.p, SHA256_BYTES, verdict->sha256) < 0)
        return S3_INVALID_ARGUMENT;
    verdict->payload = PAYLOAD_SHA256;
    return S3_OK;
}

/* Without checks: only how the body is framed and whether its hash was given. */
static enum s3_error verify_nothing(const struct http_request *req, struct verdict *verdict)
{
    struct slice line = req->known[KNOWN_AMZ_CONTENT_SHA256];
    if (line.p && verify_read_payload(line, verdict))
        return S3_INVALID_ARGUMENT;
    if (verdict->payload == PAYLOAD_CHUNKS_SIGNED)
        verdict->payload = PAYLOAD_CHUNKS;
    return S3_OK;
}

enum s3_error verify_request(struct verifier *verifier, const struct http_request *req,
                             const struct query *query, struct slice host_bucket, int64_t now_s,
                             struct verdict *verdict)
{
    struct slice authorization = req->known[KNOWN_AUTHORIZATION];
    memset(verdict, 0, sizeof(*verdict));
    if (verifier->policy->anonymous)
        return verify_nothing(req, verdict);
    if (authorization.p) {
        struct slice rest = authorization;
        struct slice scheme = slice_cut(&rest, ' ');
        rest = slice_trim(rest);
        if (slice_is(scheme, SLICE("AWS4-HMAC-SHA256")))
            return verify_v4_header(verifier, req, query, rest, now_s, verdict);
        if (slice_is(scheme, SLICE("AWS")))
            return verify_v2_header(verifier, req, query, host_bucket, rest, now_s, verdict);
        return S3_AUTHORIZATION_MALFORMED;
    }
    if (query_has(query, SLICE("X-Amz-Signature")))
        return verify_v4_query(verifier, req, query, now_s, verdict);
    if (query_has(query, SLICE("AWSAccessKeyId")) && query_has(query, SLICE("Signature")))
        return verify_v2_query(verifier, req, query, host_bucket, now_s, verdict);
    return S3_ACCESS_DENIED;
}
