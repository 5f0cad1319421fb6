/* stage_run.c -- see stage_run.h. */
#include "controller/run/stage_run.h"

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/xalloc.h"
#include "controller/report/results.h"
#include "controller/run/collector.h"
#include "controller/run/driver_link.h"
#include "controller/run/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_NS           SEC
#define SAMPLE_NS         SEC        /* length of a sample on the drivers */
#define LEAD_NS           (300 * MS) /* from telling the instant to the instant */
#define SUBMIT_TIMEOUT_NS (30 * SEC)
#define CALL_TIMEOUT_NS   (5 * SEC)
#define TRIES             3
#define WAIT_DRIVERS_NS   (30 * SEC)
#define SLICE_NS          (100 * MS) /* how soon a cancel is seen */

/* A mission as the controller sees it. */
struct part {
    struct mission *mission;
    const struct live_driver *driver;
    int64_t offset_ns;
    struct collector *collector;
    size_t place; /* in the collector */
    struct mission_status status;
    int64_t last_seq;
    int64_t heard_ns; /* monotonic: when it last answered */
    bool reported;
    struct report report;
};

struct stage_job {
    const struct run_site *site;
    const struct stage *stage;
    int64_t index;
    struct live_drivers drivers;
    struct plan plan;
    struct part *parts;
    size_t part_count;
    struct collector *collectors; /* one per work */
    struct link_call *calls;      /* one per part */
    int64_t started_ns;           /* monotonic */
};

static bool cancelled(const struct stage_job *job)
{
    return atomic_load(job->site->cancel);
}

static bool shutting_down(const struct stage_job *job)
{
    return atomic_load(job->site->shutdown);
}

static bool interrupted(const struct stage_job *job)
{
    return cancelled(job) || shutting_down(job);
}

/* Sleeps, but wakes early when it is interrupted. */
static void nap(const struct stage_job *job, int64_t duration_ns)
{
    int64_t until_ns = clock_mono_ns() + duration_ns;
    int64_t left_ns;
    while (!interrupted(job) && (left_ns = until_ns - clock_mono_ns()) > 0)
        clock_sleep_ns(MIN(left_ns, SLICE_NS));
}

static void set_state(const struct stage_job *job, enum stage_state state, const char *error)
{
    struct err err = {0};
    if (store_set_stage_state(job->site->db, job->site->number, job->index, state, error,
                              clock_wall_ns(), &err) < 0)
        log_error("stage state not stored workload=w%" PRId64 " stage=%s state=%s: %s",
                  job->site->number, job->stage->id, stage_state_name(state), err.text);
    log_info("stage %s workload=w%" PRId64 " stage=%s%s%s", stage_state_name(state),
             job->site->number, job->stage->id, error && *error ? " why=" : "", error ? error : "");
}

/* ---- rounds of calls to all missions */

static void aim(struct stage_job *job, const char *method, const char *suffix)
{
    for (size_t i = 0; i < job->part_count; i++) {
        struct link_call *call = &job->calls[i];
        free(call->url);
        free(call->body);
        call->method = method;
        call->url = xasprintf("%s/api/v1/missions/%s%s", job->parts[i].driver->url,
                              job->parts[i].mission->id, suffix);
        call->body = NULL;
        call->skip = false;
    }
}

static void send_round(struct stage_job *job, int64_t timeout_ns)
{
    link_run(job->calls, job->part_count, job->site->conf->token, timeout_ns);
}

/* Sends until each has a good answer or is refused; ones without an answer are tried again. */
static int send_surely(struct stage_job *job, int64_t timeout_ns, struct err *err)
{
    for (int try = 1;; try++) {
        send_round(job, timeout_ns);
        bool open = false;
        for (size_t i = 0; i < job->part_count; i++) {
            struct link_call *call = &job->calls[i];
            if (call->skip)
                continue;
            bool unheard = call->rc == ERR_NETWORK || call->rc == ERR_TIMEOUT;
            if (call->rc == 0)
                call->skip = true;
            else if (!unheard || try == TRIES || interrupted(job))
                return err_set(err, call->rc, "driver %s: %s", job->parts[i].driver->name,
                               call->err.text);
            else
                open = true;
        }
        if (!open)
            return 0;
        nap(job, try * 500 * MS);
    }
}

static void take_status(struct part *part, const struct mission_status *status)
{
    part->status = *status;
    part->heard_ns = clock_mono_ns();
}

