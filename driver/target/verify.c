/* verify.c -- see verify.h. */
#include "driver/target/verify.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "driver/target/time_text.h"

#include <stdlib.h>

/* Three times the longest target, plus all fields, plus the small lines. */
#define SCRATCH_BYTES (4 * REQUEST_HEAD_MAX + 16384)

/* A signature as the request presents it. */
struct claim {
    struct slice access;
    struct slice scope; /* "20261130/us-east-1/s3/aws4_request" */
    struct slice signed_names;
    struct slice signature;
    struct slice amz_date;
    struct slice payload; /* the payload line of the canonical request */
    bool presigned;
};

void verifier_init(struct verifier *verifier, const struct verify_policy *policy)
{
    memset(verifier, 0, sizeof(*verifier));
    verifier->policy = policy;
    verifier->scratch = xmalloc(SCRATCH_BYTES);
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

static const struct user *find_user(const struct verify_policy *policy, struct slice access)
{
    for (size_t i = 0; i < policy->user_count; i++)
        if (slice_is(policy->users[i].access, access))
            return &policy->users[i];
    return NULL;
}

static char *put(char *out, struct slice text)
{
    if (text.len)
        memcpy(out, text.p, text.len);
    return out + text.len;
}

static char *put_line(char *out, struct slice text)
{
    out = put(out, text);
    *out++ = '\n';
    return out;
}

/* ---- Signature version 4 ---- */

/* "ACCESS/20261130/us-east-1/s3/aws4_request": access keys may hold slashes, so from the end. */
static bool split_credential(struct slice credential, struct slice *access, struct slice *scope)
{
    size_t at = credential.len;
    for (int slashes = 0; at > 0; at--) {
        if (credential.p[at - 1] == '/' && ++slashes == 4)
            break;
    }
    if (at < 2 || credential.len - at >= VERIFY_SCOPE_MAX)
        return false;
    *access = (struct slice){credential.p, at - 1};
    *scope = (struct slice){credential.p + at, credential.len - at};
    return true;
}

static enum s3_error check_scope(const struct verify_policy *policy, const struct claim *claim)
{
    struct slice rest = claim->scope;
    struct slice day = slice_cut(&rest, '/');
    struct slice region = slice_cut(&rest, '/');
    if (!slice_is(rest, SLICE("s3/aws4_request")))
        return S3_AUTHORIZATION_MALFORMED;
    if (day.len != 8 || claim->amz_date.len < 8 || memcmp(day.p, claim->amz_date.p, 8) != 0)
        return S3_AUTHORIZATION_MALFORMED;
    if (policy->region.len && !slice_is(region, policy->region))
        return S3_AUTHORIZATION_MALFORMED;
    return S3_OK;
}

static const struct hmac_key *signing_key(struct verifier *verifier, const struct user *user,
                                          struct slice scope)
{
    for (size_t i = 0; i < VERIFY_CACHE_KEYS; i++) {
        const struct verify_key *cached = &verifier->keys[i];
        if (cached->user == user && cached->scope_len == scope.len &&
            memcmp(cached->scope, scope.p, scope.len) == 0)
            return &cached->key;
    }
    struct verify_key *slot = &verifier->keys[verifier->next_key++ % VERIFY_CACHE_KEYS];
    uint8_t mac[SHA256_BYTES];
    char *secret = xmalloc(user->secret.len + 4);
    memcpy(secret, "AWS4", 4);
    memcpy(secret + 4, user->secret.p, user->secret.len);
    hmac_sha256_key(&slot->key, secret, user->secret.len + 4);
    free(secret);
    struct slice rest = scope;
    while (rest.len) {
        struct slice step = slice_cut(&rest, '/');
        hmac_sha256_with(&slot->key, step.p, step.len, mac);
        hmac_sha256_key(&slot->key, mac, sizeof(mac));
    }
    slot->user = user;
    slot->scope_len = scope.len;
    memcpy(slot->scope, scope.p, scope.len);
    return &slot->key;
}

struct pair {
    struct slice name, value; /* encoded */
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a;
    const struct pair *y = b;
    int order = slice_compare(x->name, y->name);
    return order ? order : slice_compare(x->value, y->value);
}

/* Sorted and encoded anew, without the signature itself. The encoded pieces are made in the
 * second half of the scratch buffer. */
static char *put_canonical_query(char *out, char *pieces, const struct query *query)
{
    struct pair pairs[QUERY_PARAMS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < query->count; i++) {
        const struct query_param *param = &query->params[i];
        if (slice_is(param->name, SLICE("X-Amz-Signature")))
            continue;
        char *end = percent_encode(param->name, false, pieces);
        pairs[count].name = (struct slice){pieces, (size_t)(end - pieces)};
        pieces = percent_encode(param->value, false, end);
        pairs[count++].value = (struct slice){end, (size_t)(pieces - end)};
    }
    qsort(pairs, count, sizeof(pairs[0]), compare_pairs);
    for (size_t i = 0; i < count; i++) {
        if (i)
            *out++ = '&';
        out = put(out, pairs[i].name);
        *out++ = '=';
        out = put(out, pairs[i].value);
    }
    return out;
}

/* Runs of blanks become one. */
static char *put_squeezed(char *out, struct slice value)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.p[i] != ' ' || i == 0 || value.p[i - 1] != ' ')
            *out++ = value.p[i];
    return out;
}

