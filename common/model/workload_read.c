/* workload_read.c -- from XML elements to a workload: structure and inheritance
 * (spec: workload-xml.md).
 *
 * A struct level goes down with the elements: what storage, auth and config string apply there. */
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/units.h"
#include "common/catalog/config.h"
#include "common/catalog/key.h"
#include "common/model/workload_parts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/banned.h"

struct reader {
    struct diags *diags;
    size_t works;
    size_t copied_bytes;   /* of config strings, copied to each work and operation */
    size_t operation_turn; /* operations of the stage so far */
};

struct level {
    struct config_level config;
    char *merged;
    struct service storage, auth;
};

static void level_release(struct level *level)
{
    free(level->merged);
    free(level->storage.type);
    free(level->storage.config);
    free(level->auth.type);
    free(level->auth.config);
}

/* ---- findings */

static bool is_reported(const struct diags *diags, int line, const char *element,
                        const char *attribute, const char *message)
{
    VEC_EACH (diag, &diags->list)
        if (diag->line == line && strcmp(diag->message, message) == 0 &&
            strcmp(diag->element, element) == 0 && strcmp(diag->attribute, attribute) == 0)
            return true;
    return false;
}

void workload_report(struct diags *diags, enum diag_severity severity, int line,
                     const char *element, const char *attribute, const char *format, ...)
{
    char message[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    if (is_reported(diags, line, element, attribute, message))
        return;
    if (severity == DIAG_WARNING && diags->list.len >= DIAGS_MAX / 2)
        diags->dropped++;
    else
        diags_add(diags, severity, line, element, attribute, "%s", message);
}

/* ---- storage and auth */

static void service_copy(struct service *to, const struct service *from)
{
    *to = (struct service){
        .type = xstrdup(from->type), .config = xstrdup(from->config), .line = from->line};
}

/* The only child of that kind, or NULL. */
static const struct xml_element *only_child(struct reader *reader,
                                            const struct xml_element *element,
                                            enum element_kind kind)
{
    const struct xml_element *found = NULL;
    const char *name = element_kind_name(kind);
    VEC_EACH (child, &element->children) {
        if (strcmp((*child)->name, name) != 0)
            continue;
        if (found)
            workload_report(reader->diags, DIAG_ERROR, (*child)->line, name, "",
                            "stands twice in %s (first on line %d), expected one", element->name,
                            found->line);
        else
            found = *child;
    }
    return found;
}

/* The element's own storage or auth, or that of the level above. */
static void read_service(struct reader *reader, const struct xml_element *element,
                         enum element_kind kind, const struct service *above,
                         struct service *service)
{
    const struct xml_element *own = only_child(reader, element, kind);
    if (!own) {
        service_copy(service, above);
        return;
    }
    int type_line, config_line;
    service->line = own->line;
    workload_read_attributes(kind, own, service, reader->diags);
    attribute_text(own, "type", &type_line);
    attribute_text(own, "config", &config_line);
    workload_check_service(kind, service, type_line, config_line, reader->diags);
}

/* ---- levels */

/* What copies of config strings may take; the document itself is bounded already. */
static bool may_copy(struct reader *reader, size_t bytes, int line, const char *element)
{
    reader->copied_bytes += bytes;
    if (reader->copied_bytes <= WORKLOAD_MAX_CONFIG_BYTES)
        return true;
    workload_report(reader->diags, DIAG_ERROR, line, element, "config",
                    "the config strings of all works together are longer than %d MiB",
                    WORKLOAD_MAX_CONFIG_BYTES >> 20);
    return false;
}

static void enter_config(struct reader *reader, const struct xml_element *element,
                         const struct level *above, struct level *level)
{
    int line;
    const char *own = attribute_text(element, "config", &line);
    size_t bytes = strlen(above->config.merged) + (own ? strlen(own) : 0);
    if (own)
        workload_check_config(own, line, element->name, reader->diags);
    level->merged = may_copy(reader, bytes, line, element->name)
                        ? config_join(above->config.merged, own)
                        : xstrdup("");
    level->config = (struct config_level){&above->config, own, level->merged, element->name, line};
}

static void enter(struct reader *reader, const struct xml_element *element,
                  const struct level *above, struct level *level)
{
    enter_config(reader, element, above, level);
    size_t bytes = strlen(above->storage.config) + strlen(above->auth.config);
    const struct service nothing = {.type = (char *)"none", .config = (char *)""};
    bool fits = may_copy(reader, bytes, element->line, element->name);
    read_service(reader, element, ELEMENT_STORAGE, fits ? &above->storage : &nothing,
                 &level->storage);
    read_service(reader, element, ELEMENT_AUTH, fits ? &above->auth : &nothing, &level->auth);
}

/* ---- operations */

static const char *const operations_of_cosbench[] = {
    "filewrite", "mwrite", "mfilewrite", "head", "restore", "localwrite", "mprepare", "delay"};

static bool is_listed(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(names[i], name) == 0)
            return true;
    return false;
}

