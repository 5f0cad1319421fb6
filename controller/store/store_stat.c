/* store_stat.c -- see store_stat.h. */
#include "controller/store/store_stat.h"

#include "common/base/xalloc.h"
#include "common/stats/hist_codec.h"

#include <stdlib.h>

static char *encode(const struct hist *hist)
{
    return hist ? hist_encode(hist) : xstrdup("");
}

/* ---- samples */

static int add_points(struct db *db, int64_t number, int64_t stage, int64_t work,
                      const struct sample *sample, struct err *err)
{
    for (size_t i = 0; i < sample->tally_count; i++) {
        const struct tally *tally = &sample->tallies[i];
        AUTO(freep) char *response = encode(tally->response);
        int rc = db_run(
            db, err, "INSERT OR REPLACE INTO samples VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            "iiiiiiiiiiiiis", number, stage, sample->seq, work, (int64_t)i + 1, sample->from_ns,
            sample->to_ns, sample->workers_running, (int64_t)tally->good, (int64_t)tally->failed,
            (int64_t)tally->bytes, tally->response_sum_ns, tally->proc_sum_ns, response);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int store_add_sample(struct db *db, int64_t number, int64_t stage, int64_t work,
                     const struct sample *sample, struct err *err)
{
    int rc = db_begin(db, err);
    if (rc < 0)
        return rc;
    rc = add_points(db, number, stage, work, sample, err);
    return db_end(db, rc == 0, err);
}

void sample_rows_release(struct sample_rows *rows)
{
    VEC_EACH (sample, &rows->list) {
        VEC_EACH (point, &sample->points) {
            free(point->work);
            free(point->operation);
            free(point->label);
            hist_free(point->response);
        }
        vec_release(&sample->points);
    }
    vec_release(&rows->list);
}

/* Works of a stage start together, so samples of one seq are of the same second. */
static struct sample_row *sample_of(struct sample_rows *rows, struct query *query)
{
    int64_t seq = query_int(query, 0);
    struct sample_row *last = rows->list.len ? &rows->list.items[rows->list.len - 1] : NULL;
    if (!last || last->seq != seq) {
        struct sample_row fresh = {.seq = seq, .from_ns = query_int(query, 1)};
        vec_push(&rows->list, fresh);
        last = &rows->list.items[rows->list.len - 1];
    }
    last->from_ns = MIN(last->from_ns, query_int(query, 1));
    last->to_ns = MAX(last->to_ns, query_int(query, 2));
    if (query_int(query, 5) == 1) /* workers are the work's: once, with its first operation */
        last->workers_running += query_int(query, 3);
    return last;
}

int store_get_samples(struct db *db, int64_t number, int64_t stage, int64_t after_ns,
                      struct sample_rows *ret_rows, struct err *err)
{
    struct sample_rows rows = {{0}};
    struct query query;
    int rc = query_open(&query, db, err,
                        "SELECT s.seq, s.from_ns, s.to_ns, s.workers_running, s.work, s.op, w.name,"
                        " o.id, o.label, s.good, s.failed, s.bytes, s.response_sum_ns,"
                        " s.proc_sum_ns, s.response FROM samples s"
                        " JOIN works w USING (workload, stage, work)"
                        " JOIN operations o USING (workload, stage, work, op)"
                        " WHERE s.workload = ? AND s.stage = ? AND s.to_ns > ?"
                        " ORDER BY s.seq, s.work, s.op",
                        "iii", number, stage, after_ns);
    if (rc < 0)
        return rc;
    while ((rc = query_next(&query, err)) == 1) {
        struct sample_row *sample = sample_of(&rows, &query);
        struct point_row point = {
            .work_index = query_int(&query, 4),
            .op_index = query_int(&query, 5),
            .work = query_copy(&query, 6),
            .operation = query_copy(&query, 7),
            .label = query_copy(&query, 8),
            .good = (uint64_t)query_int(&query, 9),
            .failed = (uint64_t)query_int(&query, 10),
            .bytes = (uint64_t)query_int(&query, 11),
            .response_sum_ns = query_int(&query, 12),
            .proc_sum_ns = query_int(&query, 13),
        };
        const char *text = query_text(&query, 14);
        if (*text) {
            point.response = hist_new();
            rc = hist_decode(text, point.response, err);
        }
        vec_push(&sample->points, point);
        if (rc < 0)
            break;
    }
    query_close(&query);
    if (rc < 0) {
        sample_rows_release(&rows);
        return rc;
    }
    *ret_rows = rows;
    return 0;
}

/* ---- reports */

static int add_causes(struct db *db, const char *mission, int64_t op, const struct tally *tally,
                      struct err *err)
{
    VEC_EACH (cause, &tally->causes) {
        int rc =
            db_run(db, err, "INSERT OR REPLACE INTO errors VALUES (?,?,?,?,?,?)", "sisssi", mission,
                   op, cause->key, cause->message, cause->example, (int64_t)cause->count);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int add_tallies(struct db *db, const char *mission, const struct report *report,
                       struct err *err)
{
    int rc = db_run(db, err, "DELETE FROM errors WHERE mission = ?", "s", mission);
    for (size_t i = 0; rc == 0 && i < report->tally_count; i++) {
        const struct tally *tally = &report->tallies[i];
        AUTO(freep) char *response = encode(tally->response);
        AUTO(freep) char *first_byte = encode(tally->first_byte);
        AUTO(freep) char *service = encode(tally->service);
        rc = db_run(db, err, "INSERT OR REPLACE INTO reports VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
                    "siiiiiiiiisss", mission, (int64_t)i + 1, (int64_t)tally->good,
                    (int64_t)tally->failed, (int64_t)tally->bytes, tally->response_sum_ns,
                    tally->proc_sum_ns, tally->first_ns, tally->last_ns, (int64_t)tally->workers,
                    response, first_byte, service);
        if (rc == 0)
            rc = add_causes(db, mission, (int64_t)i + 1, tally, err);
    }
    return rc;
}

int store_add_report(struct db *db, const char *mission, const struct report *report,
                     struct err *err)
{
    int rc = db_begin(db, err);
    if (rc < 0)
        return rc;
    rc = db_run(db, err,
                "UPDATE missions SET ended_ns = ?, window_from_ns = ?, window_to_ns = ?,"
                " workers_idle = ?, in_flight_ops = ?, in_flight_bytes = ?, cpu_share_max = ?,"
                " loop_lag_p99_ns = ?, connections = ?, retries = ? WHERE id = ?",
                "iiiiiidiiis", report->ended_ns, report->window_from_ns, report->window_to_ns,
                report->workers_idle, report->in_flight_ops, report->in_flight_bytes,
                report->effort.cpu_share_max, report->effort.loop_lag_p99_ns,
                (int64_t)report->connections, (int64_t)report->retries, mission);
    if (rc == 0)
        rc = add_tallies(db, mission, report, err);
    return db_end(db, rc == 0, err);
}

int store_set_stage_effort(struct db *db, int64_t number, int64_t stage, bool client_bound,
                           const char *reason, int64_t in_flight_ops, int64_t in_flight_bytes,
                           struct err *err)
{
    return db_run(db, err,
                  "UPDATE stages SET client_bound = ?, client_bound_reason = ?, in_flight_ops = ?,"
                  " in_flight_bytes = ? WHERE workload = ? AND stage = ?",
                  "isiiii", (int64_t)client_bound, reason, in_flight_ops, in_flight_bytes, number,
                  stage);
}

/* ---- outcomes */

static void outcome_row_release(struct outcome_row *row)
{
    char *texts[] = {row->stage,   row->stage_name,  row->work,  row->operation, row->op_name,
                     row->op_type, row->sample_type, row->label, row->config,    row->status};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        free(texts[i]);
    VEC_EACH (part, &row->parts) {
        free(part->driver);
        tally_release(&part->tally);
    }
    vec_release(&row->parts);
}

void outcome_rows_release(struct outcome_rows *rows)
{
    VEC_EACH (row, &rows->list) {
        outcome_row_release(row);
    }
    vec_release(&rows->list);
}

static int read_outcomes(struct db *db, int64_t number, int64_t stage, struct outcome_rows *rows,
                         struct err *err)
{
    struct query query;
    int rc = query_open(&query, db, err,
                        "SELECT s.stage, w.work, o.op, s.id, s.name, w.name, o.id, o.name, o.type,"
                        " o.sample_type, o.label, o.config, o.ratio, s.state, w.runtime_s, w.afr,"
                        " s.client_bound FROM stages s JOIN works w USING (workload, stage)"
                        " JOIN operations o USING (workload, stage, work)"
                        " WHERE s.workload = ?1 AND (?2 = 0 OR s.stage = ?2)"
                        " ORDER BY s.stage, w.work, o.op",
                        "ii", number, stage);
    if (rc < 0)
        return rc;
    while ((rc = query_next(&query, err)) == 1) {
        struct outcome_row row = {
            .stage_index = query_int(&query, 0),
            .work_index = query_int(&query, 1),
            .op_index = query_int(&query, 2),
            .stage = query_copy(&query, 3),
            .stage_name = query_copy(&query, 4),
            .work = query_copy(&query, 5),
            .operation = query_copy(&query, 6),
            .op_name = query_copy(&query, 7),
            .op_type = query_copy(&query, 8),
            .sample_type = query_copy(&query, 9),
            .label = query_copy(&query, 10),
            .config = query_copy(&query, 11),
            .ratio = query_int(&query, 12),
            .status = query_copy(&query, 13),
            .runtime_s = query_int(&query, 14),
            .afr = query_int(&query, 15),
            .client_bound = query_int(&query, 16) != 0,
        };
        vec_push(&rows->list, row);
    }
    query_close(&query);
    return rc;
}

static int read_hist(struct query *query, int column, struct hist **ret_hist, struct err *err)
{
    const char *text = query_text(query, column);
    if (!*text)
        return 0;
    *ret_hist = hist_new();
    return hist_decode(text, *ret_hist, err);
}

static int read_part(struct query *query, struct part_row *part, struct err *err)
{
    struct tally *tally = &part->tally;
    tally_init(tally);
    part->driver = query_copy(query, 0);
    part->window_from_ns = query_int(query, 1);
    part->window_to_ns = query_int(query, 2);
    tally->good = (uint64_t)query_int(query, 3);
    tally->failed = (uint64_t)query_int(query, 4);
    tally->bytes = (uint64_t)query_int(query, 5);
    tally->response_sum_ns = query_int(query, 6);
    tally->proc_sum_ns = query_int(query, 7);
    tally->first_ns = query_int(query, 8);
    tally->last_ns = query_int(query, 9);
    tally->workers = (uint64_t)query_int(query, 10);
    int rc = read_hist(query, 11, &tally->response, err);
    if (rc == 0)
        rc = read_hist(query, 12, &tally->first_byte, err);
    if (rc == 0)
        rc = read_hist(query, 13, &tally->service, err);
    return rc;
}

static int read_causes(struct db *db, const char *mission, int64_t op, struct tally *tally,
                       struct err *err)
{
    struct query query;
    uint64_t failed = tally->failed;
    int rc = query_open(&query, db, err,
                        "SELECT cause, message, example, count FROM errors"
                        " WHERE mission = ? AND op = ? ORDER BY count DESC",
                        "si", mission, op);
    if (rc < 0)
        return rc;
    while ((rc = query_next(&query, err)) == 1)
        tally_fail(tally, query_text(&query, 0), query_text(&query, 1), query_text(&query, 2),
                   (uint64_t)query_int(&query, 3));
    query_close(&query);
    tally->failed = failed;
    return rc;
}

static int read_parts(struct db *db, int64_t number, struct outcome_row *row, struct err *err)
{
    struct query query;
    int rc = query_open(&query, db, err,
                        "SELECT m.driver, m.window_from_ns, m.window_to_ns, r.good, r.failed,"
                        " r.bytes, r.response_sum_ns, r.proc_sum_ns, r.first_ns, r.last_ns,"
                        " r.workers, r.response, r.first_byte, r.service, m.id"
                        " FROM missions m JOIN reports r ON r.mission = m.id"
                        " WHERE m.workload = ? AND m.stage = ? AND m.work = ? AND r.op = ?"
                        " ORDER BY m.rowid",
                        "iiii", number, row->stage_index, row->work_index, row->op_index);
    if (rc < 0)
        return rc;
    while ((rc = query_next(&query, err)) == 1) {
        struct part_row part = {.driver = NULL};
        rc = read_part(&query, &part, err);
        if (rc == 0 && part.tally.failed > 0)
            rc = read_causes(db, query_text(&query, 14), row->op_index, &part.tally, err);
        vec_push(&row->parts, part);
        if (rc < 0)
            break;
    }
    query_close(&query);
    return rc;
}

int store_get_outcomes(struct db *db, int64_t number, int64_t stage, struct outcome_rows *ret_rows,
                       struct err *err)
{
    struct outcome_rows rows = {{0}};
    int rc = read_outcomes(db, number, stage, &rows, err);
    VEC_EACH (row, &rows.list) {
        if (rc == 0)
            rc = read_parts(db, number, row, err);
    }
    if (rc < 0) {
        outcome_rows_release(&rows);
        return rc;
    }
    *ret_rows = rows;
    return 0;
}
