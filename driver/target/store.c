/* store.c -- see store.h.
 *
 * Locks, always taken in this order: the store's (buckets by name), then shards in index order.
 * A bucket dies under the write locks of all its shards, so a PUT that holds one sees either
 * a live bucket or a dead one, and an emptied bucket stays empty. */
#include "driver/target/store.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "driver/target/key_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

#define SHARDS       16
#define BUCKET_SLOTS 4096
#define ENTRY_MEMORY 96 /* estimate of a key table entry without the key, in bytes */

struct shard {
    pthread_rwlock_t lock;
    struct key_table table;
    int64_t bytes;
} __attribute__((aligned(64)));

struct bucket {
    struct store *store;
    struct bucket *next; /* of the same slot */
    bool dead;           /* written under the store's lock and all shards' */
    int64_t created_ms;
    size_t name_len;
    char name[BUCKET_NAME_MAX + 1];
    struct shard shards[SHARDS];
};

struct store {
    pthread_rwlock_t lock;
    struct bucket *slots[BUCKET_SLOTS];
    size_t bucket_count; /* dead ones too */
    uint64_t seed;
    bool null_mode;
    int64_t max_memory;
    _Atomic int64_t memory;
};

bool store_book(struct store *store, int64_t size)
{
    int64_t now = atomic_fetch_add_explicit(&store->memory, size, memory_order_relaxed);
    if (now + size <= store->max_memory)
        return true;
    atomic_fetch_sub_explicit(&store->memory, size, memory_order_relaxed);
    return false;
}

void store_return(struct store *store, int64_t size)
{
    atomic_fetch_sub_explicit(&store->memory, size, memory_order_relaxed);
}

struct store *store_new(bool null_mode, int64_t max_memory_bytes)
{
    struct store *store = xcalloc(1, sizeof(*store));
    pthread_rwlock_init(&store->lock, NULL);
    if (getrandom(&store->seed, sizeof(store->seed), 0) != (ssize_t)sizeof(store->seed))
        store->seed = (uint64_t)(uintptr_t)store;
    store->null_mode = null_mode;
    store->max_memory = max_memory_bytes;
    return store;
}

static void shard_release(struct shard *shard)
{
    for (struct key_entry *e = shard->table.first[0]; e; e = key_entry_next(e))
        object_unref(e->object);
    key_table_release(&shard->table);
    pthread_rwlock_destroy(&shard->lock);
}

void store_free(struct store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < BUCKET_SLOTS; i++) {
        struct bucket *bucket = store->slots[i];
        while (bucket) {
            struct bucket *next = bucket->next;
            for (size_t s = 0; s < SHARDS; s++)
                shard_release(&bucket->shards[s]);
            free(bucket);
            bucket = next;
        }
    }
    pthread_rwlock_destroy(&store->lock);
    free(store);
}

bool store_is_null(const struct store *store)
{
    return store->null_mode;
}

/* Finds under the store's lock; dead ones too. */
static struct bucket *bucket_find(struct store *store, struct slice name)
{
    struct bucket *bucket = store->slots[key_hash(name, store->seed) % BUCKET_SLOTS];
    while (bucket && !slice_is(bucket_name(bucket), name))
        bucket = bucket->next;
    return bucket;
}

struct bucket *store_bucket(struct store *store, struct slice name)
{
    pthread_rwlock_rdlock(&store->lock);
    struct bucket *bucket = bucket_find(store, name);
    if (bucket && bucket->dead)
        bucket = NULL;
    pthread_rwlock_unlock(&store->lock);
    return bucket;
}

struct slice bucket_name(const struct bucket *bucket)
{
    return (struct slice){bucket->name, bucket->name_len};
}

int64_t bucket_created_ms(const struct bucket *bucket)
{
    return bucket->created_ms;
}

/* Amazon's rules for names ("Bucket naming rules"): 3 to 63 of a-z 0-9 . -, no IP address. */
static bool bucket_name_is_valid(struct slice name)
{
    bool only_digits = true;
    if (name.len < 3 || name.len > BUCKET_NAME_MAX)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];
        bool edge = i == 0 || i == name.len - 1;
        bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!alphanumeric && (edge || (c != '.' && c != '-')))
            return false;
        if (c == '.' && name.p[i - 1] == '.')
            return false;
        only_digits = only_digits && ((c >= '0' && c <= '9') || c == '.');
    }
    return !(only_digits && memchr(name.p, '.', name.len));
}