static void report_operation_type(struct reader *reader, const char *type, int line)
{
    static const char *const supported[] = {"read",    "write",   "delete", "list",
                                            "prepare", "cleanup", "init",   "dispose"};
    static const char words[] = "read, write, delete, list, prepare, cleanup, init or dispose";
    if (is_listed(operations_of_cosbench, ARRAY_LEN(operations_of_cosbench), type)) {
        workload_report(reader->diags, DIAG_ERROR, line, "operation", "type",
                        "%s is not supported %s, supported: %s", type,
                        strcasecmp(type, "delay") == 0 ? "as an operation of a normal work"
                                                       : "by this version",
                        words);
        return;
    }
    const char *near_name = nearest_name(type, supported, ARRAY_LEN(supported));
    workload_report(reader->diags, DIAG_ERROR, line, "operation", "type",
                    "found \"%.60s\", expected %s%s%s%s", type, words,
                    near_name ? "; did you mean " : "", near_name ? near_name : "",
                    near_name ? "?" : "");
}

static bool read_operation_type(struct reader *reader, const struct xml_element *element,
                                enum op_type *type)
{
    int line;
    const char *text = attribute_text(element, "type", &line);
    if (!text) {
        workload_report(reader->diags, DIAG_ERROR, line, "operation", "type",
                        "is missing, expected read, write, delete or list");
        return false;
    }
    const struct op_info *info = op_info_find(text);
    if (!info || info->type == OP_DELAY) {
        report_operation_type(reader, text, line);
        return false;
    }
    *type = info->type;
    return true;
}

/* Reads one operation of a normal work. False when its ratio or type cannot be known. */
static bool read_operation(struct reader *reader, const struct xml_element *element,
                           enum division division, const struct level *above, struct work *work)
{
    struct operation operation = {.division = division, .line = element->line};
    AUTO(level_release) struct level level = {.merged = NULL};
    int errors = workload_read_attributes(ELEMENT_OPERATION, element, &operation, reader->diags);
    if (errors == 0 && operation.ratio == 0)
        return true; /* as if it were not there */
    workload_read_division(element, &operation.division, reader->diags);
    enter_config(reader, element, above, &level);
    if (!read_operation_type(reader, element, &operation.type))
        return false;
    if (work->operations.len >= WORK_MAX_OPERATIONS) {
        workload_report(reader->diags, DIAG_ERROR, element->line, "operation", "",
                        "a work has at most %d operations", WORK_MAX_OPERATIONS);
        return false;
    }
    operation.config = xstrdup(level.merged);
    vec_push(&work->operations, operation);
    workload_check_operation(work, &operation, &level.config, reader->diags);
    return errors == 0;
}

static void number_operations(struct reader *reader, struct work *work)
{
    VEC_EACH (operation, &work->operations)
        snprintf(operation->id, sizeof(operation->id), "op%zu", ++reader->operation_turn);
}

/* ---- works */

