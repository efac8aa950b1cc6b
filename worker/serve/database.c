/* SPDX-License-Identifier: MIT */
#include "serve/database.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sqlite3.h>

#include "base/count.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum {
    BUSY_MS = 10000,            /* How long a write waits for another process. */
    APPLICATION_ID = 0x4f425753 /* "OBWS", in the file's head: the file is a server's. */
};

static const char *const schema1[] = {
#include "serve/schema1_sql.h"
};
static const char *const schema2[] = {
#include "serve/schema2_sql.h"
};
static const char *const schema3[] = {
#include "serve/schema3_sql.h"
};

/* The steps from each version to the next; the first makes version 1 out of an empty file. */
static const struct {
    const char *const *lines;
    size_t count;
} migrations[] = {
    {schema1, COUNT(schema1)},
    {schema2, COUNT(schema2)},
    {schema3, COUNT(schema3)},
};
_Static_assert(COUNT(migrations) == DATABASE_VERSION, "one step for each version");

/* A statement that a connection has prepared. */
typedef struct {
    char *sql;
    sqlite3_stmt *statement;
    bool busy; /* A query is reading its rows. */
} Prepared;

typedef struct Connection {
    sqlite3 *handle;
    Prepared *prepared;
    size_t count, capacity;
    struct Connection *next; /* Of the idle readers. */
} Connection;

struct Database {
    char *path;
    pthread_mutex_t writing; /* Held from the beginning of a WRITE to its end. */
    Connection *writer;
    pthread_mutex_t pooling; /* Protects `idle`. */
    Connection *idle;        /* Readers that no transaction uses. */
};

struct Transaction {
    Database *database;
    TransactionKind kind;
    Connection *connection;
    bool begun;
    bool failed;
    Error error; /* Of the first step that failed. */
};

struct Query {
    Transaction *transaction;
    size_t prepared; /* Index in the connection's list. */
    sqlite3_stmt *statement;
};

/* ---- Connections ---- */

static bool run_plain(sqlite3 *handle, const char *sql, Error *err) {
    char *message = NULL;
    if (sqlite3_exec(handle, sql, NULL, NULL, &message) == SQLITE_OK)
        return true;
    error_set(err, "%s", message ? message : sqlite3_errmsg(handle));
    sqlite3_free(message);
    return false;
}

static void disconnect(Connection *connection) {
    if (!connection)
        return;
    for (size_t i = 0; i < connection->count; i++) {
        sqlite3_finalize(connection->prepared[i].statement);
        free(connection->prepared[i].sql);
    }
    free(connection->prepared);
    sqlite3_close(connection->handle);
    free(connection);
}

/* A connection is used by one thread at a time, so SQLite need not lock it. synchronous=FULL: a
 * commit is on the disk before its answer goes out. `create` is SQLITE_OPEN_CREATE, which makes a
 * missing file, or 0. */
static Connection *connect_to(const char *path, int create, Error *err) {
    Connection *connection = mem_calloc(1, sizeof *connection);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | create;
    bool ok = sqlite3_open_v2(path, &connection->handle, flags, NULL) == SQLITE_OK ||
              error_set(err, "%s", sqlite3_errmsg(connection->handle));
    if (ok)
        sqlite3_busy_timeout(connection->handle, BUSY_MS);
    ok = ok && run_plain(connection->handle,
                         "PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL; PRAGMA "
                         "trusted_schema=OFF",
                         err);
    if (ok)
        return connection;
    error_prefix(err, "database %s", path);
    disconnect(connection);
    return NULL;
}

/* A number that a PRAGMA or a count gives; -1 with err set. */
static int64_t ask_number(sqlite3 *handle, const char *sql, Error *err) {
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;
    if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    else
        error_set(err, "%s", sqlite3_errmsg(handle));
    sqlite3_finalize(statement);
    return number;
}

/* ---- The schema ---- */

static bool migrate_from(sqlite3 *handle, int64_t version, Error *err) {
    Text sql = {0};
    for (size_t i = 0; i < migrations[version].count; i++)
        text_add(&sql, migrations[version].lines[i]);
    text_addf(&sql, "PRAGMA application_id=%d; PRAGMA user_version=%d;", APPLICATION_ID,
              (int)version + 1);
    bool ok = run_plain(handle, text_string(&sql), err);
    text_free(&sql);
    return ok;
}

/* Is the file empty, or a database of this program in a version that the program knows? */
static bool recognize(sqlite3 *handle, int64_t *version, Error *err) {
    *version = ask_number(handle, "PRAGMA user_version", err);
    int64_t application = *version < 0 ? -1 : ask_number(handle, "PRAGMA application_id", err);
    int64_t tables =
        application < 0 ? -1 : ask_number(handle, "SELECT count(*) FROM sqlite_schema", err);
    if (tables < 0)
        return false;
    if (tables == 0 && *version == 0)
        return true;
    if (application != APPLICATION_ID)
        return error_set(err, "this is the database of another program");
    if (*version > DATABASE_VERSION)
        return error_set(err,
                         "schema %lld was written by a newer obworker, and this obworker knows "
                         "schemas up to %d: install the newer one, or restore a backup",
                         (long long)*version, DATABASE_VERSION);
    return true;
}

