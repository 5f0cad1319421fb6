/* workload_check.c -- the rules about types, config strings, selectors, ratios and limits
 * (spec: workload-xml.md, config-strings.md, selectors.md).
 *
 * What COSBench only finds when a mission starts is found here, at submission. */
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/units.h"
#include "common/catalog/adaptors.h"
#include "common/catalog/config.h"
#include "common/model/selector.h"
#include "common/model/workload_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/banned.h"

#define NUMBER_DIGITS 20 /* of the longest number */
#define HASH_BYTES    40 /* of the checksum that hashCheck puts at an object's end */

/* ---- config strings */

/* Reports entries without '='; they are not quoted, since they may be parts of a secret. False when
 * the string cannot be read. */
static bool parse_config(const char *text, int line, const char *element, struct config *config,
                         struct diags *diags)
{
    struct err err = {0};
    int bad_entries = 0;
    if (config_parse(text, config, &bad_entries, NULL, 0, &err) < 0) {
        workload_report(diags, DIAG_ERROR, line, element, "config", "%s", err.text);
        return false;
    }
    if (bad_entries)
        workload_report(diags, DIAG_WARNING, line, element, "config",
                        "%d %s no '=' and %s not used, expected key=value;key=value", bad_entries,
                        bad_entries == 1 ? "entry has" : "entries have",
                        bad_entries == 1 ? "is" : "are");
    return true;
}

/* By way of workload_report(). */
static void report_all(const struct diags *found, struct diags *diags)
{
    VEC_EACH (diag, &found->list)
        workload_report(diags, diag->severity, diag->line, diag->element, diag->attribute, "%s",
                        diag->message);
}

void workload_check_config(const char *text, int line, const char *element, struct diags *diags)
{
    AUTO(config_release) struct config config = {{0}};
    AUTO(diags_release) struct diags found = {0};
    if (!parse_config(text, line, element, &config, diags))
        return;
    keys_check(op_keys, NULL, &config, line, element, &found);
    report_all(&found, diags);
}

/* ---- storage and auth */

static const struct other_type {
    const char *name;
    const char *reason; /* NULL: it may come */
} other_types[] = {
    {"swift", NULL},    {"oss", NULL},
    {"cdmi", NULL},     {"cdmi_swift", NULL},
    {"ampli", NULL},    {"sproxyd", NULL},
    {"librados", NULL}, {"ecs", NULL},
    {"gcs", NULL},      {"openio", NULL},
    {"swauth", NULL},   {"keystone", NULL},
    {"httpauth", NULL}, {"manta", "it does not speak S3"},
};

static const struct other_type *find_other(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(other_types); i++)
        if (strcasecmp(other_types[i].name, name) == 0)
            return &other_types[i];
    return NULL;
}

static void add_names(const struct adaptor_info *infos, struct strbuf *names)
{
    for (const struct adaptor_info *info = infos; info->name; info++)
        strbuf_addf(names, "%s%s", names->len ? ", " : "", info->name);
}

static const char *nearest_type(const struct adaptor_info *infos, const char *name)
{
    const char *candidates[64];
    size_t count = 0;
    for (const struct adaptor_info *info = infos; info->name && count < ARRAY_LEN(candidates);
         info++)
        candidates[count++] = info->name;
    return nearest_name(name, candidates, count);
}

static void report_type(enum element_kind kind, const char *type, int line, struct diags *diags)
{
    const struct adaptor_info *infos = kind == ELEMENT_STORAGE ? adaptor_infos : auth_infos;
    const char *element = element_kind_name(kind);
    const struct other_type *other = find_other(type);
    AUTO(strbuf_release) struct strbuf names = STRBUF_INIT(1024);
    add_names(infos, &names);
    if (!*type) {
        workload_report(diags, DIAG_ERROR, line, element, "type",
                        "is missing or empty, supported: %s", names.buf);
    } else if (other) {
        workload_report(diags, DIAG_ERROR, line, element, "type",
                        "%s is not supported by this version%s%s, supported: %s", other->name,
                        other->reason ? ": " : "", other->reason ? other->reason : "", names.buf);
    } else {
        const char *near_name = nearest_type(infos, type);
        workload_report(diags, DIAG_ERROR, line, element, "type",
                        "found \"%.60s\", supported: %s%s%s%s", type, names.buf,
                        near_name ? "; did you mean " : "", near_name ? near_name : "",
                        near_name ? "?" : "");
    }
}