/* False when the type cannot be run. */
static bool read_work_type(struct reader *reader, const struct xml_element *element,
                           enum work_type *type)
{
    static const char *const names[] = {"init", "prepare", "normal", "cleanup", "dispose", "delay"};
    int line;
    const char *text = attribute_text(element, "type", &line);
    *type = WORK_NORMAL;
    if (!text || work_type_parse(text, type) == 0)
        return true;
    if (strcasecmp(text, "mprepare") == 0) {
        workload_report(reader->diags, DIAG_ERROR, line, "work", "type",
                        "mprepare is not supported by this version, expected init, prepare, "
                        "normal, cleanup, dispose or delay");
        return false;
    }
    const char *near_name = nearest_name(text, names, ARRAY_LEN(names));
    workload_report(reader->diags, DIAG_WARNING, line, "work", "type",
                    "found \"%.60s\", taken as normal; expected init, prepare, normal, cleanup, "
                    "dispose or delay%s%s%s",
                    text, near_name ? "; did you mean " : "", near_name ? near_name : "",
                    near_name ? "?" : "");
    return true;
}

/* A special work without a name has that of its type; another needs one. */
static void complete_name(struct reader *reader, const struct xml_element *element,
                          struct work *work)
{
    if (attribute_text(element, "name", NULL))
        return;
    if (work_type_is_special(work->type)) {
        free(work->name);
        work->name = xstrdup(work_type_name(work->type));
    } else {
        workload_report(reader->diags, DIAG_ERROR, element->line, "work", "name",
                        "is missing, expected a name");
    }
}

static void complete_numbers(struct reader *reader, const struct xml_element *element,
                             struct work *work)
{
    if (work->afr < 0)
        work->afr = work->type == WORK_NORMAL ? 200000 : 0;
    if (work->type != WORK_DELAY && !attribute_text(element, "workers", NULL))
        workload_report(reader->diags, DIAG_ERROR, element->line, "work", "workers",
                        "is missing, expected the number of workers, 1 or more");
}

/* A limit that is given but wrong counts here: it has its own error. */
static void check_limits(struct reader *reader, const struct xml_element *element)
{
    static const char *const limits[] = {"runtime", "totalOps", "totalBytes"};
    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        int64_t value;
        const char *text = attribute_text(element, limits[i], NULL);
        if (text && (units_parse_int(text, &value) < 0 || value != 0))
            return;
    }
    workload_report(reader->diags, DIAG_ERROR, element->line, "work", "",
                    "none of runtime, totalOps, totalBytes is given, expected one above 0");
}

static void check_ramps(struct reader *reader, struct work *work)
{
    if (work->runtime_s == 0 && (work->rampup_s > 0 || work->rampdown_s > 0)) {
        workload_report(reader->diags, DIAG_WARNING, work->line, "work",
                        work->rampup_s > 0 ? "rampup" : "rampdown",
                        "is not used without a runtime");
        work->rampup_s = work->rampdown_s = 0;
    }
}

static void read_operations(struct reader *reader, const struct xml_element *element,
                            const struct level *level, struct work *work)
{
    enum division division = DIVISION_NONE;
    bool all_known = true;
    workload_read_division(element, &division, reader->diags);
    VEC_EACH (child, &element->children)
        if (strcmp((*child)->name, "operation") == 0)
            all_known = read_operation(reader, *child, division, level, work) && all_known;
    if (all_known)
        workload_check_ratios(work, reader->diags);
    check_limits(reader, element);
    check_ramps(reader, work);
}

static void read_special(struct reader *reader, const struct xml_element *element,
                         const struct level *above, const struct level *level, struct work *work)
{
    VEC_EACH (child, &element->children)
        if (strcmp((*child)->name, "operation") == 0 && work->type != WORK_DELAY)
            workload_report(reader->diags, DIAG_WARNING, (*child)->line, "operation", "",
                            "is not used: a work of type %s has its operation by itself",
                            work_type_name(work->type));
    if (work->runtime_s > 0)
        workload_report(reader->diags, DIAG_WARNING, work->line, "work", "runtime",
                        "is not used: a work of type %s ends when all is done",
                        work_type_name(work->type));
    if (reader->copied_bytes <= WORKLOAD_MAX_CONFIG_BYTES)
        workload_rewrite_special(work, above->config.merged, level->config.text);
    else
        workload_rewrite_special(work, "", "");
    workload_check_operation(work, &work->operations.items[0], &level->config, reader->diags);
}

