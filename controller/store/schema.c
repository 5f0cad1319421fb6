/* schema.c -- see schema.h. A migration that was released never changes; a new need is a new one at
 * the end.
 *
 *   workloads 1-n stages 1-n works 1-n operations
 *                      stages 1-n missions 1-n reports, errors     (what drivers reported)
 *                      works 1-n samples                           (merged over drivers, a second
 * each) events: state histories; diagnostics: warnings of a submission; drivers: every driver ever
 * known
 *
 * Stages, works and operations count from 1 in their parent. Times *_ns are wall clock unless the
 * name says what they count from. Histograms are the text of hist_codec.h. */
#include "controller/store/schema.h"

#include <stddef.h>

const char *const schema_migrations[] = {
    "CREATE TABLE workloads ("
    "  number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, description TEXT NOT NULL,"
    "  state TEXT NOT NULL, error TEXT NOT NULL DEFAULT '', queue_order INTEGER NOT NULL,"
    "  xml BLOB NOT NULL, masked_xml TEXT NOT NULL, seed INTEGER NOT NULL, op_info TEXT NOT NULL,"
    "  submitted_ns INTEGER NOT NULL, started_ns INTEGER NOT NULL DEFAULT 0,"
    "  ended_ns INTEGER NOT NULL DEFAULT 0);"
    "CREATE INDEX workloads_by_state ON workloads (state, queue_order);"
    "CREATE TABLE stages ("
    "  workload INTEGER NOT NULL REFERENCES workloads ON DELETE CASCADE, stage INTEGER NOT NULL,"
    "  id TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL, error TEXT NOT NULL DEFAULT '',"
    "  interval_s INTEGER NOT NULL, closure_delay_s INTEGER NOT NULL, expected_ns INTEGER NOT NULL,"
    "  started_ns INTEGER NOT NULL DEFAULT 0, ended_ns INTEGER NOT NULL DEFAULT 0,"
    "  client_bound INTEGER NOT NULL DEFAULT 0, client_bound_reason TEXT NOT NULL DEFAULT '',"
    "  in_flight_ops INTEGER NOT NULL DEFAULT 0, in_flight_bytes INTEGER NOT NULL DEFAULT 0,"
    "  PRIMARY KEY (workload, stage)) WITHOUT ROWID;"
    "CREATE TABLE works ("
    "  workload INTEGER NOT NULL, stage INTEGER NOT NULL, work INTEGER NOT NULL, name TEXT NOT "
    "NULL,"
    "  type TEXT NOT NULL, workers INTEGER NOT NULL, storage TEXT NOT NULL, driver TEXT NOT NULL,"
    "  runtime_s INTEGER NOT NULL, total_ops INTEGER NOT NULL, total_bytes INTEGER NOT NULL,"
    "  afr INTEGER NOT NULL, PRIMARY KEY (workload, stage, work),"
    "  FOREIGN KEY (workload, stage) REFERENCES stages ON DELETE CASCADE) WITHOUT ROWID;"
    "CREATE TABLE operations ("
    "  workload INTEGER NOT NULL, stage INTEGER NOT NULL, work INTEGER NOT NULL, op INTEGER NOT "
    "NULL,"
    "  id TEXT NOT NULL, type TEXT NOT NULL, sample_type TEXT NOT NULL, name TEXT NOT NULL,"
    "  label TEXT NOT NULL, ratio INTEGER NOT NULL, config TEXT NOT NULL,"
    "  PRIMARY KEY (workload, stage, work, op),"
    "  FOREIGN KEY (workload, stage, work) REFERENCES works ON DELETE CASCADE) WITHOUT ROWID;"
    "CREATE TABLE missions ("
    "  id TEXT PRIMARY KEY, workload INTEGER NOT NULL, stage INTEGER NOT NULL, work INTEGER NOT "
    "NULL,"
    "  work_name TEXT NOT NULL, driver TEXT NOT NULL, workers INTEGER NOT NULL, state TEXT NOT "
    "NULL,"
    "  error TEXT NOT NULL DEFAULT '', ended_ns INTEGER NOT NULL DEFAULT 0,"
    "  window_from_ns INTEGER NOT NULL DEFAULT 0, window_to_ns INTEGER NOT NULL DEFAULT 0,"
    "  workers_idle INTEGER NOT NULL DEFAULT 0, in_flight_ops INTEGER NOT NULL DEFAULT 0,"
    "  in_flight_bytes INTEGER NOT NULL DEFAULT 0, cpu_share_max REAL NOT NULL DEFAULT 0,"
    "  loop_lag_p99_ns INTEGER NOT NULL DEFAULT 0, connections INTEGER NOT NULL DEFAULT 0,"
    "  retries INTEGER NOT NULL DEFAULT 0,"
    "  FOREIGN KEY (workload, stage) REFERENCES stages ON DELETE CASCADE);"
    "CREATE INDEX missions_by_stage ON missions (workload, stage, work);"
    "CREATE TABLE reports ("
    "  mission TEXT NOT NULL REFERENCES missions ON DELETE CASCADE, op INTEGER NOT NULL,"
    "  good INTEGER NOT NULL, failed INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    "  response_sum_ns INTEGER NOT NULL, proc_sum_ns INTEGER NOT NULL, first_ns INTEGER NOT NULL,"
    "  last_ns INTEGER NOT NULL, workers INTEGER NOT NULL, response TEXT NOT NULL,"
    "  first_byte TEXT NOT NULL, service TEXT NOT NULL, PRIMARY KEY (mission, op)) WITHOUT ROWID;"
    "CREATE TABLE errors ("
    "  mission TEXT NOT NULL REFERENCES missions ON DELETE CASCADE, op INTEGER NOT NULL,"
    "  cause TEXT NOT NULL, message TEXT NOT NULL, example TEXT NOT NULL, count INTEGER NOT NULL,"
    "  PRIMARY KEY (mission, op, cause, message)) WITHOUT ROWID;"
    "CREATE TABLE samples ("
    "  workload INTEGER NOT NULL, stage INTEGER NOT NULL, seq INTEGER NOT NULL, work INTEGER NOT "
    "NULL,"
    "  op INTEGER NOT NULL, from_ns INTEGER NOT NULL, to_ns INTEGER NOT NULL,"
    "  workers_running INTEGER NOT NULL, good INTEGER NOT NULL, failed INTEGER NOT NULL,"
    "  bytes INTEGER NOT NULL, response_sum_ns INTEGER NOT NULL, proc_sum_ns INTEGER NOT NULL,"
    "  response TEXT NOT NULL, PRIMARY KEY (workload, stage, seq, work, op),"
    "  FOREIGN KEY (workload, stage) REFERENCES stages ON DELETE CASCADE) WITHOUT ROWID;"
    "CREATE TABLE events ("
    "  workload INTEGER NOT NULL REFERENCES workloads ON DELETE CASCADE, stage INTEGER NOT NULL,"
    "  seq INTEGER NOT NULL, state TEXT NOT NULL, at_ns INTEGER NOT NULL,"
    "  PRIMARY KEY (workload, stage, seq)) WITHOUT ROWID;"
    "CREATE TABLE diagnostics ("
    "  workload INTEGER NOT NULL REFERENCES workloads ON DELETE CASCADE, seq INTEGER NOT NULL,"
    "  severity INTEGER NOT NULL, line INTEGER NOT NULL, element TEXT NOT NULL,"
    "  attribute TEXT NOT NULL, message TEXT NOT NULL, PRIMARY KEY (workload, seq)) WITHOUT ROWID;"
    "CREATE TABLE drivers ("
    "  name TEXT PRIMARY KEY, url TEXT NOT NULL, source TEXT NOT NULL, first_seen_ns INTEGER NOT "
    "NULL,"
    "  last_seen_ns INTEGER NOT NULL) WITHOUT ROWID;",
    NULL,
};