static struct bucket *bucket_add(struct store *store, struct slice name)
{
    struct bucket *bucket = aligned_alloc(64, sizeof(*bucket));
    if (!bucket)
        return NULL;
    memset(bucket, 0, sizeof(*bucket));
    bucket->store = store;
    bucket->name_len = name.len;
    memcpy(bucket->name, name.p, name.len);
    for (size_t i = 0; i < SHARDS; i++)
        pthread_rwlock_init(&bucket->shards[i].lock, NULL);
    size_t slot = key_hash(name, store->seed) % BUCKET_SLOTS;
    bucket->next = store->slots[slot];
    store->slots[slot] = bucket;
    store->bucket_count++;
    return bucket;
}

static void bucket_lock_all(struct bucket *bucket, bool write)
{
    for (size_t i = 0; i < SHARDS; i++) {
        if (write)
            pthread_rwlock_wrlock(&bucket->shards[i].lock);
        else
            pthread_rwlock_rdlock(&bucket->shards[i].lock);
    }
}

static void bucket_unlock_all(struct bucket *bucket)
{
    for (size_t i = SHARDS; i-- > 0;)
        pthread_rwlock_unlock(&bucket->shards[i].lock);
}

enum s3_error store_bucket_make(struct store *store, struct slice name, int64_t now_ms,
                                bool *ret_made)
{
    enum s3_error error = S3_OK;
    if (!bucket_name_is_valid(name))
        return S3_INVALID_BUCKET_NAME;
    pthread_rwlock_wrlock(&store->lock);
    struct bucket *bucket = bucket_find(store, name);
    bool made = !bucket || bucket->dead;
    if (!bucket && store->bucket_count < STORE_BUCKETS_MAX)
        bucket = bucket_add(store, name);
    if (!bucket) {
        error = S3_TOO_MANY_BUCKETS;
    } else if (made) {
        bucket_lock_all(bucket, true);
        bucket->dead = false;
        bucket->created_ms = now_ms;
        bucket_unlock_all(bucket);
    }
    pthread_rwlock_unlock(&store->lock);
    if (!error)
        *ret_made = made;
    return error;
}

enum s3_error store_bucket_remove(struct store *store, struct slice name)
{
    enum s3_error error = S3_OK;
    pthread_rwlock_wrlock(&store->lock);
    struct bucket *bucket = bucket_find(store, name);
    if (!bucket || bucket->dead) {
        error = S3_NO_SUCH_BUCKET;
    } else {
        bucket_lock_all(bucket, true);
        for (size_t i = 0; i < SHARDS; i++)
            if (bucket->shards[i].table.count)
                error = S3_BUCKET_NOT_EMPTY;
        if (!error)
            bucket->dead = true;
        bucket_unlock_all(bucket);
    }
    pthread_rwlock_unlock(&store->lock);
    return error;
}

static int compare_buckets(const void *a, const void *b)
{
    return slice_compare(bucket_name(*(struct bucket *const *)a),
                         bucket_name(*(struct bucket *const *)b));
}

size_t store_buckets(struct store *store, struct bucket ***ret_buckets)
{
    size_t count = 0;
    pthread_rwlock_rdlock(&store->lock);
    struct bucket **buckets = xmalloc((store->bucket_count + 1) * sizeof(struct bucket *));
    for (size_t i = 0; i < BUCKET_SLOTS; i++)
        for (struct bucket *bucket = store->slots[i]; bucket; bucket = bucket->next)
            if (!bucket->dead)
                buckets[count++] = bucket;
    pthread_rwlock_unlock(&store->lock);
    qsort(buckets, count, sizeof(struct bucket *), compare_buckets);
    *ret_buckets = buckets;
    return count;
}

/* The high bits choose the shard, the low ones the slot in it. */
static struct shard *shard_of(struct bucket *bucket, uint64_t hash)
{
    return &bucket->shards[hash >> 60];
}

