/* verify_v4.c -- signature version 4: canonical request, string to sign, cached signing keys. */
#include "driver/target/verify_private.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "driver/target/time_text.h"

#include <stdlib.h>

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
        out = verify_put(out, pairs[i].name);
        *out++ = '=';
        out = verify_put(out, pairs[i].value);
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
        out = verify_put(out, name);
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
    const char *limit =
        start + VERIFY_SCRATCH_BYTES - REQUEST_HEAD_MAX; /* names and payload follow */
    char *out = verify_put_line(start, req->method_text);
    uint8_t sha[SHA256_BYTES];
    if (raw_path || !memchr(req->path.p, '%', req->path.len)) {
        out = raw_path ? verify_put(out, req->path) : percent_encode(req->path, true, out);
    } else {
        char *decoded = start + 2 * VERIFY_SCRATCH_BYTES / 3;
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
    out = verify_put_line(out, claim->signed_names);
    out = verify_put(out, claim->payload);
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
    char *out = verify_put_line(text, SLICE("AWS4-HMAC-SHA256"));
    out = verify_put_line(out, claim->amz_date);
    out = verify_put_line(out, claim->scope);
    if (!hash_canonical_request(verifier, req, query, claim, raw_path, out))
        return false;
    hmac_sha256_with(key, text, (size_t)(out + 64 - text), mac);
    hex_encode(mac, sizeof(mac), expected);
    return claim->signature.len == 64 && verify_same(claim->signature.p, expected, 64);
}

static enum s3_error verify_claim(struct verifier *verifier, const struct http_request *req,
                                  const struct query *query, const struct claim *claim,
                                  struct verdict *verdict)
{
    const struct verify_policy *policy = verifier->policy;
    const struct user *user = verify_find_user(policy, claim->access);
    if (!user)
        return S3_INVALID_ACCESS_KEY;
    enum s3_error error = check_scope(policy, claim);
    if (!error)
        error = verify_read_payload(claim->payload, verdict);
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

enum s3_error verify_v4_header(struct verifier *verifier, const struct http_request *req,
                               const struct query *query, struct slice list, int64_t now_s,
                               struct verdict *verdict)
{
    struct claim claim = {0};
    char compact[17];
    if (!parse_authorization(list, &claim))
        return S3_AUTHORIZATION_MALFORMED;
    if (!verify_find_user(verifier->policy, claim.access))
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

enum s3_error verify_v4_query(struct verifier *verifier, const struct http_request *req,
                              const struct query *query, int64_t now_s, struct verdict *verdict)
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
    if (!verify_find_user(verifier->policy, claim.access))
        return S3_INVALID_ACCESS_KEY;
    if (signed_s > now_s + VERIFY_SKEW_S)
        return S3_TIME_SKEWED;
    if (signed_s + expires < now_s)
        return S3_EXPIRED_PRESIGNED;
    if (!claim.payload.p)
        claim.payload = SLICE("UNSIGNED-PAYLOAD");
    return verify_claim(verifier, req, query, &claim, verdict);
}
