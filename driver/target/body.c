/* body.c -- see body.h. */
#include "driver/target/body.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <zlib.h>

static const struct slice crc_field = SLICE("x-amz-checksum-crc32");

void body_init(struct body *body)
{
    memset(body, 0, sizeof(*body));
    body->text = (struct strbuf)STRBUF_INIT(BODY_TEXT_MAX);
}

void body_release(struct body *body)
{
    blob_unref(body->blob);
    body->blob = NULL;
    free(body->chunks);
    body->chunks = NULL;
    strbuf_release(&body->text);
}

static void body_reset(struct body *body, enum body_kind kind, int64_t wire_size)
{
    blob_unref(body->blob);
    body->blob = NULL;
    body->kind = kind;
    body->wire_left = body->wire_size = wire_size;
    body->declared = wire_size;
    body->size = 0;
    body->error = S3_OK;
    body->sha = body->md5 = body->crc = body->chunked = false;
    if (body->text.cap > 65536)
        strbuf_release(&body->text);
    strbuf_reset(&body->text);
}

void body_drop(struct body *body, int64_t wire_size)
{
    body_reset(body, BODY_DROP, wire_size);
}

static enum s3_error start_chunks(struct body *body, const struct http_request *req,
                                  const struct verdict *verdict)
{
    body->declared = http_parse_number(req->known[KNOWN_AMZ_DECODED_LENGTH]);
    if (body->declared < 0)
        return S3_MISSING_LENGTH;
    if (body->declared > body->wire_size)
        return S3_INVALID_REQUEST;
    if (!body->chunks)
        body->chunks = xmalloc(sizeof(*body->chunks));
    aws_chunks_init(body->chunks, verdict);
    body->chunked = true;
    return S3_OK;
}

static void start_sums(struct body *body, const struct http_request *req,
                       const struct verdict *verdict)
{
    body->sha = verdict->payload == PAYLOAD_SHA256;
    body->md5 = body->kind == BODY_KEEP || req->known[KNOWN_CONTENT_MD5].p;
    struct slice trailer = req->known[KNOWN_AMZ_TRAILER];
    body->crc = http_request_field(req, crc_field).p || slice_is_nocase(trailer, crc_field);
    if (body->sha)
        sha256_start(&body->sha_state);
    if (body->md5)
        md5_start(&body->md5_state);
    body->crc_value = 0;
}

enum s3_error body_start(struct body *body, enum body_kind kind, struct store *store,
                         const struct http_request *req, const struct verdict *verdict, int64_t max)
{
    if (req->content_length < 0)
        return S3_MISSING_LENGTH;
    body_reset(body, kind, req->content_length);
    if (verdict->payload == PAYLOAD_CHUNKS || verdict->payload == PAYLOAD_CHUNKS_SIGNED) {
        enum s3_error error = start_chunks(body, req, verdict);
        if (error)
            return error;
    }
    if (body->declared > max)
        return S3_ENTITY_TOO_LARGE;
    start_sums(body, req, verdict);
    if (kind == BODY_KEEP && body->declared) {
        body->blob = blob_new(store, (size_t)body->declared);
        if (!body->blob)
            return S3_STORE_FULL;
    }
    return S3_OK;
}

bool body_ignores(const struct body *body)
{
    if (body->kind == BODY_DROP || body->error)
        return true;
    return body->kind == BODY_SIZE && !body->sha && !body->md5 && !body->crc && !body->chunked;
}

void body_skip(struct body *body, int64_t len)
{
    body->wire_left -= len;
    body->size += len;
}

char *body_space(struct body *body, size_t *ret_len)
{
    if (body->kind != BODY_KEEP || body->chunked || body->error || !body->blob)
        return NULL;
    *ret_len = (size_t)(body->declared - body->size);
    return body->blob->data + body->size;
}

/* Takes content, without framing. */
static void add_content(struct body *body, const char *data, size_t len)
{
    if (body->declared - body->size < (int64_t)len) {
        body->error = S3_INCOMPLETE_BODY;
        return;
    }
    if (body->sha)
        sha256_add(&body->sha_state, data, len);
    if (body->md5)
        md5_add(&body->md5_state, data, len);
    if (body->crc)
        body->crc_value = (uint32_t)crc32_z(body->crc_value, (const unsigned char *)data, len);
    if (body->kind == BODY_KEEP && body->blob && data != body->blob->data + body->size)
        memcpy(body->blob->data + body->size, data, len);
    if (body->kind == BODY_TEXT && strbuf_add(&body->text, data, len) < 0)
        body->error = S3_ENTITY_TOO_LARGE;
    body->size += (int64_t)len;
}

void body_add(struct body *body, const char *data, size_t len)
{
    struct slice input = {data, len};
    struct slice content;
    if (body_ignores(body)) {
        body_skip(body, (int64_t)len);
        return;
    }
    body->wire_left -= (int64_t)len;
    if (!body->chunked) {
        add_content(body, data, len);
        return;
    }
    while (input.len && !body->error) {
        body->error = aws_chunks_next(body->chunks, &input, &content);
        if (!body->error && content.len)
            add_content(body, content.p, content.len);
    }
}

static enum s3_error check_md5(struct body *body, const struct http_request *req)
{
    struct slice sent = req->known[KNOWN_CONTENT_MD5];
    uint8_t *raw = NULL;
    size_t raw_len = 0;
    if (!body->md5)
        return S3_OK;
    md5_end(&body->md5_state, body->md5_value);
    if (!sent.p)
        return S3_OK;
    if (sent.len > 32 || base64_decode(sent.p, sent.len, &raw, &raw_len) < 0)
        return S3_INVALID_DIGEST;
    enum s3_error error = raw_len != MD5_BYTES                           ? S3_INVALID_DIGEST
                          : memcmp(raw, body->md5_value, MD5_BYTES) == 0 ? S3_OK
                                                                         : S3_BAD_DIGEST;
    free(raw);
    return error;
}

static enum s3_error check_sha256(struct body *body, const struct verdict *verdict)
{
    uint8_t sha[SHA256_BYTES];
    if (!body->sha)
        return S3_OK;
    sha256_end(&body->sha_state, sha);
    return memcmp(sha, verdict->sha256, sizeof(sha)) == 0 ? S3_OK : S3_SHA256_MISMATCH;
}

static enum s3_error check_crc(struct body *body, const struct http_request *req)
{
    if (!body->crc)
        return S3_OK;
    struct slice sent =
        body->chunked ? aws_chunks_trailer(body->chunks, crc_field) : (struct slice){NULL, 0};
    if (!sent.p)
        sent = http_request_field(req, crc_field);
    if (!sent.p)
        return S3_OK;
    uint8_t bytes[4] = {(uint8_t)(body->crc_value >> 24), (uint8_t)(body->crc_value >> 16),
                        (uint8_t)(body->crc_value >> 8), (uint8_t)body->crc_value};
    AUTO(freep) char *expected = base64_encode(bytes, sizeof(bytes));
    return slice_is(sent, slice_of(expected)) ? S3_OK : S3_BAD_DIGEST;
}

enum s3_error body_finish(struct body *body, const struct http_request *req,
                          const struct verdict *verdict)
{
    enum s3_error error = body->error;
    if (error || body->kind == BODY_DROP)
        return error;
    if (body->size != body->declared || (body->chunked && !aws_chunks_done(body->chunks)))
        return S3_INCOMPLETE_BODY;
    error = check_sha256(body, verdict);
    if (!error)
        error = check_md5(body, req);
    return error ? error : check_crc(body, req);
}
