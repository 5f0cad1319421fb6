/* commands.c -- see commands.h. */
#include "controller/cli/commands.h"

#include "common/base/scope.h"
#include "common/base/units.h"

#include <string.h>

#include "common/base/banned.h"

enum {
    FLAG_WATCH = 1 << 0,
    FLAG_LIMIT = 1 << 1,
    FLAG_STATE = 1 << 2,
    FLAG_DRIVERS = 1 << 3,
    FLAG_TARGET = 1 << 4,
    FLAG_KEEP = 1 << 5,
    FLAG_STAGE = 1 << 6,
    FLAG_REMOTE = 1 << 7, /* where the controller is */
    FLAG_ALL = 1 << 8,    /* each command has it */
};

enum flag_kind { FLAG_BOOL, FLAG_TEXT, FLAG_NUMBER };

struct flag {
    unsigned bit;
    const char *name;   /* "--watch" */
    const char *letter; /* "-w", or NULL */
    enum flag_kind kind;
    const char *value; /* name of the value in the help */
    size_t off;
    int64_t min, max; /* of a number */
    const char *help;
};

#define OFF(member) offsetof(struct cli_options, member)

static const struct flag flags[] = {
    {FLAG_WATCH, "--watch", "-w", FLAG_BOOL, NULL, OFF(watch), 0, 0,
     "stay until it has ended, show progress, then the results"},
    {FLAG_LIMIT, "--limit", "-n", FLAG_NUMBER, "N", OFF(limit), 1, 1000,
     "at most N workloads, newest first (default 50)"},
    {FLAG_STATE, "--state", NULL, FLAG_TEXT, "active|ended", OFF(state), 0, 0,
     "only those that wait or run, or only those that have ended"},
    {FLAG_STAGE, "--stage", NULL, FLAG_TEXT, "ID", OFF(stage), 0, 0,
     "only this stage, for example s3-main"},
    {FLAG_DRIVERS, "--drivers", NULL, FLAG_NUMBER, "N", OFF(drivers), 1, 64,
     "start N drivers, named driver1, driver2, ... (default 1)"},
    {FLAG_TARGET, "--target", NULL, FLAG_BOOL, NULL, OFF(target), 0, 0,
     "also start loadstone-target where the workload's storage expects a store"},
    {FLAG_KEEP, "--keep", NULL, FLAG_BOOL, NULL, OFF(keep), 0, 0,
     "keep the temporary directory: database, archive and logs"},
    {FLAG_REMOTE, "--controller", "-c", FLAG_TEXT, "HOST:PORT", OFF(controller), 0, 0,
     "where the controller is, also as URL (default 127.0.0.1:19088, or $LOADSTONE_CONTROLLER)"},
    {FLAG_REMOTE, "--token", NULL, FLAG_TEXT, "TOKEN", OFF(token), 0, 0,
     "token of the controller (default $LOADSTONE_TOKEN)"},
    {FLAG_REMOTE, "--ca", NULL, FLAG_TEXT, "FILE", OFF(ca_file), 0, 0,
     "certificates (PEM) to check an https controller with"},
    {FLAG_ALL, "--json", "-j", FLAG_BOOL, NULL, OFF(json), 0, 0, "print JSON instead of tables"},
    {FLAG_ALL, "--quiet", "-q", FLAG_BOOL, NULL, OFF(quiet), 0, 0,
     "no progress and no remarks, only results and errors"},
    {FLAG_ALL, "--help", "-h", FLAG_BOOL, NULL, OFF(help), 0, 0, "say what the command does"},
};

