/* workload_attributes.c -- the elements of a workload and their attributes, as tables
 * (spec: workload-xml.md, Attributes). */
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/units.h"
#include "common/catalog/key.h"
#include "common/model/workload_parts.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/base/banned.h"

enum attribute_type {
    ATTRIBUTE_NAME,  /* char *: not empty, no control characters */
    ATTRIBUTE_TEXT,  /* char *; "" when not given */
    ATTRIBUTE_INT,   /* int64_t */
    ATTRIBUTE_RATIO, /* int */
    ATTRIBUTE_OTHER, /* read elsewhere */
};

struct attribute_rule {
    const char *name;
    enum attribute_type type;
    size_t off; /* of the member */
    int64_t def, min, max;
    const char *expected; /* of an INT, in words */
    bool required;        /* of a NAME */
};

struct element_rule {
    const char *name;
    const struct attribute_rule *attributes;
    const char *const *children;
};

#define NAME(thing, is_required)                                                                   \
    {                                                                                              \
        .name = "name", .type = ATTRIBUTE_NAME, .off = offsetof(struct thing, name),               \
        .required = (is_required)                                                                  \
    }
#define TEXT(text_name, thing, member)                                                             \
    {                                                                                              \
        .name = text_name, .type = ATTRIBUTE_TEXT, .off = offsetof(struct thing, member)           \
    }
#define INT(int_name, thing, member, d, lo, hi, words)                                             \
    {                                                                                              \
        .name = int_name, .type = ATTRIBUTE_INT, .off = offsetof(struct thing, member), .def = d,  \
        .min = lo, .max = hi, .expected = words                                                    \
    }
#define OTHER(other_name)                                                                          \
    {                                                                                              \
        .name = other_name, .type = ATTRIBUTE_OTHER                                                \
    }
#define SECONDS "a whole number of seconds, 0 or more"

static const struct attribute_rule workload_attributes[] = {
    NAME(workload, true),
    TEXT("description", workload, description),
    TEXT("trigger", workload, trigger),
    OTHER("config"),
    {.name = NULL}};

static const struct attribute_rule workflow_attributes[] = {OTHER("config"), {.name = NULL}};

static const struct attribute_rule stage_attributes[] = {
    NAME(stage, true),
    INT("closuredelay", stage, closure_delay_s, 0, 0, INT32_MAX, SECONDS),
    TEXT("trigger", stage, trigger),
    OTHER("config"),
    {.name = NULL}};

static const struct attribute_rule work_attributes[] = {
    NAME(work, false),
    OTHER("type"),
    INT("workers", work, workers, 0, 1, WORK_MAX_WORKERS, "a whole number from 1 to 1,000,000"),
    INT("interval", work, interval_s, 5, 1, INT32_MAX, "a whole number of seconds, 1 or more"),
    OTHER("division"),
    INT("runtime", work, runtime_s, 0, 0, INT32_MAX, SECONDS),
    INT("rampup", work, rampup_s, 0, 0, INT32_MAX, SECONDS),
    INT("rampdown", work, rampdown_s, 0, 0, INT32_MAX, SECONDS),
    INT("afr", work, afr, -1, 0, 1000000,
        "a whole number from 0 to 1,000,000 (failures allowed per million operations)"),
    INT("totalOps", work, total_ops, 0, 0, INT64_MAX, "a whole number, 0 or more"),
    INT("totalBytes", work, total_bytes, 0, 0, INT64_MAX, "a whole number of bytes, 0 or more"),
    TEXT("driver", work, driver),
    OTHER("config"),
    {.name = NULL}};

static const struct attribute_rule operation_attributes[] = {
    OTHER("type"),
    {.name = "ratio",
     .type = ATTRIBUTE_RATIO,
     .off = offsetof(struct operation, ratio),
     .def = 100,
     .min = 0,
     .max = 100,
     .expected = "a whole number from 0 to 100"},
    OTHER("division"),
    OTHER("config"),
    OTHER("id"),
    {.name = NULL}};

static const struct attribute_rule service_attributes[] = {
    TEXT("type", service, type), TEXT("config", service, config), {.name = NULL}};

static const char *const workload_children[] = {"storage", "auth", "workflow", NULL};
static const char *const workflow_children[] = {"workstage", NULL};
static const char *const stage_children[] = {"storage", "auth", "work", NULL};
static const char *const work_children[] = {"storage", "auth", "operation", NULL};
static const char *const no_children[] = {NULL};

static const struct element_rule element_rules[] = {
    [ELEMENT_WORKLOAD] = {"workload", workload_attributes, workload_children},
    [ELEMENT_WORKFLOW] = {"workflow", workflow_attributes, workflow_children},
    [ELEMENT_STAGE] = {"workstage", stage_attributes, stage_children},
    [ELEMENT_WORK] = {"work", work_attributes, work_children},
    [ELEMENT_OPERATION] = {"operation", operation_attributes, no_children},
    [ELEMENT_STORAGE] = {"storage", service_attributes, no_children},
    [ELEMENT_AUTH] = {"auth", service_attributes, no_children},
};

const char *element_kind_name(enum element_kind kind)
{
    return element_rules[kind].name;
}

const char *attribute_text(const struct xml_element *element, const char *name, int *ret_line)
{
    const struct xml_attribute *attribute = xml_attribute_find(element, name);
    if (ret_line)
        *ret_line = attribute ? attribute->line : element->line;
    return attribute ? attribute->value : NULL;
}

/* ---- one attribute */

