/* hist_codec.c -- see hist_codec.h. */
#include "common/stats/hist_codec.h"

#include "common/base/digest.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define COOKIE_V2         0x1c849303u
#define COOKIE_COMPRESSED 0x1c849304u
#define COOKIE_WORD       0x10u /* counts are LEB128 */
#define HEADER_BYTES      40
#define LEB_MAX_BYTES     9
#define PAYLOAD_MAX_BYTES (HEADER_BYTES + (size_t)HIST_SLOTS * LEB_MAX_BYTES)
#define DIGITS            3

static uint8_t *put_u32(uint8_t *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *out++ = (uint8_t)(value >> shift);
    return out;
}

static uint8_t *put_u64(uint8_t *out, uint64_t value)
{
    return put_u32(put_u32(out, (uint32_t)(value >> 32)), (uint32_t)value);
}

static uint32_t get_u32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

static uint64_t get_u64(const uint8_t *in)
{
    return (uint64_t)get_u32(in) << 32 | get_u32(in + 4);
}

/* Seven bits a byte, least significant first; the ninth byte holds eight. */
static uint8_t *put_leb(uint8_t *out, int64_t number)
{
    uint64_t value = ((uint64_t)number << 1) ^ (uint64_t)(number >> 63);
    for (int i = 0; i < LEB_MAX_BYTES - 1; i++) {
        if (value < 0x80) {
            *out++ = (uint8_t)value;
            return out;
        }
        *out++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *out++ = (uint8_t)value;
    return out;
}

static const uint8_t *get_leb(const uint8_t *in, const uint8_t *end, int64_t *ret_number)
{
    uint64_t value = 0;
    for (int i = 0; i < LEB_MAX_BYTES; i++) {
        if (in == end)
            return NULL;
        uint8_t byte = *in++;
        if (i == LEB_MAX_BYTES - 1) {
            value |= (uint64_t)byte << 56;
            break;
        }
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (!(byte & 0x80))
            break;
    }
    *ret_number = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
    return in;
}

static size_t write_payload(const struct hist *hist, uint8_t *out)
{
    uint8_t *counts = out + HEADER_BYTES;
    uint8_t *end = counts;
    uint32_t zeros = 0;
    for (uint32_t i = 0; i <= hist->high_slot; i++) {
        if (hist->slots[i] == 0) {
            zeros++;
            continue;
        }
        if (zeros)
            end = put_leb(end, -(int64_t)zeros);
        zeros = 0;
        end = put_leb(end, (int64_t)hist->slots[i]);
    }
    uint8_t *head = put_u32(out, COOKIE_V2 | COOKIE_WORD);
    head = put_u32(head, (uint32_t)(end - counts));
    head = put_u32(head, 0); /* normalising index offset */
    head = put_u32(head, DIGITS);
    head = put_u64(head, (uint64_t)HIST_LOWEST_NS);
    head = put_u64(head, (uint64_t)HIST_HIGHEST_NS);
    put_u64(head, UINT64_C(0x3ff0000000000000)); /* integer to double ratio: 1.0 */
    return (size_t)(end - out);
}

char *hist_encode(const struct hist *hist)
{
    if (hist->count == 0)
        return xstrdup("");
    AUTO(freep) uint8_t *payload = xmalloc(PAYLOAD_MAX_BYTES);
    size_t len = write_payload(hist, payload);
    uLongf packed_len = compressBound(len);
    AUTO(freep) uint8_t *packed = xmalloc(packed_len + 8);
    if (compress2(packed + 8, &packed_len, payload, len, Z_BEST_SPEED) != Z_OK)
        abort(); /* the bound is zlib's own */
    put_u32(put_u32(packed, COOKIE_COMPRESSED | COOKIE_WORD), (uint32_t)packed_len);
    return base64_encode(packed, packed_len + 8);
}

static int read_counts(const uint8_t *in, const uint8_t *end, struct hist *hist)
{
    uint64_t slot = 0;
    while (in < end) {
        int64_t number;
        in = get_leb(in, end, &number);
        if (!in || number == INT64_MIN)
            return ERR_PROTOCOL;
        if (number <= 0) {
            slot += (uint64_t)-number + (number == 0);
            if (slot > HIST_SLOTS)
                return ERR_PROTOCOL;
            continue;
        }
        if (slot >= HIST_SLOTS || (uint64_t)number > (UINT64_C(1) << 60) - hist->count)
            return ERR_PROTOCOL;
        hist->slots[slot] += (uint64_t)number;
        hist->count += (uint64_t)number;
        hist->low_slot = MIN(hist->low_slot, (uint32_t)slot);
        hist->high_slot = MAX(hist->high_slot, (uint32_t)slot);
        slot++;
    }
    if (hist->count) {
        hist->min_ns = hist_slot_low(hist->low_slot);
        hist->max_ns = MIN(hist_slot_high(hist->high_slot), HIST_HIGHEST_NS);
    }
    return 0;
}

static int read_payload(const uint8_t *in, size_t len, struct hist *hist)
{
    if (len < HEADER_BYTES || get_u32(in) != (COOKIE_V2 | COOKIE_WORD) || get_u32(in + 8) != 0 ||
        get_u32(in + 12) != DIGITS || get_u64(in + 16) != (uint64_t)HIST_LOWEST_NS ||
        get_u64(in + 24) != (uint64_t)HIST_HIGHEST_NS || get_u32(in + 4) != len - HEADER_BYTES)
        return ERR_PROTOCOL;
    return read_counts(in + HEADER_BYTES, in + len, hist);
}

int hist_decode(const char *text, struct hist *into, struct err *err)
{
    if (!*text)
        return 0;
    AUTO(freep) uint8_t *packed = NULL;
    size_t packed_len = 0;
    AUTO(freep) uint8_t *payload = xmalloc(PAYLOAD_MAX_BYTES);
    uLongf payload_len = PAYLOAD_MAX_BYTES;
    AUTO(hist_freep) struct hist *hist = hist_new();
    if (base64_decode(text, strlen(text), &packed, &packed_len) < 0 || packed_len < 8 ||
        get_u32(packed) != (COOKIE_COMPRESSED | COOKIE_WORD) ||
        get_u32(packed + 4) != packed_len - 8 ||
        uncompress(payload, &payload_len, packed + 8, packed_len - 8) != Z_OK ||
        read_payload(payload, payload_len, hist) < 0)
        return err_set(err, ERR_PROTOCOL, "histogram: not an HdrHistogram V2 text of our layout");
    hist_merge(into, hist);
    return 0;
}
