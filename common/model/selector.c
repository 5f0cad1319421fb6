/* selector.c -- see selector.h. */
#include "common/model/selector.h"

#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/strbuf.h"
#include "common/base/units.h"
#include "common/base/vec.h"
#include "common/base/xalloc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Part of a histogram: numbers low..high, drawn by weight.
 *
 * Alias method (Walker 1977, in the form of Vose 1991): all buckets are hit equally often; one that
 * should be hit less passes the rest of its turns, those above cutoff of 2^64, on to its alias. So
 * a draw takes one random number and no search, however many buckets there are. */
struct bucket {
    int64_t low;
    uint64_t numbers;
    double weight;
    uint64_t cutoff;
    uint32_t alias;
};

struct selector {
    char kind;
    int64_t low, high;
    bool empty;
    struct bucket *buckets;
    size_t bucket_count;
};

#define WEIGHT_MAX 1e15

/* ---- reading */

struct reader {
    const char *text;
    const char *at;
    struct err *err;
};

static void skip_space(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
}

static int refuse(struct reader *reader, const char *expected)
{
    char found[16] = "the end";
    size_t len = 0;
    while (len < 8 && isgraph((unsigned char)reader->at[len]))
        len++;
    if (*reader->at)
        snprintf(found, sizeof(found), "\"%.*s\"", (int)len, reader->at);
    return err_set(reader->err, ERR_CONFIG, "column %d: found %s, expected %s",
                   (int)(reader->at - reader->text) + 1, found, expected);
}

static int expect(struct reader *reader, char c)
{
    char word[4] = {'"', c, '"', '\0'};
    skip_space(reader);
    if (*reader->at != c)
        return refuse(reader, word);
    reader->at++;
    return 0;
}

/* A number of 0 or more; white space before it. */
static int read_number(struct reader *reader, int64_t *ret_number)
{
    int64_t number = 0;
    skip_space(reader);
    if (!isdigit((unsigned char)*reader->at))
        return refuse(reader, "a number of 0 or more");
    for (; isdigit((unsigned char)*reader->at); reader->at++) {
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, *reader->at - '0', &number))
            return refuse(reader, "a number below 2^63");
    }
    *ret_number = number;
    return 0;
}

static int check_bounds(struct reader *reader, char kind, int64_t low, int64_t high)
{
    if (low > high)
        return err_set(reader->err, ERR_CONFIG,
                       "%c(%lld,%lld): low end %lld is above high end %lld", kind, (long long)low,
                       (long long)high, (long long)low, (long long)high);
    if (low < 1)
        return err_set(reader->err, ERR_CONFIG, "%c(%lld,%lld): expected a low end of 1 or more",
                       kind, (long long)low, (long long)high);
    return 0;
}

static int read_constant(struct reader *reader, struct selector *selector)
{
    int rc = read_number(reader, &selector->low);
    selector->high = selector->low;
    return rc;
}

/* "lo,hi" with the bracket still to come; u(lo) has an open end. */
static int read_range(struct reader *reader, struct selector *selector)
{
    int rc = read_number(reader, &selector->low);
    if (rc < 0)
        return rc;
    skip_space(reader);
    if (selector->kind == 'u' && *reader->at == ')') {
        selector->high = MAX((int64_t)SELECTOR_OPEN_END, selector->low);
        return check_bounds(reader, 'u', selector->low, selector->high);
    }
    rc = expect(reader, ',');
    if (rc == 0)
        rc = read_number(reader, &selector->high);
    if (rc < 0)
        return rc;
    if (selector->kind == 'r' && selector->low == 0 && selector->high == 0) {
        selector->empty = true;
        return 0;
    }
    return check_bounds(reader, selector->kind, selector->low, selector->high);
}

/* "10", "0.5" or ".5". */
static int read_weight(struct reader *reader, double *ret_weight)
{
    char digits[32];
    skip_space(reader);
    size_t len = strspn(reader->at, "0123456789.");
    if (len == 0 || len >= sizeof(digits))
        return refuse(reader, "a weight of 0 or more");
    memcpy(digits, reader->at, len);
    digits[len] = '\0';
    char *end;
    double weight = strtod(digits, &end);
    if (*end || weight > WEIGHT_MAX)
        return refuse(reader, "a weight of 0 or more");
    reader->at += len;
    *ret_weight = weight;
    return 0;
}

/* "lo|hi|weight", or "lo||weight" with an open end. */
static int read_bucket(struct reader *reader, struct bucket *bucket)
{
    int64_t high;
    int rc = read_number(reader, &bucket->low);
    if (rc == 0)
        rc = expect(reader, '|');
    if (rc < 0)
        return rc;
    skip_space(reader);
    if (*reader->at == '|')
        high = MAX((int64_t)SELECTOR_OPEN_END, bucket->low);
    else
        rc = read_number(reader, &high);
    if (rc == 0)
        rc = expect(reader, '|');
    if (rc == 0)
        rc = read_weight(reader, &bucket->weight);
    if (rc == 0)
        rc = check_bounds(reader, 'h', bucket->low, high);
    if (rc < 0)
        return rc;
    bucket->numbers = (uint64_t)(high - bucket->low) + 1;
    return 0;
}

