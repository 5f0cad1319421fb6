/* options.h -- the command line of loadstone-target. */
#ifndef LOADSTONE_DRIVER_TARGET_OPTIONS_H
#define LOADSTONE_DRIVER_TARGET_OPTIONS_H

#include "common/base/err.h"
#include "common/base/vec.h"
#include "driver/target/faults.h"
#include "driver/target/store.h"
#include "driver/target/verify.h"

#include <stdio.h>

#define OPTIONS_THREADS_MAX 1024

struct options {
    bool help, version;
    char *bind;
    int64_t port; /* 0: the system picks one */
    int64_t threads;
    VEC(struct user) users; /* owned copies */
    bool anonymous;
    bool null_mode;
    char *region;
    bool region_given; /* then the only one signatures may name */
    char *domain;
    char *tls_cert, *tls_key; /* NULL: plain HTTP */
    int64_t max_memory;
    int64_t max_object;
    int64_t max_connections;
    int64_t idle_timeout_ns;
    char *request_log; /* NULL: none */
    struct fault_settings faults;
};

/* Fills *options from the arguments, defaults where there are none. ERR_CONFIG with a sentence
 * that names the option. Release in either case. */
int options_parse(struct options *options, int argc, char **argv, struct err *err);
void options_release(struct options *options);
void options_print_help(FILE *out);

#endif
