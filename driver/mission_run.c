/* mission_run.c -- see mission_run.h.
 *
 * Threads: the shards of the mission, and a keeper that waits for them and makes the report. `lock`
 * guards what they hand over; a shard takes it once a second. */
#include "driver/mission_run.h"

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/xalloc.h"
#include "driver/engine/shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define BUSY_SHARE  0.90 /* of a core: above it a loop thread has no reserve */
#define BUSY_MIN_NS SEC  /* a shorter run says nothing */
#define SPARE_FDS   64

struct mission_run {
    struct mission *mission;
    struct engine engine;
    struct shard *shards;
    size_t shard_count;
    pthread_t keeper;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool has_keeper;
    enum mission_state state;
    char error[ERR_TEXT_BYTES];
    int64_t started_wall_ns;
    VEC(struct sample) samples; /* in order of seq, some not complete yet */
    int64_t *shard_seq; /* the last sample each shard has handed over; INT64_MAX: it ended */
    struct report report;
};

/* ---- opening */

static int find_adaptor(struct mission_run *run, struct err *err)
{
    const struct mission *mission = run->mission;
    struct engine *engine = &run->engine;
    engine->adaptor = adaptor_find(mission->storage.type);
    if (!engine->adaptor)
        return err_set(err, ERR_CONFIG, "storage type %s is not known to this driver",
                       mission->storage.type);
    int rc = engine->adaptor->open(mission->storage.config, &engine->client, err);
    if (rc < 0)
        return err_prefix(err, "storage: ");
    if (!engine->adaptor->transport)
        return 0;
    engine->transport = engine->adaptor->transport(engine->client);
    const struct endpoint *endpoint = &engine->transport->endpoint;
    if (endpoint->tls) {
        struct tls_options options = {
            .host = endpoint->host,
            .verify = engine->transport->verify,
            .ca_file = engine->transport->ca_file,
        };
        rc = tls_open(&options, &engine->tls, err);
        if (rc < 0)
            return rc;
    }
    return resolve(endpoint->host, endpoint->port, &engine->addresses, err);
}

static int open_operations(struct mission_run *run, struct err *err)
{
    const struct mission *mission = run->mission;
    struct engine *engine = &run->engine;
    size_t count = mission->operations.len;
    int ratios[WORK_MAX_OPERATIONS];
    size_t container_bytes = 0, object_bytes = 0;
    if (count == 0 || count > WORK_MAX_OPERATIONS)
        return err_set(err, ERR_CONFIG, "a mission has 1 to %d operations", WORK_MAX_OPERATIONS);
    engine->ops = xcalloc(count, sizeof(*engine->ops));
    engine->keep_hist = xcalloc(count, sizeof(*engine->keep_hist));
    for (size_t i = 0; i < count; i++) {
        int rc = op_open(&engine->ops[i], mission, i, err);
        if (rc < 0)
            return rc;
        engine->op_count++;
        engine->keep_hist[i] = engine->ops[i].conf.histo;
        ratios[i] = engine->ops[i].ratio;
        container_bytes = MAX(container_bytes, op_container_bytes(&engine->ops[i]));
        object_bytes = MAX(object_bytes, op_object_bytes(&engine->ops[i]));
    }
    mix_init(&engine->mix, ratios, count);
    if (engine->adaptor->head_bytes)
        engine->head_bytes = engine->adaptor->head_bytes(
            engine->client, container_bytes, MAX(object_bytes, (size_t)OBJECT_NAME_BYTES));
    return 0;
}

static int check_descriptors(const struct mission *mission, struct err *err)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (rlim_t)mission->workers + SPARE_FDS > limit.rlim_cur)
        return err_set(
            err, ERR_LIMIT,
            "%lld workers need as many connections, and this driver may open %llu files: "
            "raise its limit (ulimit -n) or add drivers",
            (long long)mission->workers, (unsigned long long)limit.rlim_cur);
    return 0;
}

static void on_sample(struct shard *shard, const struct sample *sample);
static void on_end(struct shard *shard);
static void on_fatal(struct engine *engine, const char *text);

