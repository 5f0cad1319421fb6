/* faults.h -- the ways the server can be told to misbehave, and the dice that decide.
 *
 * Settings are a plain value, written the same way as options (--fault-error 0.1:503) and as
 * lines of a PUT to /_loadstone/faults (error=0.1:503). Threads keep copies and notice changes by
 * a generation number. Draws are seeded: same seed, thread and order of requests, same faults. */
#ifndef LOADSTONE_DRIVER_TARGET_FAULTS_H
#define LOADSTONE_DRIVER_TARGET_FAULTS_H

#include "common/base/err.h"
#include "common/base/rng.h"
#include "common/base/strbuf.h"
#include "driver/target/http_request.h"

#include <pthread.h>
#include <stdatomic.h>

struct fault_settings {
    bool any; /* one of the shares below, or the stall, is set */
    double error_share;
    int error_status;
    double reset_share;
    double truncate_share;
    double close_share;
    double garbage_share;
    double latency_share;
    int64_t latency_ns;
    double slow_share;
    int64_t slow_bytes_per_s;
    int64_t stall_ns; /* the whole server is silent so long ... */
    int64_t stall_every_ns;
    unsigned methods; /* bit 1 << enum http_method; 0: all */
    uint64_t seed;
    int64_t since_ns; /* when they came into force: stalls are counted from there */
};

/* What shall happen to one request. All zero: nothing. */
struct fault_plan {
    int status; /* answer with this error instead */
    int64_t delay_ns;
    int64_t bytes_per_s; /* of the body; 0: as fast as it goes */
    bool reset;          /* cut the answer in the middle with a TCP reset */
    bool truncate;       /* end the body early, then close */
    bool garbage;        /* bytes that are no HTTP, then close */
    bool close;          /* close after the answer without having said so */
};

/* The shared settings; a thread that sees generation change copies them again. */
struct faults {
    pthread_mutex_t lock;
    struct fault_settings settings;
    atomic_uint generation;
};

struct fault_setting_name {
    const char *name;  /* "error" */
    const char *shape; /* "SHARE[:STATUS]" */
    const char *doc;
};
/* All settings, ended by a NULL name; what --help and the manual list. */
extern const struct fault_setting_name fault_setting_names[];

/* Sets one by its name. ERR_NOT_FOUND for an unknown name, ERR_CONFIG for a bad value. */
int fault_settings_set(struct fault_settings *settings, const char *name, const char *value,
                       struct err *err);
/* "error=0.1:503", one a line or joined by '&', applied to *settings: all of them or none. */
int fault_settings_parse(struct fault_settings *settings, const char *text, struct err *err);
/* As a JSON object. */
void fault_settings_format(const struct fault_settings *settings, struct strbuf *out);

void faults_init(struct faults *faults, const struct fault_settings *settings);
void faults_release(struct faults *faults);
void faults_change(struct faults *faults, const struct fault_settings *settings);
struct fault_settings faults_read(struct faults *faults);

struct fault_plan fault_draw(const struct fault_settings *settings, struct rng *rng,
                             enum http_method method);

/* How long the server is to be silent still at now_ns, stalls counted from since_ns; 0: not. */
int64_t fault_stall_left(const struct fault_settings *settings, int64_t since_ns, int64_t now_ns);

#endif
