/* command.h -- what every command of the command line gets and gives back.
 *
 * A command is a row of the table in commands.c and a function of this form. It prints its result
 * to stdout, what went wrong to stderr, and returns an exit code. */
#ifndef LOADSTONE_CONTROLLER_CLI_COMMAND_H
#define LOADSTONE_CONTROLLER_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes, documented in docs/cli.md. */
enum cli_exit {
    CLI_OK = 0,
    CLI_ENDED_BADLY = 1, /* the workload failed, was terminated or cancelled */
    CLI_USAGE = 2,       /* the command line is wrong */
    CLI_REFUSED = 3,     /* the workload is wrong */
    CLI_UNREACHABLE = 4, /* the controller does not answer */
    CLI_ANSWER = 5,      /* the controller answered with an error: unknown id, not allowed, ... */
    CLI_SYSTEM = 6,      /* a file, a process or the machine */
    CLI_INTERRUPTED = 130,
};

/* What was given on the command line; all text is argv's or the environment's. */
struct cli_options {
    const char *controller; /* "HOST:PORT" or an URL */
    const char *token;
    const char *ca_file;
    const char *user; /* "user:password", or NULL */
    const char *state;
    const char *stage;
    bool json, quiet, watch, keep, target, help;
    bool as_cosbench; /* called as "cli": answer as COSBench's cli.sh does */
    int64_t limit, drivers;
    const char **args; /* after the command's name */
    size_t arg_count;
};

typedef int cli_command(const struct cli_options *options);

/* cmd_run.c */
cli_command cli_submit, cli_watch, cli_cancel;
/* cmd_show.c */
cli_command cli_info, cli_list, cli_show, cli_drivers, cli_results;
/* cmd_validate.c */
cli_command cli_validate;
/* cmd_local.c */
cli_command cli_run_local;

#endif
