/* wakeups.h -- connections that wait for a time: a binary heap by time, of one loop. */
#ifndef LOADSTONE_DRIVER_TARGET_WAKEUPS_H
#define LOADSTONE_DRIVER_TARGET_WAKEUPS_H

#include "common/base/vec.h"

#include <stdint.h>

/* Embedded in what waits. All zero: not waiting. */
struct wakeup {
    int64_t at_ns;
    size_t place; /* index in the heap + 1; 0: not in it */
};

struct wakeups {
    VEC(struct wakeup *) heap;
};

/* Sets or moves it. */
void wakeups_set(struct wakeups *wakeups, struct wakeup *wakeup, int64_t at_ns);
/* Takes it out, if it is in. */
void wakeups_cancel(struct wakeups *wakeups, struct wakeup *wakeup);
/* The earliest, or NULL. */
struct wakeup *wakeups_first(const struct wakeups *wakeups);
void wakeups_release(struct wakeups *wakeups);

#endif
