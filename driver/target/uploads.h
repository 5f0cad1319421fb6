/* uploads.h -- multipart uploads under way. Parts are objects that no bucket holds yet.
 * Any thread may call anything here. Source: Amazon S3 user guide, "Multipart upload". */
#ifndef LOADSTONE_DRIVER_TARGET_UPLOADS_H
#define LOADSTONE_DRIVER_TARGET_UPLOADS_H

#include "common/base/vec.h"
#include "driver/target/store.h"

#define UPLOAD_ID_BYTES  32
#define UPLOAD_PARTS_MAX 10000
#define UPLOAD_PART_MIN  (5 << 20) /* all but the last */
#define UPLOADS_MAX      1000000

struct uploads;

struct upload_part {
    int number;
    struct object *object; /* NULL: not uploaded */
};

/* What a client lists when it completes an upload. */
struct upload_claim {
    int number;
    char etag[OBJECT_ETAG_MAX]; /* without quotes */
};
struct upload_claims {
    VEC(struct upload_claim) list;
};

/* The store must outlive it. */
struct uploads *uploads_new(struct store *store);
void uploads_free(struct uploads *uploads);

/* Begins one; fields (may be NULL) are taken and go to the object. id gets UPLOAD_ID_BYTES
 * characters. S3_SLOW_DOWN when there are too many. */
enum s3_error uploads_start(struct uploads *uploads, struct slice bucket, struct slice key,
                            char *fields, size_t fields_len, int64_t now_ms,
                            char id[UPLOAD_ID_BYTES]);
/* S3_NO_SUCH_UPLOAD unless bucket, key and id belong together. */
enum s3_error uploads_check(struct uploads *uploads, struct slice bucket, struct slice key,
                            struct slice id);
/* Puts a part (takes the reference) in place of an earlier one of that number. */
enum s3_error uploads_put(struct uploads *uploads, struct slice bucket, struct slice key,
                          struct slice id, int number, struct object *part);
/* Makes the object of the claimed parts and ends the upload; the caller puts it in the bucket.
 * S3_INVALID_PART, S3_INVALID_PART_ORDER, S3_ENTITY_TOO_SMALL, ... leave the upload as it was. */
enum s3_error uploads_complete(struct uploads *uploads, struct slice bucket, struct slice key,
                               struct slice id, const struct upload_claims *claims, int64_t now_ms,
                               struct object **ret_object);
enum s3_error uploads_abort(struct uploads *uploads, struct slice bucket, struct slice key,
                            struct slice id);
/* Ends all uploads of a bucket that was deleted. */
void uploads_drop_bucket(struct uploads *uploads, struct slice bucket);

/* Calls on_part for parts above `after`, in order, at most max; *ret_more: others follow. */
enum s3_error uploads_list_parts(struct uploads *uploads, struct slice bucket, struct slice key,
                                 struct slice id, int after, size_t max,
                                 void (*on_part)(void *arg, int number, const struct object *part),
                                 void *arg, bool *ret_more);

struct upload_info {
    struct slice key;
    struct slice id;
    int64_t started_ms;
};
/* Calls on_upload for the bucket's uploads in the order of key and start, those after
 * (after_key, after_id), at most max; *ret_more: others follow. */
void uploads_list(struct uploads *uploads, struct slice bucket, struct slice prefix,
                  struct slice after_key, struct slice after_id, size_t max,
                  void (*on_upload)(void *arg, const struct upload_info *info), void *arg,
                  bool *ret_more);

#endif
