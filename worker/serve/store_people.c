/* SPDX-License-Identifier: MIT */
/* The store's users, sessions and machines. */
#include "serve/store.h"

#include "base/count.h"
#include "base/memory.h"

/* ---- Users ---- */

static const Column user_fields[] = {
    {"id", COLUMN_INTEGER, offsetof(User, id)},
    {"name", COLUMN_TEXT, offsetof(User, name)},
    {"password", COLUMN_TEXT, offsetof(User, password)},
    {"enabled", COLUMN_BOOL, offsetof(User, enabled)},
    {"approver", COLUMN_BOOL, offsetof(User, approver)},
    {"admin", COLUMN_BOOL, offsetof(User, admin)},
    {"created", COLUMN_INTEGER, offsetof(User, created)},
};
static const Columns user_columns = {user_fields, COUNT(user_fields), sizeof(User)};

int64_t store_add_user(Transaction *t, const User *user) {
    return sql_insert(t, "users", user_columns, user);
}

void store_update_user(Transaction *t, const User *user) {
    sql_run(t, "UPDATE users SET password = ?, enabled = ?, approver = ?, admin = ? WHERE id = ?",
            SQL_VALUES(sql_text(user->password), sql_int(user->enabled), sql_int(user->approver),
                       sql_int(user->admin), sql_int(user->id)));
}

bool store_user(Transaction *t, int64_t id, User *out) {
    return sql_record(t, user_columns, "users WHERE id = ?", SQL_VALUES(sql_int(id)), out);
}

bool store_user_named(Transaction *t, const char *name, User *out) {
    return sql_record(t, user_columns, "users WHERE name = ?", SQL_VALUES(sql_text(name)), out);
}

void store_free_user(User *user) {
    columns_free(user_columns, user);
}

Query *store_users(Transaction *t) {
    return query_records(t, user_columns, "users ORDER BY name", SQL_NO_VALUES);
}

bool store_next_user(Query *query, User *out) {
    return query_next_record(query, user_columns, out);
}

/* ---- Sessions ---- */

static const Column session_fields[] = {
    {"token", COLUMN_TEXT, offsetof(UserSession, token)},
    {"csrf", COLUMN_TEXT, offsetof(UserSession, csrf)},
    {"message", COLUMN_TEXT, offsetof(UserSession, message)},
    {"created", COLUMN_INTEGER, offsetof(UserSession, created)},
    {"expires", COLUMN_INTEGER, offsetof(UserSession, expires)},
    {"user_id", COLUMN_INTEGER, offsetof(UserSession, user_id)},
};
static const Columns session_columns = {session_fields, COUNT(session_fields), sizeof(UserSession)};

void store_add_session(Transaction *t, const UserSession *session) {
    sql_insert(t, "sessions", session_columns, session);
}

bool store_session(Transaction *t, const char *token, int64_t now, UserSession *out) {
    return sql_record(t, session_columns, "sessions WHERE token = ? AND expires > ?",
                      SQL_VALUES(sql_text(token), sql_int(now)), out);
}

void store_set_session_message(Transaction *t, const char *token, const char *message) {
    sql_run(t, "UPDATE sessions SET message = ? WHERE token = ?",
            SQL_VALUES(sql_text(message), sql_text(token)));
}

void store_end_session(Transaction *t, const char *token) {
    sql_run(t, "DELETE FROM sessions WHERE token = ?", SQL_VALUES(sql_text(token)));
}

void store_end_user_sessions(Transaction *t, int64_t user_id, const char *token) {
    sql_run(t, "DELETE FROM sessions WHERE user_id = ? AND token IS NOT ?",
            SQL_VALUES(sql_int(user_id), sql_text(token)));
}

void store_drop_sessions(Transaction *t, int64_t now) {
    sql_run(t, "DELETE FROM sessions WHERE expires <= ?", SQL_VALUES(sql_int(now)));
}

void store_free_session(UserSession *session) {
    columns_free(session_columns, session);
}

/* ---- Machines ---- */

static const Column machine_fields[] = {
    {"machines.id", COLUMN_INTEGER, offsetof(Machine, id)},
    {"user_id", COLUMN_INTEGER, offsetof(Machine, user_id)},
    {"secret", COLUMN_TEXT, offsetof(Machine, secret)},
    {"info", COLUMN_TEXT, offsetof(Machine, info)},
    {"machines.name", COLUMN_TEXT, offsetof(Machine, name)},
    {"os_name", COLUMN_TEXT, offsetof(Machine, os_name)},
    {"cpu_name", COLUMN_TEXT, offsetof(Machine, cpu_name)},
    {"isa_name", COLUMN_TEXT, offsetof(Machine, isa_name)},
    {"client", COLUMN_TEXT, offsetof(Machine, client)},
    {"concurrency", COLUMN_INTEGER, offsetof(Machine, concurrency)},
    {"physical_cores", COLUMN_INTEGER, offsetof(Machine, physical_cores)},
    {"client_version", COLUMN_INTEGER, offsetof(Machine, client_version)},
    {"config", COLUMN_TEXT, offsetof(Machine, config)},
    {"machines.created", COLUMN_INTEGER, offsetof(Machine, created)},
    {"seen", COLUMN_INTEGER, offsetof(Machine, seen)},
    {"nps", COLUMN_REAL, offsetof(Machine, nps)},
    {"test_id", COLUMN_INTEGER, offsetof(Machine, test_id)},
    {"users.name", COLUMN_TEXT, offsetof(Machine, user_name)},
};
static const Columns machine_columns = {machine_fields, COUNT(machine_fields), sizeof(Machine)};

