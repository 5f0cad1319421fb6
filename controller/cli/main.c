/* main.c -- loadstone, the command line: finds the command and runs it.
 *
 * Also installed as "cli", which answers as COSBench's cli.sh does. */
#include "common/base/log.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/wire/http_call.h"
#include "controller/cli/commands.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/banned.h"

#define DEFAULT_CONTROLLER "127.0.0.1:19088"

static const char *from_environment(const char *name, const char *fallback)
{
    const char *value = getenv(name);
    return value && *value ? value : fallback;
}

static int usage_error(const char *sentence)
{
    fprintf(stderr, "loadstone: %s\ntry: loadstone help\n", sentence);
    return CLI_USAGE;
}

static int print_version(const struct cli_options *options)
{
    if (options->json)
        printf("{\"name\":\"loadstone\",\"version\":\"%s\"}\n", LOADSTONE_VERSION);
    else
        printf("loadstone %s\n", LOADSTONE_VERSION);
    return CLI_OK;
}

static int print_help_of(const struct cli_options *options)
{
    if (options->arg_count == 0) {
        commands_print_help(stdout);
        return CLI_OK;
    }
    const struct command *command = command_find(options->args[0]);
    if (!command)
        return usage_error("no such command");
    command_print_help(command, stdout);
    return CLI_OK;
}

static bool is_called_cli(const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    return strcmp(name, "cli") == 0 || strcmp(name, "cli.sh") == 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        commands_print_help(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    const struct command *command = command_find(name);
    if (!command) {
        fprintf(stderr, "loadstone: no command %s\n", name);
        commands_print_help(stderr);
        return CLI_USAGE;
    }

    struct err err = {0};
    AUTO(freep) const char **kept = xcalloc((size_t)argc, sizeof(*kept));
    struct cli_options options = {
        .controller = from_environment("LOADSTONE_CONTROLLER", DEFAULT_CONTROLLER),
        .token = from_environment("LOADSTONE_TOKEN", NULL),
        .limit = 50,
        .drivers = 1,
        .as_cosbench = is_called_cli(argv[0]),
    };
    if (command_parse(command, argc - 2, argv + 2, kept, &options, &err) < 0)
        return usage_error(err.text);
    if (options.help) {
        command_print_help(command, stdout);
        return CLI_OK;
    }
    log_open(LOG_LEVEL_WARN, NULL, NULL);
    http_call_setup();
    if (command->run)
        return command->run(&options);
    return strcmp(command->name, "help") == 0 ? print_help_of(&options) : print_version(&options);
}