/* Splits the buckets into those that have less than an equal share and those that have more, and
 * fills each of the former up from one of the latter. */
static void make_aliases(struct bucket *buckets, size_t count, double total)
{
    double *shares = xreallocarray(NULL, count, sizeof(*shares)); /* 1: an equal one */
    uint32_t *less = xreallocarray(NULL, count, sizeof(*less));
    uint32_t *more = xreallocarray(NULL, count, sizeof(*more));
    size_t less_len = 0, more_len = 0;
    for (uint32_t i = 0; i < count; i++) {
        shares[i] = buckets[i].weight * (double)count / total;
        buckets[i].cutoff = UINT64_MAX;
        buckets[i].alias = i;
        if (shares[i] < 1)
            less[less_len++] = i;
        else
            more[more_len++] = i;
    }
    while (less_len > 0 && more_len > 0) {
        uint32_t poor = less[--less_len], rich = more[more_len - 1];
        buckets[poor].cutoff = (uint64_t)(MAX(shares[poor], 0.0) * 0x1p64);
        buckets[poor].alias = rich;
        shares[rich] -= 1 - shares[poor];
        if (shares[rich] < 1) {
            more_len--;
            less[less_len++] = rich;
        }
    }
    free(shares);
    free(less);
    free(more);
}

static int read_histogram(struct reader *reader, struct selector *selector)
{
    VEC(struct bucket) buckets = {0};
    double total = 0;
    int rc;
    do {
        struct bucket bucket = {.weight = 0};
        rc = read_bucket(reader, &bucket);
        if (rc == 0 && bucket.weight > 0) /* others are never hit */
            vec_push(&buckets, bucket);
        total += bucket.weight;
        skip_space(reader);
    } while (rc == 0 && *reader->at == ',' && reader->at++);
    selector->buckets = buckets.items;
    selector->bucket_count = buckets.len;
    if (rc < 0)
        return rc;
    if (buckets.len == 0)
        return err_set(reader->err, ERR_CONFIG, "h(...): the weights sum to 0");
    selector->low = INT64_MAX;
    VEC_EACH (bucket, &buckets) {
        selector->low = MIN(selector->low, bucket->low);
        selector->high = MAX(selector->high, bucket->low + (int64_t)(bucket->numbers - 1));
    }
    make_aliases(buckets.items, buckets.len, total);
    return 0;
}

/* The old spelling lo-hi. */
static int read_old_range(struct reader *reader, struct selector *selector)
{
    selector->kind = 'r';
    int rc = read_number(reader, &selector->low);
    if (rc == 0)
        rc = expect(reader, '-');
    if (rc == 0)
        rc = read_number(reader, &selector->high);
    if (rc < 0)
        return rc;
    selector->empty = selector->low == 0 && selector->high == 0;
    return selector->empty ? 0 : check_bounds(reader, 'r', selector->low, selector->high);
}

static int read_selector(struct reader *reader, struct selector *selector)
{
    skip_space(reader);
    if (isdigit((unsigned char)*reader->at))
        return read_old_range(reader, selector);
    selector->kind = (char)tolower((unsigned char)*reader->at);
    if (!strchr("curhs", selector->kind) || selector->kind == '\0') {
        if (isalpha((unsigned char)*reader->at))
            return err_set(reader->err, ERR_CONFIG,
                           "column %d: unknown selector %.1s, expected c, u, r, s or h",
                           (int)(reader->at - reader->text) + 1, reader->at);
        return refuse(reader, "a selector: c(n), u(low,high), r(low,high), s(low,high) or h(...)");
    }
    reader->at++;
    int rc = expect(reader, '(');
    if (rc < 0)
        return rc;
    rc = selector->kind == 'c'   ? read_constant(reader, selector)
         : selector->kind == 'h' ? read_histogram(reader, selector)
                                 : read_range(reader, selector);
    return rc < 0 ? rc : expect(reader, ')');
}

/* Parses a selector at the beginning of text; *ret_rest is what follows it. */
static int parse_prefix(const char *text, struct selector **ret_selector, const char **ret_rest,
                        struct err *err)
{
    struct reader reader = {text, text, err};
    struct selector *selector = xcalloc(1, sizeof(*selector));
    int rc = read_selector(&reader, selector);
    skip_space(&reader);
    if (rc == 0 && !ret_rest && *reader.at)
        rc = refuse(&reader, "the end");
    if (rc < 0) {
        selector_free(selector);
        return rc;
    }
    if (ret_rest)
        *ret_rest = reader.at;
    *ret_selector = selector;
    return 0;
}

int selector_parse(const char *text, struct selector **ret_selector, struct err *err)
{
    return parse_prefix(text, ret_selector, NULL, err);
}

void selector_free(struct selector *selector)
{
    if (selector)
        free(selector->buckets);
    free(selector);
}

char selector_kind(const struct selector *selector)
{
    return selector->kind;
}

int64_t selector_low(const struct selector *selector)
{
    return selector->low;
}

int64_t selector_high(const struct selector *selector)
{
    return selector->high;
}

