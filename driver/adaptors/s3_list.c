/* s3_list.c -- see s3_list.h. */
#include "driver/adaptors/s3_list.h"

#include "common/base/digest.h"
#include "common/base/scope.h"

#include <string.h>

#define TAG_MAX 48

bool s3_xml_text(struct span body, const char *tag, size_t *position, struct span *ret_text)
{
    char open[TAG_MAX + 3];
    char close[TAG_MAX + 4];
    size_t tag_len = strlen(tag);
    if (tag_len > TAG_MAX || *position >= body.len)
        return false;
    open[0] = close[0] = '<';
    close[1] = '/';
    memcpy(open + 1, tag, tag_len);
    memcpy(close + 2, tag, tag_len);
    open[tag_len + 1] = close[tag_len + 2] = '>';

    const char *end = body.data + body.len;
    const char *from = memmem(body.data + *position, body.len - *position, open, tag_len + 2);
    if (!from)
        return false;
    from += tag_len + 2;
    const char *to = memmem(from, (size_t)(end - from), close, tag_len + 3);
    if (!to)
        return false;
    *ret_text = (struct span){from, (size_t)(to - from)};
    *position = (size_t)(to - body.data) + tag_len + 3;
    return true;
}

bool s3_xml_unescape(struct span text, char *out, size_t out_len, size_t *ret_len)
{
    static const struct {
        const char *name;
        size_t len;
        char c;
    } entities[] = {{"&amp;", 5, '&'},
                    {"&lt;", 4, '<'},
                    {"&gt;", 4, '>'},
                    {"&quot;", 6, '"'},
                    {"&apos;", 6, '\''}};
    size_t len = 0;
    for (size_t i = 0; i < text.len;) {
        char c = text.data[i];
        size_t step = 1;
        for (size_t e = 0; c == '&' && e < ARRAY_LEN(entities); e++) {
            if (text.len - i >= entities[e].len &&
                memcmp(text.data + i, entities[e].name, entities[e].len) == 0) {
                c = entities[e].c;
                step = entities[e].len;
                break;
            }
        }
        if (len == out_len)
            return false;
        out[len++] = c;
        i += step;
    }
    *ret_len = len;
    return true;
}

bool s3_url_decode(struct span text, char *out, size_t out_len, size_t *ret_len)
{
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = (uint8_t)text.data[i];
        if (c == '+')
            c = ' ';
        else if (c == '%' && text.len - i > 2 && hex_decode(text.data + i + 1, 1, &c) == 0)
            i += 2;
        if (len == out_len)
            return false;
        out[len++] = (char)c;
    }
    *ret_len = len;
    return true;
}

bool s3_name_is_ours(struct span name, const char *prefix, const char *suffix)
{
    size_t prefix_len = strlen(prefix);
    size_t suffix_len = strlen(suffix);
    if (name.len <= prefix_len + suffix_len || memcmp(name.data, prefix, prefix_len) != 0 ||
        memcmp(name.data + name.len - suffix_len, suffix, suffix_len) != 0)
        return false;
    for (size_t i = prefix_len; i < name.len - suffix_len; i++)
        if (name.data[i] < '0' || name.data[i] > '9')
            return false;
    return true;
}
