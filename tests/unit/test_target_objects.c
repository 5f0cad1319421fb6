/* test_target_objects.c -- the target's store: key table against a plain model, listings, sharing,
 * memory budget, uploads, and many threads at once. */
#include "tests/unit/unit.h"

#include "common/base/rng.h"
#include "common/base/scope.h"
#include "common/base/strbuf.h"
#include "common/base/xalloc.h"
#include "driver/target/key_table.h"
#include "driver/target/uploads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)

/* NNN of the entry's "kNNN". */
static int number_of(const struct key_entry *entry)
{
    char text[8] = {0};
    memcpy(text, key_entry_key(entry).p, entry->key_len);
    return (int)strtol(text + 1, NULL, 10);
}

static void the_key_table_agrees_with_a_plain_array(void **state)
{
    enum { KEYS = 500, STEPS = 20000 };
    struct key_table table = {0};
    bool there[KEYS] = {false};
    struct rng rng;
    size_t count = 0;
    (void)state;
    rng_seed(&rng, 1, 0);
    for (int step = 0; step < STEPS; step++) {
        char text[16];
        int n = (int)rng_below(&rng, KEYS);
        struct slice key = {text, (size_t)snprintf(text, sizeof(text), "k%03d", n)};
        uint64_t hash = key_hash(key, 0) & 0xff; /* many collisions */
        struct key_entry *entry = key_table_find(&table, key, hash);
        assert_int_equal(entry != NULL, there[n]);
        if (entry) {
            key_table_remove(&table, entry);
            count--;
        } else {
            assert_non_null(key_table_insert(&table, key, hash));
            count++;
        }
        there[n] = !there[n];
        assert_int_equal(table.count, count);
        int first = (int)rng_below(&rng, KEYS);
        struct slice from = {text, (size_t)snprintf(text, sizeof(text), "k%03d", first)};
        while (first < KEYS && !there[first])
            first++;
        entry = key_table_seek(&table, from, false);
        assert_int_equal(entry != NULL, first < KEYS);
        if (entry)
            assert_int_equal(number_of(entry), first);
    }
    int last = -1;
    for (const struct key_entry *e = table.first[0]; e; e = key_entry_next(e)) {
        int n = number_of(e);
        assert_true(n > last && there[n]);
        last = n;
    }
    key_table_release(&table);
}

/* An object of len bytes, all c. */
static struct object *object_of(struct store *store, size_t len, char c)
{
    struct object *object = object_new(store, 1);
    struct blob *blob = blob_new(store, len);
    assert_non_null(object);
    assert_non_null(blob);
    memset(blob->data, c, len);
    object->segments[0] = (struct segment){blob, 0, len};
    object->size = (int64_t)len;
    return object;
}

static struct bucket *bucket_in(struct store *store, const char *name)
{
    bool made;
    assert_int_equal(store_bucket_make(store, slice_of(name), 1, &made), S3_OK);
    return store_bucket(store, slice_of(name));
}

static void put_small(struct bucket *bucket, const char *key)
{
    assert_int_equal(bucket_put_size(bucket, slice_of(key), 1, 1), S3_OK);
}

static void on_entry(void *arg, struct slice key, const struct object *object)
{
    strbuf_addf(arg, "%.*s%s ", (int)key.len, key.p, object ? "" : "*");
}

static const char *list(struct bucket *bucket, struct strbuf *out, const char *prefix,
                        const char *delimiter, const char *after, size_t max, bool *more)
{
    struct list_query query = {
        slice_of(prefix), slice_of(delimiter), slice_of(after), max, on_entry, out};
    strbuf_reset(out);
    bucket_list(bucket, &query, more);
    return out->buf;
}

static void listings_honour_prefix_delimiter_and_marker(void **state)
{
    static const char *const keys[] = {"a/1", "a/2", "a0",       "b/x/1",     "b/x/2",
                                       "b/y", "c",   "\xff\xff", "\xff\xff/1"};
    struct store *store = store_new(true, MIB);
    struct bucket *bucket = bucket_in(store, "lists");
    struct strbuf out = STRBUF_INIT(4096);
    bool more;
    (void)state;
    for (size_t i = ARRAY_LEN(keys); i-- > 0;)
        put_small(bucket, keys[i]);
    assert_string_equal(list(bucket, &out, "", "", "", 4, &more), "a/1 a/2 a0 b/x/1 ");
    assert_true(more);
    assert_string_equal(list(bucket, &out, "", "", "b/x/1", 9, &more),
                        "b/x/2 b/y c \xff\xff \xff\xff/1 ");
    assert_false(more);
    assert_string_equal(list(bucket, &out, "", "/", "", 99, &more),
                        "a/* a0 b/* c \xff\xff \xff\xff/* ");
    assert_string_equal(list(bucket, &out, "", "/", "a/", 2, &more), "a0 b/* ");
    assert_true(more);
    assert_string_equal(list(bucket, &out, "b/", "/", "", 99, &more), "b/x/* b/y ");
    assert_string_equal(list(bucket, &out, "b/", "/", "b/x/", 99, &more), "b/y ");
    assert_string_equal(list(bucket, &out, "b/x/", "", "b/x/1", 99, &more), "b/x/2 ");
    assert_string_equal(list(bucket, &out, "b", "", "a", 99, &more), "b/x/1 b/x/2 b/y ");
    assert_string_equal(list(bucket, &out, "", "x/", "", 3, &more), "a/1 a/2 a0 ");
    assert_string_equal(list(bucket, &out, "d", "/", "", 99, &more), "");
    assert_false(more);
    strbuf_release(&out);
    store_free(store);
}

