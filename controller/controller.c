/* controller.c -- see controller.h.
 *
 * `concurrency` runner threads take queued workloads in order. What runs is listed in `runs`, under
 * the lock, so that a cancel finds it; a runner waits on `changed` for something to do. */
#include "controller/controller.h"

#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/rng.h"
#include "common/base/xalloc.h"
#include "controller/run/workload_run.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CANCEL_WAIT_NS (2 * SEC)
#define ORPHAN_REASON  "the controller stopped while it ran"

/* A workload that runs. */
struct run {
    int64_t number; /* 0: the place is free */
    atomic_bool cancel;
    struct live_row live;
};

struct controller {
    const struct controller_conf *conf;
    struct db *db;
    struct drivers *drivers;
    struct run *runs; /* one per runner */
    pthread_t *runners;
    size_t runner_count;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool shutdown;
};

/* What a runner thread needs to know. */
struct runner {
    struct controller *controller;
    struct run *run;
};

struct db *controller_db(struct controller *controller)
{
    return controller->db;
}

const struct controller_conf *controller_conf_of(const struct controller *controller)
{
    return controller->conf;
}

/* ---- running */

static void on_live(void *context, const struct live_row *live)
{
    struct runner *runner = context;
    pthread_mutex_lock(&runner->controller->lock);
    runner->run->live = *live;
    pthread_mutex_unlock(&runner->controller->lock);
}

/* The next queued workload that no other runner has. Waits for one; 0 when the controller ends. */
static int64_t take_next(struct runner *runner)
{
    struct controller *controller = runner->controller;
    int64_t number = 0;
    pthread_mutex_lock(&controller->lock);
    while (!atomic_load(&controller->shutdown)) {
        struct err err = {0};
        int rc = store_next_queued(controller->db, &number, &err);
        if (rc == 0)
            rc = store_set_workload_state(controller->db, number, WORKLOAD_PROCESSING, "",
                                          clock_wall_ns(), &err);
        if (rc == 0) {
            runner->run->number = number;
            runner->run->live = (struct live_row){.is_running = true};
            atomic_store(&runner->run->cancel, false);
            break;
        }
        number = 0;
        if (rc != ERR_NOT_FOUND) {
            log_error("queue not readable: %s", err.text);
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += 5;
            pthread_cond_timedwait(&controller->changed, &controller->lock, &until);
        } else {
            pthread_cond_wait(&controller->changed, &controller->lock);
        }
    }
    pthread_mutex_unlock(&controller->lock);
    return number;
}

static void *run_queue(void *runner_memory)
{
    struct runner *runner = runner_memory;
    struct controller *controller = runner->controller;
    int64_t number;
    while ((number = take_next(runner)) != 0) {
        struct run_site site = {
            .db = controller->db,
            .drivers = controller->drivers,
            .conf = controller->conf,
            .number = number,
            .cancel = &runner->run->cancel,
            .shutdown = &controller->shutdown,
            .on_live = on_live,
            .context = runner,
        };
        workload_run(&site);
        pthread_mutex_lock(&controller->lock);
        runner->run->number = 0;
        runner->run->live.is_running = false;
        pthread_cond_broadcast(&controller->changed);
        pthread_mutex_unlock(&controller->lock);
    }
    free(runner);
    return NULL;
}

/* ---- opening */

static int open_store(struct controller *controller, struct err *err)
{
    AUTO(freep) char *path = xasprintf("%s/loadstone.db", controller->conf->data_dir);
    int64_t orphans = 0;
    int rc = db_open(path, &controller->db, err);
    if (rc == 0)
        rc = store_end_orphans(controller->db, ORPHAN_REASON, clock_wall_ns(), &orphans, err);
    if (rc == 0 && orphans)
        log_warn("workloads that ran when the controller stopped are terminated count=%" PRId64,
                 orphans);
    return rc;
}

static int start_runners(struct controller *controller, struct err *err)
{
    size_t count = (size_t)MAX(controller->conf->concurrency, INT64_C(1));
    controller->runs = xcalloc(count, sizeof(*controller->runs));
    controller->runners = xcalloc(count, sizeof(*controller->runners));
    for (size_t i = 0; i < count; i++) {
        struct runner *runner = xcalloc(1, sizeof(*runner));
        runner->controller = controller;
        runner->run = &controller->runs[i];
        atomic_init(&runner->run->cancel, false);
        if (pthread_create(&controller->runners[i], NULL, run_queue, runner) != 0) {
            free(runner);
            return err_set(err, ERR_SYSTEM, "no thread could be made");
        }
        controller->runner_count++;
    }
    return 0;
}

int controller_open(const struct controller_conf *conf, struct controller **ret_controller,
                    struct err *err)
{
    struct controller *controller = xcalloc(1, sizeof(*controller));
    controller->conf = conf;
    pthread_mutex_init(&controller->lock, NULL);
    pthread_cond_init(&controller->changed, NULL);
    atomic_init(&controller->shutdown, false);
    int rc = open_store(controller, err);
    if (rc == 0) {
        const struct drivers_options options = {.db = controller->db, .conf = conf};
        rc = drivers_open(&options, &controller->drivers, err);
    }
    if (rc == 0)
        rc = start_runners(controller, err);
    if (rc < 0) {
        controller_close(controller);
        return rc;
    }
    *ret_controller = controller;
    return 0;
}

