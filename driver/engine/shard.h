/* shard.h -- a thread of a mission: its event loop, its share of the workers, its statistics.
 *
 * Threads of a mission meet only where a sample is handed over and at the end. */
#ifndef LOADSTONE_DRIVER_ENGINE_SHARD_H
#define LOADSTONE_DRIVER_ENGINE_SHARD_H

#include "driver/engine/mix.h"
#include "driver/engine/recorder.h"
#include "driver/engine/timers.h"
#include "driver/engine/worker.h"

#include <pthread.h>
#include <stdatomic.h>

/* What all shards of a mission share; set up before they start. */
struct engine {
    const struct mission *mission;
    const struct adaptor *adaptor;
    struct client *client;
    const struct transport *transport; /* NULL: no network */
    struct addresses addresses;
    struct tls tls; /* when the endpoint is https */
    struct op *ops;
    size_t op_count;
    bool *keep_hist;
    struct mix mix;
    const struct body_pool *random_pool, *zero_pool;
    size_t head_bytes; /* of a request head, at most */

    int64_t start_ns;            /* monotonic instant of the start */
    int64_t stop_ns;             /* no operation begins at or after it; INT64_MAX: none */
    atomic_bool stop;            /* asked to end early */
    atomic_int_fast64_t running; /* workers that have not ended */

    /* Called on a shard's thread when a sample is cut, for the engine's owner to merge, ... */
    void (*on_sample)(struct shard *shard, const struct sample *sample);
    /* ... and when the shard has cut its last. */
    void (*on_end)(struct shard *shard);
    /* A worker met what ends a mission: the first one's text is kept. */
    void (*on_fatal)(struct engine *engine, const char *text);
    void *owner;
};

#define SHARD_BUFFER_BYTES (256 << 10)

struct shard {
    struct engine *engine;
    pthread_t thread;
    int index;
    int epoll_fd, wake_fd;
    struct worker *workers;
    int64_t worker_count, running;
    char *heads; /* request heads of all workers */
    char *sessions;
    struct op_state *op_states;
    void *lane;
    char *buffer; /* what is received passes through here */
    struct timers timers;
    struct worker **ready; /* workers to go on with in the next turn */
    size_t ready_count;
    SSL_SESSION *tls_session; /* the latest, to resume from */
    struct recorder recorder;
    int64_t wall_s;
    int64_t next_sample_ns, next_sweep_ns;
    int64_t cpu_ns, busy_from_ns, busy_to_ns; /* CPU of the thread over its run */
    struct hist *turns; /* how long a turn of the loop took: the wait of its last event */
};

/* workers first..first+count-1 (1-based in the work). */
int shard_open(struct shard *shard, struct engine *engine, int index, int64_t first, int64_t count,
               struct err *err);
void shard_close(struct shard *shard);
/* The thread's body: waits for the start, runs until all its workers have ended, cuts the last
 * sample. */
void *shard_run(void *shard);
/* From any thread: makes the loop look at engine->stop. */
void shard_wake(struct shard *shard);

/* A worker that goes on in the next turn, so that others get theirs. */
void shard_make_ready(struct shard *shard, struct worker *worker);

#endif
