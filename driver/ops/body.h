/* body.h -- object content: where the bytes of an upload come from, and how a download is checked.
 *
 * Random content is a pool of pseudo-random bytes in a memfd, made once per driver: an upload is a
 * stretch of it from a random offset (wrapping at the end), so it can go from the file to the
 * socket without passing through user space, and objects differ. With hashCheck the last 40 bytes
 * are "!!!!" + MD5 of the rest in hex + "!!!!" (spec: config-strings.md, hashCheck). */
#ifndef LOADSTONE_DRIVER_OPS_BODY_H
#define LOADSTONE_DRIVER_OPS_BODY_H

#include "common/base/digest.h"
#include "common/base/err.h"
#include "common/base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BODY_POOL_BYTES (INT64_C(32) << 20)
#define BODY_HASH_BYTES 40

/* Bytes that uploads are cut from. Immutable once open; shared by all threads. */
struct body_pool {
    int fd;
    char *map;
    int64_t len;
};

/* Random bytes from a fixed seed, or zeros. */
int body_pool_open(struct body_pool *pool, bool zero, struct err *err);
void body_pool_close(struct body_pool *pool);

/* One upload. */
struct body {
    const struct body_pool *pool;
    int64_t offset;   /* in the pool, of the first byte */
    int64_t pool_len; /* bytes from the pool */
    int64_t len;      /* all: pool bytes and trailer */
    char trailer[BODY_HASH_BYTES];
};

/* Chooses content for an upload of len bytes. hash_check: the trailer is added where len allows
 * (above 40). */
void body_choose(struct body *body, const struct body_pool *pool, int64_t len, bool hash_check,
                 struct rng *rng);
/* SHA-256 of the whole body as 64 hex digits and a NUL. Reads all of it. */
void body_sha256(const struct body *body, char out[65]);

/* A contiguous stretch of the body at position `at` (0 <= at < len). *ret_offset is in the pool's
 * file, or -1 where the stretch is in memory only (the trailer). */
size_t body_stretch(const struct body *body, int64_t at, const char **ret_data,
                    int64_t *ret_offset);

/* ---- checking a download */
struct body_check {
    struct digest digest;
    char tail[BODY_HASH_BYTES]; /* the last bytes seen, not hashed yet */
    size_t tail_len;
};

enum body_verdict {
    BODY_INTACT,
    BODY_UNMARKED, /* no checksum embedded: nothing can be said */
    BODY_DAMAGED,
};

void body_check_begin(struct body_check *check);
void body_check_add(struct body_check *check, const char *data, size_t len);
enum body_verdict body_check_end(struct body_check *check);

#endif
