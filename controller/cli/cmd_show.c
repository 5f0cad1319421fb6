/* cmd_show.c -- info, list, show, drivers, results. */
#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "controller/cli/results.h"
#include "controller/cli/table.h"

#include <string.h>

#include "common/base/banned.h"

/* "2026-11-30 21:02:59" of an RFC 3339 time, "-" for none. */
static void add_time(struct table *table, const json_t *row, const char *key)
{
    const char *text = json_text_or(row, key, "");
    if (strlen(text) >= 19 && text[10] == 'T')
        table_add(table, "%.10s %.8s", text, text + 11);
    else
        table_add(table, "-");
}

static void add_text(struct table *table, const json_t *row, const char *key)
{
    const char *text = json_text_or(row, key, "");
    table_add(table, "%s", *text ? text : "-");
}

static void add_number(struct table *table, const json_t *row, const char *key)
{
    table_add(table, "%lld", (long long)json_int_or(row, key, 0));
}

static void print_drivers(const json_t *drivers)
{
    size_t i;
    json_t *row;
    struct table table;
    table_init(&table, "Driver|URL|State|Version|>Threads|>Missions|Source|Last seen (UTC)");
    json_array_foreach(drivers, i, row)
    {
        add_text(&table, row, "name");
        add_text(&table, row, "url");
        add_text(&table, row, "state");
        add_text(&table, row, "version");
        add_number(&table, row, "threads");
        add_number(&table, row, "missions");
        add_text(&table, row, "source");
        add_time(&table, row, "last_seen_at");
    }
    table_print(&table, stdout);
    table_release(&table);
}

static void print_workloads(const json_t *workloads)
{
    size_t i;
    json_t *row;
    struct table table;
    table_init(&table, "ID|Name|State|Stage|>Done|Submitted (UTC)|Ended (UTC)|Operations");
    json_array_foreach(workloads, i, row)
    {
        add_text(&table, row, "id");
        add_text(&table, row, "name");
        add_text(&table, row, "state");
        add_text(&table, row, "current_stage");
        table_add(&table, "%lld/%lld", (long long)json_int_or(row, "stages_done", 0),
                  (long long)json_int_or(row, "stages_total", 0));
        add_time(&table, row, "submitted_at");
        add_time(&table, row, "ended_at");
        add_text(&table, row, "op_info");
    }
    table_print(&table, stdout);
    table_release(&table);
}

static int info_as_cosbench(const struct client *client)
{
    AUTO(strbuf_release) struct strbuf text = STRBUF_INIT(64 << 20);
    int rc = client_text(client, "/controller/cli/index.action", NULL, &text);
    if (rc == CLI_OK)
        fputs(text.buf, stdout);
    return rc;
}

int cli_info(const struct cli_options *options)
{
    AUTO(client_release) struct client client = {0};
    AUTO(json_freep) json_t *info = NULL, *drivers = NULL, *workloads = NULL;
    client_init(&client, options);
    if (options->as_cosbench && !options->json)
        return info_as_cosbench(&client);

    int rc = client_call(&client, "GET", "/api/v1/info", NULL, 0, NULL, &info);
    if (rc == CLI_OK)
        rc = client_call(&client, "GET", "/api/v1/drivers", NULL, 0, NULL, &drivers);
    if (rc == CLI_OK)
        rc = client_call(&client, "GET", "/api/v1/workloads?state=active&limit=1000", NULL, 0, NULL,
                         &workloads);
    if (rc != CLI_OK)
        return rc;
    json_t *driver_rows = json_object_get(drivers, "drivers");
    json_t *workload_rows = json_object_get(workloads, "workloads");
    if (options->json) {
        json_object_set(info, "drivers", driver_rows);
        json_object_set(info, "active", workload_rows);
        client_print_json(info);
        return CLI_OK;
    }
    printf("controller %s, version %s, at %s\n\nDrivers: %zu\n", json_text_or(info, "name", ""),
           json_text_or(info, "version", ""), client.base, json_array_size(driver_rows));
    if (json_array_size(driver_rows) > 0)
        print_drivers(driver_rows);
    printf("\nActive workloads: %zu\n", json_array_size(workload_rows));
    if (json_array_size(workload_rows) > 0)
        print_workloads(workload_rows);
    return CLI_OK;
}