static void a_bucket_lives_dies_and_lives_again(void **state)
{
    struct store *store = store_new(true, MIB);
    struct slice name = SLICE("again");
    struct bucket *bucket = bucket_in(store, "again");
    bool made;
    (void)state;
    put_small(bucket, "k");
    assert_int_equal(store_bucket_remove(store, name), S3_BUCKET_NOT_EMPTY);
    assert_true(bucket_delete(bucket, SLICE("k")));
    assert_false(bucket_delete(bucket, SLICE("k")));
    assert_int_equal(store_bucket_remove(store, name), S3_OK);
    assert_int_equal(store_bucket_remove(store, name), S3_NO_SUCH_BUCKET);
    assert_null(store_bucket(store, name));
    assert_int_equal(bucket_put_size(bucket, SLICE("k"), 1, 1), S3_NO_SUCH_BUCKET);
    assert_int_equal(store_bucket_make(store, name, 1, &made), S3_OK);
    assert_true(made);
    assert_int_equal(store_bucket_make(store, name, 1, &made), S3_OK);
    assert_false(made);
    assert_int_equal(store_totals(store).buckets, 1);
    store_free(store);
}

static void memory_is_returned_to_the_last_byte(void **state)
{
    struct store *store = store_new(false, MIB);
    struct bucket *bucket = bucket_in(store, "budget");
    (void)state;
    assert_int_equal(bucket_put(bucket, SLICE("a"), object_of(store, 700000, 'a')), S3_OK);
    assert_null(blob_new(store, 700000));
    assert_int_equal(bucket_put(bucket, SLICE("a"), object_of(store, 300000, 'b')), S3_OK);
    struct object *held = bucket_get(bucket, SLICE("a"));
    assert_true(bucket_delete(bucket, SLICE("a")));
    assert_true(store_totals(store).memory_bytes >= 300000); /* somebody still reads it */
    assert_int_equal(held->segments[0].blob->data[299999], 'b');
    object_unref(held);
    assert_int_equal(store_totals(store).memory_bytes, 0);
    store_free(store);
}

static void shared_ranges_are_the_right_bytes(void **state)
{
    struct store *store = store_new(false, MIB);
    struct object *parts[3] = {object_of(store, 10, 'a'), object_of(store, 10, 'b'),
                               object_of(store, 10, 'c')};
    struct object *whole = object_new(store, 3);
    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(object_share(whole, i, parts[i], 0, 10), 1);
    assert_int_equal(object_share(NULL, 0, whole, 5, 20), 3);
    assert_int_equal(object_share(NULL, 0, whole, 10, 10), 1);
    struct object *middle = object_new(store, 3);
    assert_int_equal(object_share(middle, 0, whole, 8, 13), 3);
    assert_int_equal(middle->segments[0].offset, 8);
    assert_int_equal(middle->segments[0].len, 2);
    assert_int_equal(middle->segments[1].len, 10);
    assert_int_equal(middle->segments[2].len, 1);
    for (size_t i = 0; i < 3; i++)
        object_unref(parts[i]);
    object_unref(whole);
    assert_int_equal(middle->segments[1].blob->data[0], 'b');
    object_unref(middle);
    assert_int_equal(store_totals(store).memory_bytes, 0);
    store_free(store);
}

static void claim(struct upload_claims *claims, int number, const struct object *part)
{
    char etag[OBJECT_ETAG_MAX];
    struct upload_claim one = {.number = number};
    const char *end = object_format_etag(part, etag);
    memcpy(one.etag, etag + 1, (size_t)(end - etag) - 2);
    vec_push(&claims->list, one);
}

