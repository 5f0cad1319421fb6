/* fields.h -- header fields that belong to an object: kept with it as whole lines. */
#ifndef LOADSTONE_DRIVER_TARGET_FIELDS_H
#define LOADSTONE_DRIVER_TARGET_FIELDS_H

#include "driver/target/http_request.h"
#include "driver/target/s3_errors.h"

#define FIELDS_MAX_BYTES (8 << 10)

/* Content-Type, Cache-Control, ..., x-amz-meta-* of the request as "Name: value\r\n" lines;
 * *ret_lines is the caller's to free, NULL when there are none. S3_METADATA_TOO_LARGE. */
enum s3_error fields_collect(const struct http_request *req, char **ret_lines, size_t *ret_len);

#endif
