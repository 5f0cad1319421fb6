/* drivers.h -- who can make load: drivers of controller.conf and those that register, and whether
 * they are alive.
 *
 * A driver is alive when it answered a ping or registered lately, suspected when not for SUSPECT,
 * lost when not for the time out of the conf. A name is a driver's identity: one that registers
 * under a known name takes its place. Any thread may call. */
#ifndef LOADSTONE_CONTROLLER_RUN_DRIVERS_H
#define LOADSTONE_CONTROLLER_RUN_DRIVERS_H

#include "controller/controller.h"

struct drivers;

struct drivers_options {
    struct db *db;
    const struct controller_conf *conf; /* drivers, token, time-out; borrowed */
};

/* Starts the watch, which pings every driver each two seconds. */
int drivers_open(const struct drivers_options *options, struct drivers **ret_drivers,
                 struct err *err);
void drivers_close(struct drivers *drivers);

int drivers_register(struct drivers *drivers, const struct driver_registration *registration,
                     struct err *err);
void drivers_list(struct drivers *drivers, struct driver_rows *ret_rows);

/* Those that are alive, in order: configured ones first, then the others as they came. Copies. */
struct live_driver {
    char *name, *url;
    int64_t clock_offset_ns;
};
struct live_drivers {
    VEC(struct live_driver) list;
};
void drivers_alive(struct drivers *drivers, struct live_drivers *ret_drivers);
void live_drivers_release(struct live_drivers *drivers);

/* True when a driver of that name was ever configured or registered. */
bool drivers_knows(struct drivers *drivers, const char *name);
/* A stage counts its missions on a driver up and down. */
void drivers_count_mission(struct drivers *drivers, const char *name, int change);

/* "http://host:18088/driver/" to "http://host:18088"; owned by the caller. */
char *driver_base_url(const char *url);

#endif