static void read_work(struct reader *reader, const struct xml_element *element,
                      const struct level *above, struct stage *stage)
{
    struct work work = {.line = element->line};
    AUTO(level_release) struct level level = {.merged = NULL};
    workload_read_attributes(ELEMENT_WORK, element, &work, reader->diags);
    bool is_known = read_work_type(reader, element, &work.type);
    complete_name(reader, element, &work);
    complete_numbers(reader, element, &work);
    enter(reader, element, above, &level);
    service_copy(&work.storage, &level.storage);
    service_copy(&work.auth, &level.auth);
    if (is_known && work_type_is_special(work.type))
        read_special(reader, element, above, &level, &work);
    else if (is_known)
        read_operations(reader, element, &level, &work);
    number_operations(reader, &work);
    workload_name_operations(&work);
    vec_push(&stage->works, work);
}

/* ---- stages */

static void check_trigger(struct reader *reader, const char *trigger, int line, const char *element)
{
    if (*trigger)
        workload_report(reader->diags, DIAG_WARNING, line, element, "trigger",
                        "is not run by this version");
}

/* The pause of a delay is its stage's closuredelay, which comes after the other works. */
static void drop_delays(struct reader *reader, struct stage *stage)
{
    size_t kept = 0;
    VEC_EACH (work, &stage->works) {
        if (work->type != WORK_DELAY) {
            stage->works.items[kept++] = *work;
            continue;
        }
        workload_report(reader->diags, DIAG_WARNING, work->line, "work", "type",
                        "a delay beside other works does nothing; the stage's closuredelay comes "
                        "after them");
        workload_release_work(work);
    }
    stage->works.len = kept;
}

static void complete_stage(struct reader *reader, struct stage *stage)
{
    bool only_delays = stage->works.len > 0;
    VEC_EACH (work, &stage->works) {
        only_delays = only_delays && work->type == WORK_DELAY;
        if (stage->interval_s == 0 || work->interval_s < stage->interval_s)
            stage->interval_s = work->interval_s;
    }
    bool named_delay = strcasecmp(stage->name, "delay") == 0 && stage->closure_delay_s > 0;
    stage->is_delay = only_delays || named_delay;
    if (!stage->is_delay)
        drop_delays(reader, stage);
    if (stage->works.len == 0)
        workload_report(reader->diags, DIAG_ERROR, stage->line, "workstage", "",
                        "has no work, expected one or more");
    else if (only_delays && stage->closure_delay_s == 0)
        workload_report(reader->diags, DIAG_WARNING, stage->line, "workstage", "closuredelay",
                        "is not given: the stage waits 0 seconds");
    else if (named_delay && !only_delays)
        workload_report(reader->diags, DIAG_WARNING, stage->line, "workstage", "name",
                        "a stage named delay with a closuredelay only waits: its works are not "
                        "run");
}

static void read_stage(struct reader *reader, const struct xml_element *element,
                       const struct level *above, struct workload *workload)
{
    struct stage stage = {.line = element->line};
    AUTO(level_release) struct level level = {.merged = NULL};
    workload_read_attributes(ELEMENT_STAGE, element, &stage, reader->diags);
    check_trigger(reader, stage.trigger, stage.line, "workstage");
    stage.id = xasprintf("s%zu-%s", workload->stages.len + 1, stage.name);
    enter(reader, element, above, &level);
    reader->operation_turn = 0;
    VEC_EACH (child, &element->children) {
        if (strcmp((*child)->name, "work") != 0)
            continue;
        if (++reader->works <= WORKLOAD_MAX_WORKS)
            read_work(reader, *child, &level, &stage);
        else
            workload_report(reader->diags, DIAG_ERROR, 0, "work", "",
                            "a workload has at most %d works", WORKLOAD_MAX_WORKS);
    }
    complete_stage(reader, &stage);
    vec_push(&workload->stages, stage);
}

