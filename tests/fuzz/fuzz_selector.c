/* fuzz_selector.c -- selectors of any text: refused, or every number drawn is between their ends.
 */
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/model/selector.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct selector *selector, bool divided, int64_t index, int64_t all)
{
    struct selector_cursor cursor;
    struct draw draw;
    struct rng rng;
    rng_seed(&rng, 1, 1);
    selector_cursor_init(&cursor, selector, index - 1, 1, all);
    draw_init(&draw, selector, divided, index, all, &cursor);
    for (int i = 0; i < 50 && !draw_is_empty(&draw); i++) {
        int64_t number = draw_next(&draw, &rng);
        if (number < selector_low(selector) || number > selector_high(selector))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(freep) char *text = xstrndup((const char *)data, size);
    struct selector *selector = NULL;
    struct err err;
    if (selector_parse(text, &selector, &err) < 0)
        return 0;
    check(selector, false, 1, 1);
    check(selector, true, 3, 7);
    check(selector, true, 1000000, 1000000);
    selector_free(selector);
    return 0;
}
