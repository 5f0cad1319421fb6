/* driver_link.h -- client of the drivers' protocol (docs/protocol.md): many drivers are asked at
 * the same time. */
#ifndef LOADSTONE_CONTROLLER_RUN_DRIVER_LINK_H
#define LOADSTONE_CONTROLLER_RUN_DRIVER_LINK_H

#include "common/wire/messages.h"

/* One request to one driver, and what came of it. Zero it, fill the first part, release it. */
struct link_call {
    const char *method; /* "GET", ...; borrowed */
    char *url;          /* whole address; owned */
    char *body;         /* JSON or NULL; owned */
    bool skip;          /* not to be sent in this round */

    int rc; /* 0: a good answer; ERR_NETWORK, ERR_TIMEOUT: none came; else what the driver said */
    int status;   /* HTTP status, 0 when none came */
    json_t *json; /* the answer, may be NULL */
    struct err err;
};

/* Sends those that are not skipped, all at once, and waits for every answer up to timeout_ns. What
 * an earlier round left in a call is dropped. */
void link_run(struct link_call *calls, size_t count, const char *token, int64_t timeout_ns);
void link_call_release(struct link_call *call);

/* The driver's clock less ours, from the quickest of a few pings. */
int link_measure_offset(const char *base_url, const char *token, int64_t *ret_offset_ns,
                        struct err *err);

#endif
