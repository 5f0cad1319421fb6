/* body.c -- see body.h. */
#include "driver/ops/body.h"

#include "common/base/scope.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ZERO_POOL_BYTES (INT64_C(4) << 20)
#define POOL_SEED       UINT64_C(0x10ad5704e)
#define OFFSET_ALIGN    64

int body_pool_open(struct body_pool *pool, bool zero, struct err *err)
{
    pool->len = zero ? ZERO_POOL_BYTES : BODY_POOL_BYTES;
    pool->fd = memfd_create("loadstone-content", MFD_CLOEXEC);
    if (pool->fd < 0 || ftruncate(pool->fd, pool->len) < 0)
        return err_errno(err, "content pool of %lld bytes", (long long)pool->len);
    pool->map = mmap(NULL, (size_t)pool->len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                     pool->fd, 0);
    if (pool->map == MAP_FAILED) {
        err_errno(err, "content pool of %lld bytes", (long long)pool->len);
        close(pool->fd);
        return ERR_SYSTEM;
    }
    if (!zero) {
        struct rng rng;
        rng_seed(&rng, POOL_SEED, 0);
        uint64_t *words = (uint64_t *)(void *)pool->map;
        for (int64_t i = 0; i < pool->len / 8; i++)
            words[i] = rng_next(&rng);
    }
    return 0;
}

void body_pool_close(struct body_pool *pool)
{
    munmap(pool->map, (size_t)pool->len);
    close(pool->fd);
}

size_t body_stretch(const struct body *body, int64_t at, const char **ret_data, int64_t *ret_offset)
{
    if (at >= body->pool_len) {
        *ret_data = body->trailer + (at - body->pool_len);
        *ret_offset = -1;
        return (size_t)(body->len - at);
    }
    int64_t offset = (body->offset + at) % body->pool->len;
    *ret_data = body->pool->map + offset;
    *ret_offset = offset;
    return (size_t)MIN(body->pool_len - at, body->pool->len - offset);
}

static void write_trailer(struct body *body)
{
    struct digest digest;
    uint8_t md5[MD5_BYTES];
    const char *data;
    int64_t offset;
    md5_start(&digest);
    for (int64_t at = 0; at < body->pool_len;) {
        size_t len = body_stretch(body, at, &data, &offset);
        md5_add(&digest, data, len);
        at += (int64_t)len;
    }
    md5_end(&digest, md5);
    memcpy(body->trailer, "!!!!", 4);
    hex_encode(md5, sizeof(md5), body->trailer + 4);
    memcpy(body->trailer + 36, "!!!!", 4);
}

void body_choose(struct body *body, const struct body_pool *pool, int64_t len, bool hash_check,
                 struct rng *rng)
{
    bool marked = hash_check && len > BODY_HASH_BYTES;
    body->pool = pool;
    body->offset = (int64_t)rng_below(rng, (uint64_t)pool->len / OFFSET_ALIGN) * OFFSET_ALIGN;
    body->len = len;
    body->pool_len = marked ? len - BODY_HASH_BYTES : len;
    if (marked)
        write_trailer(body);
}

void body_sha256(const struct body *body, char out[65])
{
    struct digest digest;
    uint8_t hash[SHA256_BYTES];
    const char *data;
    int64_t offset;
    sha256_start(&digest);
    for (int64_t at = 0; at < body->len;) {
        size_t len = body_stretch(body, at, &data, &offset);
        sha256_add(&digest, data, len);
        at += (int64_t)len;
    }
    sha256_end(&digest, hash);
    *hex_encode(hash, sizeof(hash), out) = '\0';
}

void body_check_begin(struct body_check *check)
{
    md5_start(&check->digest);
    check->tail_len = 0;
}

void body_check_add(struct body_check *check, const char *data, size_t len)
{
    if (len >= BODY_HASH_BYTES) {
        md5_add(&check->digest, check->tail, check->tail_len);
        md5_add(&check->digest, data, len - BODY_HASH_BYTES);
        memcpy(check->tail, data + len - BODY_HASH_BYTES, BODY_HASH_BYTES);
        check->tail_len = BODY_HASH_BYTES;
        return;
    }
    size_t excess =
        check->tail_len + len > BODY_HASH_BYTES ? check->tail_len + len - BODY_HASH_BYTES : 0;
    md5_add(&check->digest, check->tail, excess);
    memmove(check->tail, check->tail + excess, check->tail_len - excess);
    memcpy(check->tail + check->tail_len - excess, data, len);
    check->tail_len += len - excess;
}

enum body_verdict body_check_end(struct body_check *check)
{
    uint8_t md5[MD5_BYTES];
    char hex[2 * MD5_BYTES];
    if (check->tail_len < BODY_HASH_BYTES || memcmp(check->tail, "!!!!", 4) != 0)
        return BODY_UNMARKED;
    md5_end(&check->digest, md5);
    hex_encode(md5, sizeof(md5), hex);
    bool same =
        memcmp(check->tail + 4, hex, sizeof(hex)) == 0 && memcmp(check->tail + 36, "!!!!", 4) == 0;
    return same ? BODY_INTACT : BODY_DAMAGED;
}
