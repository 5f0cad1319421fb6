/* objects.h -- buckets and objects in memory, shared by all threads.
 *
 *   store -- buckets by name -- bucket -- 16 shards by hash of key -- key_table -- object
 *
 * An object never changes once it is in the store: a PUT puts another in its place, and
 * whoever still sends the old one holds a reference. Bytes are in blobs, shared by
 * reference too, so a copy or a completed multipart upload copies nothing. In null mode
 * objects have a size but no bytes. Buckets are never freed, only emptied and marked
 * dead, so a bucket pointer stays good for the life of the store.
 *
 * Any thread may call anything here. */
#ifndef LOADSTONE_DRIVER_TARGET_OBJECTS_H
#define LOADSTONE_DRIVER_TARGET_OBJECTS_H

#include "driver/target/s3_errors.h"
#include "driver/target/slice.h"

#include <stdatomic.h>
#include <stdint.h>

#define OBJECT_KEY_MAX    1024
#define BUCKET_NAME_MAX   63
#define STORE_BUCKETS_MAX 1000000
#define STORE_OBJECT_MAX  (INT64_C(5) << 40) /* bytes of an object assembled from parts */
#define STORE_BODY_MAX    (INT64_C(5) << 30) /* bytes of one PUT */

struct store;
struct bucket;

/* Bytes with a count of references; made by blob_new() at its full size. */
struct blob {
    atomic_uint refs;
    struct store *store; /* whose memory budget it uses */
    size_t size;
    char data[];
};

/* A piece of a blob; holds a reference. */
struct segment {
    struct blob *blob;
    size_t offset;
    size_t len;
};

struct object {
    atomic_uint refs;
    uint32_t parts; /* of a multipart upload; 0: a plain PUT */
    int64_t size;
    int64_t modified_ms; /* wall clock */
    uint8_t etag[16];
    struct store *store; /* whose memory budget it uses */
    int64_t charged;     /* bytes of it */
    char *fields; /* kept header lines "Name: value\r\n...", or NULL; see object_set_fields() */
    size_t fields_len;
    size_t segment_count; /* 0 in null mode */
    struct segment segments[];
};

/* max_memory_bytes bounds blobs and an estimate of everything else an object costs. */
struct store *store_new(bool null_mode, int64_t max_memory_bytes);
void store_free(struct store *store);
bool store_is_null(const struct store *store);

/* NULL when the memory budget is used up. One reference, the caller's. */
struct blob *blob_new(struct store *store, size_t size);
void blob_unref(struct blob *blob);

/* Room for segment_count segments, all empty; NULL when memory is out. One reference. */
struct object *object_new(struct store *store, size_t segment_count);
/* Takes the lines (malloc'd, may be NULL), also on failure: false when memory is out. */
bool object_set_fields(struct object *object, char *fields, size_t len);
struct object *object_ref(struct object *object);
void object_unref(struct object *object);
/* Stores [offset, offset+len) of from as segments of `to`, beginning at to->segments[at], with
 * references of their own; returns how many (counts only when `to` is NULL). */
size_t object_share(struct object *to, size_t at, const struct object *from, int64_t offset,
                    int64_t len);
/* The quoted ETag, at most 48 bytes with its quotes; returns the byte after it. */
#define OBJECT_ETAG_MAX 48
char *object_format_etag(const struct object *object, char *out);
/* The ETag an object has in null mode: made from key and size alone. */
void object_null_etag(struct slice key, int64_t size, uint8_t etag[16]);

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