static void read_workflow(struct reader *reader, const struct xml_element *element,
                          const struct level *above, struct workload *workload)
{
    AUTO(level_release) struct level level = {.merged = NULL};
    const struct xml_element *workflow = only_child(reader, element, ELEMENT_WORKFLOW);
    if (!workflow) {
        workload_report(reader->diags, DIAG_ERROR, element->line, "workload", "",
                        "has no workflow, expected one");
        return;
    }
    workload_read_attributes(ELEMENT_WORKFLOW, workflow, NULL, reader->diags);
    enter(reader, workflow, above, &level);
    VEC_EACH (child, &workflow->children) {
        if (strcmp((*child)->name, "workstage") != 0)
            continue;
        if (workload->stages.len < WORKLOAD_MAX_STAGES)
            read_stage(reader, *child, &level, workload);
        else
            workload_report(reader->diags, DIAG_ERROR, 0, "workstage", "",
                            "a workload has at most %d stages", WORKLOAD_MAX_STAGES);
    }
    if (workload->stages.len == 0)
        workload_report(reader->diags, DIAG_ERROR, workflow->line, "workflow", "",
                        "has no workstage, expected one or more");
}

/* ---- the document */

static void read_workload(struct reader *reader, const struct xml_element *root,
                          struct workload *workload)
{
    const struct level nothing = {
        .config = {.merged = ""},
        .storage = {.type = (char *)"none", .config = (char *)""},
        .auth = {.type = (char *)"none", .config = (char *)""},
    };
    AUTO(level_release) struct level level = {.merged = NULL};
    if (strcmp(root->name, "workload") != 0) {
        workload_report(reader->diags, DIAG_ERROR, root->line, root->name, "",
                        "root element is %.60s, expected workload", root->name);
        return;
    }
    workload_read_attributes(ELEMENT_WORKLOAD, root, workload, reader->diags);
    check_trigger(reader, workload->trigger, root->line, "workload");
    enter(reader, root, &nothing, &level);
    read_workflow(reader, root, &level, workload);
}

/* By line; findings of one line stay in the order they were made. */
static void sort_by_line(struct diags *diags)
{
    struct diag *list = diags->list.items;
    for (size_t i = 1; i < diags->list.len; i++) {
        struct diag moved = list[i];
        size_t at = i;
        for (; at > 0 && list[at - 1].line > moved.line; at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

static int first_error(const struct diags *diags, struct err *err)
{
    VEC_EACH (diag, &diags->list) {
        if (diag->severity == DIAG_ERROR)
            return err_set(err, ERR_CONFIG, "line %d: %s%s%s: %s", diag->line, diag->element,
                           *diag->attribute ? ": " : "", diag->attribute, diag->message);
    }
    return err_set(err, ERR_CONFIG, "the workload has errors");
}

/* Reports what keeps the document from being read at all. */
static int refuse_document(int rc, const struct xml_place *place, struct diags *diags,
                           struct err *err)
{
    struct err reason = *err;
    if (!place->line) {
        workload_report(diags, DIAG_ERROR, 0, "", "", "%s", reason.text);
        return rc;
    }
    workload_report(diags, DIAG_ERROR, place->line, place->element, place->attribute,
                    "column %d: %s", place->column, reason.text);
    return err_set(err, rc, "line %d, column %d: %s", place->line, place->column, reason.text);
}

int workload_parse(const char *text, size_t len, struct workload **ret_workload,
                   struct diags *diags, struct err *err)
{
    static const struct xml_limits limits = {WORKLOAD_MAX_BYTES, WORKLOAD_MAX_DEPTH,
                                             WORKLOAD_MAX_ELEMENTS};
    AUTO(xml_document_freep) struct xml_document *document = NULL;
    AUTO(workload_freep) struct workload *workload = xcalloc(1, sizeof(*workload));
    struct reader reader = {.diags = diags};
    struct xml_place place;
    struct err own_err = {0};
    size_t errors_before = diags->errors;

    if (!err)
        err = &own_err;
    int rc = xml_parse(text, len, &limits, &document, &place, err);
    if (rc < 0)
        return refuse_document(rc, &place, diags, err);
    read_workload(&reader, document->root, workload);
    sort_by_line(diags);
    if (diags->errors > errors_before)
        return first_error(diags, err);
    *ret_workload = TAKE(workload);
    return 0;
}