void workload_check_service(enum element_kind kind, struct service *service, int type_line,
                            int config_line, struct diags *diags)
{
    const struct adaptor_info *info =
        kind == ELEMENT_STORAGE ? adaptor_info_find(service->type) : auth_info_find(service->type);
    if (!info) {
        report_type(kind, service->type, type_line, diags);
        return;
    }
    free(service->type);
    service->type = xstrdup(info->name);

    AUTO(config_release) struct config config = {{0}};
    AUTO(diags_release) struct diags found = {0};
    const char *element = element_kind_name(kind);
    if (!parse_config(service->config, config_line, element, &config, diags))
        return;
    keys_check(info->keys, NULL, &config, config_line, element, &found);
    if (info->check)
        info->check(&config, config_line, element, &found);
    report_all(&found, diags);
}

/* ---- operations */

/* An operation being checked. */
struct check {
    const struct work *work;
    const struct operation *operation;
    const struct op_info *info;
    const struct config_level *level;
    const struct config *config; /* merged */
    struct diags *diags;
};

/* The level whose own config says the key: the innermost one, as its value counts. */
static const struct config_level *level_of(const struct check *check, const char *key)
{
    for (const struct config_level *level = check->level; level && level->element;
         level = level->parent) {
        AUTO(config_release) struct config config = {{0}};
        if (level->text && config_parse(level->text, &config, NULL, NULL, 0, NULL) == 0 &&
            config_find(&config, key))
            return level;
    }
    return check->level;
}

static void report_key(const struct check *check, enum diag_severity severity, const char *key,
                       const char *message)
{
    const struct config_level *level = level_of(check, key);
    workload_report(check->diags, severity, level->line, level->element, "config", "%s: %s", key,
                    message);
}

static void check_walk(const struct check *check, const char *key, const char *text,
                       const struct selector *selector)
{
    if (check->info->is_walk && selector_kind(selector) != 'r') {
        AUTO(freep)
        char *message =
            xasprintf("found %.60s, expected r(low,high) or low-high: %s goes through a range "
                      "once",
                      text, check->info->name);
        report_key(check, DIAG_ERROR, key, message);
    } else if (!check->info->is_walk && selector_is_empty(selector)) {
        report_key(check, DIAG_ERROR, key,
                   "r(0,0) is an empty range, which only init, prepare, cleanup and dispose can "
                   "go through");
    }
}

/* Workers without a number of their own in a divided range do nothing. */
static void check_shares(const struct check *check, const char *key,
                         const struct selector *selector, bool is_divided)
{
    char kind = selector_kind(selector);
    if (!is_divided || check->info->is_walk || (kind != 'u' && kind != 'r'))
        return;
    int64_t numbers = selector_high(selector) - selector_low(selector) + 1;
    if (selector_is_empty(selector) || check->work->workers <= numbers)
        return;
    AUTO(freep)
    char *message = xasprintf("%" PRId64 " workers divide %" PRId64 " numbers: %" PRId64
                              " of them have none and do nothing",
                              check->work->workers, numbers, check->work->workers - numbers);
    report_key(check, DIAG_WARNING, key, message);
}

