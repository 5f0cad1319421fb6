/* utf8.h -- is it UTF-8? Source: RFC 3629. */
#ifndef LOADSTONE_DRIVER_TARGET_UTF8_H
#define LOADSTONE_DRIVER_TARGET_UTF8_H

#include "driver/target/slice.h"

/* Length of the sequence that text (not empty) starts with, 1 to 4, or 0 when it is none. */
size_t utf8_len(struct slice text);
bool utf8_is_valid(struct slice text);

#endif