static void store_missions(struct stage_job *job)
{
    struct err err = {0};
    for (size_t i = 0; i < job->part_count; i++) {
        struct part *part = &job->parts[i];
        if (store_set_mission_state(job->site->db, part->mission->id,
                                    mission_state_name(part->status.state), part->status.error,
                                    &err) < 0)
            log_error("mission state not stored id=%s: %s", part->mission->id, err.text);
    }
}

/* ---- booting */

static int plan_on(struct stage_job *job, struct err *err)
{
    const char **names = xcalloc(job->drivers.list.len, sizeof(*names));
    for (size_t i = 0; i < job->drivers.list.len; i++)
        names[i] = job->drivers.list.items[i].name;
    int rc = plan_stage(job->stage, names, job->drivers.list.len, &job->plan, err);
    free(names);
    return rc;
}

/* Cuts the stage over the drivers that are alive; waits a while for the ones it needs. */
static int find_drivers(struct stage_job *job, struct err *err)
{
    int64_t until_ns = clock_mono_ns() + WAIT_DRIVERS_NS;
    bool said = false;
    for (;;) {
        drivers_alive(job->site->drivers, &job->drivers);
        int rc = plan_on(job, err);
        if (rc == 0 || interrupted(job) || clock_mono_ns() > until_ns) {
            if (said)
                store_set_workload_note(job->site->db, job->site->number, "", NULL);
            return rc;
        }
        live_drivers_release(&job->drivers);
        if (!said) {
            char note[ERR_TEXT_BYTES + 64];
            snprintf(note, sizeof(note), "waiting for drivers: %s", err->text);
            store_set_workload_note(job->site->db, job->site->number, note, NULL);
            log_warn("workload=w%" PRId64 " %s", job->site->number, note);
            said = true;
        }
        nap(job, SEC);
    }
}

static void make_parts(struct stage_job *job)
{
    char id[32];
    size_t work_count = job->stage->works.len;
    snprintf(id, sizeof(id), "w%" PRId64, job->site->number);
    job->part_count = job->plan.shares.len;
    job->parts = xcalloc(job->part_count, sizeof(*job->parts));
    job->calls = xcalloc(job->part_count, sizeof(*job->calls));
    job->collectors = xcalloc(work_count, sizeof(*job->collectors));
    AUTO(freep) size_t *missions = xcalloc(work_count, sizeof(*missions));
    for (size_t i = 0; i < job->part_count; i++) {
        const struct plan_share *share = &job->plan.shares.items[i];
        struct part *part = &job->parts[i];
        part->driver = &job->drivers.list.items[share->driver];
        part->mission =
            plan_mission(job->stage, share, id, part->driver->name, SAMPLE_NS, job->site->seed);
        part->collector = &job->collectors[share->work];
        part->place = missions[share->work]++;
    }
    for (size_t w = 0; w < work_count; w++)
        collector_open(&job->collectors[w], job->site->db, job->site->number, job->index,
                       (int64_t)w + 1, missions[w], job->stage->works.items[w].operations.len);
}

static int note_parts(struct stage_job *job, struct err *err)
{
    for (size_t i = 0; i < job->part_count; i++) {
        const struct mission *mission = job->parts[i].mission;
        const struct mission_row row = {
            .id = mission->id,
            .driver = mission->driver,
            .work = mission->work,
            .state = (char *)mission_state_name(MISSION_SUBMITTED),
            .work_index = mission->work_index,
            .workers = mission->workers,
        };
        int rc = store_add_mission(job->site->db, job->site->number, job->index, &row, err);
        if (rc < 0)
            return rc;
        drivers_count_mission(job->site->drivers, mission->driver, 1);
    }
    return 0;
}

static int measure_clocks(struct stage_job *job, struct err *err)
{
    for (size_t i = 0; i < job->part_count; i++) {
        struct part *part = &job->parts[i];
        for (size_t k = 0; k < i && part->offset_ns == 0; k++)
            if (job->parts[k].driver == part->driver)
                part->offset_ns = job->parts[k].offset_ns;
        if (part->offset_ns)
            continue;
        int rc =
            link_measure_offset(part->driver->url, job->site->conf->token, &part->offset_ns, err);
        if (rc < 0)
            return err_prefix(err, "driver %s: ", part->driver->name);
    }
    return 0;
}

static int boot(struct stage_job *job, struct err *err)
{
    set_state(job, STAGE_BOOTING, "");
    int rc = find_drivers(job, err);
    if (rc < 0)
        return rc;
    make_parts(job);
    rc = measure_clocks(job, err);
    return rc < 0 ? rc : note_parts(job, err);
}

