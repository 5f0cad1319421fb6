/* results.h -- prints what a workload measured, from the answer of /api/v1/workloads/ID/results. */
#ifndef LOADSTONE_CONTROLLER_CLI_RESULTS_H
#define LOADSTONE_CONTROLLER_CLI_RESULTS_H

#include "controller/cli/client.h"

#include <stdio.h>

/* Fetches and prints the results of a workload: tables, or the document itself with json. stage
 * (may be NULL) leaves out the others. An exit code. */
int results_show(const struct client *client, const char *id, const char *stage, bool json,
                 FILE *out);

#endif
