/* units.h -- sizes and durations as people write them. */
#ifndef LOADSTONE_COMMON_BASE_UNITS_H
#define LOADSTONE_COMMON_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* Bytes in one unit: B KB MB GB TB are powers of 1000, KiB MiB GiB TiB powers of
 * 1024, any case (spec: selectors.md, Sizes). 0 when the text is none of them. */
int64_t units_of_size(const char *unit);

/* "64KB", "1.5 GiB", "4096B"; a bare number is bytes. 0, ERR_CONFIG or, above INT64_MAX, ERR_LIMIT.
 */
int units_parse_size(const char *text, int64_t *ret_bytes);

/* "30s", "500ms", "10us", "5m", "1h", "2d"; a bare number counts bare_unit_ns. 0 or ERR_CONFIG. */
int units_parse_duration(const char *text, int64_t bare_unit_ns, int64_t *ret_ns);

/* A whole decimal number with an optional sign and nothing after it but white space.
 * 0, ERR_CONFIG, or ERR_LIMIT when it does not fit. */
int units_parse_int(const char *text, int64_t *ret_value);

/* "64 KB", "1.25 GB" (powers of 1000, at most two decimals). Returns out. */
char *units_format_bytes(double bytes, char *out, size_t out_len);
/* "850 us", "1.2 ms", "3.4 s". Returns out. */
char *units_format_ns(double ns, char *out, size_t out_len);

#endif