/* ---- submitting, launching */

static int submit(struct stage_job *job, struct err *err)
{
    set_state(job, STAGE_SUBMITTING, "");
    aim(job, "PUT", "");
    for (size_t i = 0; i < job->part_count; i++) {
        AUTO(json_freep) json_t *json = mission_to_json(job->parts[i].mission);
        struct strbuf body = STRBUF_INIT(MISSION_MAX_BYTES);
        if (json_write(json, &body) < 0) {
            strbuf_release(&body);
            return err_set(err, ERR_LIMIT, "work %s: its mission is larger than %d bytes",
                           job->parts[i].mission->work, MISSION_MAX_BYTES);
        }
        job->calls[i].body = strbuf_take(&body);
    }
    return send_surely(job, SUBMIT_TIMEOUT_NS, err);
}

static int launch(struct stage_job *job, struct err *err)
{
    set_state(job, STAGE_AUTHING, "");
    set_state(job, STAGE_LAUNCHING, "");
    aim(job, "POST", "/start");
    int64_t start_wall_ns = clock_wall_ns() + LEAD_NS;
    job->started_ns = clock_mono_ns() + LEAD_NS;
    for (size_t i = 0; i < job->part_count; i++)
        job->calls[i].body =
            xasprintf("{\"start_wall_ns\": %" PRId64 "}", start_wall_ns + job->parts[i].offset_ns);
    int rc = send_surely(job, CALL_TIMEOUT_NS, err);
    for (size_t i = 0; i < job->part_count; i++)
        job->parts[i].heard_ns = clock_mono_ns();
    return rc;
}

/* ---- running */

/* Takes one mission's answer to a poll. ERR_PROTOCOL when it can't be. */
static int take_samples(struct part *part, const json_t *json, struct err *err)
{
    struct mission_status status;
    struct sample *samples = NULL;
    size_t count = 0;
    int rc = samples_from_json(json, part->mission->operations.len, &status, &samples, &count, err);
    if (rc < 0)
        return rc;
    take_status(part, &status);
    if (count)
        part->last_seq = MAX(part->last_seq, samples[count - 1].seq);
    collector_add(part->collector, part->place, samples, count);
    free(samples);
    if (mission_state_is_end(status.state))
        collector_end(part->collector, part->place);
    return 0;
}

static bool is_over(const struct part *part)
{
    return mission_state_is_end(part->status.state);
}

static int poll_all(struct stage_job *job, struct err *err)
{
    aim(job, "GET", "/samples");
    for (size_t i = 0; i < job->part_count; i++) {
        struct link_call *call = &job->calls[i];
        char *url = xasprintf("%s?after=%" PRId64, call->url, job->parts[i].last_seq);
        free(call->url);
        call->url = url;
        call->skip = is_over(&job->parts[i]);
    }
    send_round(job, CALL_TIMEOUT_NS);
    for (size_t i = 0; i < job->part_count; i++) {
        struct link_call *call = &job->calls[i];
        struct part *part = &job->parts[i];
        int64_t silent_ns = clock_mono_ns() - part->heard_ns;
        if (call->skip)
            continue;
        int rc = call->rc < 0 ? call->rc : take_samples(part, call->json, err);
        if (call->rc < 0)
            err_set(err, call->rc, "%s", call->err.text);
        bool unheard = rc == ERR_NETWORK || rc == ERR_TIMEOUT;
        if (unheard && silent_ns > job->site->conf->driver_timeout_s * SEC)
            return err_set(err, rc, "driver %s is lost: no answer for %" PRId64 " s",
                           part->driver->name, silent_ns / SEC);
        if (rc < 0 && !unheard)
            return err_prefix(err, "driver %s: ", part->driver->name);
    }
    return 0;
}

static void store_samples(struct stage_job *job)
{
    struct err err = {0};
    for (size_t w = 0; w < job->stage->works.len; w++)
        if (collector_store(&job->collectors[w], &err) < 0)
            log_error("samples not stored workload=w%" PRId64 " stage=%s: %s", job->site->number,
                      job->stage->id, err.text);
}

