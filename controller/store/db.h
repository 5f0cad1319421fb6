/* db.h -- the one SQLite file: opening, migrations, statements, transactions.
 *
 * WAL mode, foreign keys on, file mode 0600. One connection, guarded by a mutex that is held from
 * db_begin() to db_end() or for the life of a statement: any thread may use the store. Only files
 * of this folder hold SQL. */
#ifndef LOADSTONE_CONTROLLER_STORE_DB_H
#define LOADSTONE_CONTROLLER_STORE_DB_H

#include "common/base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct db;

/* Opens or makes the file and brings its schema to this version. ERR_STORE: cannot be opened, is no
 * database, or comes from a newer version. */
int db_open(const char *path, struct db **ret_db, struct err *err);
void db_close(struct db *db);
/* The newest schema version, and one to stop at (tests). */
int db_schema_version(void);
int db_open_at(const char *path, int version, struct db **ret_db, struct err *err);

/* A transaction; the mutex is held until db_end(). ok false rolls back. Returns ok ? 0 or ERR_STORE
 * : the error that is in *err already. */
int db_begin(struct db *db, struct err *err);
int db_end(struct db *db, bool ok, struct err *err);

/* A statement. `types` says how the arguments are bound: i int64_t, d double, s text (NULL
 * allowed), b blob (pointer, then int64_t length). Holds the mutex (it is recursive) until
 * query_close(). */
struct query {
    struct db *db;
    sqlite3_stmt *statement;
};
int query_open(struct query *query, struct db *db, struct err *err, const char *sql,
               const char *types, ...);
/* 1: a row is there; 0: no more; ERR_STORE. */
int query_next(struct query *query, struct err *err);
void query_close(struct query *query);
int64_t query_int(struct query *query, int column);
double query_real(struct query *query, int column);
/* Borrowed until the next step; "" for NULL. */
const char *query_text(struct query *query, int column);
/* Owned copy. */
char *query_copy(struct query *query, int column);

/* Runs a statement without rows. */
int db_run(struct db *db, struct err *err, const char *sql, const char *types, ...);
int64_t db_last_rowid(struct db *db);

#endif
