/* store.h -- buckets of objects in memory, shared by all threads.
 *
 *   store -- buckets by name -- bucket -- 16 shards by hash of key -- key_table -- object
 *
 * Buckets are never freed, only emptied and marked dead, so a bucket pointer stays good for the
 * life of the store.
 *
 * Any thread may call anything here. */
#ifndef LOADSTONE_DRIVER_TARGET_STORE_H
#define LOADSTONE_DRIVER_TARGET_STORE_H

#include "driver/target/objects.h"
#include "driver/target/s3_errors.h"

#define BUCKET_NAME_MAX   63
#define STORE_BUCKETS_MAX 1000000
#define STORE_OBJECT_MAX  (INT64_C(5) << 40) /* bytes of an object assembled from parts */
#define STORE_BODY_MAX    (INT64_C(5) << 30) /* bytes of one PUT */

struct bucket;

/* max_memory_bytes bounds blobs and an estimate of everything else an object costs. */
struct store *store_new(bool null_mode, int64_t max_memory_bytes);
void store_free(struct store *store);
bool store_is_null(const struct store *store);

/* Books size bytes of the memory budget; false when they do not fit. Returned by store_return(). */
bool store_book(struct store *store, int64_t size);
void store_return(struct store *store, int64_t size);

/* Live bucket of that name, or NULL. */
struct bucket *store_bucket(struct store *store, struct slice name);
struct slice bucket_name(const struct bucket *bucket);
int64_t bucket_created_ms(const struct bucket *bucket);
/* Makes it, or finds it already there (*ret_made tells). S3_INVALID_BUCKET_NAME,
 * S3_TOO_MANY_BUCKETS. */
enum s3_error store_bucket_make(struct store *store, struct slice name, int64_t now_ms,
                                bool *ret_made);
/* S3_NO_SUCH_BUCKET, S3_BUCKET_NOT_EMPTY. */
enum s3_error store_bucket_remove(struct store *store, struct slice name);
/* Live buckets sorted by name; *ret_buckets is the caller's to free. */
size_t store_buckets(struct store *store, struct bucket ***ret_buckets);

/* A reference, or NULL when there is no such key. */
struct object *bucket_get(struct bucket *bucket, struct slice key);
/* Puts the object (takes the caller's reference, also on failure) in place of what is there.
 * S3_NO_SUCH_BUCKET when the bucket died meanwhile, S3_STORE_FULL. */
enum s3_error bucket_put(struct bucket *bucket, struct slice key, struct object *object);
/* Null mode's PUT: changes size, ETag and time in place where nobody else looks, so that
 * overwriting allocates nothing. Errors as bucket_put(). */
enum s3_error bucket_put_size(struct bucket *bucket, struct slice key, int64_t size,
                              int64_t modified_ms);
/* True when there was one. */
bool bucket_delete(struct bucket *bucket, struct slice key);

/* One page of a listing. */
struct list_query {
    struct slice prefix;
    struct slice delimiter; /* empty: none */
    struct slice after;     /* begin after this key or common prefix */
    size_t max;             /* entries, common prefixes included */
    /* Called in order, under the bucket's locks: no calls back into the store. Exactly one of
     * object and is-a-prefix: object is NULL for a common prefix. */
    void (*on_entry)(void *arg, struct slice key, const struct object *object);
    void *arg;
};

/* Returns how many entries were given; *ret_more tells whether others follow. */
size_t bucket_list(struct bucket *bucket, const struct list_query *query, bool *ret_more);

struct store_totals {
    int64_t buckets;
    int64_t objects;
    int64_t object_bytes; /* sum of sizes, as objects say */
    int64_t memory_bytes; /* used of the budget */
};
struct store_totals store_totals(struct store *store);

#endif