/* "name:value[,value]\n" for each signed name; NULL when one is absent or "host" is not signed. */
static char *put_canonical_headers(char *out, const struct http_request *req, struct slice names,
                                   const char *limit)
{
    bool host = false;
    while (names.len) {
        struct slice name = slice_cut(&names, ';');
        bool found = false;
        host = host || slice_is(name, SLICE("host"));
        if (limit - out < (ptrdiff_t)name.len + 2)
            return NULL;
        out = put(out, name);
        *out++ = ':';
        for (size_t i = 0; i < req->field_count; i++) {
            const struct http_field *field = &req->fields[i];
            if (!slice_is_nocase(field->name, name))
                continue;
            if (limit - out < (ptrdiff_t)field->value.len + 2)
                return NULL; /* names repeated to make a small request large */
            if (found)
                *out++ = ',';
            out = put_squeezed(out, field->value);
            found = true;
        }
        if (!found)
            return NULL;
        *out++ = '\n';
    }
    return host ? out : NULL;
}

/* SHA-256 of the canonical request in hex; false when it cannot be made. raw_path signs the path
 * as it was sent, instead of decoding and encoding it as the standard says. */
static bool hash_canonical_request(struct verifier *verifier, const struct http_request *req,
                                   const struct query *query, const struct claim *claim,
                                   bool raw_path, char hex[64])
{
    char *start = verifier->scratch;
    const char *limit = start + SCRATCH_BYTES - REQUEST_HEAD_MAX; /* names and payload follow */
    char *out = put_line(start, req->method_text);
    uint8_t sha[SHA256_BYTES];
    if (raw_path || !memchr(req->path.p, '%', req->path.len)) {
        out = raw_path ? put(out, req->path) : percent_encode(req->path, true, out);
    } else {
        char *decoded = start + 2 * SCRATCH_BYTES / 3;
        long len = percent_decode(req->path, false, decoded);
        if (len < 0)
            return false;
        out = percent_encode((struct slice){decoded, (size_t)len}, true, out);
    }
    *out++ = '\n';
    if (query->count) {
        /* What the parsed query encodes to is at most three times what was sent. */
        char *pieces = xmalloc(3 * req->query.len + 1);
        out = put_canonical_query(out, pieces, query);
        free(pieces);
    }
    *out++ = '\n';
    out = put_canonical_headers(out, req, claim->signed_names, limit);
    if (!out)
        return false;
    *out++ = '\n';
    out = put_line(out, claim->signed_names);
    out = put(out, claim->payload);
    sha256_of(start, (size_t)(out - start), sha);
    hex_encode(sha, sizeof(sha), hex);
    return true;
}

