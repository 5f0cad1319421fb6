/* wakeups.c -- see wakeups.h. */
#include "driver/target/wakeups.h"

static void put_at(struct wakeups *wakeups, size_t i, struct wakeup *wakeup)
{
    wakeups->heap.items[i] = wakeup;
    wakeup->place = i + 1;
}

static void sift_up(struct wakeups *wakeups, size_t i)
{
    struct wakeup *moving = wakeups->heap.items[i];
    while (i) {
        size_t parent = (i - 1) / 2;
        if (wakeups->heap.items[parent]->at_ns <= moving->at_ns)
            break;
        put_at(wakeups, i, wakeups->heap.items[parent]);
        i = parent;
    }
    put_at(wakeups, i, moving);
}

static void sift_down(struct wakeups *wakeups, size_t i)
{
    struct wakeup *moving = wakeups->heap.items[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= wakeups->heap.len)
            break;
        if (child + 1 < wakeups->heap.len &&
            wakeups->heap.items[child + 1]->at_ns < wakeups->heap.items[child]->at_ns)
            child++;
        if (moving->at_ns <= wakeups->heap.items[child]->at_ns)
            break;
        put_at(wakeups, i, wakeups->heap.items[child]);
        i = child;
    }
    put_at(wakeups, i, moving);
}

void wakeups_set(struct wakeups *wakeups, struct wakeup *wakeup, int64_t at_ns)
{
    wakeups_cancel(wakeups, wakeup);
    wakeup->at_ns = at_ns;
    vec_push(&wakeups->heap, wakeup);
    sift_up(wakeups, wakeups->heap.len - 1);
}

void wakeups_cancel(struct wakeups *wakeups, struct wakeup *wakeup)
{
    if (!wakeup->place)
        return;
    size_t i = wakeup->place - 1;
    struct wakeup *last = wakeups->heap.items[--wakeups->heap.len];
    wakeup->place = 0;
    if (last == wakeup)
        return;
    put_at(wakeups, i, last);
    sift_up(wakeups, i);
    sift_down(wakeups, last->place - 1);
}

struct wakeup *wakeups_first(const struct wakeups *wakeups)
{
    return wakeups->heap.len ? wakeups->heap.items[0] : NULL;
}

void wakeups_release(struct wakeups *wakeups)
{
    vec_release(&wakeups->heap);
}
