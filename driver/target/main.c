/* main.c -- loadstone-target: options, signals, and the line that says it is ready. */
#include "driver/target/options.h"
#include "driver/target/server.h"
#include "driver/target/target.h"

#include <signal.h>
#include <stdio.h>

enum { EXIT_STOPPED = 0, EXIT_CANNOT_SERVE = 1, EXIT_USAGE = 2 };

static int fail(const struct err *err, int code)
{
    fprintf(stderr, "loadstone-target: %s\n", err->text);
    return code;
}

/* Serves until a signal; the threads have these blocked, so that only this one sees them. */
static int serve(const struct options *options)
{
    struct target target;
    struct server *server = NULL;
    struct err err = {0};
    sigset_t stop;
    int signal_number = 0;

    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    int rc = target_init(&target, options, &err);
    if (rc == 0)
        rc = server_start(&target, &server, &err);
    if (rc == 0) {
        printf("loadstone-target listening on %s threads=%zu%s\n", server_url(server),
               target.thread_count, options->null_mode ? " null" : "");
        fflush(stdout);
        sigwait(&stop, &signal_number);
        server_stop(server);
    }
    target_release(&target);
    return rc == 0 ? EXIT_STOPPED : fail(&err, EXIT_CANNOT_SERVE);
}

int main(int argc, char **argv)
{
    struct options options;
    struct err err = {0};
    int code = EXIT_STOPPED;
    if (options_parse(&options, argc, argv, &err) < 0)
        code = fail(&err, EXIT_USAGE);
    else if (options.help)
        options_print_help(stdout);
    else if (options.version)
        printf("loadstone-target %s\n", LOADSTONE_VERSION);
    else
        code = serve(&options);
    options_release(&options);
    return code;
}
