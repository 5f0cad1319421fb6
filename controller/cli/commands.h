/* commands.h -- the table of commands and their flags: parsing, help and reference read it. */
#ifndef LOADSTONE_CONTROLLER_CLI_COMMANDS_H
#define LOADSTONE_CONTROLLER_CLI_COMMANDS_H

#include "common/base/err.h"
#include "controller/cli/command.h"

#include <stdio.h>

struct command {
    const char *name;
    const char *args; /* "FILE [user:pass@host:port]" */
    size_t min_args, max_args;
    unsigned flags;      /* FLAG_ bits besides the ones that each has */
    bool takes_cosbench; /* its last argument may be user:pass@host:port, host:port or user:pass */
    cli_command *run;    /* NULL: help and version, which main() does itself */
    const char *summary; /* one line */
    const char *details; /* more lines for its own --help, or NULL */
};

/* Ends with a row without a name. */
extern const struct command commands[];

const struct command *command_find(const char *name);

/* Fills options from argv[0..count) (what follows the command's name; command may be NULL: only the
 * flags that each has). options->args points into kept, which has room for count entries.
 * ERR_CONFIG with a sentence. */
int command_parse(const struct command *command, int count, char **argv, const char **kept,
                  struct cli_options *options, struct err *err);

void commands_print_help(FILE *out);
void command_print_help(const struct command *command, FILE *out);

#endif
