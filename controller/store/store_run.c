/* store_run.c -- see store_run.h. */
#include "controller/store/store_run.h"

#include "common/base/scope.h"
#include "common/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t workload_number(const char *id)
{
    int64_t number;
    if (!id || (*id != 'w' && *id != 'W') || id[1 + strspn(id + 1, "0123456789")] != '\0' ||
        units_parse_int(id + 1, &number) < 0 || number < 1)
        return 0;
    return number;
}

/* ---- releasing */

static void free_texts(char **const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(*texts[i]);
        *texts[i] = NULL;
    }
}

#define FREE_TEXTS(...)                                                                            \
    do {                                                                                           \
        char **const texts_[] = {__VA_ARGS__};                                                     \
        free_texts(texts_, ARRAY_LEN(texts_));                                                     \
    } while (0)

#define RELEASE_HISTORY(history)                                                                   \
    do {                                                                                           \
        VEC_EACH (event, history) {                                                                \
            free(event->state);                                                                    \
        }                                                                                          \
        vec_release(history);                                                                      \
    } while (0)

void workload_row_release(struct workload_row *row)
{
    FREE_TEXTS(&row->name, &row->description, &row->error, &row->op_info, &row->current_stage);
    RELEASE_HISTORY(&row->history);
}

void workload_rows_release(struct workload_rows *rows)
{
    VEC_EACH (row, &rows->list) {
        workload_row_release(row);
    }
    vec_release(&rows->list);
}

static void work_row_release(struct work_row *work)
{
    FREE_TEXTS(&work->name, &work->type, &work->storage, &work->driver);
    VEC_EACH (op, &work->operations) {
        FREE_TEXTS(&op->id, &op->type, &op->sample_type, &op->name, &op->label, &op->config);
    }
    vec_release(&work->operations);
}

static void stage_row_release(struct stage_row *stage)
{
    FREE_TEXTS(&stage->id, &stage->name, &stage->error, &stage->client_bound_reason);
    VEC_EACH (work, &stage->works) {
        work_row_release(work);
    }
    VEC_EACH (mission, &stage->missions) {
        FREE_TEXTS(&mission->id, &mission->driver, &mission->work, &mission->state,
                   &mission->error);
    }
    vec_release(&stage->works);
    vec_release(&stage->missions);
    RELEASE_HISTORY(&stage->history);
}

void workload_detail_release(struct workload_detail *detail)
{
    workload_row_release(&detail->row);
    VEC_EACH (stage, &detail->stages) {
        stage_row_release(stage);
    }
    vec_release(&detail->stages);
    diags_release(&detail->diags);
}

/* ---- adding */

static int add_event(struct db *db, int64_t number, int64_t stage, const char *state,
                     int64_t now_ns, struct err *err)
{
    return db_run(db, err,
                  "INSERT INTO events VALUES (?1, ?2, (SELECT coalesce(max(seq), 0) + 1 FROM events"
                  " WHERE workload = ?1 AND stage = ?2), ?3, ?4)",
                  "iisi", number, stage, state, now_ns);
}

