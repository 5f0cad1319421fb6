/* hist_codec.h -- histograms as text: HdrHistogram's V2 compressed encoding, in base64.
 *
 * Layout (HdrHistogram, "V2 encoding"): a big-endian header {cookie 0x1c849303 | 0x10, payload
 * length, normalising offset, significant digits, lowest, highest, ratio}, then the counts as
 * zig-zag LEB128 where a negative number is a run of zeros; that is deflated (RFC 1950) behind
 * {cookie 0x1c849304 | 0x10, length}; then base64. */
#ifndef LOADSTONE_COMMON_STATS_HIST_CODEC_H
#define LOADSTONE_COMMON_STATS_HIST_CODEC_H

#include "common/base/err.h"
#include "common/stats/hist.h"

/* The text ("" when empty), owned by the caller. The exact minimum, maximum and overflow are not
 * part of the format: the reader gets the edges of their buckets. */
char *hist_encode(const struct hist *hist);

/* Adds what text holds to *into. Text of another layout, torn or hostile (counts that overflow,
 * runs past the end): ERR_PROTOCOL, and *into is unchanged. "" adds nothing. */
int hist_decode(const char *text, struct hist *into, struct err *err);

#endif