static bool signature_fits(struct verifier *verifier, const struct http_request *req,
                           const struct query *query, const struct claim *claim,
                           const struct hmac_key *key, bool raw_path)
{
    char text[32 + 32 + VERIFY_SCOPE_MAX + 64];
    char expected[64];
    uint8_t mac[SHA256_BYTES];
    char *out = put_line(text, SLICE("AWS4-HMAC-SHA256"));
    out = put_line(out, claim->amz_date);
    out = put_line(out, claim->scope);
    if (!hash_canonical_request(verifier, req, query, claim, raw_path, out))
        return false;
    hmac_sha256_with(key, text, (size_t)(out + 64 - text), mac);
    hex_encode(mac, sizeof(mac), expected);
    return claim->signature.len == 64 && verify_same(claim->signature.p, expected, 64);
}

/* The payload line tells how the body is protected. */
static enum s3_error read_payload(struct slice line, struct verdict *verdict)
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

static enum s3_error verify_claim(struct verifier *verifier, const struct http_request *req,
                                  const struct query *query, const struct claim *claim,
                                  struct verdict *verdict)
{
    const struct verify_policy *policy = verifier->policy;
    const struct user *user = find_user(policy, claim->access);
    if (!user)
        return S3_INVALID_ACCESS_KEY;
    enum s3_error error = check_scope(policy, claim);
    if (!error)
        error = read_payload(claim->payload, verdict);
    if (error)
        return error;
    const struct hmac_key *key = signing_key(verifier, user, claim->scope);
    bool encoded = memchr(req->path.p, '%', req->path.len) != NULL;
    if (!signature_fits(verifier, req, query, claim, key, false) &&
        !(encoded && signature_fits(verifier, req, query, claim, key, true)))
        return S3_SIGNATURE_MISMATCH;
    verdict->user = user;
    verdict->key = key;
    verdict->signature = claim->signature;
    verdict->scope = claim->scope;
    verdict->amz_date = claim->amz_date;
    return S3_OK;
}

/* "Credential=..., SignedHeaders=..., Signature=..." in any order. */
static bool parse_authorization(struct slice list, struct claim *claim)
{
    struct slice credential = {NULL, 0};
    while (list.len) {
        struct slice value = slice_trim(slice_cut(&list, ','));
        struct slice name = slice_cut(&value, '=');
        if (slice_is(name, SLICE("Credential")))
            credential = value;
        else if (slice_is(name, SLICE("SignedHeaders")))
            claim->signed_names = value;
        else if (slice_is(name, SLICE("Signature")))
            claim->signature = value;
    }
    return claim->signed_names.len && claim->signature.len &&
           split_credential(credential, &claim->access, &claim->scope);
}

/* The compact date a version 4 signature covers; a Date field serves, written compactly. */
static int64_t claim_time(const struct http_request *req, struct claim *claim, char compact[17])
{
    claim->amz_date = req->known[KNOWN_AMZ_DATE];
    if (!claim->amz_date.p)
        claim->amz_date = req->known[KNOWN_DATE];
    int64_t seconds = time_parse_compact(claim->amz_date);
    if (seconds >= 0)
        return seconds;
    seconds = time_parse_http(claim->amz_date);
    if (seconds < 0)
        return -1;
    char xml[TIME_XML_BYTES];
    time_format_xml(seconds * 1000, xml);
    for (size_t i = 0, n = 0; i < 19; i++)
        if (xml[i] != '-' && xml[i] != ':')
            compact[n++] = xml[i];
    compact[15] = 'Z';
    claim->amz_date = (struct slice){compact, 16};
    return seconds;
}

static enum s3_error verify_v4_header(struct verifier *verifier, const struct http_request *req,
                                      const struct query *query, struct slice list, int64_t now_s,
                                      struct verdict *verdict)
{
    struct claim claim = {0};
    char compact[17];
    if (!parse_authorization(list, &claim))
        return S3_AUTHORIZATION_MALFORMED;
    if (!find_user(verifier->policy, claim.access))
        return S3_INVALID_ACCESS_KEY;
    int64_t signed_s = claim_time(req, &claim, compact);
    if (signed_s < 0)
        return S3_ACCESS_DENIED;
    if (signed_s > now_s + VERIFY_SKEW_S || signed_s < now_s - VERIFY_SKEW_S)
        return S3_TIME_SKEWED;
    claim.payload = req->known[KNOWN_AMZ_CONTENT_SHA256];
    if (!claim.payload.p)
        return S3_MISSING_SHA256;
    enum s3_error error = verify_claim(verifier, req, query, &claim, verdict);
    if (!error && verdict->payload == PAYLOAD_CHUNKS_SIGNED && claim.amz_date.p == compact)
        return S3_ACCESS_DENIED; /* chunk signatures need the date kept in the request */
    return error;
}