static void an_upload_becomes_an_object_or_nothing(void **state)
{
    struct store *store = store_new(true, MIB);
    struct uploads *uploads = uploads_new(store);
    struct slice bucket = SLICE("bucket");
    struct slice key = SLICE("key");
    struct upload_claims claims = {0};
    struct object *done = NULL;
    char text[UPLOAD_ID_BYTES];
    (void)state;
    assert_int_equal(uploads_start(uploads, bucket, key, NULL, 0, 1, text), S3_OK);
    struct slice id = {text, sizeof(text)};
    for (int number = 3; number > 0; number--) {
        struct object *part = object_new(store, 0);
        part->size = number == 3 ? 7 : UPLOAD_PART_MIN;
        object_null_etag(key, number, part->etag);
        assert_int_equal(uploads_put(uploads, bucket, key, id, number, object_ref(part)), S3_OK);
        if (number != 2)
            claim(&claims, number, part);
        object_unref(part);
    }
    assert_int_equal(uploads_complete(uploads, bucket, key, id, &claims, 1, &done),
                     S3_INVALID_PART_ORDER);
    struct upload_claim first = claims.list.items[1];
    claims.list.items[1] = claims.list.items[0];
    claims.list.items[0] = first;
    assert_int_equal(uploads_complete(uploads, bucket, SLICE("other"), id, &claims, 1, &done),
                     S3_NO_SUCH_UPLOAD);
    assert_int_equal(uploads_complete(uploads, bucket, key, id, &claims, 1, &done), S3_OK);
    assert_int_equal(done->size, UPLOAD_PART_MIN + 7); /* part 2 was not claimed */
    assert_int_equal(done->parts, 2);
    assert_int_equal(uploads_check(uploads, bucket, key, id), S3_NO_SUCH_UPLOAD);
    object_unref(done);
    vec_release(&claims.list);
    assert_int_equal(uploads_start(uploads, bucket, key, NULL, 0, 1, text), S3_OK);
    uploads_drop_bucket(uploads, bucket);
    assert_int_equal(uploads_check(uploads, bucket, key, id), S3_NO_SUCH_UPLOAD);
    uploads_free(uploads);
    assert_int_equal(store_totals(store).memory_bytes, 0);
    store_free(store);
}

struct hammer {
    struct store *store;
    struct bucket *bucket;
    int number;
    bool good;
};

static void count_entry(void *arg, struct slice key, const struct object *object)
{
    (void)key;
    *(size_t *)arg += object ? 1 : 0;
}

/* Puts, gets, deletes and lists keys that others use too, and keys of its own. */
static void *hammer_store(void *arg)
{
    struct hammer *hammer = arg;
    struct rng rng;
    rng_seed(&rng, 1, (uint64_t)hammer->number);
    hammer->good = true;
    for (int i = 0; i < 3000 && hammer->good; i++) {
        char text[32];
        bool own = rng_below(&rng, 2);
        int n = (int)rng_below(&rng, 50);
        int len = own ? snprintf(text, sizeof(text), "own%d-%d", hammer->number, n)
                      : snprintf(text, sizeof(text), "all%d", n);
        struct slice key = {text, (size_t)len};
        size_t size = 1 + rng_below(&rng, 100);
        hammer->good =
            bucket_put(hammer->bucket, key, object_of(hammer->store, size, 'x')) == S3_OK;
        struct object *got = bucket_get(hammer->bucket, key);
        if (own)
            hammer->good = hammer->good && got && got->size == (int64_t)size;
        object_unref(got);
        if (rng_below(&rng, 3) == 0)
            bucket_delete(hammer->bucket, key);
        if (i % 100 == 0) {
            size_t count = 0;
            bool more;
            struct list_query query = {.max = 1000, .on_entry = count_entry, .arg = &count};
            bucket_list(hammer->bucket, &query, &more);
            store_bucket_remove(hammer->store, SLICE("hammer"));
        }
    }
    for (int n = 0; n < 50; n++) {
        char text[32];
        int len = snprintf(text, sizeof(text), "own%d-%d", hammer->number, n);
        bucket_delete(hammer->bucket, (struct slice){text, (size_t)len});
    }
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    enum { THREADS = 4 };
    struct store *store = store_new(false, 64 * MIB);
    struct bucket *bucket = bucket_in(store, "hammer");
    struct hammer hammers[THREADS];
    pthread_t ids[THREADS];
    (void)state;
    put_small(bucket, "keeps the bucket alive");
    for (int i = 0; i < THREADS; i++) {
        hammers[i] = (struct hammer){store, bucket, i, false};
        assert_int_equal(pthread_create(&ids[i], NULL, hammer_store, &hammers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(ids[i], NULL);
        assert_true(hammers[i].good);
    }
    for (int n = 0; n < 50; n++) {
        char text[32];
        int len = snprintf(text, sizeof(text), "all%d", n);
        bucket_delete(bucket, (struct slice){text, (size_t)len});
    }
    bucket_delete(bucket, SLICE("keeps the bucket alive"));
    struct store_totals totals = store_totals(store);
    assert_int_equal(totals.objects, 0);
    assert_int_equal(totals.object_bytes, 0);
    assert_int_equal(totals.memory_bytes, 0);
    store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_table_agrees_with_a_plain_array),
        cmocka_unit_test(listings_honour_prefix_delimiter_and_marker),
        cmocka_unit_test(a_bucket_lives_dies_and_lives_again),
        cmocka_unit_test(memory_is_returned_to_the_last_byte),
        cmocka_unit_test(shared_ranges_are_the_right_bytes),
        cmocka_unit_test(an_upload_becomes_an_object_or_nothing),
        cmocka_unit_test(threads_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