static void tell_live(struct stage_job *job)
{
    struct live_row live = {.is_running = true};
    struct tally sum;
    tally_init(&sum);
    snprintf(live.stage, sizeof(live.stage), "%s", job->stage->id);
    live.at_ns = MAX(clock_mono_ns() - job->started_ns, INT64_C(0));
    for (size_t w = 0; w < job->stage->works.len; w++) {
        const struct collector *collector = &job->collectors[w];
        if (collector->latest_length_ns > 0) {
            double seconds = (double)collector->latest_length_ns / (double)SEC;
            live.ops_per_s += (double)collector->latest.good / seconds;
            live.bytes_per_s += (double)collector->latest.bytes / seconds;
        }
        live.errors += collector->failed;
        tally_merge(&sum, &collector->latest);
    }
    if (sum.response)
        live.p99_ns = hist_percentile(sum.response, 99);
    tally_release(&sum);
    job->site->on_live(job->site->context, &live);
}

/* A mission that ended by a fatal error, or NULL. */
static const struct part *find_terminated(const struct stage_job *job)
{
    for (size_t i = 0; i < job->part_count; i++)
        if (job->parts[i].status.state == MISSION_TERMINATED)
            return &job->parts[i];
    return NULL;
}

static bool all_over(const struct stage_job *job)
{
    for (size_t i = 0; i < job->part_count; i++)
        if (!is_over(&job->parts[i]))
            return false;
    return true;
}

static int watch_run(struct stage_job *job, struct err *err)
{
    int64_t next_ns =
        job->started_ns + POLL_NS / 5; /* a short stage ends before its first second */
    set_state(job, STAGE_RUNNING, "");
    for (int round = 0;; round++) {
        nap(job, next_ns - clock_mono_ns());
        if (interrupted(job))
            return 0;
        int rc = poll_all(job, err);
        store_samples(job);
        tell_live(job);
        if (rc < 0)
            return rc;
        const struct part *part = find_terminated(job);
        if (part)
            return err_set(err, ERR_CONFIG, "driver %s: %s", part->driver->name,
                           part->status.error);
        if (all_over(job))
            return 0;
        bool early =
            round < 4; /* 0.2, 0.4, ... 1.05 s, then every second a little after the sample's end */
        next_ns = early ? next_ns + POLL_NS / 5 : next_ns + POLL_NS;
        if (round == 4)
            next_ns = job->started_ns + 2 * POLL_NS + 50 * MS;
        next_ns = MAX(next_ns, clock_mono_ns());
    }
}

/* ---- closing */

static void stop_missions(struct stage_job *job)
{
    aim(job, "POST", "/stop");
    send_round(job, CALL_TIMEOUT_NS);
    struct err err = {0};
    poll_all(job, &err); /* the last samples, from those that answer */
    for (size_t i = 0; i < job->part_count; i++)
        collector_end(job->parts[i].collector, job->parts[i].place);
    store_samples(job);
}

static int fetch_reports(struct stage_job *job, struct err *err)
{
    int rc = 0;
    aim(job, "GET", "/report");
    for (size_t i = 0; i < job->part_count; i++)
        job->calls[i].skip = job->parts[i].reported;
    send_round(job, CALL_TIMEOUT_NS * 2);
    for (size_t i = 0; i < job->part_count; i++) {
        struct part *part = &job->parts[i];
        struct link_call *call = &job->calls[i];
        struct mission_status status;
        struct err problem = {0};
        if (call->skip)
            continue;
        int got = call->rc < 0 ? err_set(&problem, call->rc, "%s", call->err.text)
                               : report_from_json(call->json, part->mission->operations.len,
                                                  &status, &part->report, &problem);
        if (got == 0) {
            part->reported = true;
            part->status = status;
            got = store_add_report(job->site->db, part->mission->id, &part->report, &problem);
        }
        if (got < 0)
            rc = err_set(err, got, "driver %s: report: %s", part->driver->name, problem.text);
    }
    return rc;
}

static void store_effort(struct stage_job *job)
{
    bool bound = false;
    const char *reason = "";
    int64_t ops = 0, bytes = 0;
    struct err err = {0};
    for (size_t i = 0; i < job->part_count; i++) {
        const struct part *part = &job->parts[i];
        if (!part->reported)
            continue;
        ops += part->report.in_flight_ops;
        bytes += part->report.in_flight_bytes;
        if (part->report.effort.client_bound && !bound) {
            bound = true;
            reason = part->report.effort.reason;
        }
    }
    if (store_set_stage_effort(job->site->db, job->site->number, job->index, bound, reason, ops,
                               bytes, &err) < 0)
        log_error("stage effort not stored: %s", err.text);
}

static void forget_missions(struct stage_job *job)
{
    aim(job, "DELETE", "");
    send_round(job, CALL_TIMEOUT_NS);
    for (size_t i = 0; i < job->part_count; i++)
        drivers_count_mission(job->site->drivers, job->parts[i].mission->driver, -1);
}