static int open_shards(struct mission_run *run, int threads, struct err *err)
{
    const struct mission *mission = run->mission;
    int64_t count = MAX(MIN((int64_t)threads, mission->workers), INT64_C(1));
    int64_t first = mission->worker_first + 1;
    run->shards = xcalloc((size_t)count, sizeof(*run->shards));
    run->shard_seq = xcalloc((size_t)count, sizeof(*run->shard_seq));
    for (int64_t i = 0; i < count; i++) {
        int64_t workers = mission_worker_share(mission->workers, i + 1, count);
        int rc = shard_open(&run->shards[i], &run->engine, (int)i, first, workers, err);
        if (rc < 0)
            return rc;
        run->shard_count++;
        first += workers;
    }
    return 0;
}

static int open_all(struct mission_run *run, const struct mission_site *site, struct err *err)
{
    struct engine *engine = &run->engine;
    if (run->mission->workers < 1 || run->mission->workers > WORK_MAX_WORKERS)
        return err_set(err, ERR_CONFIG, "a mission has 1 to %d workers", WORK_MAX_WORKERS);
    engine->mission = run->mission;
    engine->owner = run;
    engine->random_pool = site->random_pool;
    engine->zero_pool = site->zero_pool;
    engine->on_sample = on_sample;
    engine->on_end = on_end;
    engine->on_fatal = on_fatal;
    atomic_init(&engine->stop, false);
    atomic_init(&engine->running, run->mission->workers);
    int rc = find_adaptor(run, err);
    if (rc == 0 && engine->transport)
        rc = check_descriptors(run->mission, err);
    if (rc == 0)
        rc = open_operations(run, err);
    if (rc == 0)
        rc = open_shards(run, site->threads, err);
    return rc;
}

int mission_run_open(struct mission *mission, const struct mission_site *site,
                     struct mission_run **ret_run, struct err *err)
{
    struct mission_run *run = xcalloc(1, sizeof(*run));
    run->mission = mission;
    run->state = MISSION_SUBMITTED;
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->ended, NULL);
    int rc = open_all(run, site, err);
    if (rc < 0) {
        mission_run_free(run);
        return rc;
    }
    report_init(&run->report, run->engine.op_count);
    *ret_run = run;
    return 0;
}

void mission_run_free(struct mission_run *run)
{
    if (!run)
        return;
    mission_run_stop(run);
    if (run->has_keeper)
        pthread_join(run->keeper, NULL);
    for (size_t i = 0; i < run->shard_count; i++)
        shard_close(&run->shards[i]);
    for (size_t i = 0; i < run->engine.op_count; i++)
        op_close(&run->engine.ops[i]);
    VEC_EACH (sample, &run->samples) {
        sample_release(sample);
    }
    vec_release(&run->samples);
    report_release(&run->report);
    vec_release(&run->engine.addresses.list);
    tls_close(&run->engine.tls);
    if (run->engine.client)
        run->engine.adaptor->close(run->engine.client);
    free(run->engine.ops);
    free(run->engine.keep_hist);
    free(run->shards);
    free(run->shard_seq);
    mission_free(run->mission);
    pthread_mutex_destroy(&run->lock);
    pthread_cond_destroy(&run->ended);
    free(run);
}

const struct mission *mission_run_mission(const struct mission_run *run)
{
    return run->mission;
}

/* ---- running */

static void on_sample(struct shard *shard, const struct sample *sample)
{
    struct mission_run *run = shard->engine->owner;
    pthread_mutex_lock(&run->lock);
    struct sample *into = NULL;
    VEC_EACH (kept, &run->samples) {
        if (kept->seq == sample->seq)
            into = kept;
    }
    if (!into) {
        struct sample fresh;
        sample_init(&fresh, sample->seq, sample->tally_count);
        vec_push(&run->samples, fresh);
        into = &run->samples.items[run->samples.len - 1];
    }
    sample_merge(into, sample);
    run->shard_seq[shard->index] = sample->seq;
    pthread_mutex_unlock(&run->lock);
}

static void on_end(struct shard *shard)
{
    struct mission_run *run = shard->engine->owner;
    pthread_mutex_lock(&run->lock);
    run->shard_seq[shard->index] = INT64_MAX;
    pthread_mutex_unlock(&run->lock);
}

