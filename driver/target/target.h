/* target.h -- what the whole server shares, and what each of its threads has to itself. */
#ifndef LOADSTONE_DRIVER_TARGET_TARGET_H
#define LOADSTONE_DRIVER_TARGET_TARGET_H

#include "common/base/rng.h"
#include "common/base/strbuf.h"
#include "driver/target/faults.h"
#include "driver/target/options.h"
#include "driver/target/stats.h"
#include "driver/target/store.h"
#include "driver/target/time_text.h"
#include "driver/target/uploads.h"
#include "driver/target/verify.h"

#define TARGET_PATTERN_BYTES (1 << 20) /* null mode's content, repeated */
#define TARGET_SCRATCH_BYTES (256 << 10)
#define TARGET_LOG_BYTES     (1 << 20)

struct target {
    const struct options *options;
    struct verify_policy policy;
    struct store *store;
    struct uploads *uploads;
    struct faults faults;
    char *pattern;     /* null mode */
    int log_fd;        /* request log, or -1 */
    uint32_t instance; /* makes request ids differ between runs */
    int64_t started_ns;
    size_t thread_count;
    struct target_thread *threads;
    pthread_mutex_t stats_lock;
    struct stats stats_base; /* counters as they stood at the last reset */
};

/* One event loop's things; nobody else touches them, but for reading `stats`. */
struct target_thread {
    struct target *target;
    size_t index;
    int64_t now_ns;  /* monotonic, this turn's */
    int64_t wall_ms; /* this turn's */
    int64_t date_s;
    char date[TIME_HTTP_BYTES];
    uint64_t requests; /* for request ids */
    struct verifier verifier;
    struct rng rng;
    unsigned fault_generation;
    struct fault_settings faults;
    char *scratch; /* TARGET_SCRATCH_BYTES, for whatever does not outlive a call */
    struct strbuf log;
    struct stats stats;
};

/* 0, or ERR_SYSTEM when the request log cannot be opened. options must outlive the target. */
int target_init(struct target *target, const struct options *options, struct err *err);
void target_release(struct target *target);

/* Reads the clocks and, if they changed, the fault settings; once a turn. */
void target_thread_tick(struct target_thread *thread);
/* Writes the gathered lines of the request log. */
void target_thread_flush_log(struct target_thread *thread);

#endif