bool selector_is_empty(const struct selector *selector)
{
    return selector->empty;
}

/* ---- division */

struct range range_of_block(int64_t low, int64_t high, int64_t first, int64_t workers, int64_t all)
{
    int64_t numbers = high - low + 1;
    int64_t base = numbers / all;
    int64_t extra = numbers % all;
    int64_t before = first - 1; /* workers whose parts come before */
    int64_t begin = base * before + MIN(extra, before);
    int64_t end = base * (before + workers) + MIN(extra, before + workers);
    return (struct range){low + begin, end - begin};
}

struct range range_of_worker(int64_t low, int64_t high, int64_t index, int64_t all)
{
    return range_of_block(low, high, index, 1, all);
}

void selector_cursor_init(struct selector_cursor *cursor, const struct selector *selector,
                          int64_t worker_first, int64_t workers, int64_t workers_total)
{
    atomic_init(&cursor->next, 0);
    cursor->block =
        range_of_block(selector->low, selector->high, worker_first + 1, workers, workers_total);
    if (cursor->block.count == 0)
        cursor->block = range_of_worker(selector->low, selector->high, 1, 1);
}

/* ---- drawing */

void draw_init(struct draw *draw, const struct selector *selector, bool divided, int64_t index,
               int64_t all, struct selector_cursor *cursor)
{
    bool divides = divided && (selector->kind == 'u' || selector->kind == 'r');
    bool shares = !divides && (selector->kind == 'r' || selector->kind == 's');
    *draw = (struct draw){
        .selector = selector,
        .cursor = shares ? cursor : NULL,
        .part = divides ? range_of_worker(selector->low, selector->high, index, all)
                        : range_of_worker(selector->low, selector->high, 1, 1),
    };
    if (selector->empty)
        draw->part.count = 0;
}

bool draw_is_empty(const struct draw *draw)
{
    return draw->part.count == 0;
}

static int64_t draw_bucket(const struct selector *selector, struct rng *rng)
{
    /* The whole part of a number in [0, count) is the bucket, its fraction decides on the alias. */
    unsigned __int128 at = (unsigned __int128)rng_next(rng) * selector->bucket_count;
    const struct bucket *bucket = &selector->buckets[(size_t)(at >> 64)];
    if ((uint64_t)at >= bucket->cutoff)
        bucket = &selector->buckets[bucket->alias];
    return bucket->low + (int64_t)rng_below(rng, bucket->numbers);
}

/* The turn of the mission as a number of its block, again and again. */
static int64_t draw_shared(struct selector_cursor *cursor)
{
    int64_t turn = atomic_fetch_add_explicit(&cursor->next, 1, memory_order_relaxed);
    if (turn >= cursor->block.count) /* most runs never come here */
        turn %= cursor->block.count;
    return cursor->block.low + turn;
}

int64_t draw_next(struct draw *draw, struct rng *rng)
{
    switch (draw->selector->kind) {
    case 'c':
        return draw->selector->low;
    case 'u':
        return draw->part.low + (int64_t)rng_below(rng, (uint64_t)draw->part.count);
    case 'h':
        return draw_bucket(draw->selector, rng);
    default:
        break;
    }
    if (draw->cursor)
        return draw_shared(draw->cursor);
    int64_t number = draw->part.low + draw->next;
    draw->next = draw->next + 1 == draw->part.count ? 0 : draw->next + 1;
    return number;
}

/* ---- sizes */

int size_selector_parse(const char *text, struct size_selector *ret_sizes, struct err *err)
{
    struct size_selector sizes = {.selector = NULL};
    const char *rest = NULL;
    int rc = parse_prefix(text, &sizes.selector, &rest, err);
    if (rc < 0)
        return rc;
    char unit[8] = "";
    size_t len = strlen(rest);
    while (len && isspace((unsigned char)rest[len - 1]))
        len--;
    if (len < sizeof(unit)) {
        memcpy(unit, rest, len);
        sizes.unit_bytes = *unit ? units_of_size(unit) : 0;
    }
    if (sizes.unit_bytes == 0) {
        rc = len ? err_set(err, ERR_CONFIG,
                           "unit \"%.8s\" is not known, expected B, KB, MB, GB, TB, KiB, MiB, GiB "
                           "or TiB",
                           rest)
                 : err_set(err, ERR_CONFIG,
                           "size has no unit, expected B, KB, MB, GB, TB, KiB, MiB, GiB or TiB");
        selector_free(sizes.selector);
        return rc;
    }
    if (selector_high(sizes.selector) > INT64_MAX / sizes.unit_bytes) {
        selector_free(sizes.selector);
        return err_set(err, ERR_CONFIG, "the size can be 2^63 bytes or more");
    }
    *ret_sizes = sizes;
    return 0;
}

void size_selector_release(struct size_selector *sizes)
{
    selector_free(sizes->selector);
    sizes->selector = NULL;
}

int64_t size_selector_max(const struct size_selector *sizes)
{
    int64_t bytes;
    if (__builtin_mul_overflow(selector_high(sizes->selector), sizes->unit_bytes, &bytes))
        return INT64_MAX;
    return bytes;
}
