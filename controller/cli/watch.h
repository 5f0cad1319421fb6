/* watch.h -- follows a workload until it has ended.
 *
 * On a terminal one line is rewritten each second:
 *   w12 s3-main 3/5 running 12s/30s  812 op/s  52.00 MB/s  p99 3.0 ms  0 errors
 * Elsewhere each second's line stays, and so does each change of stage. */
#ifndef LOADSTONE_CONTROLLER_CLI_WATCH_H
#define LOADSTONE_CONTROLLER_CLI_WATCH_H

#include "controller/cli/client.h"

#include <signal.h>
#include <stdio.h>

enum watch_form { WATCH_LINES, WATCH_JSON, WATCH_SILENT };

/* Set by SIGINT and SIGTERM once watch_catch_signals() was called. */
extern volatile sig_atomic_t watch_interrupted;
void watch_catch_signals(void);

/* Returns when the workload has ended: CLI_OK when it finished, else CLI_ENDED_BADLY, or
 * CLI_UNREACHABLE when the controller was silent for 30 s, CLI_ANSWER when it knows no such
 * workload, CLI_INTERRUPTED. *ret_workload (may be NULL) is the last detail; the caller's. */
int watch_workload(const struct client *client, const char *id, enum watch_form form, FILE *out,
                   json_t **ret_workload);

#endif
