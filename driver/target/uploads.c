/* uploads.c -- see uploads.h. One mutex: an upload's calls are few beside the bytes they carry. */
#include "driver/target/uploads.h"

#include "common/base/digest.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "driver/target/key_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

#define SLOTS 1024

struct upload {
    struct upload *next;
    char *bucket, *key;
    size_t bucket_len, key_len;
    char id[UPLOAD_ID_BYTES];
    char *fields;
    size_t fields_len;
    int64_t started_ms;
    VEC(struct upload_part) parts; /* in order of number */
};

struct uploads {
    struct store *store;
    pthread_mutex_t lock;
    struct upload *slots[SLOTS]; /* by hash of id */
    size_t count;
};

static struct slice upload_bucket(const struct upload *upload)
{
    return (struct slice){upload->bucket, upload->bucket_len};
}

static struct slice upload_key(const struct upload *upload)
{
    return (struct slice){upload->key, upload->key_len};
}

static struct slice upload_id(const struct upload *upload)
{
    return (struct slice){upload->id, UPLOAD_ID_BYTES};
}

static void upload_free(struct upload *upload)
{
    VEC_EACH (part, &upload->parts)
        object_unref(part->object);
    vec_release(&upload->parts);
    free(upload->bucket);
    free(upload->key);
    free(upload->fields);
    free(upload);
}

struct uploads *uploads_new(struct store *store)
{
    struct uploads *uploads = xcalloc(1, sizeof(*uploads));
    uploads->store = store;
    pthread_mutex_init(&uploads->lock, NULL);
    return uploads;
}

void uploads_free(struct uploads *uploads)
{
    if (!uploads)
        return;
    for (size_t i = 0; i < SLOTS; i++) {
        while (uploads->slots[i]) {
            struct upload *upload = uploads->slots[i];
            uploads->slots[i] = upload->next;
            upload_free(upload);
        }
    }
    pthread_mutex_destroy(&uploads->lock);
    free(uploads);
}

/* The link that points to the upload, or NULL; under the lock. */
static struct upload **find_link(struct uploads *uploads, struct slice bucket, struct slice key,
                                 struct slice id)
{
    struct upload **link = &uploads->slots[key_hash(id, 0) % SLOTS];
    for (; *link; link = &(*link)->next)
        if (slice_is(upload_id(*link), id) && slice_is(upload_bucket(*link), bucket) &&
            slice_is(upload_key(*link), key))
            return link;
    return NULL;
}

/* Takes it out of the table; under the lock. */
static struct upload *unlink_upload(struct uploads *uploads, struct upload **link)
{
    struct upload *upload = *link;
    *link = upload->next;
    uploads->count--;
    return upload;
}

enum s3_error uploads_start(struct uploads *uploads, struct slice bucket, struct slice key,
                            char *fields, size_t fields_len, int64_t now_ms,
                            char id[UPLOAD_ID_BYTES])
{
    uint8_t random[UPLOAD_ID_BYTES / 2];
    struct upload *upload = xcalloc(1, sizeof(*upload));
    upload->bucket = xstrndup(bucket.p, bucket.len);
    upload->bucket_len = bucket.len;
    upload->key = xcalloc(1, key.len + 1);
    memcpy(upload->key, key.p, key.len);
    upload->key_len = key.len;
    upload->fields = fields;
    upload->fields_len = fields_len;
    upload->started_ms = now_ms;
    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        upload_free(upload);
        return S3_INTERNAL;
    }
    hex_encode(random, sizeof(random), upload->id);
    memcpy(id, upload->id, UPLOAD_ID_BYTES);
    pthread_mutex_lock(&uploads->lock);
    bool full = uploads->count >= UPLOADS_MAX;
    if (!full) {
        struct upload **slot = &uploads->slots[key_hash(upload_id(upload), 0) % SLOTS];
        upload->next = *slot;
        *slot = upload;
        uploads->count++;
    }
    pthread_mutex_unlock(&uploads->lock);
    if (full)
        upload_free(upload);
    return full ? S3_SLOW_DOWN : S3_OK;
}