const struct command commands[] = {
    {"submit", "FILE [user:pass@host:port]", 1, 2, FLAG_WATCH | FLAG_REMOTE, true, cli_submit,
     "send a workload to the controller",
     "Prints \"Accepted with ID: wN\". A workload that is refused is explained line by line."},
    {"validate", "FILE...", 1, SIZE_MAX, 0, false, cli_validate,
     "check workload files, without a controller",
     "Prints FILE:LINE: and what was found and expected, for every error and warning."},
    {"run", "FILE", 1, 1, FLAG_DRIVERS | FLAG_TARGET | FLAG_KEEP, false, cli_run_local,
     "run a workload here and now, with a controller and drivers of its own",
     "Starts loadstone-controller and loadstone-driver from this program's directory on free\n"
     "loopback ports and a temporary directory, submits FILE, shows progress, prints the\n"
     "results, stops what it started and removes the directory."},
    {"info", "[user:pass@host:port]", 0, 1, FLAG_REMOTE, true, cli_info,
     "the controller, its drivers and the workloads that wait or run", NULL},
    {"list", "", 0, 0, FLAG_LIMIT | FLAG_STATE | FLAG_REMOTE, false, cli_list,
     "all workloads, newest first", NULL},
    {"show", "ID", 1, 1, FLAG_REMOTE, false, cli_show, "one workload: state, stages, missions",
     NULL},
    {"watch", "ID", 1, 1, FLAG_REMOTE, false, cli_watch,
     "follow a workload until it has ended, then print its results", NULL},
    {"results", "ID", 1, 1, FLAG_STAGE | FLAG_REMOTE, false, cli_results,
     "what a workload measured: a row per stage and operation, errors by cause", NULL},
    {"cancel", "ID [user:pass@host:port]", 1, 2, FLAG_REMOTE, true, cli_cancel,
     "cancel a workload that waits or runs", NULL},
    {"drivers", "", 0, 0, FLAG_REMOTE, false, cli_drivers, "the drivers and how they are", NULL},
    {"help", "[COMMAND]", 0, 1, 0, false, NULL, "this help, or that of a command", NULL},
    {"version", "", 0, 0, 0, false, NULL, "the program's version", NULL},
    {0},
};

const struct command *command_find(const char *name)
{
    for (const struct command *command = commands; command->name; command++) {
        if (strcmp(command->name, name) == 0)
            return command;
    }
    return NULL;
}

static bool flag_applies(const struct flag *flag, const struct command *command)
{
    return flag->bit == FLAG_ALL || (command && (command->flags & flag->bit));
}

/* The flag that argument names; *ret_value is what follows its '=', or NULL. */
static const struct flag *flag_find(const struct command *command, const char *argument,
                                    const char **ret_value)
{
    size_t len = strcspn(argument, "=");
    *ret_value = argument[len] == '=' ? argument + len + 1 : NULL;
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
        const struct flag *flag = &flags[i];
        bool named = strncmp(flag->name, argument, len) == 0 && flag->name[len] == '\0';
        bool lettered = flag->letter && strcmp(flag->letter, argument) == 0;
        if ((named || lettered) && flag_applies(flag, command))
            return flag;
    }
    return NULL;
}

static int flag_set(const struct flag *flag, const char *value, struct cli_options *options,
                    struct err *err)
{
    char *member = (char *)options + flag->off;
    switch (flag->kind) {
    case FLAG_BOOL:
        if (value)
            return err_set(err, ERR_CONFIG, "%s takes no value", flag->name);
        *(bool *)(void *)member = true;
        return 0;
    case FLAG_TEXT:
        *(const char **)(void *)member = value;
        return 0;
    case FLAG_NUMBER:
        break;
    }
    int64_t number;
    if (units_parse_int(value, &number) < 0 || number < flag->min || number > flag->max)
        return err_set(err, ERR_CONFIG, "%s: %s is not a number from %lld to %lld", flag->name,
                       value, (long long)flag->min, (long long)flag->max);
    *(int64_t *)(void *)member = number;
    return 0;
}

/* COSBench's last argument: user:pass@host:port, host:port (digits after the colon) or user:pass.
 * True when the argument is of that form; options then know. */
