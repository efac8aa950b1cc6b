/* SPDX-License-Identifier: MIT */
/* The store's events, networks and games. */
#include "serve/store.h"

#include "base/count.h"

/* ---- Events ---- */

static const Column event_fields[] = {
    {"id", COLUMN_INTEGER, offsetof(Event, id)},
    {"time", COLUMN_INTEGER, offsetof(Event, time)},
    {"is_error", COLUMN_BOOL, offsetof(Event, is_error)},
    {"author", COLUMN_TEXT, offsetof(Event, author)},
    {"machine_id", COLUMN_INTEGER, offsetof(Event, machine_id)},
    {"machine_name", COLUMN_TEXT, offsetof(Event, machine_name)},
    {"test_id", COLUMN_INTEGER, offsetof(Event, test_id)},
    {"summary", COLUMN_TEXT, offsetof(Event, summary)},
    {"log", COLUMN_TEXT, offsetof(Event, log)},
};
static const Columns event_columns = {event_fields, COUNT(event_fields), sizeof(Event)};

/* The events with the names of their machines. LOG: what is read of the log. */
#define EVENTS_WITH(LOG)                                                                           \
    "(SELECT e.id, time, is_error, author, machine_id, coalesce(m.name, '') AS machine_name, "     \
    "e.test_id, summary, " LOG " AS log FROM events e LEFT JOIN machines m ON m.id = machine_id) "

/* Logs may be long, so lists read no more of a log than the tags of a game need. */
#define LISTED_EVENTS EVENTS_WITH("substr(log, 1, 2000)")

void store_add_event(Transaction *t, const Event *e) {
    sql_run(t,
            "INSERT INTO events (time, is_error, author, machine_id, test_id, summary, log) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            SQL_VALUES(sql_int(e->time), sql_int(e->is_error), sql_text(e->author),
                       sql_id(e->machine_id), sql_id(e->test_id), sql_text(e->summary),
                       sql_text(e->log)));
}

bool store_event(Transaction *t, int64_t id, Event *out) {
    return sql_record(t, event_columns, EVENTS_WITH("log") "WHERE id = ?", SQL_VALUES(sql_int(id)),
                      out);
}

Query *store_events(Transaction *t, bool errors, int64_t test_id, int64_t skip, int64_t limit) {
    if (test_id)
        return query_records(
            t, event_columns,
            LISTED_EVENTS "WHERE is_error = ? AND test_id = ? ORDER BY id DESC LIMIT ? OFFSET ?",
            SQL_VALUES(sql_int(errors), sql_int(test_id), sql_int(limit), sql_int(skip)));
    return query_records(t, event_columns,
                         LISTED_EVENTS "WHERE is_error = ? ORDER BY id DESC LIMIT ? OFFSET ?",
                         SQL_VALUES(sql_int(errors), sql_int(limit), sql_int(skip)));
}

int64_t store_count_errors(Transaction *t, int64_t test_id) {
    return sql_number(t, "SELECT count(*) FROM events WHERE is_error = 1 AND test_id = ?",
                      SQL_VALUES(sql_int(test_id)));
}

bool store_next_event(Query *query, Event *out) {
    return query_next_record(query, event_columns, out);
}

void store_free_event(Event *event) {
    columns_free(event_columns, event);
}

/* ---- Networks ---- */

static const Column network_fields[] = {
    {"id", COLUMN_INTEGER, offsetof(Network, id)},
    {"engine", COLUMN_TEXT, offsetof(Network, engine)},
    {"name", COLUMN_TEXT, offsetof(Network, name)},
    {"sha", COLUMN_TEXT, offsetof(Network, sha)},
    {"digest", COLUMN_TEXT, offsetof(Network, digest)},
    {"author", COLUMN_TEXT, offsetof(Network, author)},
    {"created", COLUMN_INTEGER, offsetof(Network, created)},
    {"is_default", COLUMN_BOOL, offsetof(Network, is_default)},
    {"was_default", COLUMN_BOOL, offsetof(Network, was_default)},
};
static const Columns network_columns = {network_fields, COUNT(network_fields), sizeof(Network)};

int64_t store_add_network(Transaction *t, const Network *network) {
    return sql_insert(t, "networks", network_columns, network);
}

bool store_network(Transaction *t, const char *engine, const char *sha_or_name, Network *out) {
    return sql_record(
        t, network_columns,
        "networks WHERE engine = ? AND (sha = upper(?) OR name = ?) ORDER BY name = ? LIMIT 1",
        SQL_VALUES(sql_text(engine), sql_text(sha_or_name), sql_text(sha_or_name),
                   sql_text(sha_or_name)),
        out);
}

bool store_has_content(Transaction *t, const char *digest) {
    return sql_number(t, "SELECT count(*) FROM networks WHERE digest = ?",
                      SQL_VALUES(sql_text(digest))) > 0;
}

Query *store_networks(Transaction *t, const char *engine) {
    return query_records(t, network_columns, "networks WHERE engine = ? OR ? = '' ORDER BY id DESC",
                         SQL_VALUES(sql_text(engine), sql_text(engine)));
}

bool store_next_network(Query *query, Network *out) {
    return query_next_record(query, network_columns, out);
}

void store_set_default_network(Transaction *t, const Network *network) {
    sql_run(t,
            "UPDATE networks SET was_default = was_default OR is_default, is_default = (id = ?) "
            "WHERE engine = ?",
            SQL_VALUES(sql_int(network->id), sql_text(network->engine)));
}

void store_delete_network(Transaction *t, int64_t id) {
    sql_run(t, "DELETE FROM networks WHERE id = ?", SQL_VALUES(sql_int(id)));
}

void store_free_network(Network *network) {
    columns_free(network_columns, network);
}

/* ---- Games ---- */

static const Column games_fields[] = {
    {"test_id", COLUMN_INTEGER, offsetof(StoredGames, test_id)},
    {"row_id", COLUMN_INTEGER, offsetof(StoredGames, row_id)},
    {"book_index", COLUMN_INTEGER, offsetof(StoredGames, book_index)},
    {"bytes", COLUMN_INTEGER, offsetof(StoredGames, bytes)},
    {"created", COLUMN_INTEGER, offsetof(StoredGames, created)},
};
static const Columns games_columns = {games_fields, COUNT(games_fields), sizeof(StoredGames)};

void store_note_games(Transaction *t, const StoredGames *games) {
    sql_run(t,
            "INSERT INTO pgns (test_id, row_id, book_index, bytes, created) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET bytes = excluded.bytes, created = excluded.created",
            SQL_VALUES(sql_int(games->test_id), sql_int(games->row_id), sql_int(games->book_index),
                       sql_int(games->bytes), sql_int(games->created)));
}

Query *store_games(Transaction *t, int64_t test_id) {
    return query_records(t, games_columns, "pgns WHERE test_id = ? ORDER BY row_id, book_index",
                         SQL_VALUES(sql_int(test_id)));
}

bool store_next_games(Query *query, StoredGames *out) {
    return query_next_record(query, games_columns, out);
}

int64_t store_count_games(Transaction *t, int64_t test_id) {
    return sql_number(t, "SELECT count(*) FROM pgns WHERE test_id = ?",
                      SQL_VALUES(sql_int(test_id)));
}
