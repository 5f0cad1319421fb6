/* results.c -- see results.h. */
#include "controller/cli/results.h"

#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/base/units.h"
#include "common/base/xalloc.h"
#include "controller/cli/table.h"

#include <string.h>

#include "common/base/banned.h"

static const char *const shown_percentiles[] = {"50", "60", "80", "90", "95", "99", "99.9", "100"};

/* A time in ms as people read it, "N/A" when there is none. */
static void add_ms(struct table *table, const json_t *value)
{
    char text[32];
    if (json_is_number(value))
        table_add(table, "%s", units_format_ns(json_number_value(value) * MS, text, sizeof(text)));
    else
        table_add(table, "N/A");
}

static void add_count(struct table *table, const json_t *row, const char *key)
{
    table_add(table, "%lld", (long long)json_int_or(row, key, 0));
}

static void add_report_row(struct table *table, const json_t *row)
{
    char text[32];
    const json_t *ratio = json_object_get(row, "succ_ratio");
    table_add(table, "%s", json_text_or(row, "stage", ""));
    table_add(table, "%s", json_text_or(row, "label", ""));
    add_count(table, row, "op_count");
    table_add(table, "%s",
              units_format_bytes(json_number_value(json_object_get(row, "byte_count")), text,
                                 sizeof(text)));
    add_ms(table, json_object_get(row, "avg_restime_ms"));
    add_ms(table, json_object_get(row, "avg_proctime_ms"));
    table_add(table, "%.2f op/s", json_number_value(json_object_get(row, "throughput")));
    table_add(table, "%s/s",
              units_format_bytes(json_number_value(json_object_get(row, "bandwidth")), text,
                                 sizeof(text)));
    if (json_is_number(ratio))
        table_add(table, "%.2f%%", json_number_value(ratio) * 100);
    else
        table_add(table, "N/A");
    table_add(table, "%s%s", json_text_or(row, "status", ""),
              json_is_true(json_object_get(row, "client_bound")) ? " (client bound)" : "");
}

static void add_percentile_row(struct table *table, const json_t *row)
{
    const json_t *percentiles = json_object_get(row, "percentiles_ms");
    table_add(table, "%s", json_text_or(row, "stage", ""));
    table_add(table, "%s", json_text_or(row, "label", ""));
    for (size_t i = 0; i < ARRAY_LEN(shown_percentiles); i++)
        add_ms(table, json_object_get(percentiles, shown_percentiles[i]));
}

static void add_error_row(struct table *table, const json_t *row)
{
    table_add(table, "%s", json_text_or(row, "stage", ""));
    table_add(table, "%s", json_text_or(row, "operation", ""));
    table_add(table, "%s", json_text_or(row, "driver", ""));
    add_count(table, row, "count");
    table_add(table, "%s", json_text_or(row, "cause", ""));
    table_add(table, "%s", json_text_or(row, "message", ""));
    table_add(table, "%s", json_text_or(row, "example", ""));
}

/* One table over all rows of an array; nothing at all where it is empty. */
static void print_rows(const char *title, const char *headers, const json_t *rows,
                       void (*add_row)(struct table *, const json_t *), FILE *out)
{
    size_t i;
    json_t *row;
    struct table table;
    if (json_array_size(rows) == 0)
        return;
    table_init(&table, headers);
    json_array_foreach(rows, i, row) add_row(&table, row);
    fprintf(out, "\n%s\n", title);
    table_print(&table, out);
    table_release(&table);
}

static void drop_other_stages(const json_t *document, const char *key, const char *stage)
{
    json_t *rows = json_object_get(document, key);
    for (size_t i = json_array_size(rows); i > 0; i--) {
        if (strcmp(json_text_or(json_array_get(rows, i - 1), "stage", ""), stage) != 0)
            json_array_remove(rows, i - 1);
    }
}

static void print_tables(const json_t *document, FILE *out)
{
    const json_t *results = json_object_get(document, "results");
    fprintf(out, "%s %s: %s\n", json_text_or(document, "id", ""),
            json_text_or(document, "name", ""), json_text_or(document, "state", ""));
    if (json_array_size(results) == 0)
        fputs("nothing has been measured yet\n", out);
    print_rows("General report",
               "Stage|Op-Type|>Op-Count|>Byte-Count|>Avg-ResTime|>Avg-ProcTime|>Throughput|"
               ">Bandwidth|>Succ-Ratio|Status",
               results, add_report_row, out);
    print_rows("Response time, percentiles",
               "Stage|Op-Type|>50%|>60%|>80%|>90%|>95%|>99%|>99.9%|>100%", results,
               add_percentile_row, out);
    print_rows("Errors", "Stage|Operation|Driver|>Count|Cause|Message|Example",
               json_object_get(document, "errors"), add_error_row, out);
}

int results_show(const struct client *client, const char *id, const char *stage, bool json,
                 FILE *out)
{
    AUTO(freep) char *path = client_workload_path(id, "/results");
    AUTO(json_freep) json_t *document = NULL;
    int rc = client_call(client, "GET", path, NULL, 0, NULL, &document);
    if (rc != CLI_OK)
        return rc;
    if (stage) {
        drop_other_stages(document, "results", stage);
        drop_other_stages(document, "errors", stage);
    }
    if (json)
        client_print_json(document);
    else
        print_tables(document, out);
    return CLI_OK;
}
