/* digest.c -- see digest.h. */
#define OPENSSL_SUPPRESS_DEPRECATED /* the low-level contexts are copied by value */
#include "common/base/digest.h"

#include "common/base/err.h"
#include "common/base/xalloc.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(SHA256_CTX) <= sizeof(struct digest), "digest too small for SHA-256");
_Static_assert(sizeof(MD5_CTX) <= sizeof(struct digest), "digest too small for MD5");

#define SHA256_BLOCK 64

void sha256_start(struct digest *digest)
{
    SHA256_Init((SHA256_CTX *)digest);
}

void sha256_add(struct digest *digest, const void *data, size_t len)
{
    SHA256_Update((SHA256_CTX *)digest, data, len);
}

void sha256_end(struct digest *digest, uint8_t out[SHA256_BYTES])
{
    SHA256_Final(out, (SHA256_CTX *)digest);
}

void sha256_of(const void *data, size_t len, uint8_t out[SHA256_BYTES])
{
    struct digest digest;
    sha256_start(&digest);
    sha256_add(&digest, data, len);
    sha256_end(&digest, out);
}

void md5_start(struct digest *digest)
{
    MD5_Init((MD5_CTX *)digest);
}

void md5_add(struct digest *digest, const void *data, size_t len)
{
    MD5_Update((MD5_CTX *)digest, data, len);
}

void md5_end(struct digest *digest, uint8_t out[MD5_BYTES])
{
    MD5_Final(out, (MD5_CTX *)digest);
}

void md5_of(const void *data, size_t len, uint8_t out[MD5_BYTES])
{
    struct digest digest;
    md5_start(&digest);
    md5_add(&digest, data, len);
    md5_end(&digest, out);
}

void hmac_sha256_key(struct hmac_key *key, const void *secret, size_t secret_len)
{
    uint8_t block[SHA256_BLOCK] = {0};
    uint8_t pad[SHA256_BLOCK];
    if (secret_len > SHA256_BLOCK)
        sha256_of(secret, secret_len, block);
    else if (secret_len)
        memcpy(block, secret, secret_len);
    for (int i = 0; i < SHA256_BLOCK; i++)
        pad[i] = block[i] ^ 0x36;
    sha256_start(&key->inner);
    sha256_add(&key->inner, pad, sizeof(pad));
    for (int i = 0; i < SHA256_BLOCK; i++)
        pad[i] = block[i] ^ 0x5c;
    sha256_start(&key->outer);
    sha256_add(&key->outer, pad, sizeof(pad));
}

void hmac_sha256_with(const struct hmac_key *key, const void *data, size_t len,
                      uint8_t out[SHA256_BYTES])
{
    struct digest digest = key->inner;
    sha256_add(&digest, data, len);
    sha256_end(&digest, out);
    digest = key->outer;
    sha256_add(&digest, out, SHA256_BYTES);
    sha256_end(&digest, out);
}

void hmac_sha256(const void *secret, size_t secret_len, const void *data, size_t len,
                 uint8_t out[SHA256_BYTES])
{
    struct hmac_key key;
    hmac_sha256_key(&key, secret, secret_len);
    hmac_sha256_with(&key, data, len, out);
}

void hmac_sha1(const void *secret, size_t secret_len, const void *data, size_t len,
               uint8_t out[SHA1_BYTES])
{
    unsigned int out_len = SHA1_BYTES;
    HMAC(EVP_sha1(), secret, (int)secret_len, data, len, out, &out_len);
}

char *hex_encode(const void *data, size_t len, char *out)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *bytes = data;
    for (size_t i = 0; i < len; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    return out;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int hex_decode(const char *text, size_t len, uint8_t *out)
{
    for (size_t i = 0; i < len; i++) {
        int high = hex_value(text[2 * i]);
        int low = high < 0 ? -1 : hex_value(text[2 * i + 1]);
        if (low < 0)
            return ERR_CONFIG;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return 0;
}

char *base64_encode(const void *data, size_t len)
{
    char *text = xmalloc(4 * ((len + 2) / 3) + 1);
    EVP_EncodeBlock((unsigned char *)text, data, (int)len);
    return text;
}

int base64_decode(const char *text, size_t text_len, uint8_t **ret_data, size_t *ret_len)
{
    if (text_len % 4 || text_len > INT32_MAX)
        return ERR_CONFIG;
    size_t padding = 0;
    while (padding < 2 && padding < text_len && text[text_len - 1 - padding] == '=')
        padding++;
    for (size_t i = 0; i < text_len - padding; i++) {
        char c = text[i];
        if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
              c == '+' || c == '/'))
            return ERR_CONFIG;
    }
    uint8_t *data = xmalloc(text_len / 4 * 3 + 1);
    int len = EVP_DecodeBlock(data, (const unsigned char *)text, (int)text_len);
    if (len < 0) {
        free(data);
        return ERR_CONFIG;
    }
    *ret_data = data;
    *ret_len = (size_t)len - padding;
    return 0;
}