/* All steps are one transaction, so that a step that fails leaves the file as it was. The mode of
 * the journal, which stands in the file, comes last: before, the file may be another program's. */
static bool migrate(sqlite3 *handle, Error *err) {
    int64_t version = 0;
    if (!run_plain(handle, "BEGIN IMMEDIATE", err))
        return false;
    bool ok = recognize(handle, &version, err);
    for (; ok && version < DATABASE_VERSION; version++)
        ok = migrate_from(handle, version, err);
    return run_plain(handle, ok ? "COMMIT" : "ROLLBACK", ok ? err : NULL) && ok &&
           run_plain(handle, "PRAGMA journal_mode=WAL", err);
}

/* Is the file a database of this program, of any version that the program knows? */
static bool is_known(sqlite3 *handle, Error *err) {
    int64_t version = 0;
    return recognize(handle, &version, err) && (version > 0 || error_set(err, "the file is empty"));
}

/* Opens the file, and asks `ready` whether the database can be used. */
static Database *open_when(const char *path, int create, bool (*ready)(sqlite3 *handle, Error *err),
                           Error *err) {
    Connection *writer = connect_to(path, create, err);
    if (!writer)
        return NULL;
    if (!ready(writer->handle, err)) {
        error_prefix(err, "database %s", path);
        disconnect(writer);
        return NULL;
    }
    Database *database = mem_calloc(1, sizeof *database);
    database->path = mem_strdup(path);
    database->writer = writer;
    pthread_mutex_init(&database->writing, NULL);
    pthread_mutex_init(&database->pooling, NULL);
    return database;
}

Database *database_open(const char *path, Error *err) {
    return open_when(path, SQLITE_OPEN_CREATE, migrate, err);
}

Database *database_open_unchanged(const char *path, Error *err) {
    return open_when(path, 0, is_known, err);
}

void database_close(Database *database) {
    if (!database)
        return;
    while (database->idle) {
        Connection *reader = database->idle;
        database->idle = reader->next;
        disconnect(reader);
    }
    disconnect(database->writer);
    pthread_mutex_destroy(&database->writing);
    pthread_mutex_destroy(&database->pooling);
    free(database->path);
    free(database);
}

/* ---- Transactions ---- */

/* An idle reader, or a new one; NULL with err set. */
static Connection *take_reader(Database *database, Error *err) {
    pthread_mutex_lock(&database->pooling);
    Connection *reader = database->idle;
    if (reader)
        database->idle = reader->next;
    pthread_mutex_unlock(&database->pooling);
    return reader ? reader : connect_to(database->path, 0, err);
}

static void give_reader(Database *database, Connection *reader) {
    pthread_mutex_lock(&database->pooling);
    reader->next = database->idle;
    database->idle = reader;
    pthread_mutex_unlock(&database->pooling);
}

Transaction *transaction_begin(Database *database, TransactionKind kind) {
    Transaction *t = mem_calloc(1, sizeof *t);
    t->database = database;
    t->kind = kind;
    if (kind == TRANSACTION_WRITE) {
        pthread_mutex_lock(&database->writing);
        t->connection = database->writer;
    } else {
        t->connection = take_reader(database, &t->error);
    }
    t->begun = t->connection &&
               run_plain(t->connection->handle,
                         kind == TRANSACTION_WRITE ? "BEGIN IMMEDIATE" : "BEGIN", &t->error);
    t->failed = !t->begun;
    return t;
}

static void release(Transaction *t) {
    if (t->kind == TRANSACTION_WRITE)
        pthread_mutex_unlock(&t->database->writing);
    else if (t->connection)
        give_reader(t->database, t->connection);
    free(t);
}

bool transaction_end(Transaction *t, Error *err) {
    bool ok = !t->failed && run_plain(t->connection->handle, "COMMIT", &t->error);
    if (!ok)
        error_set(err, "the database: %s", t->error.text);
    if (!ok && t->begun)
        run_plain(t->connection->handle, "ROLLBACK", NULL);
    release(t);
    return ok;
}

void transaction_cancel(Transaction *t) {
    if (t->begun)
        run_plain(t->connection->handle, "ROLLBACK", NULL);
    release(t);
}

bool transaction_ok(const Transaction *t) {
    return !t->failed;
}

bool transaction_fail(Transaction *t, const char *cause) {
    if (!t->failed)
        error_set(&t->error, "%s", cause);
    t->failed = true;
    return false;
}

