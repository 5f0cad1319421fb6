/* utf8.c -- see utf8.h. */
#include "driver/target/utf8.h"

size_t utf8_len(struct slice text)
{
    const unsigned char *p = (const unsigned char *)text.p;
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (len == 0 || p[0] > 0xf4 || len > text.len)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool surrogate = p[0] == 0xed && p[1] > 0x9f;
    bool beyond = p[0] == 0xf4 && p[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : len;
}

bool utf8_is_valid(struct slice text)
{
    while (text.len) {
        size_t len = utf8_len(text);
        if (!len)
            return false;
        text.p += len;
        text.len -= len;
    }
    return true;
}
