/* shard.c -- see shard.h. */
#include "driver/engine/shard.h"

#include "common/base/clock.h"
#include "common/base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_PER_TURN 256
#define SWEEP_NS        (50 * MS)
#define DRAIN_MAX_NS                                                                               \
    (60 * SEC) /* operations under way at the end get so long (spec: execution.md) */

static int64_t thread_cpu_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * SEC + ts.tv_nsec;
}

static int64_t coarse_wall_s(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME_COARSE, &ts);
    return ts.tv_sec;
}

static void give_memory(struct shard *shard)
{
    struct engine *engine = shard->engine;
    size_t count = (size_t)shard->worker_count;
    shard->workers = xcalloc(count, sizeof(*shard->workers));
    shard->heads = xmalloc(count * engine->head_bytes);
    shard->sessions = xcalloc(count, engine->adaptor->session_bytes);
    shard->op_states = xcalloc(count * engine->op_count, sizeof(*shard->op_states));
    shard->ready = xcalloc(2 * count, sizeof(struct worker *));
    shard->lane = xcalloc(1, engine->adaptor->lane_bytes);
    shard->buffer = xmalloc(SHARD_BUFFER_BYTES);
    shard->turns = hist_new();
    timers_init(&shard->timers, count);
}

/* Worker k's share of totalOps and totalBytes; walks end by themselves. */
static void give_limits(struct shard *shard, struct worker *worker)
{
    const struct mission *mission = shard->engine->mission;
    bool walks = shard->engine->ops[0].info->is_walk;
    worker->ops_left = worker->bytes_left = INT64_MAX;
    if (mission->total_ops > 0 && !walks)
        worker->ops_left =
            mission_worker_share(mission->total_ops, worker->index, mission->workers_total);
    if (mission->total_bytes > 0 && !walks)
        worker->bytes_left =
            mission_worker_share(mission->total_bytes, worker->index, mission->workers_total);
}

int shard_open(struct shard *shard, struct engine *engine, int index, int64_t first, int64_t count,
               struct err *err)
{
    memset(shard, 0, sizeof(*shard));
    shard->engine = engine;
    shard->index = index;
    shard->worker_count = count;
    shard->wake_fd = -1;
    shard->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (shard->epoll_fd >= 0)
        shard->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (shard->wake_fd < 0 ||
        epoll_ctl(shard->epoll_fd, EPOLL_CTL_ADD, shard->wake_fd, &event) < 0) {
        err_errno(err, "event loop");
        if (shard->epoll_fd >= 0)
            close(shard->epoll_fd);
        if (shard->wake_fd >= 0)
            close(shard->wake_fd);
        return ERR_SYSTEM;
    }
    give_memory(shard);
    recorder_open(&shard->recorder, engine->op_count, engine->keep_hist);
    if (engine->adaptor->lane_init)
        engine->adaptor->lane_init(shard->lane, engine->client);
    for (int64_t i = 0; i < count; i++) {
        struct worker *worker = &shard->workers[i];
        worker->op_states = &shard->op_states[(size_t)i * engine->op_count];
        worker->session = shard->sessions + (size_t)i * engine->adaptor->session_bytes;
        worker->exchange.head = shard->heads + (size_t)i * engine->head_bytes;
        worker->exchange.head_cap = engine->head_bytes;
        worker_open(worker, shard, first + i);
        give_limits(shard, worker);
    }
    shard->running = count;
    return 0;
}

void shard_close(struct shard *shard)
{
    for (int64_t i = 0; i < shard->worker_count; i++)
        worker_close(&shard->workers[i]);
    recorder_close(&shard->recorder);
    timers_release(&shard->timers);
    SSL_SESSION_free(shard->tls_session);
    hist_free(shard->turns);
    free(shard->workers);
    free(shard->heads);
    free(shard->sessions);
    free(shard->op_states);
    free(shard->ready);
    free(shard->lane);
    free(shard->buffer);
    close(shard->epoll_fd);
    close(shard->wake_fd);
}

void shard_wake(struct shard *shard)
{
    uint64_t one = 1;
    if (write(shard->wake_fd, &one, sizeof(one)) < 0)
        return; /* the counter is full: it is awake already */
}

void shard_make_ready(struct shard *shard, struct worker *worker)
{
    if (worker->is_ready)
        return;
    worker->is_ready = true;
    worker->pending_events = 0;
    shard->ready[shard->ready_count++] = worker;
}

static bool asked_to_stop(const struct shard *shard)
{
    return atomic_load_explicit(&shard->engine->stop, memory_order_acquire);
}

static void abort_all(struct shard *shard, int64_t now_ns)
{
    for (int64_t i = 0; i < shard->worker_count; i++)
        worker_abort(&shard->workers[i], now_ns);
}

