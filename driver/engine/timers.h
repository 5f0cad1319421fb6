/* timers.h -- a heap of deadlines, one entry per worker that waits for time to pass. Memory is
 * taken beforehand. */
#ifndef LOADSTONE_DRIVER_ENGINE_TIMERS_H
#define LOADSTONE_DRIVER_ENGINE_TIMERS_H

#include <stddef.h>
#include <stdint.h>

struct timer {
    int64_t due_ns;
    void *owner;
};

struct timers {
    struct timer *heap;
    size_t len, cap;
};

void timers_init(struct timers *timers, size_t cap);
void timers_release(struct timers *timers);
/* At most cap entries at once: an owner has one at a time. */
void timers_add(struct timers *timers, int64_t due_ns, void *owner);
/* The owner whose time has come, taken out; NULL when none is due. */
void *timers_take_due(struct timers *timers, int64_t now_ns);
/* When the next is due; INT64_MAX when there is none. */
int64_t timers_next_ns(const struct timers *timers);

#endif
