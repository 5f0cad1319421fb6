/* aws_chunks.c -- see aws_chunks.h. */
#include "driver/target/aws_chunks.h"

#include "common/base/scope.h"

#include <stdio.h>

enum { STATE_HEAD, STATE_DATA, STATE_DATA_END, STATE_TRAILER, STATE_DONE };

#define EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define CHUNK_MAX    (INT64_C(1) << 40)

void aws_chunks_init(struct aws_chunks *chunks, const struct verdict *verdict)
{
    chunks->state = STATE_HEAD;
    chunks->is_signed = verdict->payload == PAYLOAD_CHUNKS_SIGNED;
    chunks->trailer = verdict->payload_trailer;
    chunks->left = 0;
    chunks->line_len = 0;
    chunks->trailer_len = 0;
    if (!chunks->is_signed)
        return;
    chunks->key = *verdict->key;
    memcpy(chunks->signature, verdict->signature.p, sizeof(chunks->signature));
    memcpy(chunks->amz_date, verdict->amz_date.p, sizeof(chunks->amz_date));
    chunks->scope_len = verdict->scope.len;
    memcpy(chunks->scope, verdict->scope.p, verdict->scope.len);
}

/* Signature over kind, date, scope, the last signature and hash_lines; replaces the last one. */
static enum s3_error check_signature(struct aws_chunks *chunks, const char *kind,
                                     const char *hash_lines, size_t hash_len)
{
    char text[64 + 16 + VERIFY_SCOPE_MAX + 64 + 160];
    uint8_t mac[SHA256_BYTES];
    size_t len = (size_t)snprintf(text, sizeof(text), "%s\n%.16s\n%.*s\n%.64s\n%.*s", kind,
                                  chunks->amz_date, (int)chunks->scope_len, chunks->scope,
                                  chunks->signature, (int)hash_len, hash_lines);
    hmac_sha256_with(&chunks->key, text, len, mac);
    hex_encode(mac, sizeof(mac), chunks->signature);
    return verify_same(chunks->signature, chunks->claimed, 64) ? S3_OK : S3_SIGNATURE_MISMATCH;
}

static enum s3_error chunk_ends(struct aws_chunks *chunks)
{
    char lines[64 + 1 + 64];
    uint8_t sha[SHA256_BYTES];
    if (!chunks->is_signed)
        return S3_OK;
    sha256_end(&chunks->sha, sha);
    memcpy(lines, EMPTY_SHA256 "\n", 65);
    hex_encode(sha, sizeof(sha), lines + 65);
    return check_signature(chunks, "AWS4-HMAC-SHA256-PAYLOAD", lines, sizeof(lines));
}

/* A chunk's head line, without CRLF. */
static enum s3_error read_head(struct aws_chunks *chunks, struct slice line)
{
    static const struct slice name = SLICE("chunk-signature=");
    struct slice size = slice_cut(&line, ';');
    int64_t value = 0;
    if (size.len == 0 || size.len > 12)
        return S3_INCOMPLETE_BODY;
    for (size_t i = 0; i < size.len; i++) {
        char c = size.p[i];
        int digit = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        if (digit < 0 || digit > 15)
            return S3_INCOMPLETE_BODY;
        value = value << 4 | digit;
    }
    if (value > CHUNK_MAX)
        return S3_INCOMPLETE_BODY;
    if (chunks->is_signed) {
        if (!slice_starts(line, name) || line.len != name.len + 64)
            return S3_SIGNATURE_MISMATCH;
        memcpy(chunks->claimed, line.p + name.len, 64);
        sha256_start(&chunks->sha);
    }
    chunks->left = value;
    if (value) {
        chunks->state = STATE_DATA;
        return S3_OK;
    }
    chunks->state = STATE_TRAILER;
    return chunk_ends(chunks);
}

