/* clock.h -- time in int64_t nanoseconds. */
#ifndef LOADSTONE_COMMON_BASE_CLOCK_H
#define LOADSTONE_COMMON_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define US     INT64_C(1000)
#define MS     INT64_C(1000000)
#define SEC    INT64_C(1000000000)
#define MINUTE (60 * SEC)
#define HOUR   (3600 * SEC)

/* CLOCK_MONOTONIC: for durations; never compared between hosts. */
int64_t clock_mono_ns(void);
/* CLOCK_REALTIME since 1970-01-01 UTC. */
int64_t clock_wall_ns(void);
/* Sleeps at least so long; a signal does not end it. */
void clock_sleep_ns(int64_t duration_ns);

/* wall_ns as "2026-11-30T21:02:59.123Z" (RFC 3339, UTC). out_len >= 25. */
void clock_format_iso(int64_t wall_ns, char *out, size_t out_len);

#endif
