/* sigv2.h -- AWS Signature Version 2 in headers, for stores that know no other (Amazon S3 Developer
 * Guide, "Signing and Authenticating REST Requests"). */
#ifndef LOADSTONE_DRIVER_AUTH_SIGV2_H
#define LOADSTONE_DRIVER_AUTH_SIGV2_H

#include "driver/http1/request.h"

#include <stdint.h>

/* Writes the lines Date and Authorization. content_type may be ""; amz_headers are lower-case
 * "name:value\n" lines, sorted
 * ("" for none); resource is the percent-encoded path with its bucket (and sub-resource, where
 * there is one). */
void sigv2_write_headers(const char *access_key, const char *secret_key, int64_t wall_s,
                         const char *method, const char *content_type, const char *amz_headers,
                         const char *resource, size_t resource_len, struct writer *writer);

#endif