static void wake_shards(struct mission_run *run)
{
    for (size_t i = 0; i < run->shard_count; i++)
        shard_wake(&run->shards[i]);
}

static void on_fatal(struct engine *engine, const char *text)
{
    struct mission_run *run = engine->owner;
    pthread_mutex_lock(&run->lock);
    if (!*run->error)
        snprintf(run->error, sizeof(run->error), "%s", text);
    pthread_mutex_unlock(&run->lock);
    atomic_store_explicit(&engine->stop, true, memory_order_release);
    wake_shards(run);
}

static void merge_reports(struct mission_run *run)
{
    struct report *into = &run->report;
    for (size_t s = 0; s < run->shard_count; s++) {
        const struct report *from = &run->shards[s].recorder.report;
        for (size_t i = 0; i < into->tally_count; i++)
            tally_merge(&into->tallies[i], &from->tallies[i]);
        into->workers_idle += from->workers_idle;
        into->in_flight_ops += from->in_flight_ops;
        into->in_flight_bytes += from->in_flight_bytes;
        into->connections += from->connections;
        into->tls_handshakes += from->tls_handshakes;
        into->retries += from->retries;
        into->connect_sum_ns += from->connect_sum_ns;
    }
}

static void set_window(struct mission_run *run, int64_t ended_ns)
{
    const struct recorder *recorder = &run->shards[0].recorder;
    struct report *report = &run->report;
    report->ended_ns = ended_ns;
    report->workers = run->mission->workers;
    report->window_from_ns = recorder->begin_ns - recorder->start_ns;
    report->window_to_ns =
        MIN(recorder->finish_ns == INT64_MAX ? INT64_MAX : recorder->finish_ns - recorder->start_ns,
            ended_ns);
}

static void judge_effort(struct mission_run *run)
{
    struct effort *effort = &run->report.effort;
    AUTO(hist_freep) struct hist *turns = hist_new();
    double sum = 0;
    for (size_t i = 0; i < run->shard_count; i++) {
        const struct shard *shard = &run->shards[i];
        int64_t busy_ns = shard->busy_to_ns - shard->busy_from_ns;
        double share = busy_ns > 0 ? (double)shard->cpu_ns / (double)busy_ns : 0;
        sum += share;
        effort->cpu_share_max = MAX(effort->cpu_share_max, share);
        if (share >= BUSY_SHARE && busy_ns >= BUSY_MIN_NS)
            effort->client_bound = true;
        hist_merge(turns, shard->turns);
    }
    effort->threads = (int64_t)run->shard_count;
    effort->cpu_share_mean = sum / (double)run->shard_count;
    effort->loop_lag_p99_ns = hist_percentile(turns, 99);
    if (effort->client_bound)
        snprintf(effort->reason, sizeof(effort->reason),
                 "an event-loop thread of driver %.80s used %.0f %% of its core",
                 run->mission->driver, 100 * effort->cpu_share_max);
}

