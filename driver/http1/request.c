/* request.c -- see request.h. */
#include "driver/http1/request.h"

void write_number(struct writer *writer, int64_t number)
{
    char digits[24];
    char *at = digits + sizeof(digits);
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0)
        *--at = '-';
    write_bytes(writer, at, (size_t)(digits + sizeof(digits) - at));
}

static bool is_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '~';
}

void write_encoded(struct writer *writer, const char *data, size_t len, bool keep_slash)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)data[i];
        if (writer->end - writer->at < 3) {
            writer->full = true;
            return;
        }
        if (is_unreserved(c) || (c == '/' && keep_slash)) {
            *writer->at++ = (char)c;
        } else {
            *writer->at++ = '%';
            *writer->at++ = hex[c >> 4];
            *writer->at++ = hex[c & 15];
        }
    }
}