static void check_selector(const struct check *check, const char *key, bool is_needed,
                           bool is_divided)
{
    const char *text = config_find(check->config, key);
    if (!text || !*text) {
        if (is_needed)
            workload_report(check->diags, DIAG_ERROR, check->level->line, check->level->element,
                            "config", "no such key defined: %s", key);
        return;
    }
    struct selector *selector = NULL;
    struct err err = {0};
    if (selector_parse(text, &selector, &err) < 0) {
        report_key(check, DIAG_ERROR, key, err.text);
        return;
    }
    check_walk(check, key, text, selector);
    check_shares(check, key, selector, is_divided);
    selector_free(selector);
}

static bool is_true(const char *text)
{
    static const char *const words[] = {"true", "yes", "on", "y", "t", "1"};
    for (size_t i = 0; text && i < ARRAY_LEN(words); i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

static void check_sizes(const struct check *check)
{
    const char *text = config_find(check->config, "sizes");
    if (!text || !*text) {
        workload_report(check->diags, DIAG_ERROR, check->level->line, check->level->element,
                        "config", "no such key defined: sizes");
        return;
    }
    struct size_selector sizes = {.selector = NULL};
    struct err err = {0};
    if (size_selector_parse(text, &sizes, &err) < 0) {
        report_key(check, DIAG_ERROR, "sizes", err.text);
        return;
    }
    if (selector_is_empty(sizes.selector))
        report_key(check, DIAG_ERROR, "sizes", "r(0,0) is an empty range, it holds no size");
    else if (is_true(config_find(check->config, "hashCheck")) &&
             selector_low(sizes.selector) <= HASH_BYTES / sizes.unit_bytes)
        report_key(check, DIAG_WARNING, "sizes",
                   "objects of 40 bytes or less are written without the checksum of hashCheck");
    size_selector_release(&sizes);
}

/* prefix + number + suffix must be a name that a store takes. */
static void check_name(const struct check *check, const char *selector_key, const char *prefix_key,
                       const char *suffix_key, size_t max_bytes)
{
    const char *numbers = config_find(check->config, selector_key);
    const char *prefix = config_find(check->config, prefix_key);
    const char *suffix = config_find(check->config, suffix_key);
    size_t bytes = (prefix ? strlen(prefix) : 0) + (suffix ? strlen(suffix) : 0) + NUMBER_DIGITS;
    if (!numbers || !*numbers || bytes < max_bytes)
        return;
    AUTO(freep)
    char *message = xasprintf("with %s and a number names can have %zu bytes, expected less than "
                              "%zu",
                              suffix_key, bytes, max_bytes);
    report_key(check, DIAG_ERROR, prefix_key, message);
}

void workload_check_operation(const struct work *work, const struct operation *operation,
                              const struct config_level *level, struct diags *diags)
{
    const struct op_info *info = op_info_of(operation->type);
    AUTO(config_release) struct config config = {{0}};
    struct err err = {0};
    if (operation->type == OP_DELAY)
        return;
    if (config_parse(operation->config, &config, NULL, NULL, 0, &err) < 0) {
        workload_report(diags, DIAG_ERROR, level->line, level->element, "config", "%s", err.text);
        return;
    }
    struct check check = {work, operation, info, level, &config, diags};
    check_selector(&check, "containers", info->needs_containers,
                   operation->division == DIVISION_CONTAINER);
    check_selector(&check, "objects", info->needs_objects, operation->division == DIVISION_OBJECT);
    if (info->needs_sizes)
        check_sizes(&check);
    check_name(&check, "containers", "cprefix", "csuffix", CONTAINER_NAME_BYTES);
    check_name(&check, "objects", "oprefix", "osuffix", OBJECT_NAME_BYTES);
}

/* ---- works */

void workload_check_ratios(const struct work *work, struct diags *diags)
{
    int sum = 0;
    VEC_EACH (operation, &work->operations)
        sum += operation->ratio;
    if (work->operations.len == 0)
        workload_report(diags, DIAG_ERROR, work->line, "work", "",
                        "has no operation with a ratio above 0, expected one or more");
    else if (sum != 100)
        workload_report(diags, DIAG_ERROR, work->line, "work", "",
                        "the ratios of its operations sum to %d, expected 100", sum);
}