_Static_assert(SHARDS == 16, "shard_of() takes four bits");

struct object *bucket_get(struct bucket *bucket, struct slice key)
{
    uint64_t hash = key_hash(key, bucket->store->seed);
    struct shard *shard = shard_of(bucket, hash);
    pthread_rwlock_rdlock(&shard->lock);
    struct key_entry *entry = key_table_find(&shard->table, key, hash);
    struct object *object = entry ? object_ref(entry->object) : NULL;
    pthread_rwlock_unlock(&shard->lock);
    return object;
}

/* The entry of the key, made when absent (its object is then NULL), under the shard's lock. */
static enum s3_error entry_for_put(struct bucket *bucket, struct shard *shard, struct slice key,
                                   uint64_t hash, struct key_entry **ret_entry)
{
    if (bucket->dead)
        return S3_NO_SUCH_BUCKET;
    struct key_entry *entry = key_table_find(&shard->table, key, hash);
    if (!entry) {
        int64_t cost = ENTRY_MEMORY + (int64_t)key.len;
        if (!store_book(bucket->store, cost))
            return S3_STORE_FULL;
        entry = key_table_insert(&shard->table, key, hash);
        if (!entry) {
            store_return(bucket->store, cost);
            return S3_STORE_FULL;
        }
    }
    *ret_entry = entry;
    return S3_OK;
}

static void remove_entry(struct bucket *bucket, struct shard *shard, struct key_entry *entry)
{
    store_return(bucket->store, ENTRY_MEMORY + (int64_t)entry->key_len);
    key_table_remove(&shard->table, entry);
}

enum s3_error bucket_put(struct bucket *bucket, struct slice key, struct object *object)
{
    uint64_t hash = key_hash(key, bucket->store->seed);
    struct shard *shard = shard_of(bucket, hash);
    struct key_entry *entry = NULL;
    struct object *old = object;
    pthread_rwlock_wrlock(&shard->lock);
    enum s3_error error = entry_for_put(bucket, shard, key, hash, &entry);
    if (!error) {
        old = entry->object;
        shard->bytes += object->size - (old ? old->size : 0);
        entry->object = object;
    }
    pthread_rwlock_unlock(&shard->lock);
    object_unref(old); /* outside the lock: it may free megabytes */
    return error;
}

enum s3_error bucket_put_size(struct bucket *bucket, struct slice key, int64_t size,
                              int64_t modified_ms)
{
    uint64_t hash = key_hash(key, bucket->store->seed);
    struct shard *shard = shard_of(bucket, hash);
    struct key_entry *entry = NULL;
    pthread_rwlock_wrlock(&shard->lock);
    enum s3_error error = entry_for_put(bucket, shard, key, hash, &entry);
    if (!error) {
        struct object *old = entry->object;
        struct object *object = old;
        int64_t old_size = old ? old->size : 0;
        bool reuse = old && !old->fields && !old->parts &&
                     atomic_load_explicit(&old->refs, memory_order_acquire) == 1;
        if (!reuse)
            object = object_new(bucket->store, 0);
        if (object) {
            object->size = size;
            object->modified_ms = modified_ms;
            object_null_etag(key, size, object->etag);
            entry->object = object;
            shard->bytes += size - old_size;
            if (!reuse)
                object_unref(old);
        } else {
            error = S3_STORE_FULL;
            if (!old)
                remove_entry(bucket, shard, entry);
        }
    }
    pthread_rwlock_unlock(&shard->lock);
    return error;
}

bool bucket_delete(struct bucket *bucket, struct slice key)
{
    uint64_t hash = key_hash(key, bucket->store->seed);
    struct shard *shard = shard_of(bucket, hash);
    struct object *object = NULL;
    pthread_rwlock_wrlock(&shard->lock);
    struct key_entry *entry = key_table_find(&shard->table, key, hash);
    if (entry) {
        object = entry->object;
        shard->bytes -= object->size;
        remove_entry(bucket, shard, entry);
    }
    pthread_rwlock_unlock(&shard->lock);
    object_unref(object); /* outside the lock: it may free megabytes */
    return object != NULL;
}

