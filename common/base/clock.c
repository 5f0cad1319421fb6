/* clock.c -- see clock.h. */
#include "common/base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * SEC + ts.tv_nsec;
}

int64_t clock_mono_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_wall_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

void clock_sleep_ns(int64_t duration_ns)
{
    if (duration_ns <= 0)
        return;
    struct timespec ts = {.tv_sec = duration_ns / SEC, .tv_nsec = duration_ns % SEC};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
        ;
}

void clock_format_iso(int64_t wall_ns, char *out, size_t out_len)
{
    time_t seconds = (time_t)(wall_ns / SEC);
    struct tm tm;
    char day[32];
    gmtime_r(&seconds, &tm);
    strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out, out_len, "%s.%03dZ", day, (int)(wall_ns % SEC / MS));
}
