/* s3_errors.h -- what can go wrong with an S3 request: code, status and sentence in one table.
 * Source: Amazon S3 API reference, "Error responses". */
#ifndef LOADSTONE_DRIVER_TARGET_S3_ERRORS_H
#define LOADSTONE_DRIVER_TARGET_S3_ERRORS_H

enum s3_error {
    S3_OK = 0,
    S3_ACCESS_DENIED,
    S3_AUTHORIZATION_MALFORMED,
    S3_AUTHORIZATION_QUERY_MALFORMED,
    S3_BAD_DIGEST,
    S3_BUCKET_NOT_EMPTY,
    S3_ENTITY_TOO_LARGE,
    S3_ENTITY_TOO_SMALL,
    S3_EXPIRED_PRESIGNED,
    S3_INCOMPLETE_BODY,
    S3_INTERNAL,
    S3_INVALID_ACCESS_KEY,
    S3_INVALID_ARGUMENT,
    S3_INVALID_BUCKET_NAME,
    S3_INVALID_DIGEST,
    S3_INVALID_OBJECT_NAME,
    S3_INVALID_PART,
    S3_INVALID_PART_ORDER,
    S3_INVALID_RANGE,
    S3_INVALID_REQUEST,
    S3_INVALID_URI,
    S3_KEY_TOO_LONG,
    S3_MALFORMED_XML,
    S3_METADATA_TOO_LARGE,
    S3_METHOD_NOT_ALLOWED,
    S3_MISSING_LENGTH,
    S3_MISSING_SHA256,
    S3_NO_SUCH_BUCKET,
    S3_NO_SUCH_KEY,
    S3_NO_SUCH_UPLOAD,
    S3_NO_SUCH_POLICY,
    S3_NO_SUCH_CORS,
    S3_NO_SUCH_LIFECYCLE,
    S3_NO_SUCH_TAGS,
    S3_NO_SUCH_WEBSITE,
    S3_NO_ENCRYPTION,
    S3_NO_OBJECT_LOCK,
    S3_NO_REPLICATION,
    S3_NO_OWNERSHIP,
    S3_NO_PUBLIC_ACCESS_BLOCK,
    S3_NOT_IMPLEMENTED,
    S3_PRECONDITION_FAILED,
    S3_REQUEST_TIMEOUT,
    S3_SHA256_MISMATCH,
    S3_SIGNATURE_MISMATCH,
    S3_SLOW_DOWN,
    S3_STORE_FULL,
    S3_TIME_SKEWED,
    S3_TOO_MANY_BUCKETS,
    S3_UNAUTHORIZED_TARGET,
    S3_ERRORS
};

struct s3_error_info {
    const char *code;    /* "NoSuchKey" */
    int status;          /* 404 */
    const char *message; /* a sentence */
};

const struct s3_error_info *s3_error_info(enum s3_error error);

/* Reason phrase of an HTTP status; "Status" for one that has none here. */
const char *http_reason(int status);

#endif
