/* op.h -- operations: which container, object and size come next.
 *
 * Two kinds: a drawn operation (read, write, delete, list) draws numbers from its selectors for
 * ever; a walk (init, prepare, cleanup, dispose) goes once over the worker's part of the ranges and
 * ends. What an operation asks for is a task; the adaptor knows how to do it. Adding an operation
 * type: a row here and in common/catalog/ops. */
#ifndef LOADSTONE_DRIVER_OPS_OP_H
#define LOADSTONE_DRIVER_OPS_OP_H

#include "common/base/limits.h"
#include "common/model/mission.h"
#include "common/model/selector.h"
#include "driver/adaptors/adaptor.h"
#include "driver/ops/body.h"

/* An operation of a mission: immutable but for its cursors, shared by all threads. */
struct op {
    const struct op_info *info;
    struct op_conf conf;
    enum division division;
    int ratio;
    struct selector *containers; /* NULL: none given (list) */
    struct selector *objects;
    struct size_selector sizes;
    bool has_sizes;
    struct selector_cursor container_cursor, object_cursor, size_cursor;
};

/* Reads a mission's operation. ERR_CONFIG. */
int op_open(struct op *op, const struct mission *mission, size_t index, struct err *err);
void op_close(struct op *op);
/* Longest names it can make, in bytes. */
size_t op_container_bytes(const struct op *op);
size_t op_object_bytes(const struct op *op);

/* A worker's place in an operation. Plain value. */
struct op_state {
    struct draw containers, objects, sizes;
    struct range container_part, object_part; /* of a walk */
    int64_t container_at, object_at;          /* numbers handed out so far */
    bool entered;                             /* the walk's container has been created */
};

/* index: the worker's, 1-based, of all. The state borrows op and its cursors. */
void op_state_init(struct op_state *state, struct op *op, int64_t index, int64_t all);
/* True when the worker has no part of this operation. */
bool op_state_is_empty(const struct op_state *state, const struct op *op);

/* Names of a task, formatted; part of a worker. */
struct op_names {
    char container[CONTAINER_NAME_BYTES];
    char object[OBJECT_NAME_BYTES];
};

/* The next task, its names in *names. False: the walk is over. Hot: no allocation. */
bool op_next(const struct op *op, struct op_state *state, struct rng *rng, struct op_names *names,
             struct task *task);

#endif
