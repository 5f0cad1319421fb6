/* driver.c -- see driver.h.
 *
 * A mission lives in a slot with a count of those who hold it: the table's own hold ends with driver_forget(), and the
 * last to let go frees it. */
#include "driver/driver.h"

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/xalloc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct slot {
    struct mission_run *run;
    int holds;
    bool forgotten;
};

struct driver {
    char name[NAME_MAX_BYTES];
    int threads;
    struct body_pool random_pool, zero_pool;
    pthread_mutex_t lock;
    pthread_mutex_t prepare_lock; /* one mission is prepared at a time */
    VEC(struct slot) slots;
};

int driver_open(const struct driver_options *options, struct driver **ret_driver, struct err *err)
{
    struct driver *driver = xcalloc(1, sizeof(*driver));
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(driver->name, sizeof(driver->name), "%s", options->name);
    driver->threads = options->threads > 0 ? options->threads : (int)MAX(cores, 1L);
    int rc = body_pool_open(&driver->random_pool, false, err);
    if (rc < 0) {
        free(driver);
        return rc;
    }
    rc = body_pool_open(&driver->zero_pool, true, err);
    if (rc < 0) {
        body_pool_close(&driver->random_pool);
        free(driver);
        return rc;
    }
    pthread_mutex_init(&driver->lock, NULL);
    pthread_mutex_init(&driver->prepare_lock, NULL);
    *ret_driver = driver;
    return 0;
}

void driver_close(struct driver *driver)
{
    if (!driver)
        return;
    VEC_EACH(slot, &driver->slots)
    {
        mission_run_free(slot->run);
    }
    vec_release(&driver->slots);
    body_pool_close(&driver->random_pool);
    body_pool_close(&driver->zero_pool);
    pthread_mutex_destroy(&driver->lock);
    pthread_mutex_destroy(&driver->prepare_lock);
    free(driver);
}

static struct slot *find_slot(struct driver *driver, const char *id)
{
    VEC_EACH(slot, &driver->slots)
    {
        if (!slot->forgotten && strcmp(mission_run_mission(slot->run)->id, id) == 0)
            return slot;
    }
    return NULL;
}

struct mission_run *driver_get(struct driver *driver, const char *id)
{
    struct mission_run *run = NULL;
    pthread_mutex_lock(&driver->lock);
    struct slot *slot = find_slot(driver, id);
    if (slot) {
        slot->holds++;
        run = slot->run;
    }
    pthread_mutex_unlock(&driver->lock);
    return run;
}

/* Gives up one hold; the run to free when it was the last, else NULL. With the lock held. */
static struct mission_run *let_go(struct driver *driver, struct slot *slot)
{
    if (--slot->holds > 0)
        return NULL;
    struct mission_run *run = slot->run;
    *slot = driver->slots.items[--driver->slots.len];
    return run;
}

void driver_put(struct driver *driver, struct mission_run *run)
{
    struct mission_run *last = NULL;
    pthread_mutex_lock(&driver->lock);
    VEC_EACH(slot, &driver->slots)
    {
        if (slot->run == run) {
            last = let_go(driver, slot);
            break;
        }
    }
    pthread_mutex_unlock(&driver->lock);
    mission_run_free(last);
}

void driver_forget(struct driver *driver, const char *id)
{
    struct mission_run *run = driver_get(driver, id);
    if (!run)
        return;
    mission_run_stop(run);
    pthread_mutex_lock(&driver->lock);
    struct slot *slot = find_slot(driver, id);
    if (slot && slot->run == run) {
        slot->forgotten = true;
        slot->holds--; /* the table's own */
    }
    pthread_mutex_unlock(&driver->lock);
    driver_put(driver, run);
}

/* The mission as text, to tell a repeated request from another mission of the same id. */
static bool is_same(const struct mission *a, const struct mission *b)
{
    AUTO(json_freep) json_t *one = mission_to_json(a);
    AUTO(json_freep) json_t *other = mission_to_json(b);
    return json_equal(one, other);
}

static int prepare(struct driver *driver, struct mission *mission, struct mission_run **ret_run,
                   bool *ret_fresh, struct err *err)
{
    const struct mission_site site = {
        .random_pool = &driver->random_pool,
        .zero_pool = &driver->zero_pool,
        .threads = driver->threads,
    };
    struct mission_run *run = driver_get(driver, mission->id);
    if (run) {
        bool same = is_same(mission, mission_run_mission(run));
        int rc = same ? 0
                      : err_set(err, ERR_CONFLICT, "mission %s is here already with another content",
                                mission->id);
        mission_free(mission);
        if (rc < 0)
            driver_put(driver, run);
        else
            *ret_run = run;
        *ret_fresh = false;
        return rc;
    }
    int rc = mission_run_open(mission, &site, &run, err);
    if (rc < 0)
        return rc;
    struct slot slot = {.run = run, .holds = 2}; /* the table's and the caller's */
    pthread_mutex_lock(&driver->lock);
    vec_push(&driver->slots, slot);
    pthread_mutex_unlock(&driver->lock);
    *ret_run = run;
    *ret_fresh = true;
    return 0;
}

int driver_prepare(struct driver *driver, struct mission *mission, struct mission_run **ret_run,
                   bool *ret_fresh, struct err *err)
{
    pthread_mutex_lock(&driver->prepare_lock);
    int rc = prepare(driver, mission, ret_run, ret_fresh, err);
    pthread_mutex_unlock(&driver->prepare_lock);
    return rc;
}

json_t *driver_ping(struct driver *driver)
{
    AUTO(json_freep) json_t *missions = json_array();
    struct ping ping = {.threads = driver->threads};
    snprintf(ping.name, sizeof(ping.name), "%s", driver->name);
    snprintf(ping.version, sizeof(ping.version), "%s", LOADSTONE_VERSION);
    pthread_mutex_lock(&driver->lock);
    VEC_EACH(slot, &driver->slots)
    {
        struct mission_status status;
        mission_run_status(slot->run, &status);
        json_t *item = json_object();
        json_object_set_new(item, "id", json_text_new(status.id));
        json_object_set_new(item, "state", json_string(mission_state_name(status.state)));
        json_array_append_new(missions, item);
    }
    pthread_mutex_unlock(&driver->lock);
    ping.wall_ns = clock_wall_ns();
    return ping_to_json(&ping, missions);
}

void driver_totals(struct driver *driver, struct driver_totals *ret_totals)
{
    memset(ret_totals, 0, sizeof(*ret_totals));
    pthread_mutex_lock(&driver->lock);
    VEC_EACH(slot, &driver->slots)
    {
        struct mission_status status;
        mission_run_status(slot->run, &status);
        ret_totals->missions++;
        if (status.state == MISSION_LAUNCHED) {
            ret_totals->missions_running++;
            ret_totals->workers_running += status.workers_running;
        }
    }
    pthread_mutex_unlock(&driver->lock);
}