/* ---- Statements ---- */

static bool fail_step(Transaction *t) {
    return transaction_fail(t, sqlite3_errmsg(t->connection->handle));
}

/* The index of an idle statement with this text, which is prepared when there is none. */
static bool prepare(Transaction *t, const char *sql, size_t *index) {
    Connection *connection = t->connection;
    for (size_t i = 0; i < connection->count; i++) {
        if (!connection->prepared[i].busy && strcmp(connection->prepared[i].sql, sql) == 0) {
            *index = i;
            return true;
        }
    }
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(connection->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                           NULL) != SQLITE_OK)
        return fail_step(t);
    connection->prepared = mem_grow(connection->prepared, &connection->capacity,
                                    connection->count + 1, sizeof *connection->prepared);
    *index = connection->count++;
    connection->prepared[*index] = (Prepared){.sql = mem_strdup(sql), .statement = statement};
    return true;
}

static int bind_value(sqlite3_stmt *statement, int at, const SqlValue *value) {
    switch (value->type) {
    case SQL_NULL:
        return sqlite3_bind_null(statement, at);
    case SQL_INTEGER:
        return sqlite3_bind_int64(statement, at, value->integer);
    case SQL_REAL:
        return sqlite3_bind_double(statement, at, value->real);
    case SQL_TEXT:
        return sqlite3_bind_text(statement, at, value->text, -1, SQLITE_STATIC);
    }
    return SQLITE_MISUSE;
}

Query *query_begin(Transaction *t, const char *sql, SqlValues values) {
    Query *query = mem_calloc(1, sizeof *query);
    query->transaction = t;
    if (t->failed || !prepare(t, sql, &query->prepared))
        return query;
    Prepared *prepared = &t->connection->prepared[query->prepared];
    assert(values.count == (size_t)sqlite3_bind_parameter_count(prepared->statement));
    prepared->busy = true;
    query->statement = prepared->statement;
    for (size_t i = 0; i < values.count; i++)
        if (bind_value(query->statement, (int)i + 1, &values.items[i]) != SQLITE_OK)
            fail_step(t);
    return query;
}

bool query_next(Query *query) {
    Transaction *t = query->transaction;
    if (t->failed || !query->statement)
        return false;
    int status = sqlite3_step(query->statement);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        return fail_step(t);
    return status == SQLITE_ROW;
}

int64_t query_int(const Query *query, int column) {
    return sqlite3_column_int64(query->statement, column);
}

double query_real(const Query *query, int column) {
    return sqlite3_column_double(query->statement, column);
}

/* Valid until the next row; NULL for SQL's NULL. */
static const char *query_text(const Query *query, int column) {
    return (const char *)sqlite3_column_text(query->statement, column);
}

void query_end(Query *query) {
    if (query->statement) {
        sqlite3_reset(query->statement);
        sqlite3_clear_bindings(query->statement);
        query->transaction->connection->prepared[query->prepared].busy = false;
    }
    free(query);
}

int64_t sql_run(Transaction *t, const char *sql, SqlValues values) {
    Query *query = query_begin(t, sql, values);
    query_next(query);
    query_end(query);
    return t->failed ? 0 : sqlite3_changes64(t->connection->handle);
}

int64_t sql_number(Transaction *t, const char *sql, SqlValues values) {
    Query *query = query_begin(t, sql, values);
    int64_t number = query_next(query) ? query_int(query, 0) : 0;
    query_end(query);
    return number;
}

/* ---- Records ---- */

static SqlValue field_value(const Column *column, const char *record) {
    const void *field = record + column->offset;
    switch (column->type) {
    case COLUMN_INTEGER:
        return sql_int(*(const int64_t *)field);
    case COLUMN_REAL:
        return sql_real(*(const double *)field);
    case COLUMN_BOOL:
        return sql_int(*(const bool *)field);
    case COLUMN_TEXT:
        return sql_text(*(char *const *)field);
    }
    return sql_text(NULL);
}

int64_t sql_insert(Transaction *t, const char *table, Columns columns, const void *record) {
    if (strcmp(columns.columns[0].name, "id") == 0) {
        columns.columns++;
        columns.count--;
    }
    Text sql = {0};
    SqlValue *values = mem_calloc(columns.count, sizeof *values);
    text_addf(&sql, "INSERT INTO %s (", table);
    for (size_t i = 0; i < columns.count; i++) {
        text_addf(&sql, "%s%s", i ? ", " : "", columns.columns[i].name);
        values[i] = field_value(&columns.columns[i], record);
    }
    text_add(&sql, ") VALUES (");
    for (size_t i = 0; i < columns.count; i++)
        text_add(&sql, i ? ", ?" : "?");
    text_add(&sql, ")");
    sql_run(t, text_string(&sql), (SqlValues){values, columns.count});
    text_free(&sql);
    free(values);
    return t->failed ? 0 : sqlite3_last_insert_rowid(t->connection->handle);
}

