/* op.c -- see op.h. */
#include "driver/ops/op.h"

#include "common/base/scope.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_DIGITS 20

static int parse_selectors(struct op *op, struct err *err)
{
    int rc = 0;
    if (*op->conf.containers)
        rc = selector_parse(op->conf.containers, &op->containers, err);
    if (rc < 0)
        return err_prefix(err, "containers: ");
    if (*op->conf.objects)
        rc = selector_parse(op->conf.objects, &op->objects, err);
    if (rc < 0)
        return err_prefix(err, "objects: ");
    if (op->info->needs_sizes) {
        rc = size_selector_parse(op->conf.sizes, &op->sizes, err);
        op->has_sizes = rc == 0;
    }
    return rc < 0 ? err_prefix(err, "sizes: ") : 0;
}

static int check_names(const struct op *op, struct err *err)
{
    if (op_container_bytes(op) >= CONTAINER_NAME_BYTES)
        return err_set(err, ERR_CONFIG, "container names can be longer than %d bytes",
                       CONTAINER_NAME_BYTES - 1);
    if (op_object_bytes(op) >= OBJECT_NAME_BYTES)
        return err_set(err, ERR_CONFIG, "object names can be longer than %d bytes",
                       OBJECT_NAME_BYTES - 1);
    return 0;
}

int op_open(struct op *op, const struct mission *mission, size_t index, struct err *err)
{
    const struct mission_operation *source = &mission->operations.items[index];
    memset(op, 0, sizeof(*op));
    op->info = op_info_of(source->type);
    op->division = source->division;
    op->ratio = source->ratio;
    int rc = op_conf_load(source->type, source->config, &op->conf, err);
    if (rc == 0)
        rc = parse_selectors(op, err);
    if (rc == 0)
        rc = check_names(op, err);
    if (rc < 0) {
        op_close(op);
        return err_prefix(err, "operation %s: ", source->id);
    }
    if (op->containers)
        selector_cursor_init(&op->container_cursor, op->containers, mission->worker_first,
                             mission->workers, mission->workers_total);
    if (op->objects)
        selector_cursor_init(&op->object_cursor, op->objects, mission->worker_first,
                             mission->workers, mission->workers_total);
    if (op->has_sizes)
        selector_cursor_init(&op->size_cursor, op->sizes.selector, mission->worker_first,
                             mission->workers, mission->workers_total);
    return 0;
}

void op_close(struct op *op)
{
    selector_free(op->containers);
    selector_free(op->objects);
    size_selector_release(&op->sizes);
    op_conf_release(&op->conf);
    op->containers = op->objects = NULL;
}

size_t op_container_bytes(const struct op *op)
{
    return strlen(op->conf.cprefix) + strlen(op->conf.csuffix) + NUMBER_DIGITS;
}

size_t op_object_bytes(const struct op *op)
{
    return strlen(op->conf.oprefix) + strlen(op->conf.osuffix) + NUMBER_DIGITS;
}

static struct range part_of(const struct selector *selector, bool divided, int64_t index,
                            int64_t all)
{
    if (!selector || selector_is_empty(selector))
        return (struct range){.count = 0};
    if (!divided)
        index = all = 1;
    return range_of_worker(selector_low(selector), selector_high(selector), index, all);
}

void op_state_init(struct op_state *state, struct op *op, int64_t index, int64_t all)
{
    bool by_container = op->division == DIVISION_CONTAINER;
    bool by_object = op->division == DIVISION_OBJECT;
    memset(state, 0, sizeof(*state));
    if (op->info->is_walk) {
        state->container_part = part_of(op->containers, by_container, index, all);
        state->object_part = part_of(op->objects, by_object, index, all);
    } else {
        if (op->containers)
            draw_init(&state->containers, op->containers, by_container, index, all,
                      &op->container_cursor);
        if (op->objects)
            draw_init(&state->objects, op->objects, by_object, index, all, &op->object_cursor);
    }
    if (op->has_sizes)
        draw_init(&state->sizes, op->sizes.selector, false, index, all, &op->size_cursor);
}