/* Launches the shards, waits for them, makes the report. */
static void *keep(void *run_memory)
{
    struct mission_run *run = run_memory;
    for (size_t i = 0; i < run->shard_count; i++) {
        if (pthread_create(&run->shards[i].thread, NULL, shard_run, &run->shards[i]) != 0) {
            on_fatal(&run->engine, "no thread could be made");
            for (size_t k = i; k < run->shard_count; k++)
                shard_run(&run->shards[k]); /* told to stop: ends its workers and reports */
            for (size_t k = 0; k < i; k++)
                pthread_join(run->shards[k].thread, NULL);
            goto ended;
        }
    }
    for (size_t i = 0; i < run->shard_count; i++)
        pthread_join(run->shards[i].thread, NULL);
ended:
    pthread_mutex_lock(&run->lock);
    merge_reports(run);
    set_window(run, MAX(clock_mono_ns() - run->engine.start_ns, INT64_C(0)));
    judge_effort(run);
    run->state = *run->error                      ? MISSION_TERMINATED
                 : atomic_load(&run->engine.stop) ? MISSION_ABORTED
                                                  : MISSION_FINISHED;
    pthread_cond_broadcast(&run->ended);
    log_info("mission ended id=%s state=%s%s%s", run->mission->id, mission_state_name(run->state),
             *run->error ? " error=" : "", run->error);
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

int mission_run_start(struct mission_run *run, int64_t start_wall_ns, struct err *err)
{
    const struct mission *mission = run->mission;
    int rc = 0;
    pthread_mutex_lock(&run->lock);
    if (run->state == MISSION_SUBMITTED) {
        int64_t lead_ns = MAX(start_wall_ns - clock_wall_ns(), INT64_C(0));
        run->engine.start_ns = clock_mono_ns() + lead_ns;
        run->engine.stop_ns = mission->runtime_ns > 0
                                  ? run->engine.start_ns + mission->rampup_ns +
                                        mission->runtime_ns + mission->rampdown_ns
                                  : INT64_MAX;
        run->started_wall_ns = clock_wall_ns() + lead_ns;
        run->state = MISSION_LAUNCHED;
        if (pthread_create(&run->keeper, NULL, keep, run) != 0) {
            run->state = MISSION_TERMINATED;
            rc = err_set(err, ERR_SYSTEM, "no thread could be made");
        } else {
            run->has_keeper = true;
        }
    }
    pthread_mutex_unlock(&run->lock);
    return rc;
}

void mission_run_stop(struct mission_run *run)
{
    pthread_mutex_lock(&run->lock);
    if (run->state == MISSION_SUBMITTED)
        run->state = MISSION_ABORTED;
    if (run->state == MISSION_LAUNCHED) {
        atomic_store_explicit(&run->engine.stop, true, memory_order_release);
        wake_shards(run);
    }
    while (run->state == MISSION_LAUNCHED)
        pthread_cond_wait(&run->ended, &run->lock);
    pthread_mutex_unlock(&run->lock);
}

/* ---- answers */

static void fill_status(struct mission_run *run, struct mission_status *status)
{
    memset(status, 0, sizeof(*status));
    snprintf(status->id, sizeof(status->id), "%s", run->mission->id);
    status->state = run->state;
    snprintf(status->error, sizeof(status->error), "%s", run->error);
    status->wall_ns = clock_wall_ns();
    status->started_wall_ns = run->started_wall_ns;
    status->workers = run->mission->workers;
    status->workers_running = atomic_load(&run->engine.running);
}

void mission_run_status(struct mission_run *run, struct mission_status *ret_status)
{
    pthread_mutex_lock(&run->lock);
    fill_status(run, ret_status);
    pthread_mutex_unlock(&run->lock);
}

/* Samples that every shard has added its part to. */
static int64_t complete_seq(const struct mission_run *run)
{
    int64_t seq = INT64_MAX;
    for (size_t i = 0; i < run->shard_count; i++)
        seq = MIN(seq, run->shard_seq[i]);
    return seq;
}

static void forget_samples(struct mission_run *run, int64_t after)
{
    size_t drop = 0;
    while (drop < run->samples.len && run->samples.items[drop].seq <= after)
        sample_release(&run->samples.items[drop++]);
    if (drop) {
        run->samples.len -= drop;
        memmove(run->samples.items, run->samples.items + drop,
                run->samples.len * sizeof(*run->samples.items));
    }
}

json_t *mission_run_samples(struct mission_run *run, int64_t after)
{
    struct mission_status status;
    pthread_mutex_lock(&run->lock);
    fill_status(run, &status);
    int64_t seq = complete_seq(run);
    forget_samples(run, MIN(after, seq));
    size_t count = 0;
    while (count < run->samples.len && run->samples.items[count].seq <= seq)
        count++;
    json_t *json = samples_to_json(&status, run->mission, run->samples.items, count);
    pthread_mutex_unlock(&run->lock);
    return json;
}

json_t *mission_run_report(struct mission_run *run)
{
    struct mission_status status;
    json_t *json = NULL;
    pthread_mutex_lock(&run->lock);
    fill_status(run, &status);
    if (mission_state_is_end(run->state))
        json = report_to_json(&status, run->mission, &run->report);
    pthread_mutex_unlock(&run->lock);
    return json;
}