void controller_close(struct controller *controller)
{
    if (!controller)
        return;
    pthread_mutex_lock(&controller->lock);
    atomic_store(&controller->shutdown, true);
    pthread_cond_broadcast(&controller->changed);
    pthread_mutex_unlock(&controller->lock);
    for (size_t i = 0; i < controller->runner_count; i++)
        pthread_join(controller->runners[i], NULL);
    drivers_close(controller->drivers);
    db_close(controller->db);
    pthread_mutex_destroy(&controller->lock);
    pthread_cond_destroy(&controller->changed);
    free(controller->runs);
    free(controller->runners);
    free(controller);
}

/* ---- submitting */

/* A driver that nobody has seen may still come: a warning now, an error when the stage starts. */
static void check_drivers(struct controller *controller, const struct workload *workload,
                          struct diags *diags)
{
    VEC_EACH (stage, &workload->stages) {
        VEC_EACH (work, &stage->works) {
            if (work->driver && *work->driver && !drivers_knows(controller->drivers, work->driver))
                diags_add(
                    diags, DIAG_WARNING, work->line, "work", "driver",
                    "no driver \"%.100s\" is known yet; the stage waits for it and then fails",
                    work->driver);
        }
    }
}

static int check(struct controller *controller, const char *xml, size_t len,
                 struct workload **ret_workload, struct diags *diags, struct err *err)
{
    int rc = workload_parse(xml, len, ret_workload, diags, err);
    if (rc == 0)
        check_drivers(controller, *ret_workload, diags);
    return rc;
}

int controller_validate(struct controller *controller, const char *xml, size_t len,
                        struct diags *diags, struct err *err)
{
    AUTO(workload_freep) struct workload *workload = NULL;
    return check(controller, xml, len, &workload, diags, err);
}

static uint64_t fresh_seed(void)
{
    struct rng rng;
    rng_seed(&rng, (uint64_t)clock_wall_ns(), (uint64_t)clock_mono_ns());
    return rng_next(&rng) & INT64_MAX;
}

int controller_submit(struct controller *controller, const char *xml, size_t len,
                      int64_t *ret_number, struct diags *diags, struct err *err)
{
    AUTO(workload_freep) struct workload *workload = NULL;
    AUTO(freep) char *masked = NULL;
    int rc = check(controller, xml, len, &workload, diags, err);
    if (rc == 0)
        rc = workload_mask(xml, len, &masked, err);
    if (rc < 0)
        return rc;
    pthread_mutex_lock(&controller->lock);
    rc = store_add_workload(controller->db, workload, xml, len, masked, diags, fresh_seed(),
                            clock_wall_ns(), ret_number, err);
    if (rc == 0) {
        log_info("workload submitted workload=w%" PRId64 " name=%s", *ret_number, workload->name);
        pthread_cond_broadcast(&controller->changed);
    }
    pthread_mutex_unlock(&controller->lock);
    return rc;
}

/* ---- cancelling */

static struct run *find_run(struct controller *controller, int64_t number)
{
    for (size_t i = 0; i < controller->runner_count; i++)
        if (controller->runs[i].number == number)
            return &controller->runs[i];
    return NULL;
}

static int cancel_queued(struct controller *controller, int64_t number, struct err *err)
{
    struct workload_detail detail;
    int rc = store_get_detail(controller->db, number, &detail, err);
    if (rc < 0)
        return rc;
    if (workload_state_is_end(detail.row.state))
        rc = err_set(err, ERR_CONFLICT, "workload w%" PRId64 " has ended already: it is %s", number,
                     workload_state_name(detail.row.state));
    VEC_EACH (stage, &detail.stages) {
        if (rc == 0)
            rc = store_set_stage_state(controller->db, number, stage->index, STAGE_CANCELLED, "",
                                       clock_wall_ns(), err);
    }
    if (rc == 0)
        rc = store_set_workload_state(controller->db, number, WORKLOAD_CANCELLED, "cancelled",
                                      clock_wall_ns(), err);
    workload_detail_release(&detail);
    return rc;
}

int controller_cancel(struct controller *controller, int64_t number, struct err *err)
{
    int rc = 0;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += CANCEL_WAIT_NS / SEC;
    pthread_mutex_lock(&controller->lock);
    struct run *run = find_run(controller, number);
    if (!run) {
        rc = cancel_queued(controller, number, err);
    } else {
        atomic_store(&run->cancel, true);
        while (run->number == number &&
               pthread_cond_timedwait(&controller->changed, &controller->lock, &until) == 0)
            ;
    }
    pthread_mutex_unlock(&controller->lock);
    if (rc == 0)
        log_info("workload cancelled workload=w%" PRId64, number);
    return rc;
}

void controller_live(struct controller *controller, int64_t number, struct live_row *ret_live)
{
    pthread_mutex_lock(&controller->lock);
    struct run *run = find_run(controller, number);
    *ret_live = run ? run->live : (struct live_row){.is_running = false};
    pthread_mutex_unlock(&controller->lock);
}

/* ---- drivers */

void controller_list_drivers(struct controller *controller, struct driver_rows *ret_rows)
{
    drivers_list(controller->drivers, ret_rows);
}

int controller_register_driver(struct controller *controller,
                               const struct driver_registration *registration, struct err *err)
{
    return drivers_register(controller->drivers, registration, err);
}