/* The 16 shards as one ordered sequence: a cursor in each, the smallest is next. */
struct merge {
    struct bucket *bucket;
    struct key_entry *cursors[SHARDS];
};

static void merge_seek(struct merge *merge, struct slice from, bool after)
{
    for (size_t i = 0; i < SHARDS; i++)
        merge->cursors[i] = key_table_seek(&merge->bucket->shards[i].table, from, after);
}

/* Index of the smallest, or SHARDS at the end. */
static size_t merge_smallest(const struct merge *merge)
{
    size_t best = SHARDS;
    for (size_t i = 0; i < SHARDS; i++) {
        if (!merge->cursors[i])
            continue;
        if (best == SHARDS || slice_compare(key_entry_key(merge->cursors[i]),
                                            key_entry_key(merge->cursors[best])) < 0)
            best = i;
    }
    return best;
}

/* Where the first delimiter after the prefix ends, or 0. */
static size_t common_prefix_len(struct slice key, const struct list_query *query)
{
    if (!query->delimiter.len)
        return 0;
    const char *at = memmem(key.p + query->prefix.len, key.len - query->prefix.len,
                            query->delimiter.p, query->delimiter.len);
    return at ? (size_t)(at - key.p) + query->delimiter.len : 0;
}

/* Moves to the first key that does not start with the prefix: seeks to the prefix with its last
 * byte raised (0xff bytes at its end drop off); past the end when all are 0xff. */
static void merge_skip_prefix(struct merge *merge, struct slice prefix)
{
    char bound[OBJECT_KEY_MAX];
    size_t len = prefix.len;
    memcpy(bound, prefix.p, len);
    while (len && (unsigned char)bound[len - 1] == 0xff)
        len--;
    if (!len) {
        memset(merge->cursors, 0, sizeof(merge->cursors));
        return;
    }
    bound[len - 1] = (char)(bound[len - 1] + 1);
    merge_seek(merge, (struct slice){bound, len}, false);
}

static size_t list_locked(struct merge *merge, const struct list_query *query, bool *ret_more)
{
    size_t given = 0;
    bool after = slice_compare(query->after, query->prefix) >= 0 && query->after.len;
    *ret_more = false;
    merge_seek(merge, after ? query->after : query->prefix, after);
    for (;;) {
        size_t i = merge_smallest(merge);
        if (i == SHARDS)
            return given;
        const struct key_entry *entry = merge->cursors[i];
        struct slice key = key_entry_key(entry);
        if (!slice_starts(key, query->prefix))
            return given;
        struct slice common = {key.p, common_prefix_len(key, query)};
        if (common.len && slice_is(common, query->after)) { /* the last page ended with it */
            merge_skip_prefix(merge, common);
            continue;
        }
        if (given == query->max) {
            *ret_more = true;
            return given;
        }
        given++;
        query->on_entry(query->arg, common.len ? common : key, common.len ? NULL : entry->object);
        if (common.len)
            merge_skip_prefix(merge, common);
        else
            merge->cursors[i] = key_entry_next(entry);
    }
}

size_t bucket_list(struct bucket *bucket, const struct list_query *query, bool *ret_more)
{
    struct merge merge = {.bucket = bucket};
    bucket_lock_all(bucket, false);
    size_t given = list_locked(&merge, query, ret_more);
    bucket_unlock_all(bucket);
    return given;
}

struct store_totals store_totals(struct store *store)
{
    struct store_totals totals = {0};
    pthread_rwlock_rdlock(&store->lock);
    for (size_t i = 0; i < BUCKET_SLOTS; i++) {
        for (struct bucket *bucket = store->slots[i]; bucket; bucket = bucket->next) {
            if (bucket->dead)
                continue;
            totals.buckets++;
            bucket_lock_all(bucket, false);
            for (size_t s = 0; s < SHARDS; s++) {
                totals.objects += (int64_t)bucket->shards[s].table.count;
                totals.object_bytes += bucket->shards[s].bytes;
            }
            bucket_unlock_all(bucket);
        }
    }
    pthread_rwlock_unlock(&store->lock);
    totals.memory_bytes = atomic_load_explicit(&store->memory, memory_order_relaxed);
    return totals;
}