#define MACHINES "machines JOIN users ON users.id = machines.user_id "

int64_t store_add_machine(Transaction *t, const Machine *m) {
    sql_run(t,
            "INSERT INTO machines (user_id, secret, info, name, os_name, cpu_name, isa_name, "
            "client, concurrency, physical_cores, client_version, config, created, seen, focused, "
            "nps, dev_nps, base_nps) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0)",
            SQL_VALUES(sql_int(m->user_id), sql_text(m->secret), sql_text(m->info),
                       sql_text(m->name), sql_text(m->os_name), sql_text(m->cpu_name),
                       sql_text(m->isa_name), sql_text(m->client), sql_int(m->concurrency),
                       sql_int(m->physical_cores), sql_int(m->client_version), sql_text(m->config),
                       sql_int(m->created), sql_int(m->seen)));
    return sql_number(t, "SELECT last_insert_rowid()", SQL_NO_VALUES);
}

bool store_machine(Transaction *t, int64_t id, Machine *out) {
    return sql_record(t, machine_columns, MACHINES "WHERE machines.id = ?", SQL_VALUES(sql_int(id)),
                      out);
}

void store_see_machine(Transaction *t, int64_t id, int64_t now) {
    sql_run(t, "UPDATE machines SET seen = ? WHERE id = ?", SQL_VALUES(sql_int(now), sql_int(id)));
}

void store_set_machine_test(Transaction *t, int64_t id, int64_t test_id, bool focused) {
    sql_run(t,
            "UPDATE machines SET test_id = ?, focused = ?, nps = 0, dev_nps = 0, base_nps = 0 "
            "WHERE id = ?",
            SQL_VALUES(sql_id(test_id), sql_int(focused), sql_int(id)));
}

void store_set_machine_nps(Transaction *t, int64_t id, double nps, double dev, double base) {
    sql_run(t, "UPDATE machines SET nps = ?, dev_nps = ?, base_nps = ? WHERE id = ?",
            SQL_VALUES(sql_real(nps), sql_real(dev), sql_real(base), sql_int(id)));
}

void store_free_machine(Machine *machine) {
    columns_free(machine_columns, machine);
}

/* The values of "seen BETWEEN ? AND ?". */
#define SEEN_WITHIN(now, seconds)                                                                  \
    sql_int((now) - (seconds)), sql_int((now) + MACHINE_ACTIVE_SECONDS)

bool store_is_active(int64_t seen, int64_t now) {
    return seen >= now - MACHINE_ACTIVE_SECONDS && seen <= now + MACHINE_ACTIVE_SECONDS;
}

Query *store_machines(Transaction *t, int64_t now, int64_t seconds, int64_t skip, int64_t limit) {
    return query_records(t, machine_columns,
                         MACHINES
                         "WHERE seen BETWEEN ? AND ? ORDER BY machines.id DESC LIMIT ? OFFSET ?",
                         SQL_VALUES(SEEN_WITHIN(now, seconds), sql_int(limit), sql_int(skip)));
}

bool store_next_machine(Query *query, Machine *out) {
    return query_next_record(query, machine_columns, out);
}

BusyList store_busy_threads(Transaction *t, int64_t now, int64_t but_machine) {
    BusyList busy = {0};
    Query *query = query_begin(
        t,
        "SELECT test_id, count(*), sum(concurrency), sum(concurrency * focused) FROM machines "
        "WHERE seen BETWEEN ? AND ? AND id <> ? AND test_id IS NOT NULL GROUP BY test_id",
        SQL_VALUES(SEEN_WITHIN(now, MACHINE_ACTIVE_SECONDS), sql_int(but_machine)));
    while (query_next(query)) {
        BusyThreads threads = {query_int(query, 0), query_int(query, 1), query_int(query, 2),
                               query_int(query, 3)};
        MEM_ADD(busy.items, busy.count, busy.capacity, threads);
    }
    query_end(query);
    return busy;
}

int64_t store_busy_machines(const BusyList *busy, int64_t test_id) {
    for (size_t i = 0; i < busy->count; i++)
        if (busy->items[i].test_id == test_id)
            return busy->items[i].machines;
    return 0;
}

Fleet store_fleet(Transaction *t, int64_t now, int64_t seconds) {
    Fleet fleet = {0};
    Query *query = query_begin(t,
                               "SELECT count(*), sum(concurrency), avg(nullif(nps, 0)) FROM "
                               "machines WHERE seen BETWEEN ? AND ?",
                               SQL_VALUES(SEEN_WITHIN(now, seconds)));
    if (query_next(query))
        fleet = (Fleet){query_int(query, 0), query_int(query, 1), query_real(query, 2)};
    query_end(query);
    return fleet;
}
