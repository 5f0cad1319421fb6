/* digest.h -- MD5, SHA-1, SHA-256, HMAC-SHA256, hex and base64: the door to OpenSSL's hashes.
 *
 * The SHA-256 context is a plain value that can be copied, so a keyed or prefixed
 * state is computed once and reused (the low-level functions: no allocation, no
 * provider look-up). FIPS 180-4, RFC 1321, RFC 2104, RFC 4648. */
#ifndef LOADSTONE_COMMON_BASE_DIGEST_H
#define LOADSTONE_COMMON_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA1_BYTES   20
#define MD5_BYTES    16

/* Opaque; large enough for any of the three. */
struct digest {
    uint64_t state[32];
};

void sha256_start(struct digest *digest);
void sha256_add(struct digest *digest, const void *data, size_t len);
void sha256_end(struct digest *digest, uint8_t out[SHA256_BYTES]);
void sha256_of(const void *data, size_t len, uint8_t out[SHA256_BYTES]);

void md5_start(struct digest *digest);
void md5_add(struct digest *digest, const void *data, size_t len);
void md5_end(struct digest *digest, uint8_t out[MD5_BYTES]);
void md5_of(const void *data, size_t len, uint8_t out[MD5_BYTES]);

/* A key ready for many messages: both padded blocks are already hashed. */
struct hmac_key {
    struct digest inner;
    struct digest outer;
};

void hmac_sha256_key(struct hmac_key *key, const void *secret, size_t secret_len);
void hmac_sha256_with(const struct hmac_key *key, const void *data, size_t len,
                      uint8_t out[SHA256_BYTES]);
void hmac_sha256(const void *secret, size_t secret_len, const void *data, size_t len,
                 uint8_t out[SHA256_BYTES]);
void hmac_sha1(const void *secret, size_t secret_len, const void *data, size_t len,
               uint8_t out[SHA1_BYTES]);

/* Lower-case hex of len bytes into out (2 * len characters, no NUL). Returns out + 2 * len. */
char *hex_encode(const void *data, size_t len, char *out);
/* 2 * len hex characters of any case to len bytes; 0 or ERR_CONFIG. */
int hex_decode(const char *text, size_t len, uint8_t *out);

/* Standard base64 with padding. The result is owned by the caller. */
char *base64_encode(const void *data, size_t len);
/* Whole text must be base64. *ret_data is owned by the caller. 0 or ERR_CONFIG. */
int base64_decode(const char *text, size_t text_len, uint8_t **ret_data, size_t *ret_len);

#endif