/* Hands over every interval that has passed; one that ends early at last. */
static void cut_samples(struct shard *shard, int64_t now_ns, bool last)
{
    struct recorder *recorder = &shard->recorder;
    struct sample *sample = &recorder->interval;
    int64_t length_ns = shard->engine->mission->interval_ns;
    while (now_ns >= shard->next_sample_ns || last) {
        int64_t end_ns = MIN(now_ns, shard->next_sample_ns);
        last = last && now_ns >= shard->next_sample_ns;
        sample->from_ns = shard->next_sample_ns - length_ns - recorder->start_ns;
        sample->to_ns = end_ns - recorder->start_ns;
        sample->workers_running = shard->running;
        shard->engine->on_sample(shard, sample);
        for (size_t i = 0; i < sample->tally_count; i++)
            tally_reset(&sample->tallies[i]);
        sample->seq++;
        shard->next_sample_ns += length_ns;
    }
}

/* Every SWEEP_NS: operations whose time is up, and the end of the drain. */
static void sweep(struct shard *shard, int64_t now_ns)
{
    shard->next_sweep_ns = now_ns + SWEEP_NS;
    if (shard->engine->stop_ns != INT64_MAX && now_ns > shard->engine->stop_ns + DRAIN_MAX_NS) {
        abort_all(shard, now_ns);
        return;
    }
    for (int64_t i = 0; i < shard->worker_count; i++)
        worker_check_deadline(&shard->workers[i], now_ns);
}

static void run_ready(struct shard *shard, int64_t now_ns)
{
    struct worker **ready = shard->ready;
    size_t count = shard->ready_count;
    /* Those that become ready meanwhile go to the next turn. */
    memcpy(ready + shard->worker_count, ready, count * sizeof(struct worker *));
    shard->ready_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct worker *worker = ready[(size_t)shard->worker_count + i];
        worker->is_ready = false;
        worker_wake(worker, worker->pending_events, now_ns);
    }
}

static int wait_events(struct shard *shard, struct epoll_event *events, int64_t now_ns)
{
    int64_t until_ns =
        MIN(MIN(shard->next_sample_ns, shard->next_sweep_ns), timers_next_ns(&shard->timers));
    int64_t wait_ns = shard->ready_count ? 0 : MAX(until_ns - now_ns, INT64_C(0));
    struct timespec ts = {.tv_sec = wait_ns / SEC, .tv_nsec = wait_ns % SEC};
    int count = epoll_pwait2(shard->epoll_fd, events, EVENTS_PER_TURN, &ts, NULL);
    if (count < 0 && errno == ENOSYS)
        count =
            epoll_wait(shard->epoll_fd, events, EVENTS_PER_TURN, (int)((wait_ns + MS - 1) / MS));
    return MAX(count, 0);
}

static void drain_wake(struct shard *shard)
{
    uint64_t count;
    if (read(shard->wake_fd, &count, sizeof(count)) < 0)
        return;
}

static void turn(struct shard *shard, struct epoll_event *events, int64_t *now_ns)
{
    int count = wait_events(shard, events, *now_ns);
    int64_t woke_ns = clock_mono_ns();
    shard->wall_s = coarse_wall_s();
    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr)
            worker_wake(events[i].data.ptr, events[i].events, woke_ns);
        else
            drain_wake(shard);
    }
    struct worker *worker;
    while ((worker = timers_take_due(&shard->timers, woke_ns)))
        worker_wake(worker, 0, woke_ns);
    run_ready(shard, woke_ns);
    if (asked_to_stop(shard))
        abort_all(shard, woke_ns);
    if (woke_ns >= shard->next_sweep_ns)
        sweep(shard, woke_ns);
    *now_ns = clock_mono_ns();
    if (count > 0)
        hist_record(shard->turns, *now_ns - woke_ns);
    cut_samples(shard, *now_ns, false);
}

static void wait_for_start(struct shard *shard)
{
    struct epoll_event event;
    int64_t left_ns;
    while (!asked_to_stop(shard) && (left_ns = shard->engine->start_ns - clock_mono_ns()) > 0) {
        /* The last stretch is slept exactly, the rest can be interrupted. */
        if (left_ns > 20 * MS)
            epoll_wait(shard->epoll_fd, &event, 1, (int)((left_ns - 10 * MS) / MS));
        else
            clock_sleep_ns(left_ns);
    }
}

void *shard_run(void *shard_memory)
{
    struct shard *shard = shard_memory;
    const struct mission *mission = shard->engine->mission;
    struct epoll_event *events = xcalloc(EVENTS_PER_TURN, sizeof(*events));
    wait_for_start(shard);
    shard->wall_s = coarse_wall_s();
    recorder_start(&shard->recorder, shard->engine->start_ns, mission->rampup_ns,
                   mission->runtime_ns);
    shard->next_sample_ns = shard->engine->start_ns + mission->interval_ns;
    shard->next_sweep_ns = shard->engine->start_ns + SWEEP_NS;
    int64_t now_ns = shard->busy_from_ns = clock_mono_ns();
    int64_t cpu_from_ns = thread_cpu_ns();
    for (int64_t i = 0; i < shard->worker_count; i++)
        worker_start(&shard->workers[i], now_ns);
    while (shard->running > 0)
        turn(shard, events, &now_ns);
    cut_samples(shard, now_ns, true);
    shard->busy_to_ns = now_ns;
    shard->cpu_ns = thread_cpu_ns() - cpu_from_ns;
    free(events);
    shard->engine->on_end(shard);
    return NULL;
}
