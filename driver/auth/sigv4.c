/* sigv4.c -- see sigv4.h. */
#include "driver/auth/sigv4.h"

#include <stdio.h>
#include <time.h>

#define DAY_SECONDS 86400

void sigv4_init(struct sigv4 *signer, const char *access_key, const char *secret_key,
                const char *region, const char *service)
{
    memset(signer, 0, sizeof(*signer));
    signer->access_key = access_key;
    signer->secret_key = secret_key;
    signer->region = region;
    signer->service = service;
    signer->second = signer->day = -1;
}

/* kSigning = HMAC(HMAC(HMAC(HMAC("AWS4" + secret, date), region), service), "aws4_request") */
static void derive_key(struct sigv4 *signer)
{
    char secret[512];
    uint8_t key[SHA256_BYTES];
    int len = snprintf(secret, sizeof(secret), "AWS4%s", signer->secret_key);
    size_t secret_len = (size_t)len < sizeof(secret) ? (size_t)len : sizeof(secret) - 1;
    hmac_sha256(secret, secret_len, signer->date, 8, key);
    hmac_sha256(key, sizeof(key), signer->region, strlen(signer->region), key);
    hmac_sha256(key, sizeof(key), signer->service, strlen(signer->service), key);
    hmac_sha256(key, sizeof(key), "aws4_request", 12, key);
    hmac_sha256_key(&signer->key, key, sizeof(key));
    explicit_bzero(secret, sizeof(secret));
    explicit_bzero(key, sizeof(key));
}

void sigv4_set_time(struct sigv4 *signer, int64_t wall_s)
{
    if (wall_s == signer->second)
        return;
    time_t seconds = (time_t)wall_s;
    struct tm tm;
    gmtime_r(&seconds, &tm);
    strftime(signer->date, sizeof(signer->date), "%Y%m%dT%H%M%SZ", &tm);
    signer->second = wall_s;
    if (wall_s / DAY_SECONDS != signer->day) {
        signer->day = wall_s / DAY_SECONDS;
        derive_key(signer);
        int len = snprintf(signer->scope, sizeof(signer->scope), "%.8s/%s/%s/aws4_request",
                           signer->date, signer->region, signer->service);
        signer->scope_len =
            (size_t)len < sizeof(signer->scope) ? (size_t)len : sizeof(signer->scope) - 1;
    }
    signer->string_prefix = signer->key.inner;
    sha256_add(&signer->string_prefix, "AWS4-HMAC-SHA256\n", 17);
    sha256_add(&signer->string_prefix, signer->date, 16);
    sha256_add(&signer->string_prefix, "\n", 1);
    sha256_add(&signer->string_prefix, signer->scope, signer->scope_len);
    sha256_add(&signer->string_prefix, "\n", 1);
}

void sigv4_sign(const struct sigv4 *signer, const char *canonical, size_t len, char out[64])
{
    uint8_t hash[SHA256_BYTES];
    char hex[2 * SHA256_BYTES];
    sha256_of(canonical, len, hash);
    hex_encode(hash, sizeof(hash), hex);
    struct digest digest = signer->string_prefix;
    sha256_add(&digest, hex, sizeof(hex));
    sha256_end(&digest, hash);
    digest = signer->key.outer;
    sha256_add(&digest, hash, sizeof(hash));
    sha256_end(&digest, hash);
    hex_encode(hash, sizeof(hash), out);
}

bool sigv4_write_headers(const struct sigv4 *signer, const struct sigv4_request *request,
                         char *scratch, size_t scratch_len, struct writer *writer)
{
    struct writer canonical = {.at = scratch, .end = scratch + scratch_len};
    write_text(&canonical, request->method);
    write_literal(&canonical, "\n");
    write_bytes(&canonical, request->path.data, request->path.len);
    write_literal(&canonical, "\n");
    write_bytes(&canonical, request->query.data, request->query.len);
    write_literal(&canonical, "\nhost:");
    write_text(&canonical, request->host);
    write_literal(&canonical, "\nx-amz-content-sha256:");
    write_text(&canonical, request->payload_hash);
    write_literal(&canonical, "\nx-amz-date:");
    write_bytes(&canonical, signer->date, 16);
    write_literal(&canonical, "\n");
    if (request->extra_headers)
        write_text(&canonical, request->extra_headers);
    write_literal(&canonical, "\nhost;x-amz-content-sha256;x-amz-date");
    if (request->extra_names)
        write_text(&canonical, request->extra_names);
    write_literal(&canonical, "\n");
    write_text(&canonical, request->payload_hash);
    if (canonical.full)
        return false;
    char signature[64];
    sigv4_sign(signer, scratch, (size_t)(canonical.at - scratch), signature);

    write_literal(writer, "x-amz-content-sha256: ");
    write_text(writer, request->payload_hash);
    write_literal(writer, "\r\nx-amz-date: ");
    write_bytes(writer, signer->date, 16);
    write_literal(writer, "\r\nAuthorization: AWS4-HMAC-SHA256 Credential=");
    write_text(writer, signer->access_key);
    write_literal(writer, "/");
    write_bytes(writer, signer->scope, signer->scope_len);
    write_literal(writer, ", SignedHeaders=host;x-amz-content-sha256;x-amz-date");
    if (request->extra_names)
        write_text(writer, request->extra_names);
    write_literal(writer, ", Signature=");
    write_bytes(writer, signature, sizeof(signature));
    write_literal(writer, "\r\n");
    return !writer->full;
}