int cli_drivers(const struct cli_options *options)
{
    AUTO(client_release) struct client client = {0};
    AUTO(json_freep) json_t *drivers = NULL;
    client_init(&client, options);
    int rc = client_call(&client, "GET", "/api/v1/drivers", NULL, 0, NULL, &drivers);
    if (rc != CLI_OK)
        return rc;
    if (options->json)
        client_print_json(drivers);
    else
        print_drivers(json_object_get(drivers, "drivers"));
    return CLI_OK;
}

int cli_list(const struct cli_options *options)
{
    AUTO(client_release) struct client client = {0};
    AUTO(json_freep) json_t *workloads = NULL;
    const char *state = options->state ? options->state : "";
    if (*state && strcmp(state, "active") != 0 && strcmp(state, "ended") != 0) {
        fprintf(stderr, "loadstone: --state: %s is neither active nor ended\n", state);
        return CLI_USAGE;
    }
    AUTO(freep)
    char *path = xasprintf("/api/v1/workloads?limit=%lld%s%s", (long long)options->limit,
                           *state ? "&state=" : "", state);
    client_init(&client, options);
    int rc = client_call(&client, "GET", path, NULL, 0, NULL, &workloads);
    if (rc != CLI_OK)
        return rc;
    if (options->json)
        client_print_json(workloads);
    else
        print_workloads(json_object_get(workloads, "workloads"));
    return CLI_OK;
}

static void print_stages(const json_t *stages)
{
    size_t i, k;
    json_t *stage, *work;
    struct table table;
    table_init(&table, "Stage|State|>Works|>Workers|Started (UTC)|Ended (UTC)|Error");
    json_array_foreach(stages, i, stage)
    {
        int64_t workers = 0;
        json_array_foreach(json_object_get(stage, "works"), k, work) workers +=
            json_int_or(work, "workers", 0);
        add_text(&table, stage, "id");
        add_text(&table, stage, "state");
        table_add(&table, "%zu", json_array_size(json_object_get(stage, "works")));
        table_add(&table, "%lld", (long long)workers);
        add_time(&table, stage, "started_at");
        add_time(&table, stage, "ended_at");
        table_add(&table, "%s", json_text_or(stage, "error", ""));
    }
    table_print(&table, stdout);
    table_release(&table);
}

static void print_missions(const json_t *stages)
{
    size_t i, k;
    json_t *stage, *mission;
    struct table table;
    table_init(&table, "Mission|Driver|Work|>Workers|State|Error");
    json_array_foreach(stages, i, stage)
    {
        json_array_foreach(json_object_get(stage, "missions"), k, mission)
        {
            add_text(&table, mission, "id");
            add_text(&table, mission, "driver");
            add_text(&table, mission, "work");
            add_number(&table, mission, "workers");
            add_text(&table, mission, "state");
            table_add(&table, "%s", json_text_or(mission, "error", ""));
        }
    }
    if (table.cells.len > 0) {
        fputs("\nMissions\n", stdout);
        table_print(&table, stdout);
    }
    table_release(&table);
}

static void print_history(const json_t *history)
{
    size_t i;
    json_t *step;
    json_array_foreach(history, i, step) printf(
        "%s%s %.19s", i ? ", " : "", json_text_or(step, "state", ""), json_text_or(step, "at", ""));
}

int cli_show(const struct cli_options *options)
{
    AUTO(client_release) struct client client = {0};
    AUTO(freep) char *path = client_workload_path(options->args[0], "");
    AUTO(json_freep) json_t *workload = NULL;
    client_init(&client, options);
    int rc = client_call(&client, "GET", path, NULL, 0, NULL, &workload);
    if (rc != CLI_OK)
        return rc;
    if (options->json) {
        client_print_json(workload);
        return CLI_OK;
    }
    printf("%s %s: %s\n", json_text_or(workload, "id", ""), json_text_or(workload, "name", ""),
           json_text_or(workload, "state", ""));
    if (*json_text_or(workload, "description", ""))
        printf("%s\n", json_text_or(workload, "description", ""));
    if (*json_text_or(workload, "error", ""))
        printf("error: %s\n", json_text_or(workload, "error", ""));
    printf("history (UTC): ");
    print_history(json_object_get(workload, "history"));
    printf("\noperations: %s\n\n", json_text_or(workload, "op_info", ""));
    print_stages(json_object_get(workload, "stages"));
    print_missions(json_object_get(workload, "stages"));
    return CLI_OK;
}

int cli_results(const struct cli_options *options)
{
    AUTO(client_release) struct client client = {0};
    client_init(&client, options);
    return results_show(&client, options->args[0], options->stage, options->json, stdout);
}
