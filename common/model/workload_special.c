/* workload_special.c -- init, prepare, cleanup, dispose and delay as works of one operation, and
 * the names that operations have in tables (spec: workload-xml.md, Special works; results.md). */
#include "common/base/scope.h"
#include "common/catalog/config.h"
#include "common/model/workload_parts.h"

#include <stdlib.h>
#include <string.h>

static const struct special {
    bool is_special;
    enum op_type operation;
    enum division division;
    const char *config; /* put in front of the work's own */
} specials[] = {
    [WORK_INIT] = {true, OP_INIT, DIVISION_CONTAINER, "objects=r(0,0);sizes=c(0)B"},
    [WORK_PREPARE] = {true, OP_PREPARE, DIVISION_OBJECT, "createContainer=false"},
    [WORK_NORMAL] = {.is_special = false},
    [WORK_CLEANUP] = {true, OP_CLEANUP, DIVISION_OBJECT, "deleteContainer=false"},
    [WORK_DISPOSE] = {true, OP_DISPOSE, DIVISION_CONTAINER, "objects=r(0,0);sizes=c(0)B"},
    [WORK_DELAY] = {true, OP_DELAY, DIVISION_NONE, ""},
};

bool work_type_is_special(enum work_type type)
{
    return specials[type].is_special;
}

void workload_rewrite_special(struct work *work, const char *merged_above, const char *own)
{
    const struct special *special = &specials[work->type];
    struct operation operation = {
        .type = special->operation,
        .ratio = 100,
        .division = special->division,
        .line = work->line,
    };
    if (work->type == WORK_DELAY) {
        work->workers = 1;
        operation.config = xstrdup("");
    } else {
        AUTO(freep) char *with_special = config_join(merged_above, special->config);
        operation.config = config_join(with_special, own);
    }
    work->runtime_s = work->rampup_s = work->rampdown_s = 0;
    work->total_bytes = 0;
    work->total_ops = work->workers;
    vec_push(&work->operations, operation);
}

/* ---- names */

static const char *type_name(const struct operation *operation)
{
    return op_info_of(operation->type)->name;
}

/* The name= key of the operation, or the name of its type; owned by the caller. */
static char *own_name(const struct operation *operation)
{
    AUTO(config_release) struct config config = {{0}};
    const char *name = NULL;
    if (config_parse(operation->config, &config, NULL, NULL, 0, NULL) == 0)
        name = config_find(&config, "name");
    return xstrdup(name && *name ? name : type_name(operation));
}

static bool is_namesake(const struct operation *a, const struct operation *b)
{
    return a->type == b->type && strcmp(a->name, b->name) == 0;
}

/* NAME, NAME-SAMPLETYPE where the two differ, with 1-, 2- before it among namesakes. */
static char *make_label(const struct work *work, const struct operation *operation)
{
    size_t namesakes = 0, turn = 0;
    VEC_EACH (other, &work->operations) {
        if (!is_namesake(operation, other))
            continue;
        namesakes++;
        if (other <= operation)
            turn = namesakes;
    }
    const char *sample_type = op_info_of(operation->type)->sample_type;
    AUTO(freep)
    char *label = strcmp(operation->name, sample_type) == 0
                      ? xstrdup(operation->name)
                      : xasprintf("%s-%s", operation->name, sample_type);
    return namesakes > 1 ? xasprintf("%zu-%s", turn, label) : xstrdup(label);
}

void workload_name_operations(struct work *work)
{
    VEC_EACH (operation, &work->operations)
        operation->name = own_name(operation);
    VEC_EACH (operation, &work->operations)
        operation->label = make_label(work, operation);
}
