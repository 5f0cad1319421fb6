/* verify_v2.c -- signature version 2: HMAC-SHA1 over a few fields and the resource. */
#include "driver/target/verify_private.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "driver/target/time_text.h"

#include <stdlib.h>

/* Parameters that version 2 signs, in order. */
static const struct slice v2_params[] = {
    SLICE("acl"),
    SLICE("cors"),
    SLICE("delete"),
    SLICE("encryption"),
    SLICE("lifecycle"),
    SLICE("location"),
    SLICE("logging"),
    SLICE("notification"),
    SLICE("object-lock"),
    SLICE("partNumber"),
    SLICE("policy"),
    SLICE("policyStatus"),
    SLICE("publicAccessBlock"),
    SLICE("replication"),
    SLICE("requestPayment"),
    SLICE("response-cache-control"),
    SLICE("response-content-disposition"),
    SLICE("response-content-encoding"),
    SLICE("response-content-language"),
    SLICE("response-content-type"),
    SLICE("response-expires"),
    SLICE("restore"),
    SLICE("tagging"),
    SLICE("torrent"),
    SLICE("uploadId"),
    SLICE("uploads"),
    SLICE("versionId"),
    SLICE("versioning"),
    SLICE("versions"),
    SLICE("website"),
};

static int compare_fields(const void *a, const void *b)
{
    const struct http_field *x = *(const struct http_field *const *)a;
    const struct http_field *y = *(const struct http_field *const *)b;
    size_t len = MIN(x->name.len, y->name.len);
    int order = strncasecmp(x->name.p, y->name.p, len);
    if (order)
        return order;
    if (x->name.len != y->name.len)
        return x->name.len < y->name.len ? -1 : 1;
    return x < y ? -1 : 1; /* repeated ones as they came */
}

static char *put_amz_fields(char *out, const struct http_request *req)
{
    const struct http_field *fields[REQUEST_FIELDS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < req->field_count; i++)
        if (req->fields[i].name.len > 6 && strncasecmp(req->fields[i].name.p, "x-amz-", 6) == 0)
            fields[count++] = &req->fields[i];
    qsort(fields, count, sizeof(fields[0]), compare_fields);
    for (size_t i = 0; i < count; i++) {
        if (i && slice_is_nocase(fields[i]->name, fields[i - 1]->name)) {
            out[-1] = ',';
        } else {
            for (size_t c = 0; c < fields[i]->name.len; c++) {
                char letter = fields[i]->name.p[c];
                *out++ = letter >= 'A' && letter <= 'Z' ? (char)(letter | 0x20) : letter;
            }
            *out++ = ':';
        }
        out = verify_put_line(out, fields[i]->value);
    }
    return out;
}

static char *put_v2_resource(char *out, const struct http_request *req, const struct query *query,
                             struct slice host_bucket)
{
    char separator = '?';
    if (host_bucket.len) {
        *out++ = '/';
        out = verify_put(out, host_bucket);
    }
    out = verify_put(out, req->path);
    for (size_t i = 0; query->count && i < ARRAY_LEN(v2_params); i++) {
        struct slice value = query_get(query, v2_params[i]);
        if (!value.p)
            continue;
        *out++ = separator;
        separator = '&';
        out = verify_put(out, v2_params[i]);
        if (value.len) {
            *out++ = '=';
            out = verify_put(out, value);
        }
    }
    return out;
}

static bool v2_fits(struct verifier *verifier, const struct http_request *req,
                    const struct query *query, struct slice host_bucket, struct slice date,
                    const struct user *user, struct slice signature)
{
    uint8_t mac[SHA1_BYTES];
    char *start = verifier->scratch;
    char *out = verify_put_line(start, req->method_text);
    out = verify_put_line(out, req->known[KNOWN_CONTENT_MD5]);
    out = verify_put_line(out, req->known[KNOWN_CONTENT_TYPE]);
    out = verify_put_line(out, date);
    out = put_amz_fields(out, req);
    out = put_v2_resource(out, req, query, host_bucket);
    hmac_sha1(user->secret.p, user->secret.len, start, (size_t)(out - start), mac);
    AUTO(freep) char *expected = base64_encode(mac, sizeof(mac));
    return slice_of(expected).len == signature.len &&
           verify_same(expected, signature.p, signature.len);
}

/* As PAYLOAD_SHA256 when the client sent a hash, else unsigned: version 2 does not cover it. */
static enum s3_error v2_payload(const struct http_request *req, struct verdict *verdict)
{
    struct slice line = req->known[KNOWN_AMZ_CONTENT_SHA256];
    verdict->payload = PAYLOAD_UNSIGNED;
    if (!line.p)
        return S3_OK;
    enum s3_error error = verify_read_payload(line, verdict);
    if (verdict->payload == PAYLOAD_CHUNKS_SIGNED)
        return S3_INVALID_REQUEST;
    return error;
}

enum s3_error verify_v2_header(struct verifier *verifier, const struct http_request *req,
                               const struct query *query, struct slice host_bucket,
                               struct slice credential, int64_t now_s, struct verdict *verdict)
{
    struct slice signature = credential;
    struct slice access = slice_cut(&signature, ':');
    struct slice amz_date = req->known[KNOWN_AMZ_DATE];
    struct slice date = amz_date.p ? amz_date : req->known[KNOWN_DATE];
    const struct user *user = verify_find_user(verifier->policy, access);
    if (!user)
        return S3_INVALID_ACCESS_KEY;
    int64_t signed_s = time_parse_http(date);
    if (signed_s < 0)
        signed_s = time_parse_compact(date);
    if (signed_s < 0)
        return S3_ACCESS_DENIED;
    if (signed_s > now_s + VERIFY_SKEW_S || signed_s < now_s - VERIFY_SKEW_S)
        return S3_TIME_SKEWED;
    if (amz_date.p)
        date = (struct slice){NULL, 0};
    if (!v2_fits(verifier, req, query, host_bucket, date, user, signature))
        return S3_SIGNATURE_MISMATCH;
    verdict->user = user;
    return v2_payload(req, verdict);
}

enum s3_error verify_v2_query(struct verifier *verifier, const struct http_request *req,
                              const struct query *query, struct slice host_bucket, int64_t now_s,
                              struct verdict *verdict)
{
    struct slice expires = query_get(query, SLICE("Expires"));
    const struct user *user =
        verify_find_user(verifier->policy, query_get(query, SLICE("AWSAccessKeyId")));
    if (!user)
        return S3_INVALID_ACCESS_KEY;
    int64_t until_s = http_parse_number(expires);
    if (until_s < 0)
        return S3_ACCESS_DENIED;
    if (until_s < now_s)
        return S3_EXPIRED_PRESIGNED;
    if (!v2_fits(verifier, req, query, host_bucket, expires, user,
                 query_get(query, SLICE("Signature"))))
        return S3_SIGNATURE_MISMATCH;
    verdict->user = user;
    return v2_payload(req, verdict);
}
