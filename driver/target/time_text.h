/* time_text.h -- the three ways times are written in S3: compact, HTTP and XML. */
#ifndef LOADSTONE_DRIVER_TARGET_TIME_TEXT_H
#define LOADSTONE_DRIVER_TARGET_TIME_TEXT_H

#include "driver/target/slice.h"

#include <stdint.h>

#define TIME_HTTP_BYTES 29 /* "Mon, 30 Nov 2026 20:21:16 GMT" */
#define TIME_XML_BYTES  24 /* "2026-11-30T20:21:16.123Z" */

/* "20261130T202116Z" to seconds since 1970, or -1. */
int64_t time_parse_compact(struct slice text);
/* An HTTP date (RFC 9110 5.6.7, the preferred form; "+0000" is taken for GMT), or -1. */
int64_t time_parse_http(struct slice text);
/* Writes TIME_HTTP_BYTES characters, no NUL; returns the byte after them. */
char *time_format_http(int64_t seconds, char *out);
/* Writes TIME_XML_BYTES characters, no NUL; returns the byte after them. */
char *time_format_xml(int64_t ms, char *out);

#endif