static void set_text(void *target, const struct attribute_rule *rule, const char *text)
{
    char *copy = xstrdup(text);
    memcpy((char *)target + rule->off, &copy, sizeof(copy));
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

/* What is wrong with a name, or NULL. */
static const char *name_fault(enum element_kind kind, const char *name)
{
    if (is_blank(name))
        return "is empty, expected a name";
    if (strlen(name) > NAME_MAX_BYTES)
        return "is longer than 1,024 bytes";
    if (kind == ELEMENT_STAGE && strchr(name, ';'))
        return "holds a ';', which a stage's name cannot";
    for (const char *at = name; *at; at++)
        if (iscntrl((unsigned char)*at))
            return "holds a control character";
    return NULL;
}

static int read_name(enum element_kind kind, const struct attribute_rule *rule,
                     const struct xml_element *element, void *target, struct diags *diags)
{
    int line;
    const char *text = attribute_text(element, rule->name, &line);
    const char *fault = NULL;
    if (text)
        fault = name_fault(kind, text);
    else if (rule->required)
        fault = "is missing, expected a name";
    set_text(target, rule, text ? text : "");
    if (!fault)
        return 0;
    workload_report(diags, DIAG_ERROR, line, element->name, rule->name, "%s", fault);
    return 1;
}

static int read_int(const struct attribute_rule *rule, const struct xml_element *element,
                    void *target, struct diags *diags)
{
    int line, errors = 0;
    int64_t value = rule->def;
    const char *text = attribute_text(element, rule->name, &line);
    if (text && (units_parse_int(text, &value) < 0 || value < rule->min || value > rule->max)) {
        workload_report(diags, DIAG_ERROR, line, element->name, rule->name,
                        "found \"%.60s\", expected %s", text, rule->expected);
        value = rule->def;
        errors = 1;
    }
    char *member = (char *)target + rule->off;
    if (rule->type == ATTRIBUTE_RATIO) {
        int small = (int)value;
        memcpy(member, &small, sizeof(small));
    } else {
        memcpy(member, &value, sizeof(value));
    }
    return errors;
}

static int read_attribute(enum element_kind kind, const struct attribute_rule *rule,
                          const struct xml_element *element, void *target, struct diags *diags)
{
    const char *text = attribute_text(element, rule->name, NULL);
    switch (rule->type) {
    case ATTRIBUTE_NAME:
        return read_name(kind, rule, element, target, diags);
    case ATTRIBUTE_INT:
    case ATTRIBUTE_RATIO:
        return read_int(rule, element, target, diags);
    case ATTRIBUTE_TEXT:
        set_text(target, rule, text ? text : "");
        return 0;
    case ATTRIBUTE_OTHER:
        return 0;
    }
    return 0;
}

int workload_read_division(const struct xml_element *element, enum division *division,
                           struct diags *diags)
{
    int line;
    const char *text = attribute_text(element, "division", &line);
    if (!text || division_parse(text, division) == 0)
        return 0;
    workload_report(diags, DIAG_ERROR, line, element->name, "division",
                    "found \"%.60s\", expected none, container or object", text);
    return 1;
}

/* ---- what does not belong there */

static bool rule_has(const struct element_rule *rule, const char *name)
{
    for (const struct attribute_rule *known = rule->attributes; known->name; known++)
        if (strcmp(known->name, name) == 0)
            return true;
    return false;
}

static void warn_unknown_attribute(const struct element_rule *rule, const char *element,
                                   const struct xml_attribute *attribute, struct diags *diags)
{
    const char *candidates[32];
    size_t count = 0;
    for (const struct attribute_rule *known = rule->attributes; known->name; known++)
        candidates[count++] = known->name;
    const char *near_name = nearest_name(attribute->name, candidates, count);
    workload_report(diags, DIAG_WARNING, attribute->line, element, attribute->name,
                    "is not an attribute of %s and not used%s%s%s", rule->name,
                    near_name ? "; did you mean " : "", near_name ? near_name : "",
                    near_name ? "?" : "");
}

static bool is_of_xml_itself(const char *name)
{
    return strncmp(name, "xml", 3) == 0 || strncmp(name, "xsi:", 4) == 0;
}

static bool is_child(const struct element_rule *rule, const char *name)
{
    for (size_t i = 0; rule->children[i]; i++)
        if (strcmp(rule->children[i], name) == 0)
            return true;
    return false;
}

static void warn_unknown_child(const struct element_rule *rule, const struct xml_element *child,
                               struct diags *diags)
{
    size_t count = 0;
    while (rule->children[count])
        count++;
    const char *near_name = nearest_name(child->name, rule->children, count);
    workload_report(diags, DIAG_WARNING, child->line, child->name, "",
                    "is not expected inside %s and not used%s%s%s", rule->name,
                    near_name ? "; did you mean " : "", near_name ? near_name : "",
                    near_name ? "?" : "");
}

int workload_read_attributes(enum element_kind kind, const struct xml_element *element,
                             void *target, struct diags *diags)
{
    const struct element_rule *rule = &element_rules[kind];
    int errors = 0;
    for (const struct attribute_rule *known = rule->attributes; known->name; known++)
        errors += read_attribute(kind, known, element, target, diags);
    VEC_EACH (attribute, &element->attributes)
        if (!rule_has(rule, attribute->name) && !is_of_xml_itself(attribute->name))
            warn_unknown_attribute(rule, element->name, attribute, diags);
    VEC_EACH (child, &element->children)
        if (!is_child(rule, (*child)->name))
            warn_unknown_child(rule, *child, diags);
    if (!is_blank(element->text))
        workload_report(diags, DIAG_WARNING, element->line, element->name, "",
                        "text inside the element is not used");
    return errors;
}