static enum s3_error trailers_end(struct aws_chunks *chunks)
{
    static const struct slice name = SLICE("x-amz-trailer-signature");
    uint8_t sha[SHA256_BYTES];
    char hex[64];
    struct slice rest = {chunks->trailers, chunks->trailer_len};
    size_t signed_len = 0;
    chunks->state = STATE_DONE;
    if (!chunks->is_signed || !chunks->trailer)
        return S3_OK;
    struct slice claimed = aws_chunks_trailer(chunks, name);
    if (claimed.len != 64)
        return S3_SIGNATURE_MISMATCH;
    memcpy(chunks->claimed, claimed.p, 64);
    while (rest.len) { /* all lines before the signature's own */
        struct slice line = slice_cut(&rest, '\n');
        if (slice_starts(line, name))
            break;
        signed_len += line.len + 1;
    }
    sha256_of(chunks->trailers, signed_len, sha);
    hex_encode(sha, sizeof(sha), hex);
    return check_signature(chunks, "AWS4-HMAC-SHA256-TRAILER", hex, sizeof(hex));
}

static enum s3_error read_trailer(struct aws_chunks *chunks, struct slice line)
{
    if (line.len == 0)
        return trailers_end(chunks);
    struct slice value = line;
    struct slice name = slice_cut(&value, ':');
    value = slice_trim(value);
    size_t len = name.len + value.len + 2;
    if (!chunks->trailer || !name.len || !value.p ||
        len > sizeof(chunks->trailers) - chunks->trailer_len)
        return S3_INCOMPLETE_BODY;
    char *out = chunks->trailers + chunks->trailer_len;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];
        *out++ = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    *out++ = ':';
    if (value.len)
        memcpy(out, value.p, value.len);
    out[value.len] = '\n';
    chunks->trailer_len += len;
    return S3_OK;
}

/* Adds to the line until its LF; true when it is whole, and then without CRLF. */
static bool collect_line(struct aws_chunks *chunks, struct slice *input, enum s3_error *error)
{
    while (input->len) {
        char c = *input->p++;
        input->len--;
        bool whole = c == '\n' && chunks->line_len && chunks->line[chunks->line_len - 1] == '\r';
        if (whole) {
            chunks->line_len--;
            return true;
        }
        if (c == '\n' || chunks->line_len == sizeof(chunks->line)) {
            *error = S3_INCOMPLETE_BODY;
            return false;
        }
        chunks->line[chunks->line_len++] = c;
    }
    return false;
}

static enum s3_error read_line(struct aws_chunks *chunks)
{
    struct slice line = {chunks->line, chunks->line_len};
    chunks->line_len = 0;
    switch (chunks->state) {
    case STATE_HEAD:
        return read_head(chunks, line);
    case STATE_DATA_END:
        chunks->state = STATE_HEAD;
        return line.len ? S3_INCOMPLETE_BODY : chunk_ends(chunks);
    default:
        return read_trailer(chunks, line);
    }
}

enum s3_error aws_chunks_next(struct aws_chunks *chunks, struct slice *input,
                              struct slice *ret_content)
{
    enum s3_error error = S3_OK;
    *ret_content = (struct slice){NULL, 0};
    while (input->len) {
        if (chunks->state == STATE_DONE)
            return S3_INCOMPLETE_BODY;
        if (chunks->state == STATE_DATA) {
            size_t len = (size_t)MIN((int64_t)input->len, chunks->left);
            *ret_content = (struct slice){input->p, len};
            if (chunks->is_signed)
                sha256_add(&chunks->sha, input->p, len);
            input->p += len;
            input->len -= len;
            chunks->left -= (int64_t)len;
            if (!chunks->left)
                chunks->state = STATE_DATA_END;
            return S3_OK;
        }
        if (collect_line(chunks, input, &error))
            error = read_line(chunks);
        if (error)
            return error;
    }
    return S3_OK;
}

bool aws_chunks_done(const struct aws_chunks *chunks)
{
    return chunks->state == STATE_DONE;
}

struct slice aws_chunks_trailer(const struct aws_chunks *chunks, struct slice name)
{
    struct slice rest = {chunks->trailers, chunks->trailer_len};
    while (rest.len) {
        struct slice value = slice_cut(&rest, '\n');
        struct slice found = slice_cut(&value, ':');
        if (slice_is(found, name))
            return value;
    }
    return (struct slice){NULL, 0};
}
