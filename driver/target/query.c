/* query.c -- see query.h. */
#include "driver/target/query.h"

#include <stdint.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

long percent_decode(struct slice text, bool plus_is_space, char *out)
{
    char *o = out;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];
        if (c == '%') {
            if (text.len - i < 3)
                return -1;
            int high = hex_digit(text.p[i + 1]);
            int low = hex_digit(text.p[i + 2]);
            if (high < 0 || low < 0)
                return -1;
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        *o++ = c;
    }
    return o - out;
}

static const uint8_t unreserved[256] = {
    ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1, ['0' ... '9'] = 1, ['-'] = 1,
    ['.'] = 1,         ['_'] = 1,         ['~'] = 1,
};

char *percent_encode(struct slice text, bool keep_slash, char *out)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = (uint8_t)text.p[i];
        if (unreserved[c] || (c == '/' && keep_slash)) {
            *out++ = (char)c;
            continue;
        }
        *out++ = '%';
        *out++ = digits[c >> 4];
        *out++ = digits[c & 15];
    }
    return out;
}

int query_parse(struct slice text, char *buf, struct query *query)
{
    query->count = 0;
    while (text.len) {
        struct slice value = slice_cut(&text, '&');
        if (value.len == 0)
            continue;
        if (query->count == QUERY_PARAMS_MAX)
            return -1;
        struct slice name = slice_cut(&value, '=');
        struct query_param *param = &query->params[query->count];
        long name_len = percent_decode(name, true, buf);
        if (name_len < 0)
            return -1;
        param->name = (struct slice){buf, (size_t)name_len};
        buf += name_len;
        long value_len = percent_decode(value, true, buf);
        if (value_len < 0)
            return -1;
        param->value = (struct slice){buf, (size_t)value_len};
        buf += value_len;
        query->count++;
    }
    return 0;
}

struct slice query_get(const struct query *query, struct slice name)
{
    for (size_t i = 0; i < query->count; i++)
        if (slice_is(query->params[i].name, name))
            return query->params[i].value;
    return (struct slice){NULL, 0};
}