enum s3_error uploads_check(struct uploads *uploads, struct slice bucket, struct slice key,
                            struct slice id)
{
    pthread_mutex_lock(&uploads->lock);
    bool found = find_link(uploads, bucket, key, id) != NULL;
    pthread_mutex_unlock(&uploads->lock);
    return found ? S3_OK : S3_NO_SUCH_UPLOAD;
}

/* Index of the first part with a number >= number. */
static size_t part_index(const struct upload *upload, int number)
{
    size_t low = 0;
    size_t high = upload->parts.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (upload->parts.items[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct object *find_part(const struct upload *upload, int number)
{
    size_t i = part_index(upload, number);
    bool found = i < upload->parts.len && upload->parts.items[i].number == number;
    return found ? upload->parts.items[i].object : NULL;
}

enum s3_error uploads_put(struct uploads *uploads, struct slice bucket, struct slice key,
                          struct slice id, int number, struct object *part)
{
    struct object *old = part;
    pthread_mutex_lock(&uploads->lock);
    struct upload **link = find_link(uploads, bucket, key, id);
    if (link) {
        struct upload *upload = *link;
        size_t i = part_index(upload, number);
        if (i == upload->parts.len || upload->parts.items[i].number != number) {
            vec_push(&upload->parts, (struct upload_part){0});
            memmove(&upload->parts.items[i + 1], &upload->parts.items[i],
                    (upload->parts.len - 1 - i) * sizeof(upload->parts.items[0]));
            upload->parts.items[i] = (struct upload_part){number, NULL};
        }
        old = upload->parts.items[i].object;
        upload->parts.items[i].object = part;
    }
    pthread_mutex_unlock(&uploads->lock);
    object_unref(old);
    return link ? S3_OK : S3_NO_SUCH_UPLOAD;
}

/* Each claimed part exists with that ETag, in ascending order, none but the last too small. */
static enum s3_error check_claims(const struct upload *upload, const struct upload_claims *claims,
                                  size_t *ret_segments, int64_t *ret_size)
{
    size_t segments = 0;
    int64_t size = 0;
    if (!claims->list.len)
        return S3_MALFORMED_XML;
    for (size_t i = 1; i < claims->list.len; i++)
        if (claims->list.items[i].number <= claims->list.items[i - 1].number)
            return S3_INVALID_PART_ORDER;
    for (size_t i = 0; i < claims->list.len; i++) {
        const struct upload_claim *claim = &claims->list.items[i];
        char etag[OBJECT_ETAG_MAX];
        const struct object *part = find_part(upload, claim->number);
        if (!part)
            return S3_INVALID_PART;
        const char *end = object_format_etag(part, etag);
        struct slice bare = {etag + 1, (size_t)(end - etag) - 2};
        if (!slice_is(slice_of(claim->etag), bare))
            return S3_INVALID_PART;
        if (i + 1 < claims->list.len && part->size < UPLOAD_PART_MIN)
            return S3_ENTITY_TOO_SMALL;
        segments += part->segment_count;
        size += part->size;
    }
    *ret_segments = segments;
    *ret_size = size;
    return size > STORE_OBJECT_MAX ? S3_ENTITY_TOO_LARGE : S3_OK;
}

/* The parts one after the other; ETag is the MD5 of their MD5s. */
static struct object *assemble(struct store *store, struct upload *upload,
                               const struct upload_claims *claims, size_t segments, int64_t size,
                               int64_t now_ms)
{
    struct object *object = object_new(store, segments);
    struct digest md5;
    size_t at = 0;
    if (!object || !object_set_fields(object, TAKE(upload->fields), upload->fields_len)) {
        object_unref(object);
        return NULL;
    }
    md5_start(&md5);
    VEC_EACH (claim, &claims->list) {
        const struct object *part = find_part(upload, claim->number);
        at += object_share(object, at, part, 0, part->size);
        md5_add(&md5, part->etag, sizeof(part->etag));
    }
    md5_end(&md5, object->etag);
    object->segment_count = at; /* empty parts have none */
    object->parts = (uint32_t)claims->list.len;
    object->size = size;
    object->modified_ms = now_ms;
    return object;
}

enum s3_error uploads_complete(struct uploads *uploads, struct slice bucket, struct slice key,
                               struct slice id, const struct upload_claims *claims, int64_t now_ms,
                               struct object **ret_object)
{
    enum s3_error error = S3_NO_SUCH_UPLOAD;
    struct upload *done = NULL;
    struct object *object = NULL;
    size_t segments = 0;
    int64_t size = 0;
    pthread_mutex_lock(&uploads->lock);
    struct upload **link = find_link(uploads, bucket, key, id);
    if (link)
        error = check_claims(*link, claims, &segments, &size);
    if (!error) {
        object = assemble(uploads->store, *link, claims, segments, size, now_ms);
        if (object)
            done = unlink_upload(uploads, link);
        else
            error = S3_STORE_FULL;
    }
    pthread_mutex_unlock(&uploads->lock);
    if (done)
        upload_free(done);
    if (!error)
        *ret_object = object;
    return error;
}

enum s3_error uploads_abort(struct uploads *uploads, struct slice bucket, struct slice key,
                            struct slice id)
{
    struct upload *upload = NULL;
    pthread_mutex_lock(&uploads->lock);
    struct upload **link = find_link(uploads, bucket, key, id);
    if (link)
        upload = unlink_upload(uploads, link);
    pthread_mutex_unlock(&uploads->lock);
    if (!upload)
        return S3_NO_SUCH_UPLOAD;
    upload_free(upload);
    return S3_OK;
}

void uploads_drop_bucket(struct uploads *uploads, struct slice bucket)
{
    pthread_mutex_lock(&uploads->lock);
    for (size_t i = 0; uploads->count && i < SLOTS; i++) {
        struct upload **link = &uploads->slots[i];
        while (*link) {
            if (slice_is(upload_bucket(*link), bucket))
                upload_free(unlink_upload(uploads, link));
            else
                link = &(*link)->next;
        }
    }
    pthread_mutex_unlock(&uploads->lock);
}

enum s3_error uploads_list_parts(struct uploads *uploads, struct slice bucket, struct slice key,
                                 struct slice id, int after, size_t max,
                                 void (*on_part)(void *arg, int number, const struct object *part),
                                 void *arg, bool *ret_more)
{
    pthread_mutex_lock(&uploads->lock);
    struct upload **link = find_link(uploads, bucket, key, id);
    if (link) {
        const struct upload *upload = *link;
        size_t i = part_index(upload, after + 1);
        size_t end = MIN(upload->parts.len, i + max);
        *ret_more = end < upload->parts.len;
        for (; i < end; i++)
            on_part(arg, upload->parts.items[i].number, upload->parts.items[i].object);
    }
    pthread_mutex_unlock(&uploads->lock);
    return link ? S3_OK : S3_NO_SUCH_UPLOAD;
}

static int compare_uploads(const void *a, const void *b)
{
    const struct upload *x = *(struct upload *const *)a;
    const struct upload *y = *(struct upload *const *)b;
    int order = slice_compare(upload_key(x), upload_key(y));
    return order ? order : slice_compare(upload_id(x), upload_id(y));
}

static bool is_after(const struct upload *upload, struct slice key, struct slice id)
{
    int order = slice_compare(upload_key(upload), key);
    return order > 0 || (order == 0 && id.len && slice_compare(upload_id(upload), id) > 0);
}

void uploads_list(struct uploads *uploads, struct slice bucket, struct slice prefix,
                  struct slice after_key, struct slice after_id, size_t max,
                  void (*on_upload)(void *arg, const struct upload_info *info), void *arg,
                  bool *ret_more)
{
    VEC(struct upload *) found = {0};
    pthread_mutex_lock(&uploads->lock);
    for (size_t i = 0; i < SLOTS; i++)
        for (struct upload *u = uploads->slots[i]; u; u = u->next)
            if (slice_is(upload_bucket(u), bucket) && slice_starts(upload_key(u), prefix) &&
                (!after_key.len || is_after(u, after_key, after_id)))
                vec_push(&found, u);
    if (found.len)
        qsort(found.items, found.len, sizeof(found.items[0]), compare_uploads);
    for (size_t i = 0; i < MIN(found.len, max); i++) {
        const struct upload *u = found.items[i];
        struct upload_info info = {upload_key(u), upload_id(u), u->started_ms};
        on_upload(arg, &info);
    }
    *ret_more = found.len > max;
    pthread_mutex_unlock(&uploads->lock);
    vec_release(&found);
}
