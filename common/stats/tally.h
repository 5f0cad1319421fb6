/* tally.h -- counts, sums, histograms and causes of failure of one operation over some time. */
#ifndef LOADSTONE_COMMON_STATS_TALLY_H
#define LOADSTONE_COMMON_STATS_TALLY_H

#include "common/base/limits.h"
#include "common/base/vec.h"
#include "common/stats/hist.h"

#include <stdbool.h>
#include <stdint.h>

/* Failures of one cause. */
struct cause {
    char key[32];                      /* "http_503", "reset", ... (docs/protocol.md) */
    char message[64];                  /* "503 SlowDown" */
    char example[ERROR_EXAMPLE_BYTES]; /* the first one, in full */
    uint64_t count;
};

struct tally {
    uint64_t good, failed;
    uint64_t bytes;          /* of the good ones */
    int64_t response_sum_ns; /* of the good ones */
    int64_t proc_sum_ns;     /* response time less transfer time (spec: results.md, Avg-ProcTime) */
    int64_t first_ns;      /* start of the first and end of the last counted completion, from the */
    int64_t last_ns;       /* mission's start; INT64_MAX and -1 when none */
    uint64_t workers;      /* workers that contributed */
    struct hist *response; /* NULL until something is recorded, and where not kept */
    struct hist *first_byte;  /* time to the first byte of the answer */
    struct hist *service;     /* open loop only: from the first byte sent */
    VEC(struct cause) causes; /* at most ERROR_CAUSES_MAX; what is beyond counts under "other" */
};

void tally_init(struct tally *tally);
void tally_release(struct tally *tally);
/* Empties it, keeping memory. */
void tally_reset(struct tally *tally);

/* Adds count failures of a cause (also to failed). Text is cut to fit; message and example may be
 * NULL. */
void tally_fail(struct tally *tally, const char *key, const char *message, const char *example,
                uint64_t count);
void tally_merge(struct tally *into, const struct tally *from);

#endif
