/* workload.h -- a workload: the submitted whole, as a tree of stages, works and operations.
 *
 *   workload > stage (run in order) > work (together) > operation (by ratio)
 *
 * workload_parse() gives it complete: inheritance of storage, auth and config strings resolved,
 * special works (init, prepare, cleanup, dispose, delay) rewritten to one operation, operations
 * with ratio 0 dropped, defaults filled (spec: workload-xml.md). */
#ifndef LOADSTONE_COMMON_MODEL_WORKLOAD_H
#define LOADSTONE_COMMON_MODEL_WORKLOAD_H

#include "common/base/diag.h"
#include "common/base/err.h"
#include "common/base/scope.h"
#include "common/base/strbuf.h"
#include "common/base/vec.h"
#include "common/catalog/ops.h"

#include <stdbool.h>
#include <stdint.h>

enum work_type { WORK_INIT, WORK_PREPARE, WORK_NORMAL, WORK_CLEANUP, WORK_DISPOSE, WORK_DELAY };
enum division { DIVISION_NONE, DIVISION_CONTAINER, DIVISION_OBJECT };

const char *work_type_name(enum work_type type);
int work_type_parse(const char *name, enum work_type *ret_type); /* 0 or ERR_CONFIG */
const char *division_name(enum division division);
int division_parse(const char *name, enum division *ret_division); /* 0 or ERR_CONFIG */

/* A storage or a sign-in: type is a name of the catalog (aliases resolved). */
struct service {
    char *type;
    char *config;
    int line;
};

struct operation {
    char id[16]; /* op1, op2, ... in each stage */
    enum op_type type;
    char *name;  /* label of the operation: its name= key, or the type's name */
    char *label; /* name in tables: NAME, NAME-SAMPLETYPE, 1-read ... (spec: results.md) */
    int ratio;   /* 1..100 */
    enum division division;
    char *config; /* merged from workload down to operation */
    int line;
};

struct work {
    char *name;
    enum work_type type;
    int64_t workers;
    int64_t interval_s;
    int64_t runtime_s, rampup_s, rampdown_s; /* runtime 0: unused */
    int64_t total_ops, total_bytes;          /* 0: unused */
    int64_t afr;                             /* failures allowed per million */
    char *driver;                            /* "" = any */
    struct service storage, auth;
    VEC(struct operation) operations;
    int line;
};

struct stage {
    char *name;
    char *id; /* "s1-NAME" */
    int64_t closure_delay_s;
    char *trigger;      /* "" = none */
    bool is_delay;      /* only sleeps */
    int64_t interval_s; /* the smallest of its works */
    VEC(struct work) works;
    int line;
};

struct workload {
    char *name;
    char *description;
    char *trigger;
    VEC(struct stage) stages;
};

/* Reads and checks a document, len bytes at most WORKLOAD_MAX_BYTES, no NUL needed. All problems go
 * to *diags, with lines. 0 and *ret_workload (release with workload_free) when there is no error
 * (warnings may be there); otherwise ERR_CONFIG or ERR_LIMIT and err says the first problem. */
int workload_parse(const char *text, size_t len, struct workload **ret_workload,
                   struct diags *diags, struct err *err);
void workload_free(struct workload *workload);
DEFINE_FREEP(workload)

/* The document as submitted with the values of secret keys masked, comments and layout kept as far
 * as they can; for people to read, and for the archive. The caller owns *ret_text. 0 or ERR_CONFIG.
 */
int workload_mask(const char *text, size_t len, char **ret_text, struct err *err);

/* Time the stage is known to take in ns (its longest work's ramps and runtime, and the delay), or
 * -1. */
int64_t stage_expected_ns(const struct stage *stage);

#endif
