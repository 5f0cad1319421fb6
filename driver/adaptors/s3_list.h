/* s3_list.h -- reads what is needed of S3's XML answers, in place and without allocation.
 *
 * A list answer is part of a measured operation, so it is scanned, not parsed: lists are asked for
 * with encoding-type=url, so that names hold no markup (Amazon S3 API Reference, ListObjectsV2).
 * Whatever the bytes, the scan ends and stays inside them. */
#ifndef LOADSTONE_DRIVER_ADAPTORS_S3_LIST_H
#define LOADSTONE_DRIVER_ADAPTORS_S3_LIST_H

#include "driver/http1/response.h"

#include <stdbool.h>
#include <stddef.h>

/* The text of the first <tag> at or after *position (an offset into body that moves behind it);
 * false when there is none. */
bool s3_xml_text(struct span body, const char *tag, size_t *position, struct span *ret_text);

/* Resolves the five predefined entities of XML; out_len bytes at most. False when it did not fit.
 */
bool s3_xml_unescape(struct span text, char *out, size_t out_len, size_t *ret_len);

/* Undoes encoding-type=url: %XX and '+'. False when it did not fit. */
bool s3_url_decode(struct span text, char *out, size_t out_len, size_t *ret_len);

/* True for prefix + decimal number + suffix: a name that a workload can have made. */
bool s3_name_is_ours(struct span name, const char *prefix, const char *suffix);

#endif
