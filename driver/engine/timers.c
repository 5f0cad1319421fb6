/* timers.c -- see timers.h. A binary heap, smallest first. */
#include "driver/engine/timers.h"

#include "common/base/xalloc.h"

#include <assert.h>
#include <stdlib.h>

void timers_init(struct timers *timers, size_t cap)
{
    timers->heap = xcalloc(cap, sizeof(*timers->heap));
    timers->len = 0;
    timers->cap = cap;
}

void timers_release(struct timers *timers)
{
    free(timers->heap);
    timers->heap = NULL;
    timers->len = timers->cap = 0;
}

void timers_add(struct timers *timers, int64_t due_ns, void *owner)
{
    assert(timers->len < timers->cap);
    size_t at = timers->len++;
    while (at > 0 && timers->heap[(at - 1) / 2].due_ns > due_ns) {
        timers->heap[at] = timers->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    timers->heap[at] = (struct timer){due_ns, owner};
}

void *timers_take_due(struct timers *timers, int64_t now_ns)
{
    if (timers->len == 0 || timers->heap[0].due_ns > now_ns)
        return NULL;
    void *owner = timers->heap[0].owner;
    struct timer last = timers->heap[--timers->len];
    size_t at = 0;
    for (size_t child = 1; child < timers->len; child = 2 * at + 1) {
        if (child + 1 < timers->len && timers->heap[child + 1].due_ns < timers->heap[child].due_ns)
            child++;
        if (timers->heap[child].due_ns >= last.due_ns)
            break;
        timers->heap[at] = timers->heap[child];
        at = child;
    }
    timers->heap[at] = last;
    return owner;
}

int64_t timers_next_ns(const struct timers *timers)
{
    return timers->len ? timers->heap[0].due_ns : INT64_MAX;
}
