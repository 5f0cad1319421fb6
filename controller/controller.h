/* controller.h -- owns the parts of the controller and their order; what the API asks of it.
 *
 * All functions may be called from any thread. */
#ifndef LOADSTONE_CONTROLLER_CONTROLLER_H
#define LOADSTONE_CONTROLLER_CONTROLLER_H

#include "common/base/diag.h"
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/catalog/conf.h"
#include "controller/store/store_run.h"

struct controller;

/* Opens the database, starts the queue and the watch over drivers. conf is borrowed. */
int controller_open(const struct controller_conf *conf, struct controller **ret_controller,
                    struct err *err);
/* Running workloads are terminated; results so far are kept. */
void controller_close(struct controller *controller);

struct db *controller_db(struct controller *controller);
const struct controller_conf *controller_conf_of(const struct controller *controller);

/* Checks and queues a workload. *diags takes every problem; on success the warnings are in it.
 * ERR_CONFIG, ERR_LIMIT, ERR_STORE. */
int controller_submit(struct controller *controller, const char *xml, size_t len,
                      int64_t *ret_number, struct diags *diags, struct err *err);
/* The same checks only. */
int controller_validate(struct controller *controller, const char *xml, size_t len,
                        struct diags *diags, struct err *err);
/* Cancels a queued or running workload. ERR_NOT_FOUND; ERR_CONFLICT when it has ended. Returns when
 * it is cancelled (2 s at most for a running one, then it goes on in the background). */
int controller_cancel(struct controller *controller, int64_t number, struct err *err);

/* ---- drivers */
enum driver_state { DRIVER_UNKNOWN, DRIVER_ALIVE, DRIVER_SUSPECTED, DRIVER_LOST, DRIVER_MISMATCH };
const char *driver_state_name(enum driver_state state); /* "unknown", "alive", ... */

struct driver_row {
    char *name, *url, *version, *source; /* source: "configured" or "registered" */
    enum driver_state state;
    int64_t threads;
    int64_t clock_offset_ns; /* driver's wall clock less ours */
    int64_t last_seen_ns;    /* wall clock; 0: never */
    int64_t missions;        /* under way */
};
struct driver_rows {
    VEC(struct driver_row) list;
};
void driver_rows_release(struct driver_rows *rows);
void controller_list_drivers(struct controller *controller, struct driver_rows *ret_rows);

struct driver_registration {
    const char *name, *url, *version;
    int64_t threads;
    int64_t wall_ns; /* its clock when it sent this; 0: not told */
};
/* A driver registers or repeats it. ERR_CONFIG for a bad name or URL. */
int controller_register_driver(struct controller *controller,
                               const struct driver_registration *registration, struct err *err);

/* ---- live figures of a running workload */
struct live_row {
    bool is_running;
    char stage[NAME_MAX_BYTES + 16];
    int64_t at_ns;                 /* since the stage's start */
    double ops_per_s, bytes_per_s; /* of the last second */
    int64_t p99_ns;                /* of the last second, over all operations */
    uint64_t errors;               /* since the stage's start */
};
void controller_live(struct controller *controller, int64_t number, struct live_row *ret_live);

#endif
