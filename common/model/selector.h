/* selector.h -- draws the number of the next container, object or size (spec: selectors.md).
 *
 *   c(64) constant   u(1,9) uniform   u(5) open end   r(1,9) or 1-9 range, each in order
 *   s(1,9) sequence, one cursor for all   h(1|64|9,64|512|1) histogram of low|high|weight
 *
 * Any case of the letter, white space anywhere, leading zeros. Bounds are inclusive, 1 <= low <=
 * high; r(0,0) and 0-0 are the empty walk. A selector is immutable once parsed and may be shared by
 * threads; each worker draws through a struct draw of its own. */
#ifndef LOADSTONE_COMMON_MODEL_SELECTOR_H
#define LOADSTONE_COMMON_MODEL_SELECTOR_H

#include "common/base/err.h"
#include "common/base/rng.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SELECTOR_OPEN_END 2147483647 /* 2^31-1, the end of u(lo) and of an open bucket */

struct selector;

/* Parses all of text. ERR_CONFIG says the column, what was found and what was expected
 * ("unknown selector x, expected c, u, r, s or h"; "u(10,1): low end 10 is above high end 1");
 * *ret_selector is then untouched. Release with selector_free(). */
int selector_parse(const char *text, struct selector **ret_selector, struct err *err);
void selector_free(struct selector *selector);

/* 'c', 'u', 'r', 's' or 'h'. */
char selector_kind(const struct selector *selector);
/* Smallest and largest number it can give; r(0,0): 0 and 0. */
int64_t selector_low(const struct selector *selector);
int64_t selector_high(const struct selector *selector);
/* True for r(0,0): a walk over nothing. */
bool selector_is_empty(const struct selector *selector);

/* A worker's part of lo..hi: worker index 1..all (spec: selectors.md, Division). */
struct range {
    int64_t low;
    int64_t count; /* 0: nothing */
};
struct range range_of_worker(int64_t low, int64_t high, int64_t index, int64_t all);
/* The parts of workers first..first+workers-1 (1-based) together: they are contiguous. */
struct range range_of_block(int64_t low, int64_t high, int64_t first, int64_t workers, int64_t all);

/* A cursor that all workers of a mission share (undivided r and s). */
struct selector_cursor {
    atomic_int_fast64_t next; /* numbers handed out so far */
    struct range block;       /* what this mission's share of the range is; never empty */
};
/* The mission's block; where the block is empty (fewer numbers than workers) the whole range. */
void selector_cursor_init(struct selector_cursor *cursor, const struct selector *selector,
                          int64_t worker_first, int64_t workers, int64_t workers_total);

/* A worker's stream of numbers. Plain value: copy and embed freely; borrows the selector and the
 * cursor. */
struct draw {
    const struct selector *selector;
    struct selector_cursor *cursor; /* shared, or NULL */
    struct range part;              /* what u and r draw from */
    int64_t next;                   /* numbers an own r cursor handed out */
};

/* divided: u and r draw from the part of worker index (1-based) of all; c, s and h never divide.
 * Otherwise r and s take turns on *cursor (must not be NULL for these two). */
void draw_init(struct draw *draw, const struct selector *selector, bool divided, int64_t index,
               int64_t all, struct selector_cursor *cursor);
/* A divided part without numbers: the worker has nothing to do. */
bool draw_is_empty(const struct draw *draw);
/* The next number. Must not be called when empty. Never allocates or locks. */
int64_t draw_next(struct draw *draw, struct rng *rng);

/* ---- sizes: a selector and a unit, "c(64)KB", "h(1|64|10)KiB" */
struct size_selector {
    struct selector *selector;
    int64_t unit_bytes;
};
int size_selector_parse(const char *text, struct size_selector *ret_sizes, struct err *err);
void size_selector_release(struct size_selector *sizes);
/* Largest size in bytes it can give (saturates at INT64_MAX). */
int64_t size_selector_max(const struct size_selector *sizes);

#endif
