/* db.c -- see db.h. */
#include "controller/store/db.h"

#include "common/base/file.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "controller/store/schema.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_TIMEOUT_MS 5000

struct db {
    sqlite3 *sqlite;
    pthread_mutex_t lock; /* recursive: a statement inside a transaction takes it again */
};

static int store_error(struct db *db, struct err *err, const char *what)
{
    return err_set(err, ERR_STORE, "database: %s: %s", what,
                   db->sqlite ? sqlite3_errmsg(db->sqlite) : "out of memory");
}

int db_schema_version(void)
{
    int version = 0;
    while (schema_migrations[version])
        version++;
    return version;
}

static int execute(struct db *db, const char *sql, struct err *err)
{
    if (sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_error(db, err, "statement");
    return 0;
}

static int read_version(struct db *db, int *ret_version, struct err *err)
{
    struct query query;
    int rc = query_open(&query, db, err, "PRAGMA user_version", "");
    if (rc < 0)
        return rc;
    rc = query_next(&query, err);
    *ret_version = rc == 1 ? (int)query_int(&query, 0) : 0;
    query_close(&query);
    return MIN(rc, 0);
}

static int migrate(struct db *db, int target, struct err *err)
{
    int version;
    int rc = read_version(db, &version, err);
    if (rc < 0)
        return rc;
    if (version > db_schema_version())
        return err_set(err, ERR_STORE,
                       "database: its schema is version %d, this program knows up to %d: a newer "
                       "version wrote it",
                       version, db_schema_version());
    for (; version < target; version++) {
        char pragma[64];
        snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d", version + 1);
        rc = db_begin(db, err);
        if (rc < 0)
            return rc;
        rc = execute(db, schema_migrations[version], err);
        if (rc == 0)
            rc = execute(db, pragma, err);
        rc = db_end(db, rc == 0, err);
        if (rc < 0)
            return err_prefix(err, "migration to version %d: ", version + 1);
    }
    return 0;
}

/* SQLite makes its other files with the mode of the first. */
static int make_private(const char *path, struct err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || fchmod(fd, 0600) < 0) {
        err_errno(err, "database %s", path);
        if (fd >= 0)
            close(fd);
        return ERR_STORE;
    }
    close(fd);
    return 0;
}

static int open_file(struct db *db, const char *path, int version, struct err *err)
{
    int rc = file_make_parent(path, err);
    if (rc == 0)
        rc = make_private(path, err);
    if (rc < 0)
        return rc;
    if (sqlite3_open_v2(path, &db->sqlite, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return store_error(db, err, path);
    sqlite3_busy_timeout(db->sqlite, BUSY_TIMEOUT_MS);
    rc = execute(
        db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;",
        err);
    return rc < 0 ? rc : migrate(db, version, err);
}

int db_open_at(const char *path, int version, struct db **ret_db, struct err *err)
{
    struct db *db = xcalloc(1, sizeof(*db));
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&db->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    int rc = open_file(db, path, version, err);
    if (rc < 0) {
        db_close(db);
        return rc;
    }
    *ret_db = db;
    return 0;
}

int db_open(const char *path, struct db **ret_db, struct err *err)
{
    return db_open_at(path, db_schema_version(), ret_db, err);
}

void db_close(struct db *db)
{
    if (!db)
        return;
    sqlite3_close(db->sqlite);
    pthread_mutex_destroy(&db->lock);
    free(db);
}

int db_begin(struct db *db, struct err *err)
{
    pthread_mutex_lock(&db->lock);
    int rc = execute(db, "BEGIN IMMEDIATE", err);
    if (rc < 0)
        pthread_mutex_unlock(&db->lock);
    return rc;
}

int db_end(struct db *db, bool ok, struct err *err)
{
    int rc = ok ? execute(db, "COMMIT", err) : ERR_STORE;
    if (rc < 0)
        sqlite3_exec(db->sqlite, "ROLLBACK", NULL, NULL, NULL);
    pthread_mutex_unlock(&db->lock);
    if (!ok && err && err->code)
        return err->code;
    return rc;
}

static int bind_all(struct query *query, const char *types, va_list args)
{
    sqlite3_stmt *statement = query->statement;
    for (int i = 1; *types; types++, i++) {
        int rc = SQLITE_OK;
        switch (*types) {
        case 'i':
            rc = sqlite3_bind_int64(statement, i, va_arg(args, int64_t));
            break;
        case 'd':
            rc = sqlite3_bind_double(statement, i, va_arg(args, double));
            break;
        case 's':
            rc = sqlite3_bind_text(statement, i, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
            break;
        case 'b': {
            const void *data = va_arg(args, const void *);
            rc = sqlite3_bind_blob64(statement, i, data, (sqlite3_uint64)va_arg(args, int64_t),
                                     SQLITE_TRANSIENT);
            break;
        }
        default:
            rc = SQLITE_MISUSE;
        }
        if (rc != SQLITE_OK)
            return rc;
    }
    return SQLITE_OK;
}

static int query_vopen(struct query *query, struct db *db, struct err *err, const char *sql,
                       const char *types, va_list args)
{
    pthread_mutex_lock(&db->lock);
    query->db = db;
    query->statement = NULL;
    if (sqlite3_prepare_v2(db->sqlite, sql, -1, &query->statement, NULL) != SQLITE_OK ||
        bind_all(query, types, args) != SQLITE_OK) {
        int rc = store_error(db, err, "statement");
        query_close(query);
        return rc;
    }
    return 0;
}

int query_open(struct query *query, struct db *db, struct err *err, const char *sql,
               const char *types, ...)
{
    va_list args;
    va_start(args, types);
    int rc = query_vopen(query, db, err, sql, types, args);
    va_end(args);
    return rc;
}

int query_next(struct query *query, struct err *err)
{
    int rc = sqlite3_step(query->statement);
    if (rc == SQLITE_ROW)
        return 1;
    return rc == SQLITE_DONE ? 0 : store_error(query->db, err, "reading");
}

void query_close(struct query *query)
{
    if (!query->db)
        return;
    sqlite3_finalize(query->statement);
    pthread_mutex_unlock(&query->db->lock);
    query->db = NULL;
}

int64_t query_int(struct query *query, int column)
{
    return sqlite3_column_int64(query->statement, column);
}

double query_real(struct query *query, int column)
{
    return sqlite3_column_double(query->statement, column);
}

const char *query_text(struct query *query, int column)
{
    const char *text = (const char *)sqlite3_column_text(query->statement, column);
    return text ? text : "";
}

char *query_copy(struct query *query, int column)
{
    return xstrdup(query_text(query, column));
}

int db_run(struct db *db, struct err *err, const char *sql, const char *types, ...)
{
    struct query query;
    va_list args;
    va_start(args, types);
    int rc = query_vopen(&query, db, err, sql, types, args);
    va_end(args);
    if (rc < 0)
        return rc;
    while ((rc = query_next(&query, err)) == 1)
        ;
    query_close(&query);
    return rc;
}

int64_t db_last_rowid(struct db *db)
{
    return sqlite3_last_insert_rowid(db->sqlite);
}
