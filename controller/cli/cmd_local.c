/* cmd_local.c -- run: a workload here and now, with daemons of its own.
 *
 *   temporary directory -> [target] -> controller -> drivers -> submit, watch, results
 *
 * and then all of it back: daemons stopped by process id, directory removed. */
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/units.h"
#include "common/base/xalloc.h"
#include "common/catalog/config.h"
#include "common/model/workload.h"
#include "controller/cli/daemon.h"
#include "controller/cli/results.h"
#include "controller/cli/watch.h"

#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/banned.h"

#define DRIVERS_READY_NS (20 * SEC)

struct local_run {
    const struct cli_options *options;
    char *folder;
    struct daemon target, controller;
    VEC(struct daemon) drivers;
};

static int fail(const struct err *err)
{
    fprintf(stderr, "loadstone: %s\n", err->text);
    return CLI_SYSTEM;
}

static void remark(const struct local_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void remark(const struct local_run *run, const char *format, ...)
{
    va_list args;
    if (run->options->quiet)
        return;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* ---- the temporary directory */

static int make_folder(struct local_run *run)
{
    const char *parent = getenv("TMPDIR");
    run->folder = xasprintf("%s/loadstone-run-XXXXXX", parent && *parent ? parent : "/tmp");
    if (mkdtemp(run->folder))
        return CLI_OK;
    fprintf(stderr, "loadstone: %s: %s\n", run->folder, strerror(errno));
    free(run->folder);
    run->folder = NULL;
    return CLI_SYSTEM;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    remove(path);
    return 0;
}

/* ---- the store that the workload expects */

struct endpoint {
    char *host, *port, *accesskey, *secretkey;
};

static void endpoint_release(struct endpoint *endpoint)
{
    free(endpoint->host);
    free(endpoint->port);
    free(endpoint->accesskey);
    free(endpoint->secretkey);
}

/* Where the first S3 storage of the workload says it is. True when there is one. */
static bool find_endpoint(const struct workload *workload, struct endpoint *endpoint)
{
    VEC_EACH (stage, &workload->stages) {
        VEC_EACH (work, &stage->works) {
            struct config config = {0};
            if (strcasecmp(work->storage.type, "s3") != 0 ||
                config_parse(work->storage.config, &config, NULL, NULL, 0, NULL) < 0)
                continue;
            const char *url = config_find(&config, "endpoint");
            const char *host = url && strncasecmp(url, "http://", 7) == 0 ? url + 7 : NULL;
            if (host) {
                size_t len = strcspn(host, "/");
                const char *colon = memchr(host, ':', len);
                size_t host_len = colon ? (size_t)(colon - host) : len;
                endpoint->host = xstrndup(host, host_len);
                endpoint->port = colon ? xstrndup(colon + 1, len - host_len - 1) : xstrdup("80");
                endpoint->accesskey = xstrdup(config_find(&config, "accesskey"));
                endpoint->secretkey = xstrdup(config_find(&config, "secretkey"));
            }
            config_release(&config);
            if (host)
                return true;
        }
    }
    return false;
}

static int start_target(struct local_run *run, const struct workload *workload)
{
    AUTO(endpoint_release) struct endpoint endpoint = {0};
    struct err err = {0};
    if (!find_endpoint(workload, &endpoint)) {
        fprintf(stderr,
                "loadstone: --target: the workload has no s3 storage with an http endpoint\n");
        return CLI_USAGE;
    }
    if (strcmp(endpoint.host, "localhost") != 0 && strncmp(endpoint.host, "127.", 4) != 0) {
        fprintf(stderr, "loadstone: --target: the workload's store is at %s, not on this host\n",
                endpoint.host);
        return CLI_USAGE;
    }
    const char *arguments[] = {"--bind",
                               "127.0.0.1",
                               "--port",
                               endpoint.port,
                               endpoint.accesskey ? "--access-key" : NULL,
                               endpoint.accesskey,
                               "--secret-key",
                               endpoint.secretkey ? endpoint.secretkey : "",
                               NULL};
    if (daemon_start(&run->target, "loadstone-target", "target", arguments, run->folder, &err) < 0)
        return fail(&err);
    remark(run, "target at %s, access key %s, secret key as in the workload", run->target.url,
           endpoint.accesskey ? endpoint.accesskey : "loadstone");
    return CLI_OK;
}

/* ---- controller and drivers */

static int start_controller(struct local_run *run)
{
    struct err err = {0};
    AUTO(freep) char *path = xasprintf("%s/controller.conf", run->folder);
    AUTO(freep)
    char *text =
        xasprintf("[controller]\nname = run\ndata_dir = %s/data\narchive_dir = %s/archive\n",
                  run->folder, run->folder);
    if (file_write(path, text, strlen(text), &err) < 0)
        return fail(&err);
    const char *arguments[] = {"-c", path, "--port", "0", NULL};
    if (daemon_start(&run->controller, "loadstone-controller", "controller", arguments, run->folder,
                     &err) < 0)
        return fail(&err);
    return CLI_OK;
}

static int start_driver(struct local_run *run, int64_t number)
{
    struct err err = {0};
    struct daemon daemon;
    AUTO(freep) char *name = xasprintf("driver%lld", (long long)number);
    const char *arguments[] = {
        "--controller", run->controller.url, "--name", name, "--port", "0", NULL};
    int rc = daemon_start(&daemon, "loadstone-driver", name, arguments, run->folder, &err);
    vec_push(&run->drivers, daemon);
    return rc < 0 ? fail(&err) : CLI_OK;
}

static int64_t count_alive(const json_t *document)
{
    int64_t alive = 0;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(document, "drivers"), i, row) alive +=
        strcmp(json_text_or(row, "state", ""), "alive") == 0;
    return alive;
}

/* A driver that serves is not yet one the controller knows. */
static int wait_drivers(struct local_run *run, const struct client *client)
{
    int64_t until_ns = clock_mono_ns() + DRIVERS_READY_NS;
    while (clock_mono_ns() < until_ns && !watch_interrupted) {
        char text[1024];
        AUTO(json_freep) json_t *document = NULL;
        if (client_try(client, "GET", "/api/v1/drivers", text, sizeof(text), &document) == CLI_OK &&
            count_alive(document) >= run->options->drivers)
            return CLI_OK;
        clock_sleep_ns(20 * MS);
    }
    if (watch_interrupted)
        return CLI_INTERRUPTED;
    fprintf(stderr, "loadstone: the drivers did not register within %d s\n",
            (int)(DRIVERS_READY_NS / SEC));
    return CLI_SYSTEM;
}

static int submit_and_watch(struct local_run *run, const struct client *client,
                            const struct strbuf *text)
{
    const struct cli_options *options = run->options;
    const char *file = options->args[0];
    AUTO(json_freep) json_t *answer = NULL;
    int rc = client_call(client, "POST", "/api/v1/workloads", text->buf, text->len, file, &answer);
    if (rc != CLI_OK)
        return rc;
    if (!options->quiet)
        client_print_diagnostics(json_object_get(answer, "diagnostics"), file);
    const char *id = json_text_or(answer, "id", "");
    int ended =
        watch_workload(client, id, options->quiet ? WATCH_SILENT : WATCH_LINES, stderr, NULL);
    if (ended != CLI_OK && ended != CLI_ENDED_BADLY)
        return ended;
    rc = results_show(client, id, NULL, options->json, stdout);
    fflush(stdout);
    return ended != CLI_OK ? ended : rc;
}

static int run_all(struct local_run *run, const struct workload *workload,
                   const struct strbuf *text)
{
    int rc = make_folder(run);
    if (rc == CLI_OK && run->options->target)
        rc = start_target(run, workload);
    if (rc == CLI_OK)
        rc = start_controller(run);
    for (int64_t i = 1; rc == CLI_OK && i <= run->options->drivers; i++)
        rc = start_driver(run, i);
    if (rc != CLI_OK)
        return watch_interrupted ? CLI_INTERRUPTED : rc;

    struct client client = {.base = run->controller.url};
    remark(run, "controller at %s, %lld %s", client.base, (long long)run->options->drivers,
           run->options->drivers == 1 ? "driver" : "drivers");
    rc = wait_drivers(run, &client);
    return rc == CLI_OK ? submit_and_watch(run, &client, text) : rc;
}

/* Drivers first: a controller that stops orderly tells them nothing they need. */
static void stop_all(struct local_run *run)
{
    VEC_EACH (driver, &run->drivers) {
        daemon_release(driver);
    }
    vec_release(&run->drivers);
    daemon_release(&run->controller);
    daemon_release(&run->target);
    if (run->folder && run->options->keep)
        fprintf(stderr, "kept: %s\n", run->folder);
    else if (run->folder)
        nftw(run->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(run->folder);
}

int cli_run_local(const struct cli_options *options)
{
    const char *file = options->args[0];
    struct local_run run = {.options = options};
    AUTO(strbuf_release) struct strbuf text = STRBUF_INIT(WORKLOAD_MAX_BYTES);
    AUTO(diags_release) struct diags diags = {0};
    AUTO(workload_freep) struct workload *workload = NULL;
    struct err err = {0};

    if (file_read(file, &text, &err) < 0)
        return fail(&err);
    if (workload_parse(text.buf, text.len, &workload, &diags, &err) < 0) {
        AUTO(strbuf_release) struct strbuf lines = STRBUF_INIT(16 << 20);
        diags_format(&diags, file, &lines);
        fputs(lines.len > 0 ? lines.buf : err.text, stderr);
        return CLI_REFUSED;
    }
    watch_catch_signals();
    int rc = run_all(&run, workload, &text);
    stop_all(&run);
    return rc;
}