static bool take_cosbench(const char *argument, struct cli_options *options)
{
    const char *at = strrchr(argument, '@');
    const char *colon = strrchr(argument, ':');
    static char user[1024];
    if (at) {
        snprintf(user, sizeof(user), "%.*s", (int)(at - argument), argument);
        options->user = user;
        options->controller = at + 1;
        return true;
    }
    if (!colon || strchr(argument, '/'))
        return false;
    if (colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == '\0')
        options->controller = argument;
    else
        options->user = argument;
    return true;
}

static int check_args(const struct command *command, struct cli_options *options, struct err *err)
{
    if (!command || options->help)
        return 0;
    bool last = command->takes_cosbench && options->arg_count == command->max_args;
    if (last && !take_cosbench(options->args[options->arg_count - 1], options))
        return err_set(err, ERR_CONFIG, "%s is not of the form user:pass@host:port",
                       options->args[options->arg_count - 1]);
    if (last)
        options->arg_count--;
    size_t max = command->takes_cosbench ? command->max_args - 1 : command->max_args;
    if (options->arg_count < command->min_args)
        return err_set(err, ERR_CONFIG, "%s needs %s", command->name, command->args);
    if (options->arg_count > max)
        return err_set(err, ERR_CONFIG, "%s does not take %s", command->name,
                       options->args[options->arg_count - 1]);
    return 0;
}

int command_parse(const struct command *command, int count, char **argv, const char **kept,
                  struct cli_options *options, struct err *err)
{
    bool only_args = false;
    options->args = kept;
    for (int i = 0; i < count; i++) {
        const char *argument = argv[i];
        const char *value = NULL;
        if (!only_args && strcmp(argument, "--") == 0) {
            only_args = true;
            continue;
        }
        if (only_args || argument[0] != '-' || argument[1] == '\0') {
            kept[options->arg_count++] = argument;
            continue;
        }
        const struct flag *flag = flag_find(command, argument, &value);
        if (!flag)
            return err_set(err, ERR_CONFIG, "%s has no flag %s",
                           command ? command->name : "loadstone", argument);
        if (flag->kind != FLAG_BOOL && !value) {
            if (i + 1 == count)
                return err_set(err, ERR_CONFIG, "%s needs a value: %s", flag->name, flag->value);
            value = argv[++i];
        }
        int rc = flag_set(flag, value, options, err);
        if (rc < 0)
            return rc;
    }
    return check_args(command, options, err);
}

static void print_flags(const struct command *command, FILE *out)
{
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
        const struct flag *flag = &flags[i];
        char text[64];
        if (!flag_applies(flag, command))
            continue;
        snprintf(text, sizeof(text), "%s%s%s%s%s", flag->letter ? flag->letter : "",
                 flag->letter ? ", " : "    ", flag->name, flag->value ? " " : "",
                 flag->value ? flag->value : "");
        fprintf(out, "  %-28s %s\n", text, flag->help);
    }
}

void command_print_help(const struct command *command, FILE *out)
{
    fprintf(out, "usage: loadstone %s%s%s [flags]\n\n%s\n", command->name,
            *command->args ? " " : "", command->args, command->summary);
    if (command->details)
        fprintf(out, "\n%s\n", command->details);
    fprintf(out, "\nflags:\n");
    print_flags(command, out);
}

void commands_print_help(FILE *out)
{
    fprintf(out, "usage: loadstone COMMAND [arguments] [flags]\n\n"
                 "Loadstone measures object storage. Commands:\n");
    for (const struct command *command = commands; command->name; command++)
        fprintf(out, "  %-10s %s\n", command->name, command->summary);
    fprintf(out,
            "\n\"loadstone COMMAND --help\" says more about one. Exit codes:\n"
            "  0 done   1 the workload failed, was terminated or cancelled   2 wrong usage\n"
            "  3 the workload file is wrong   4 the controller does not answer\n"
            "  5 the controller answered with an error   6 a file or process   130 interrupted\n");
}