static int close_stage(struct stage_job *job, struct err *err)
{
    set_state(job, STAGE_CLOSING, "");
    int rc = 0;
    for (int try = 1; try <= TRIES; try++) {
        rc = fetch_reports(job, err);
        if (rc == 0)
            break;
        clock_sleep_ns(try * 200 * MS);
    }
    store_missions(job);
    store_effort(job);
    forget_missions(job);
    return rc;
}

/* ---- judging */

/* Spec execution.md, afr: failed > total * afr / 1,000,000 fails the stage; so does an operation
 * none of which was good on a driver. */
static bool has_failed(struct stage_job *job, struct err *why)
{
    for (size_t w = 0; w < job->stage->works.len; w++) {
        const struct work *work = &job->stage->works.items[w];
        uint64_t good = 0, failed = 0;
        for (size_t i = 0; i < job->part_count; i++) {
            const struct part *part = &job->parts[i];
            if (part->collector != &job->collectors[w] || !part->reported)
                continue;
            for (size_t k = 0; k < part->report.tally_count; k++) {
                const struct tally *tally = &part->report.tallies[k];
                good += tally->good;
                failed += tally->failed;
                if (tally->failed > 0 && tally->good == 0) {
                    err_set(why, ERR_CONFIG,
                            "work %s: all %" PRIu64 " operations %s on driver %s failed: %s",
                            work->name, tally->failed, work->operations.items[k].label,
                            part->driver->name,
                            tally->causes.len ? tally->causes.items[0].example : "");
                    return true;
                }
            }
        }
        if ((double)failed > (double)(good + failed) * (double)work->afr / 1e6) {
            err_set(why, ERR_CONFIG,
                    "work %s: %" PRIu64 " of %" PRIu64 " operations failed, allowed are %" PRId64
                    " in a million",
                    work->name, failed, good + failed, work->afr);
            return true;
        }
    }
    return false;
}

static enum stage_state end_of(struct stage_job *job, int rc, struct err *why)
{
    if (cancelled(job)) {
        err_set(why, ERR_CONFLICT, "cancelled");
        return STAGE_CANCELLED;
    }
    if (shutting_down(job)) {
        err_set(why, ERR_SYSTEM, "the controller was stopped");
        return STAGE_TERMINATED;
    }
    if (rc < 0)
        return STAGE_TERMINATED;
    return has_failed(job, why) ? STAGE_FAILED : STAGE_COMPLETED;
}

static void sleep_after(struct stage_job *job)
{
    if (job->stage->closure_delay_s <= 0 || interrupted(job))
        return;
    set_state(job, STAGE_SLEEPING, "");
    nap(job, job->stage->closure_delay_s * SEC);
}

static void job_release(struct stage_job *job)
{
    for (size_t i = 0; i < job->part_count; i++) {
        mission_free(job->parts[i].mission);
        if (job->parts[i].reported)
            report_release(&job->parts[i].report);
        link_call_release(&job->calls[i]);
    }
    for (size_t w = 0; job->collectors && w < job->stage->works.len; w++)
        collector_close(&job->collectors[w]);
    free(job->parts);
    free(job->calls);
    free(job->collectors);
    plan_release(&job->plan);
    live_drivers_release(&job->drivers);
}

/* From booting to closing. 0, or why it could not go on. */
static int carry_out(struct stage_job *job, struct err *why)
{
    int rc = boot(job, why);
    if (rc < 0)
        return rc;
    rc = submit(job, why);
    if (rc == 0 && !interrupted(job))
        rc = launch(job, why);
    if (rc == 0 && !interrupted(job))
        rc = watch_run(job, why);
    if (rc < 0 || interrupted(job))
        stop_missions(job);
    struct err problem = {0};
    int closed = close_stage(job, &problem);
    if (rc == 0 && closed < 0 && !interrupted(job)) {
        rc = closed;
        *why = problem;
    }
    return rc;
}

enum stage_state stage_run(const struct run_site *site, const struct stage *stage, int64_t index,
                           struct err *why)
{
    struct stage_job job = {.site = site, .stage = stage, .index = index};
    int rc = 0;
    *why = (struct err){0};
    if (!stage->is_delay)
        rc = carry_out(&job, why);
    if (rc == 0)
        sleep_after(&job);
    enum stage_state state = end_of(&job, rc, why);
    set_state(&job, state, state == STAGE_COMPLETED ? "" : why->text);
    job_release(&job);
    return state;
}