static enum s3_error verify_v4_query(struct verifier *verifier, const struct http_request *req,
                                     const struct query *query, int64_t now_s,
                                     struct verdict *verdict)
{
    struct claim claim = {
        .signed_names = query_get(query, SLICE("X-Amz-SignedHeaders")),
        .signature = query_get(query, SLICE("X-Amz-Signature")),
        .amz_date = query_get(query, SLICE("X-Amz-Date")),
        .payload = req->known[KNOWN_AMZ_CONTENT_SHA256],
        .presigned = true,
    };
    int64_t expires = http_parse_number(query_get(query, SLICE("X-Amz-Expires")));
    int64_t signed_s = time_parse_compact(claim.amz_date);
    if (!slice_is(query_get(query, SLICE("X-Amz-Algorithm")), SLICE("AWS4-HMAC-SHA256")) ||
        !split_credential(query_get(query, SLICE("X-Amz-Credential")), &claim.access,
                          &claim.scope) ||
        signed_s < 0 || expires < 1 || expires > 7 * 86400)
        return S3_AUTHORIZATION_QUERY_MALFORMED;
    if (!find_user(verifier->policy, claim.access))
        return S3_INVALID_ACCESS_KEY;
    if (signed_s > now_s + VERIFY_SKEW_S)
        return S3_TIME_SKEWED;
    if (signed_s + expires < now_s)
        return S3_EXPIRED_PRESIGNED;
    if (!claim.payload.p)
        claim.payload = SLICE("UNSIGNED-PAYLOAD");
    return verify_claim(verifier, req, query, &claim, verdict);
}

/* ---- Signature version 2 ---- */

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
        out = put_line(out, fields[i]->value);
    }
    return out;
}

static char *put_v2_resource(char *out, const struct http_request *req, const struct query *query,
                             struct slice host_bucket)
{
    char separator = '?';
    if (host_bucket.len) {
        *out++ = '/';
        out = put(out, host_bucket);
    }
    out = put(out, req->path);
    for (size_t i = 0; query->count && i < ARRAY_LEN(v2_params); i++) {
        struct slice value = query_get(query, v2_params[i]);
        if (!value.p)
            continue;
        *out++ = separator;
        separator = '&';
        out = put(out, v2_params[i]);
        if (value.len) {
            *out++ = '=';
            out = put(out, value);
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
    char *out = put_line(start, req->method_text);
    out = put_line(out, req->known[KNOWN_CONTENT_MD5]);
    out = put_line(out, req->known[KNOWN_CONTENT_TYPE]);
    out = put_line(out, date);
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
    enum s3_error error = read_payload(line, verdict);
    if (verdict->payload == PAYLOAD_CHUNKS_SIGNED)
        return S3_INVALID_REQUEST;
    return error;
}

static enum s3_error verify_v2_header(struct verifier *verifier, const struct http_request *req,
                                      const struct query *query, struct slice host_bucket,
                                      struct slice credential, int64_t now_s,
                                      struct verdict *verdict)
{
    struct slice signature = credential;
    struct slice access = slice_cut(&signature, ':');
    struct slice amz_date = req->known[KNOWN_AMZ_DATE];
    struct slice date = amz_date.p ? amz_date : req->known[KNOWN_DATE];
    const struct user *user = find_user(verifier->policy, access);
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

static enum s3_error verify_v2_query(struct verifier *verifier, const struct http_request *req,
                                     const struct query *query, struct slice host_bucket,
                                     int64_t now_s, struct verdict *verdict)
{
    struct slice expires = query_get(query, SLICE("Expires"));
    const struct user *user =
        find_user(verifier->policy, query_get(query, SLICE("AWSAccessKeyId")));
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

/* Without checks: only how the body is framed and whether its hash was given. */
static enum s3_error verify_nothing(const struct http_request *req, struct verdict *verdict)
{
    struct slice line = req->known[KNOWN_AMZ_CONTENT_SHA256];
    if (line.p && read_payload(line, verdict))
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
