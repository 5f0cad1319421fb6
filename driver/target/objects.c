/* objects.c -- see objects.h. */
#include "driver/target/objects.h"

#include "common/base/digest.h"
#include "common/base/scope.h"
#include "driver/target/key_table.h"
#include "driver/target/store.h"

#include <stdlib.h>

struct blob *blob_new(struct store *store, size_t size)
{
    if (!store_book(store, (int64_t)size))
        return NULL;
    struct blob *blob = malloc(sizeof(*blob) + size);
    if (!blob) {
        store_return(store, (int64_t)size);
        return NULL;
    }
    atomic_init(&blob->refs, 1);
    blob->store = store;
    blob->size = size;
    return blob;
}

void blob_unref(struct blob *blob)
{
    if (blob && atomic_fetch_sub_explicit(&blob->refs, 1, memory_order_acq_rel) == 1) {
        store_return(blob->store, (int64_t)blob->size);
        free(blob);
    }
}

struct object *object_new(struct store *store, size_t segment_count)
{
    size_t size = sizeof(struct object) + segment_count * sizeof(struct segment);
    if (!store_book(store, (int64_t)size))
        return NULL;
    struct object *object = calloc(1, size);
    if (!object) {
        store_return(store, (int64_t)size);
        return NULL;
    }
    atomic_init(&object->refs, 1);
    object->store = store;
    object->charged = (int64_t)size;
    object->segment_count = segment_count;
    return object;
}

bool object_set_fields(struct object *object, char *fields, size_t len)
{
    if (!fields)
        return true;
    if (!store_book(object->store, (int64_t)len)) {
        free(fields);
        return false;
    }
    object->charged += (int64_t)len;
    object->fields = fields;
    object->fields_len = len;
    return true;
}

struct object *object_ref(struct object *object)
{
    atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
    return object;
}

void object_unref(struct object *object)
{
    if (!object || atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < object->segment_count; i++)
        blob_unref(object->segments[i].blob);
    store_return(object->store, object->charged);
    free(object->fields);
    free(object);
}

size_t object_share(struct object *to, size_t at, const struct object *from, int64_t offset,
                    int64_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < from->segment_count && len > 0; i++) {
        const struct segment *segment = &from->segments[i];
        if (offset >= (int64_t)segment->len) {
            offset -= (int64_t)segment->len;
            continue;
        }
        size_t take = (size_t)MIN(len, (int64_t)segment->len - offset);
        if (to) {
            atomic_fetch_add_explicit(&segment->blob->refs, 1, memory_order_relaxed);
            to->segments[at + count] =
                (struct segment){segment->blob, segment->offset + (size_t)offset, take};
        }
        count++;
        len -= (int64_t)take;
        offset = 0;
    }
    return count;
}

char *object_format_etag(const struct object *object, char *out)
{
    *out++ = '"';
    out = hex_encode(object->etag, sizeof(object->etag), out);
    if (object->parts) {
        char digits[10];
        size_t n = 0;
        for (uint32_t rest = object->parts; rest; rest /= 10)
            digits[n++] = (char)('0' + rest % 10);
        *out++ = '-';
        while (n)
            *out++ = digits[--n];
    }
    *out++ = '"';
    return out;
}

void object_null_etag(struct slice key, int64_t size, uint8_t etag[16])
{
    uint64_t high = key_hash(key, 0);
    uint64_t low = (uint64_t)size;
    for (int i = 0; i < 8; i++) {
        etag[i] = (uint8_t)(high >> (56 - 8 * i));
        etag[8 + i] = (uint8_t)(low >> (56 - 8 * i));
    }
}