static int add_operations(struct db *db, int64_t number, int64_t stage, int64_t index,
                          const struct work *work, struct err *err)
{
    int64_t op = 0;
    VEC_EACH (operation, &work->operations) {
        const struct op_info *info = op_info_of(operation->type);
        AUTO(freep) char *masked = config_mask(operation->config);
        int rc =
            db_run(db, err, "INSERT INTO operations VALUES (?,?,?,?,?,?,?,?,?,?,?)", "iiiisssssis",
                   number, stage, index, ++op, operation->id, info->name, info->sample_type,
                   operation->name, operation->label, (int64_t)operation->ratio, masked);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int add_works(struct db *db, int64_t number, int64_t index, const struct stage *stage,
                     struct err *err)
{
    int64_t at = 0;
    VEC_EACH (work, &stage->works) {
        at++;
        int rc = db_run(db, err, "INSERT INTO works VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                        "iiississiiii", number, index, at, work->name, work_type_name(work->type),
                        work->workers, work->storage.type, work->driver ? work->driver : "",
                        work->runtime_s, work->total_ops, work->total_bytes, work->afr);
        if (rc == 0)
            rc = add_operations(db, number, index, at, work, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int add_stages(struct db *db, int64_t number, const struct workload *workload,
                      int64_t now_ns, struct err *err)
{
    int64_t index = 0;
    VEC_EACH (stage, &workload->stages) {
        index++;
        int rc = db_run(db, err,
                        "INSERT INTO stages (workload, stage, id, name, state, interval_s,"
                        " closure_delay_s, expected_ns) VALUES (?,?,?,?,?,?,?,?)",
                        "iisssiii", number, index, stage->id, stage->name,
                        stage_state_name(STAGE_WAITING), stage->interval_s, stage->closure_delay_s,
                        stage_expected_ns(stage));
        if (rc == 0)
            rc = add_event(db, number, index, stage_state_name(STAGE_WAITING), now_ns, err);
        if (rc == 0)
            rc = add_works(db, number, index, stage, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int add_diagnostics(struct db *db, int64_t number, const struct diags *diags,
                           struct err *err)
{
    int64_t seq = 0;
    VEC_EACH (diag, &diags->list) {
        int rc = db_run(db, err, "INSERT INTO diagnostics VALUES (?,?,?,?,?,?,?)", "iiiisss",
                        number, ++seq, (int64_t)diag->severity, (int64_t)diag->line, diag->element,
                        diag->attribute, diag->message);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* "init prepare read write": each operation type once, in order of appearance. */
static char *op_info_text(const struct workload *workload)
{
    struct strbuf text = STRBUF_INIT(1024);
    unsigned seen = 0;
    VEC_EACH (stage, &workload->stages) {
        VEC_EACH (work, &stage->works) {
            VEC_EACH (operation, &work->operations) {
                if (seen & OP_BIT(operation->type))
                    continue;
                seen |= OP_BIT(operation->type);
                strbuf_addf(&text, "%s%s", text.len ? " " : "", op_info_of(operation->type)->name);
            }
        }
    }
    return strbuf_take(&text);
}

static int add_workload(struct db *db, const struct workload *workload, const char *xml,
                        size_t xml_len, const char *masked, const struct diags *diags,
                        uint64_t seed, int64_t now_ns, int64_t *ret_number, struct err *err)
{
    const char *state = workload_state_name(WORKLOAD_QUEUING);
    AUTO(freep) char *op_info = op_info_text(workload);
    int rc = db_run(db, err,
                    "INSERT INTO workloads (name, description, state, queue_order, xml, masked_xml,"
                    " seed, op_info, submitted_ns) VALUES (?,?,?,"
                    " (SELECT coalesce(max(queue_order), 0) + 1 FROM workloads),?,?,?,?,?)",
                    "sssbsisi", workload->name, workload->description ? workload->description : "",
                    state, xml, (int64_t)xml_len, masked, (int64_t)seed, op_info, now_ns);
    if (rc < 0)
        return rc;
    int64_t number = db_last_rowid(db);
    rc = add_event(db, number, 0, state, now_ns, err);
    if (rc == 0)
        rc = add_stages(db, number, workload, now_ns, err);
    if (rc == 0)
        rc = add_diagnostics(db, number, diags, err);
    if (rc == 0)
        *ret_number = number;
    return rc;
}

int store_add_workload(struct db *db, const struct workload *workload, const char *xml,
                       size_t xml_len, const char *masked, const struct diags *diags, uint64_t seed,
                       int64_t now_ns, int64_t *ret_number, struct err *err)
{
    int rc = db_begin(db, err);
    if (rc < 0)
        return rc;
    rc = add_workload(db, workload, xml, xml_len, masked, diags, seed, now_ns, ret_number, err);
    return db_end(db, rc == 0, err);
}

/* ---- reading */

#define ROW_COLUMNS                                                                                \
    "number, name, description, state, error, queue_order, submitted_ns, started_ns, ended_ns,"    \
    " op_info,"                                                                                    \
    " (SELECT id FROM stages s WHERE s.workload = number AND s.started_ns > 0 AND s.ended_ns = 0"  \
    "  ORDER BY stage LIMIT 1),"                                                                   \
    " (SELECT count(*) FROM stages s WHERE s.workload = number),"                                  \
    " (SELECT count(*) FROM stages s WHERE s.workload = number AND s.ended_ns > 0)"

static void read_row(struct query *query, struct workload_row *row)
{
    *row = (struct workload_row){
        .number = query_int(query, 0),
        .name = query_copy(query, 1),
        .description = query_copy(query, 2),
        .error = query_copy(query, 4),
        .order = query_int(query, 5),
        .submitted_ns = query_int(query, 6),
        .started_ns = query_int(query, 7),
        .ended_ns = query_int(query, 8),
        .op_info = query_copy(query, 9),
        .current_stage = query_copy(query, 10),
        .stages_total = query_int(query, 11),
        .stages_done = query_int(query, 12),
    };
    workload_state_parse(query_text(query, 3), &row->state);
}

/* Runs body for each row of the query. */
#define QUERY_EACH(query, rc, err) while ((rc = query_next((query), (err))) == 1)

static int read_history(struct db *db, struct workload_row *row, struct err *err)
{
    struct query query;
    int rc =
        query_open(&query, db, err,
                   "SELECT state, at_ns FROM events WHERE workload = ? AND stage = 0 ORDER BY seq",
                   "i", row->number);
    if (rc < 0)
        return rc;
    QUERY_EACH(&query, rc, err)
    {
        struct event_row event = {query_copy(&query, 0), query_int(&query, 1)};
        vec_push(&row->history, event);
    }
    query_close(&query);
    return rc;
}

static const char *filter_clause(enum store_filter filter)
{
    static const char *const clauses[] = {
        [STORE_ALL] = "1",
        [STORE_ACTIVE] = "state IN ('queuing', 'processing')",
        [STORE_ENDED] = "state NOT IN ('queuing', 'processing')",
    };
    return clauses[filter];
}

static int count_rows(struct db *db, enum store_filter filter, int64_t *ret_total, struct err *err)
{
    char sql[256];
    struct query query;
    snprintf(sql, sizeof(sql), "SELECT count(*) FROM workloads WHERE %s", filter_clause(filter));
    int rc = query_open(&query, db, err, sql, "");
    if (rc < 0)
        return rc;
    rc = query_next(&query, err);
    *ret_total = rc == 1 ? query_int(&query, 0) : 0;
    query_close(&query);
    return MIN(rc, 0);
}

int store_list_workloads(struct db *db, enum store_filter filter, int64_t before, int64_t limit,
                         struct workload_rows *ret_rows, struct err *err)
{
    char sql[1024];
    struct workload_rows rows = {.total = 0};
    struct query query;
    limit = MIN(MAX(limit, INT64_C(1)), INT64_C(1000));
    snprintf(sql, sizeof(sql),
             "SELECT " ROW_COLUMNS " FROM workloads WHERE %s AND number < ? ORDER BY number DESC"
             " LIMIT ?",
             filter_clause(filter));
    int rc = query_open(&query, db, err, sql, "ii", before > 0 ? before : INT64_MAX, limit + 1);
    if (rc < 0)
        return rc;
    QUERY_EACH(&query, rc, err)
    {
        if ((int64_t)rows.list.len == limit) {
            rows.next_before = rows.list.items[limit - 1].number;
            rc = 0;
            break;
        }
        struct workload_row row;
        read_row(&query, &row);
        vec_push(&rows.list, row);
    }
    query_close(&query);
    VEC_EACH (row, &rows.list) {
        if (rc == 0)
            rc = read_history(db, row, err);
    }
    if (rc == 0)
        rc = count_rows(db, filter, &rows.total, err);
    if (rc < 0) {
        workload_rows_release(&rows);
        return rc;
    }
    *ret_rows = rows;
    return 0;
}

static int not_found(int64_t number, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "no workload w%" PRId64, number);
}

int store_get_workload(struct db *db, int64_t number, struct workload_row *ret_row, struct err *err)
{
    struct query query;
    struct workload_row row;
    int rc = query_open(&query, db, err, "SELECT " ROW_COLUMNS " FROM workloads WHERE number = ?",
                        "i", number);
    if (rc < 0)
        return rc;
    rc = query_next(&query, err);
    if (rc == 1)
        read_row(&query, &row);
    query_close(&query);
    if (rc != 1)
        return rc < 0 ? rc : not_found(number, err);
    rc = read_history(db, &row, err);
    if (rc < 0) {
        workload_row_release(&row);
        return rc;
    }
    *ret_row = row;
    return 0;
}

static int read_stages(struct db *db, struct workload_detail *detail, struct err *err)
{
    struct query query;
    int rc = query_open(&query, db, err,
                        "SELECT stage, id, name, state, error, interval_s, closure_delay_s,"
                        " started_ns, ended_ns, expected_ns, client_bound, client_bound_reason,"
                        " in_flight_ops, in_flight_bytes FROM stages WHERE workload = ?"
                        " ORDER BY stage",
                        "i", detail->row.number);
    if (rc < 0)
        return rc;
    QUERY_EACH(&query, rc, err)
    {
        struct stage_row stage = {
            .index = query_int(&query, 0),
            .id = query_copy(&query, 1),
            .name = query_copy(&query, 2),
            .error = query_copy(&query, 4),
            .interval_s = query_int(&query, 5),
            .closure_delay_s = query_int(&query, 6),
            .started_ns = query_int(&query, 7),
            .ended_ns = query_int(&query, 8),
            .expected_ns = query_int(&query, 9),
            .client_bound = query_int(&query, 10) != 0,
            .client_bound_reason = query_copy(&query, 11),
            .in_flight_ops = query_int(&query, 12),
            .in_flight_bytes = query_int(&query, 13),
        };
        stage_state_parse(query_text(&query, 3), &stage.state);
        vec_push(&detail->stages, stage);
    }
    query_close(&query);
    return rc;
}

/* The stage of an index counted from 1, or NULL. */
static struct stage_row *stage_at(struct workload_detail *detail, int64_t index)
{
    return index >= 1 && index <= (int64_t)detail->stages.len ? &detail->stages.items[index - 1]
                                                              : NULL;
}

static int read_works(struct db *db, struct workload_detail *detail, struct err *err)
{
    struct query query;
    int rc = query_open(&query, db, err,
                        "SELECT stage, work, name, type, workers, storage, driver, runtime_s,"
                        " total_ops, total_bytes, afr FROM works WHERE workload = ?"
                        " ORDER BY stage, work",
                        "i", detail->row.number);
    if (rc < 0)
        return rc;
    QUERY_EACH(&query, rc, err)
    {
        struct stage_row *stage = stage_at(detail, query_int(&query, 0));
        if (!stage)
            continue;
        struct work_row work = {
            .index = query_int(&query, 1),
            .name = query_copy(&query, 2),
            .type = query_copy(&query, 3),
            .workers = query_int(&query, 4),
            .storage = query_copy(&query, 5),
            .driver = query_copy(&query, 6),
            .runtime_s = query_int(&query, 7),
            .total_ops = query_int(&query, 8),
            .total_bytes = query_int(&query, 9),
            .afr = query_int(&query, 10),
        };
        vec_push(&stage->works, work);
    }
    query_close(&query);
    return rc;
}

static int read_operations(struct db *db, struct workload_detail *detail, struct err *err)
{
    struct query query;
    int rc = query_open(&query, db, err,
                        "SELECT stage, work, id, type, sample_type, name, label, config, ratio"
                        " FROM operations WHERE workload = ? ORDER BY stage, work, op",
                        "i", detail->row.number);
    if (rc < 0)
        return rc;
    QUERY_EACH(&query, rc, err)
    {
        struct stage_row *stage = stage_at(detail, query_int(&query, 0));
        int64_t work = query_int(&query, 1);
        if (!stage || work < 1 || work > (int64_t)stage->works.len)
            continue;
        struct operation_row op = {
            .id = query_copy(&query, 2),
            .type = query_copy(&query, 3),
            .sample_type = query_copy(&query, 4),
            .name = query_copy(&query, 5),
            .label = query_copy(&query, 6),
            .config = query_copy(&query, 7),
            .ratio = query_int(&query, 8),
        };
        vec_push(&stage->works.items[work - 1].operations, op);
    }
    query_close(&query);
    return rc;
}

static int read_missions(struct db *db, struct workload_detail *detail, struct err *err)
{
    struct query query;
    int rc = query_open(&query, db, err,
                        "SELECT stage, id, driver, work_name, state, error, work, workers"
                        " FROM missions WHERE workload = ? ORDER BY stage, work, rowid",
                        "i", detail->row.number);
    if (rc < 0)
        return rc;
    QUERY_EACH(&query, rc, err)
    {
        struct stage_row *stage = stage_at(detail, query_int(&query, 0));
        if (!stage)
            continue;
        struct mission_row mission = {
            .id = query_copy(&query, 1),
            .driver = query_copy(&query, 2),
            .work = query_copy(&query, 3),
            .state = query_copy(&query, 4),
            .error = query_copy(&query, 5),
            .work_index = query_int(&query, 6),
            .workers = query_int(&query, 7),
        };
        vec_push(&stage->missions, mission);
    }
    query_close(&query);
    return rc;
}

static int read_stage_histories(struct db *db, struct workload_detail *detail, struct err *err)
{
    struct query query;
    int rc = query_open(&query, db, err,
                        "SELECT stage, state, at_ns FROM events WHERE workload = ? AND stage > 0"
                        " ORDER BY stage, seq",
                        "i", detail->row.number);
    if (rc < 0)
        return rc;
    QUERY_EACH(&query, rc, err)
    {
        struct stage_row *stage = stage_at(detail, query_int(&query, 0));
        if (!stage)
            continue;
        struct event_row event = {query_copy(&query, 1), query_int(&query, 2)};
        vec_push(&stage->history, event);
    }
    query_close(&query);
    return rc;
}

static int read_diagnostics(struct db *db, struct workload_detail *detail, struct err *err)
{
    struct query query;
    int rc = query_open(&query, db, err,
                        "SELECT severity, line, element, attribute, message FROM diagnostics"
                        " WHERE workload = ? ORDER BY seq",
                        "i", detail->row.number);
    if (rc < 0)
        return rc;
    QUERY_EACH(&query, rc, err)
    {
        diags_add(&detail->diags, (enum diag_severity)query_int(&query, 0),
                  (int)query_int(&query, 1), query_text(&query, 2), query_text(&query, 3), "%s",
                  query_text(&query, 4));
    }
    query_close(&query);
    return rc;
}

int store_get_detail(struct db *db, int64_t number, struct workload_detail *ret_detail,
                     struct err *err)
{
    static int (*const readers[])(struct db *, struct workload_detail *, struct err *) = {
        read_stages,   read_works,           read_operations,
        read_missions, read_stage_histories, read_diagnostics,
    };
    struct workload_detail detail = {.row = {.number = number}};
    int rc = store_get_workload(db, number, &detail.row, err);
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(readers); i++)
        rc = readers[i](db, &detail, err);
    if (rc < 0) {
        workload_detail_release(&detail);
        return rc;
    }
    *ret_detail = detail;
    return 0;
}

static int get_text(struct db *db, const char *sql, int64_t number, char **ret_text,
                    int64_t *ret_int, struct err *err)
{
    struct query query;
    int rc = query_open(&query, db, err, sql, "i", number);
    if (rc < 0)
        return rc;
    rc = query_next(&query, err);
    if (rc == 1) {
        *ret_text = query_copy(&query, 0);
        if (ret_int)
            *ret_int = query_int(&query, 1);
    }
    query_close(&query);
    return rc == 1 ? 0 : rc < 0 ? rc : not_found(number, err);
}

int store_get_xml(struct db *db, int64_t number, char **ret_xml, uint64_t *ret_seed,
                  struct err *err)
{
    int64_t seed = 0;
    int rc = get_text(db, "SELECT CAST(xml AS TEXT), seed FROM workloads WHERE number = ?", number,
                      ret_xml, &seed, err);
    if (rc == 0)
        *ret_seed = (uint64_t)seed;
    return rc;
}

int store_get_masked(struct db *db, int64_t number, char **ret_xml, struct err *err)
{
    return get_text(db, "SELECT masked_xml FROM workloads WHERE number = ?", number, ret_xml, NULL,
                    err);
}

int store_next_queued(struct db *db, int64_t *ret_number, struct err *err)
{
    struct query query;
    int rc = query_open(&query, db, err,
                        "SELECT number FROM workloads WHERE state = 'queuing' ORDER BY queue_order"
                        " LIMIT 1",
                        "");
    if (rc < 0)
        return rc;
    rc = query_next(&query, err);
    if (rc == 1)
        *ret_number = query_int(&query, 0);
    query_close(&query);
    if (rc == 0)
        return err_set(err, ERR_NOT_FOUND, "no workload is queued");
    return rc == 1 ? 0 : rc;
}

/* ---- progress */

int store_set_workload_state(struct db *db, int64_t number, enum workload_state state,
                             const char *error, int64_t now_ns, struct err *err)
{
    int rc = db_begin(db, err);
    if (rc < 0)
        return rc;
    rc = db_run(db, err,
                "UPDATE workloads SET state = ?2, error = ?3,"
                " started_ns = CASE WHEN ?4 AND started_ns = 0 THEN ?6 ELSE started_ns END,"
                " ended_ns = CASE WHEN ?5 THEN ?6 ELSE ended_ns END WHERE number = ?1",
                "issiii", number, workload_state_name(state), error ? error : "",
                (int64_t)(state == WORKLOAD_PROCESSING), (int64_t)workload_state_is_end(state),
                now_ns);
    if (rc == 0)
        rc = add_event(db, number, 0, workload_state_name(state), now_ns, err);
    return db_end(db, rc == 0, err);
}

int store_set_workload_note(struct db *db, int64_t number, const char *note, struct err *err)
{
    return db_run(db, err, "UPDATE workloads SET error = ? WHERE number = ?", "si", note, number);
}

int store_set_stage_state(struct db *db, int64_t number, int64_t stage, enum stage_state state,
                          const char *error, int64_t now_ns, struct err *err)
{
    int rc = db_begin(db, err);
    if (rc < 0)
        return rc;
    rc = db_run(
        db, err,
        "UPDATE stages SET state = ?3, error = ?4,"
        " started_ns = CASE WHEN ?5 AND started_ns = 0 THEN ?7 ELSE started_ns END,"
        " ended_ns = CASE WHEN ?6 THEN ?7 ELSE ended_ns END"
        " WHERE workload = ?1 AND stage = ?2",
        "iissiii", number, stage, stage_state_name(state), error ? error : "",
        (int64_t)(state != STAGE_WAITING && state != STAGE_ABORTED && state != STAGE_CANCELLED),
        (int64_t)stage_state_is_end(state), now_ns);
    if (rc == 0)
        rc = add_event(db, number, stage, stage_state_name(state), now_ns, err);
    return db_end(db, rc == 0, err);
}

static int end_stages(struct db *db, int64_t number, const char *reason, int64_t now_ns,
                      struct err *err)
{
    struct workload_detail detail;
    int rc = store_get_detail(db, number, &detail, err);
    if (rc < 0)
        return rc;
    VEC_EACH (stage, &detail.stages) {
        if (rc < 0 || stage_state_is_end(stage->state))
            continue;
        bool waited = stage->state == STAGE_WAITING;
        rc = store_set_stage_state(db, number, stage->index,
                                   waited ? STAGE_ABORTED : STAGE_TERMINATED, waited ? "" : reason,
                                   now_ns, err);
    }
    workload_detail_release(&detail);
    return rc;
}

int store_end_orphans(struct db *db, const char *reason, int64_t now_ns, int64_t *ret_count,
                      struct err *err)
{
    VEC(int64_t) orphans = {0};
    struct query query;
    int rc =
        query_open(&query, db, err, "SELECT number FROM workloads WHERE state = 'processing'", "");
    if (rc < 0)
        return rc;
    QUERY_EACH(&query, rc, err)
    {
        vec_push(&orphans, query_int(&query, 0));
    }
    query_close(&query);
    VEC_EACH (number, &orphans) {
        if (rc == 0)
            rc = end_stages(db, *number, reason, now_ns, err);
        if (rc == 0)
            rc = store_set_workload_state(db, *number, WORKLOAD_TERMINATED, reason, now_ns, err);
    }
    *ret_count = (int64_t)orphans.len;
    vec_release(&orphans);
    return rc;
}

int store_add_mission(struct db *db, int64_t number, int64_t stage, const struct mission_row *row,
                      struct err *err)
{
    return db_run(db, err,
                  "INSERT OR REPLACE INTO missions (id, workload, stage, work, work_name, driver,"
                  " workers, state, error) VALUES (?,?,?,?,?,?,?,?,?)",
                  "siiississ", row->id, number, stage, row->work_index, row->work, row->driver,
                  row->workers, row->state, row->error ? row->error : "");
}

int store_set_mission_state(struct db *db, const char *id, const char *state, const char *error,
                            struct err *err)
{
    return db_run(db, err, "UPDATE missions SET state = ?, error = ? WHERE id = ?", "sss", state,
                  error ? error : "", id);
}

int store_note_driver(struct db *db, const char *name, const char *url, const char *source,
                      int64_t now_ns, struct err *err)
{
    return db_run(db, err,
                  "INSERT INTO drivers VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT (name) DO UPDATE SET"
                  " url = ?2, source = ?3, last_seen_ns = ?4",
                  "sssi", name, url, source, now_ns);
}
