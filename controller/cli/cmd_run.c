/* cmd_run.c -- submit, watch, cancel. */
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "controller/cli/results.h"
#include "controller/cli/watch.h"

#include <string.h>

#include "common/base/banned.h"

/* Follows a workload as the flags say, then prints its results. */
static int watch_and_show(const struct client *client, const char *id,
                          const struct cli_options *options)
{
    enum watch_form form = options->json ? WATCH_JSON : options->quiet ? WATCH_SILENT : WATCH_LINES;
    AUTO(json_freep) json_t *workload = NULL;
    int ended = watch_workload(client, id, form, stdout, &workload);
    if (ended != CLI_OK && ended != CLI_ENDED_BADLY)
        return ended;
    if (!options->json && !options->quiet)
        putchar('\n');
    int rc = results_show(client, id, NULL, options->json, stdout);
    return ended != CLI_OK ? ended : rc;
}

int cli_submit(const struct cli_options *options)
{
    const char *file = options->args[0];
    AUTO(strbuf_release) struct strbuf text = STRBUF_INIT(WORKLOAD_MAX_BYTES);
    AUTO(client_release) struct client client = {0};
    AUTO(json_freep) json_t *answer = NULL;
    struct err err = {0};

    client_init(&client, options);
    if (file_read(file, &text, &err) < 0) {
        fprintf(stderr, "loadstone: %s\n", err.text);
        return CLI_SYSTEM;
    }
    int rc = client_call(&client, "POST", "/api/v1/workloads", text.buf, text.len, file, &answer);
    if (rc != CLI_OK)
        return rc;
    const char *id = json_text_or(answer, "id", "");
    if (!options->quiet)
        client_print_diagnostics(json_object_get(answer, "diagnostics"), file);
    if (options->json)
        client_print_json(answer);
    else
        printf("Accepted with ID: %s\n", id);
    fflush(stdout);
    return options->watch ? watch_and_show(&client, id, options) : CLI_OK;
}

int cli_watch(const struct cli_options *options)
{
    AUTO(client_release) struct client client = {0};
    client_init(&client, options);
    return watch_and_show(&client, options->args[0], options);
}

/* The answer of COSBench's address, as its scripts expect it. */
static int cancel_as_cosbench(const struct client *client, const char *id)
{
    AUTO(strbuf_release) struct strbuf text = STRBUF_INIT(1 << 20);
    AUTO(freep) char *form = xasprintf("id=%s", id);
    int rc = client_text(client, "/controller/cli/cancel.action", form, &text);
    if (rc == CLI_OK)
        fputs(text.buf, stdout);
    return rc;
}

int cli_cancel(const struct cli_options *options)
{
    const char *id = options->args[0];
    AUTO(client_release) struct client client = {0};
    AUTO(freep) char *path = client_workload_path(id, "/cancel");
    AUTO(json_freep) json_t *workload = NULL;

    client_init(&client, options);
    if (options->as_cosbench && !options->json)
        return cancel_as_cosbench(&client, id);
    int rc = client_call(&client, "POST", path, NULL, 0, NULL, &workload);
    if (rc != CLI_OK)
        return rc;
    if (options->json)
        client_print_json(workload);
    else
        printf("%s %s\n", json_text_or(workload, "id", id), json_text_or(workload, "state", ""));
    return CLI_OK;
}
