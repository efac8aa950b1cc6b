/* SPDX-License-Identifier: MIT */
/* The server's database: a file of SQLite with one writer and several readers, its schema with the
 * migrations from older versions, backups and checks. No other file of the program knows SQLite.
 *
 * All reading and writing happens in a transaction, which a thread opens, uses alone, and closes. A
 * step that fails marks its transaction; later steps of a marked transaction do nothing and find
 * nothing, and transaction_end reports the first failure. So a caller asks for errors once. */
#ifndef SERVE_DATABASE_H
#define SERVE_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct Database Database;
typedef struct Transaction Transaction;
typedef struct Query Query;

/* The version of the schema that this program writes. */
enum { DATABASE_VERSION = 3 };

/* Opens the file, makes it when it is missing, and brings an older schema up to date. NULL with
 * err set: no database, a newer schema, or no access. Threads share a database. */
Database *database_open(const char *path, Error *err);

/* Opens a file that is there, and leaves an older schema as it is: a server of the older program
 * may be using the file. For database_backup and database_check, and for users (serve/people.h),
 * whose tables no version has changed. NULL with err set. */
Database *database_open_unchanged(const char *path, Error *err);

/* Closes the file. No transaction may be open. NULL is allowed. */
void database_close(Database *database);

/* Writes a copy of the whole database, as of now, to a new file; other transactions go on. Refuses
 * a file that exists. */
bool database_backup(Database *database, const char *path, Error *err);

/* Is the file sound: SQLite's own checks, and each test's counts equal to the sums of its rows?
 * False with err naming the first fault. */
bool database_check(Database *database, Error *err);

/* A READ sees one state of the database throughout, and waits for nobody. A WRITE waits for the
 * writes of other threads. Never NULL. */
typedef enum { TRANSACTION_READ, TRANSACTION_WRITE } TransactionKind;
Transaction *transaction_begin(Database *database, TransactionKind kind);

/* Commits, and frees the transaction. False with err set: a step or the commit failed, and nothing
 * was written. */
bool transaction_end(Transaction *transaction, Error *err);

/* Undoes what was written, and frees the transaction. */
void transaction_cancel(Transaction *transaction);

/* Has no step failed so far? */
bool transaction_ok(const Transaction *transaction);

/* Marks the transaction as failed with this cause. Returns false. */
bool transaction_fail(Transaction *transaction, const char *cause);

/* ---- Steps: for the store's own files ---- */

typedef enum { SQL_NULL, SQL_INTEGER, SQL_REAL, SQL_TEXT } SqlType;

/* A value for a '?' of a statement. The text must outlive the call, or for a query its end. */
typedef struct {
    SqlType type;
    int64_t integer;
    double real;
    const char *text;
} SqlValue;

typedef struct {
    const SqlValue *items;
    size_t count;
} SqlValues;

static inline SqlValue sql_int(int64_t value) {
    return (SqlValue){.type = SQL_INTEGER, .integer = value};
}
static inline SqlValue sql_real(double value) {
    return (SqlValue){.type = SQL_REAL, .real = value};
}
/* NULL is SQL's NULL. */
static inline SqlValue sql_text(const char *value) {
    return (SqlValue){.type = value ? SQL_TEXT : SQL_NULL, .text = value};
}
/* 0 stands for SQL's NULL: no record has the number 0. */
static inline SqlValue sql_id(int64_t id) {
    return (SqlValue){.type = id ? SQL_INTEGER : SQL_NULL, .integer = id};
}

/* The values of a statement, in order: SQL_VALUES(sql_int(7), sql_text("x")). */
#define SQL_VALUES(...)                                                                            \
    ((SqlValues){(const SqlValue[]){__VA_ARGS__},                                                  \
                 sizeof((const SqlValue[]){__VA_ARGS__}) / sizeof(SqlValue)})
#define SQL_NO_VALUES ((SqlValues){NULL, 0})

/* Where a column of a table stands in a struct. */
typedef enum {
    COLUMN_INTEGER, /* int64_t; NULL is 0 */
    COLUMN_REAL,    /* double */
    COLUMN_BOOL,    /* bool */
    COLUMN_TEXT     /* char *, allocated; NULL is NULL */
} ColumnType;

typedef struct {
    const char *name;
    ColumnType type;
    size_t offset;
} Column;

/* A struct as a list of columns. */
typedef struct {
    const Column *columns;
    size_t count;
    size_t size; /* Of the struct. */
} Columns;

/* Runs a statement that gives no rows; the number of rows that it changed. The database keeps each
 * statement, with a copy of its text, until the database is closed: no value may stand in the text,
 * or the number of kept statements grows without end. */
int64_t sql_run(Transaction *transaction, const char *sql, SqlValues values);

/* Inserts the record as a new row of the table. A first column "id" is left to the database. The
 * row's number, or 0 when the step failed. */
int64_t sql_insert(Transaction *transaction, const char *table, Columns columns,
                   const void *record);

/* The first value of the first row; 0 when there is no row. */
int64_t sql_number(Transaction *transaction, const char *sql, SqlValues values);

/* The rows of a statement: `while (query_next(query)) query_int(query, …); query_end(query);` */
Query *query_begin(Transaction *transaction, const char *sql, SqlValues values);

/* "SELECT <the columns> FROM <rest>" as a query; `rest` begins with the table's name. */
Query *query_records(Transaction *transaction, Columns columns, const char *rest, SqlValues values);
bool query_next(Query *query);

/* Goes to the next row and reads the row as a record of these columns, whose texts are new. False,
 * and the struct zero: no more rows. */
bool query_next_record(Query *query, Columns columns, void *out);
int64_t query_int(const Query *query, int column);
double query_real(const Query *query, int column);
void query_end(Query *query);

/* The first record of query_records. False, and the struct zero: there is none. */
bool sql_record(Transaction *transaction, Columns columns, const char *rest, SqlValues values,
                void *out);

/* Frees the texts of a record, and zeroes the record. */
void columns_free(Columns columns, void *record);

#endif
