/* driver.h -- the missions of this driver, by id, and its place with a controller. */
#ifndef LOADSTONE_DRIVER_DRIVER_H
#define LOADSTONE_DRIVER_DRIVER_H

#include "driver/mission_run.h"

struct driver;

struct driver_options {
    const char *name;
    int threads; /* event-loop threads of a mission; 0: one per core */
};

/* Makes the content pools. ERR_SYSTEM. */
int driver_open(const struct driver_options *options, struct driver **ret_driver, struct err *err);
/* Stops every mission. */
void driver_close(struct driver *driver);

/* Prepares a mission (takes it, also on error). The same mission again: the same run. ERR_CONFLICT when the id is known
 * with another content. The run is held for the caller until driver_put(). *ret_fresh: it was not there before. */
int driver_prepare(struct driver *driver, struct mission *mission, struct mission_run **ret_run,
                   bool *ret_fresh, struct err *err);
/* The run of an id, held for the caller until driver_put(); NULL when there is none. */
struct mission_run *driver_get(struct driver *driver, const char *id);
void driver_put(struct driver *driver, struct mission_run *run);
/* Stops and forgets a mission. An unknown id is fine: it is forgotten already. */
void driver_forget(struct driver *driver, const char *id);

/* What a ping answers, a new reference. */
json_t *driver_ping(struct driver *driver);

/* Operations and bytes so far, for /metrics. */
struct driver_totals {
    int64_t missions, missions_running, workers_running;
};
void driver_totals(struct driver *driver, struct driver_totals *ret_totals);

/* ---- registering with a controller */
struct driver_link;
struct driver_link_options {
    const char *controller; /* http://HOST:PORT */
    const char *url;        /* where the controller reaches this driver */
    const char *token;      /* or NULL */
};
/* Registers now and every few seconds, on a thread of its own; says in the log when the controller comes and goes. */
int driver_link_open(struct driver *driver, const struct driver_link_options *options,
                     struct driver_link **ret_link, struct err *err);
void driver_link_close(struct driver_link *link);

#endif