Query *query_records(Transaction *t, Columns columns, const char *rest, SqlValues values) {
    Text sql = {0};
    text_add(&sql, "SELECT ");
    for (size_t i = 0; i < columns.count; i++)
        text_addf(&sql, "%s%s", i ? ", " : "", columns.columns[i].name);
    text_addf(&sql, " FROM %s", rest);
    Query *query = query_begin(t, text_string(&sql), values);
    text_free(&sql);
    return query;
}

static void read_columns(const Query *query, Columns columns, void *out) {
    for (size_t i = 0; i < columns.count; i++) {
        int at = (int)i;
        void *field = (char *)out + columns.columns[i].offset;
        switch (columns.columns[i].type) {
        case COLUMN_INTEGER:
            *(int64_t *)field = query_int(query, at);
            break;
        case COLUMN_REAL:
            *(double *)field = query_real(query, at);
            break;
        case COLUMN_BOOL:
            *(bool *)field = query_int(query, at) != 0;
            break;
        case COLUMN_TEXT: {
            const char *text = query_text(query, at);
            *(char **)field = mem_strdup(text);
        }
        }
    }
}

bool query_next_record(Query *query, Columns columns, void *out) {
    memset(out, 0, columns.size);
    if (!query_next(query))
        return false;
    read_columns(query, columns, out);
    return true;
}

bool sql_record(Transaction *t, Columns columns, const char *rest, SqlValues values, void *out) {
    Query *query = query_records(t, columns, rest, values);
    bool found = query_next_record(query, columns, out);
    query_end(query);
    return found;
}

void columns_free(Columns columns, void *record) {
    for (size_t i = 0; i < columns.count; i++)
        if (columns.columns[i].type == COLUMN_TEXT)
            free(*(char **)((char *)record + columns.columns[i].offset));
    memset(record, 0, columns.size);
}

/* ---- Backups and checks ---- */

static bool copy_all(sqlite3 *from, sqlite3 *to, Error *err) {
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    if (!backup)
        return error_set(err, "%s", sqlite3_errmsg(to));
    int status = sqlite3_backup_step(backup, -1);
    if (sqlite3_backup_finish(backup) != SQLITE_OK)
        return error_set(err, "%s", sqlite3_errmsg(to));
    /* The end of a copy that waits for a lock is OK too. */
    return status == SQLITE_DONE || error_set(err, "%s", sqlite3_errstr(status));
}

bool database_backup(Database *database, const char *path, Error *err) {
    if (access(path, F_OK) == 0)
        return error_set(err, "%s exists: name a new file for the backup", path);
    char *part = text_format("%s.part", path);
    unlink(part); /* Of a backup that was cut off. */
    sqlite3 *copy = NULL;
    Connection *reader = take_reader(database, err);
    bool ok = reader && (sqlite3_open(part, &copy) == SQLITE_OK ||
                         error_set(err, "the file cannot be made there: %s",
                                   strerror(sqlite3_system_errno(copy))));
    ok = ok && copy_all(reader->handle, copy, err);
    sqlite3_close(copy);
    if (reader)
        give_reader(database, reader);
    ok = ok && file_install(part, path, err);
    if (!ok) {
        unlink(part);
        error_prefix(err, "backup %s", path);
    }
    free(part);
    return ok;
}

/* Each question gives a row, with a text, for each fault. */
static const char *const checks[] = {
    "SELECT 'integrity: ' || integrity_check FROM pragma_integrity_check "
    "WHERE integrity_check <> 'ok'",
    "SELECT 'a reference of table ' || \"table\" || coalesce(', row ' || rowid || ',', '') || "
    "' to a missing record of ' || parent FROM pragma_foreign_key_check", /* Some have no rowid. */
    "SELECT 'test ' || t.id || ': its counts are not the sums of its rows' FROM tests t LEFT JOIN "
    "rows r ON r.test_id = t.id GROUP BY t.id HAVING "
    "(t.wins, t.losses, t.draws, t.ll, t.ld, t.dd, t.dw, t.ww, t.crashes, t.timelosses, t.illegals)"
    " IS NOT (total(r.wins), total(r.losses), total(r.draws), total(r.ll), total(r.ld), "
    "total(r.dd), total(r.dw), total(r.ww), total(r.crashes), total(r.timelosses), "
    "total(r.illegals))",
};

bool database_check(Database *database, Error *err) {
    Transaction *t = transaction_begin(database, TRANSACTION_READ);
    for (size_t i = 0; i < COUNT(checks) && transaction_ok(t); i++) {
        Query *query = query_begin(t, checks[i], SQL_NO_VALUES);
        if (query_next(query))
            transaction_fail(t, query_text(query, 0));
        query_end(query);
    }
    return transaction_end(t, err);
}