bool op_state_is_empty(const struct op_state *state, const struct op *op)
{
    if (!op->info->is_walk)
        return (op->containers && draw_is_empty(&state->containers)) ||
               (op->objects && draw_is_empty(&state->objects));
    if (state->container_part.count == 0)
        return true;
    bool walks_objects = op->info->type == OP_PREPARE || op->info->type == OP_CLEANUP;
    bool walks_containers =
        op->info->type == OP_CLEANUP ? op->conf.delete_container : op->conf.create_container;
    return walks_objects && !walks_containers && state->object_part.count == 0;
}

/* prefix + number + suffix into out, with a NUL; the caller has checked that it fits. */
static size_t format_name(char *out, const char *prefix, int64_t number, const char *suffix)
{
    char digits[NUMBER_DIGITS + 4];
    char *digit = digits + sizeof(digits);
    char *at = out;
    uint64_t rest = (uint64_t)MAX(number, INT64_C(0));
    do
        *--digit = (char)('0' + rest % 10);
    while (rest /= 10);
    for (; *prefix; prefix++)
        *at++ = *prefix;
    size_t len = (size_t)(digits + sizeof(digits) - digit);
    memcpy(at, digit, len);
    at += len;
    for (; *suffix; suffix++)
        *at++ = *suffix;
    *at = '\0';
    return (size_t)(at - out);
}

static void name_container(const struct op *op, int64_t number, struct op_names *names,
                           struct task *task)
{
    task->container_len = format_name(names->container, op->conf.cprefix, number, op->conf.csuffix);
}

static void name_object(const struct op *op, int64_t number, struct op_names *names,
                        struct task *task)
{
    task->object_len = format_name(names->object, op->conf.oprefix, number, op->conf.osuffix);
}

static int64_t draw_size(const struct op *op, struct op_state *state, struct rng *rng)
{
    return op->has_sizes ? draw_next(&state->sizes, rng) * op->sizes.unit_bytes : 0;
}

static void next_drawn(const struct op *op, struct op_state *state, struct rng *rng,
                       struct op_names *names, struct task *task)
{
    static const enum action actions[OP_TYPES] = {
        [OP_READ] = ACTION_READ,
        [OP_WRITE] = ACTION_WRITE,
        [OP_DELETE] = ACTION_DELETE,
        [OP_LIST] = ACTION_LIST,
    };
    task->action = actions[op->info->type];
    if (op->containers)
        name_container(op, draw_next(&state->containers, rng), names, task);
    if (op->objects)
        name_object(op, draw_next(&state->objects, rng), names, task);
    if (task->action == ACTION_WRITE)
        task->size_bytes = draw_size(op, state, rng);
}

/* A walk: [CREATE] object object ... [REMOVE], container after container. */
static bool next_walked(const struct op *op, struct op_state *state, struct rng *rng,
                        struct op_names *names, struct task *task)
{
    enum op_type type = op->info->type;
    bool creates = type == OP_INIT || (type == OP_PREPARE && op->conf.create_container);
    bool removes = type == OP_DISPOSE || (type == OP_CLEANUP && op->conf.delete_container);
    bool objects = type == OP_PREPARE || type == OP_CLEANUP;

    for (; state->container_at < state->container_part.count;
         state->container_at++, state->object_at = 0, state->entered = false) {
        name_container(op, state->container_part.low + state->container_at, names, task);
        if (creates && !state->entered) {
            state->entered = true;
            task->action = ACTION_CREATE;
            return true;
        }
        if (objects && state->object_at < state->object_part.count) {
            name_object(op, state->object_part.low + state->object_at++, names, task);
            task->action = type == OP_PREPARE ? ACTION_WRITE : ACTION_DELETE;
            task->size_bytes = task->action == ACTION_WRITE ? draw_size(op, state, rng) : 0;
            return true;
        }
        if (removes && !state->entered) {
            state->entered = true;
            task->action = ACTION_REMOVE;
            return true;
        }
    }
    return false;
}

bool op_next(const struct op *op, struct op_state *state, struct rng *rng, struct op_names *names,
             struct task *task)
{
    names->container[0] = names->object[0] = '\0';
    *task = (struct task){
        .container = names->container,
        .object = names->object,
        .chunked = op->conf.chunked,
        .oprefix = op->conf.oprefix,
        .osuffix = op->conf.osuffix,
    };
    if (op->info->is_walk)
        return next_walked(op, state, rng, names, task);
    next_drawn(op, state, rng, names, task);
    return true;
}
