/* store_run.h -- workloads and how far they have come: rows written as a run goes on, read for
 * people.
 *
 * Numbers: workload 12 is shown as w12; stages, works and operations count from 1 in their parent.
 * Every write is committed when the function returns. What a row owns is freed by its release
 * function. */
#ifndef LOADSTONE_CONTROLLER_STORE_STORE_RUN_H
#define LOADSTONE_CONTROLLER_STORE_STORE_RUN_H

#include "common/base/diag.h"
#include "common/catalog/config.h"
#include "common/model/lifecycle.h"
#include "common/model/workload.h"
#include "controller/store/db.h"

/* "w12" to 12; 0 when it is not such an id. */
int64_t workload_number(const char *id);

struct event_row {
    char *state; /* as users see it */
    int64_t at_ns;
};

struct workload_row {
    int64_t number;
    char *name, *description;
    enum workload_state state;
    char *error;                                /* why it ended so, or what it waits for; "" */
    int64_t order;                              /* place in the queue: smaller runs first */
    int64_t submitted_ns, started_ns, ended_ns; /* wall clock; 0: not yet */
    char *op_info;       /* operation types, once each, separated by spaces */
    char *current_stage; /* id of the stage that runs, "" */
    int64_t stages_total, stages_done;
    VEC(struct event_row) history;
};
void workload_row_release(struct workload_row *row);

struct operation_row {
    char *id, *type, *sample_type, *name, *label, *config; /* config masked */
    int64_t ratio;
};

struct work_row {
    int64_t index;
    char *name, *type, *storage, *driver;
    int64_t workers, runtime_s, total_ops, total_bytes, afr;
    VEC(struct operation_row) operations;
};

struct mission_row {
    char *id, *driver, *work, *state, *error;
    int64_t work_index, workers;
};

struct stage_row {
    int64_t index;
    char *id, *name;
    enum stage_state state;
    char *error;
    int64_t interval_s, closure_delay_s;
    int64_t started_ns, ended_ns; /* wall clock; 0: not yet */
    int64_t expected_ns;          /* length that is known beforehand, or -1 */
    bool client_bound;
    char *client_bound_reason;
    int64_t in_flight_ops, in_flight_bytes;
    VEC(struct work_row) works;
    VEC(struct mission_row) missions;
    VEC(struct event_row) history;
};

struct workload_detail {
    struct workload_row row;
    VEC(struct stage_row) stages;
    struct diags diags; /* warnings given at submission */
};
void workload_detail_release(struct workload_detail *detail);

struct workload_rows {
    VEC(struct workload_row) list;
    int64_t total;       /* of all that match, not only this page */
    int64_t next_before; /* for the next page; 0: none */
};
void workload_rows_release(struct workload_rows *rows);

/* ---- submitting and reading */
int store_add_workload(struct db *db, const struct workload *workload, const char *xml,
                       size_t xml_len, const char *masked, const struct diags *diags, uint64_t seed,
                       int64_t now_ns, int64_t *ret_number, struct err *err);
enum store_filter { STORE_ALL, STORE_ACTIVE /* queuing, processing */, STORE_ENDED };
/* Newest first; before 0: from the newest. limit 1..1000. */
int store_list_workloads(struct db *db, enum store_filter filter, int64_t before, int64_t limit,
                         struct workload_rows *ret_rows, struct err *err);
/* ERR_NOT_FOUND. */
int store_get_workload(struct db *db, int64_t number, struct workload_row *ret_row,
                       struct err *err);
int store_get_detail(struct db *db, int64_t number, struct workload_detail *ret_detail,
                     struct err *err);
/* The XML as submitted (with secrets: for running only) and with secrets masked. Owned by the
 * caller. */
int store_get_xml(struct db *db, int64_t number, char **ret_xml, uint64_t *ret_seed,
                  struct err *err);
int store_get_masked(struct db *db, int64_t number, char **ret_xml, struct err *err);
/* The queued workload that is next; ERR_NOT_FOUND when none waits. */
int store_next_queued(struct db *db, int64_t *ret_number, struct err *err);

/* ---- progress. Each also notes the change in the history. */
int store_set_workload_state(struct db *db, int64_t number, enum workload_state state,
                             const char *error, int64_t now_ns, struct err *err);
/* Only the text beside the state. */
int store_set_workload_note(struct db *db, int64_t number, const char *note, struct err *err);
int store_set_stage_state(struct db *db, int64_t number, int64_t stage, enum stage_state state,
                          const char *error, int64_t now_ns, struct err *err);
/* Workloads that a former process left in processing become terminated, with their open stages. */
int store_end_orphans(struct db *db, const char *reason, int64_t now_ns, int64_t *ret_count,
                      struct err *err);

int store_add_mission(struct db *db, int64_t number, int64_t stage, const struct mission_row *row,
                      struct err *err);
int store_set_mission_state(struct db *db, const char *id, const char *state, const char *error,
                            struct err *err);

/* ---- drivers that were ever known */
int store_note_driver(struct db *db, const char *name, const char *url, const char *source,
                      int64_t now_ns, struct err *err);

#endif
