/* objects.h -- what is stored: objects, and the blobs their bytes are in.
 *
 * An object never changes once it is in the store: a PUT puts another in its place, and whoever
 * still sends the old one holds a reference. Blobs are shared by reference too, so a copy or a
 * completed multipart upload copies nothing. In null mode objects have a size but no bytes.
 *
 * Any thread may call anything here. */
#ifndef LOADSTONE_DRIVER_TARGET_OBJECTS_H
#define LOADSTONE_DRIVER_TARGET_OBJECTS_H

#include "driver/target/slice.h"

#include <stdatomic.h>
#include <stdint.h>

#define OBJECT_KEY_MAX 1024

struct store;

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

#endif
