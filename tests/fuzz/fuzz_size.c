/* fuzz_size.c -- sizes of any text: refused, or every size drawn fits and is below the largest. */
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/model/selector.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(freep) char *text = xstrndup((const char *)data, size);
    AUTO(size_selector_release) struct size_selector sizes = {.selector = NULL};
    struct selector_cursor cursor;
    struct draw draw;
    struct rng rng;
    struct err err;
    if (size_selector_parse(text, &sizes, &err) < 0)
        return 0;
    rng_seed(&rng, 1, 1);
    selector_cursor_init(&cursor, sizes.selector, 0, 1, 1);
    draw_init(&draw, sizes.selector, false, 1, 1, &cursor);
    for (int i = 0; i < 50 && !draw_is_empty(&draw); i++) {
        int64_t bytes;
        if (__builtin_mul_overflow(draw_next(&draw, &rng), sizes.unit_bytes, &bytes) || bytes < 0 ||
            bytes > size_selector_max(&sizes))
            abort();
    }
    return 0;
}
