/* cmd_validate.c -- validate: the controller's checks on files, without a controller. */
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/model/workload.h"
#include "controller/cli/client.h"

#include <stdio.h>

#include "common/base/banned.h"

static json_t *diagnostics_to_json(const struct diags *diags)
{
    json_t *rows = json_array();
    VEC_EACH (diag, &diags->list) {
        json_array_append_new(rows,
                              json_pack("{s:s,s:i,s:o,s:o,s:o}", "severity",
                                        diag->severity == DIAG_ERROR ? "error" : "warning", "line",
                                        diag->line, "element", json_text_new(diag->element),
                                        "attribute", json_text_new(diag->attribute), "message",
                                        json_text_new(diag->message)));
    }
    return rows;
}

static void print_lines(const char *file, const struct workload *workload,
                        const struct diags *diags, const struct cli_options *options)
{
    AUTO(strbuf_release) struct strbuf lines = STRBUF_INIT(16 << 20);
    size_t warnings = diags->list.len + diags->dropped; /* there is no error where it is printed */
    if (!options->quiet || diags->errors > 0)
        diags_format(diags, file, &lines);
    fputs(lines.buf, stdout);
    if (workload && !options->quiet)
        printf("%s: ok: %s, %zu %s, %zu %s\n", file, workload->name, workload->stages.len,
               workload->stages.len == 1 ? "stage" : "stages", warnings,
               warnings == 1 ? "warning" : "warnings");
}

/* Checks one file; an exit code. */
static int validate_file(const char *file, const struct cli_options *options, json_t *rows)
{
    AUTO(strbuf_release) struct strbuf text = STRBUF_INIT(WORKLOAD_MAX_BYTES);
    AUTO(diags_release) struct diags diags = {0};
    AUTO(workload_freep) struct workload *workload = NULL;
    struct err err = {0};

    int rc = file_read(file, &text, &err);
    if (rc < 0) {
        fprintf(stderr, "loadstone: %s\n", err.text);
        return rc == ERR_LIMIT ? CLI_REFUSED : CLI_SYSTEM;
    }
    rc = workload_parse(text.buf, text.len, &workload, &diags, &err);
    if (rc < 0 && diags.errors == 0)
        diags_add(&diags, DIAG_ERROR, 0, "", "", "%s", err.text);
    if (options->json)
        json_array_append_new(rows, json_pack("{s:o,s:b,s:o}", "file", json_text_new(file), "ok",
                                              rc == 0, "diagnostics", diagnostics_to_json(&diags)));
    else
        print_lines(file, workload, &diags, options);
    return rc == 0 ? CLI_OK : CLI_REFUSED;
}

int cli_validate(const struct cli_options *options)
{
    AUTO(json_freep) json_t *rows = json_array();
    int worst = CLI_OK;
    for (size_t i = 0; i < options->arg_count; i++) {
        int code = validate_file(options->args[i], options, rows);
        worst = MAX(worst, code);
    }
    if (options->json)
        client_print_json(rows);
    return worst;
}
