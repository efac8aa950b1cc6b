/* SPDX-License-Identifier: MIT */
/* The store's rows, batches and openings. */
#include "serve/store.h"

#include "base/count.h"
#include "openbench/api.h"

/* ---- Rows ---- */

static const Column row_fields[] = {
    {"rows.id", COLUMN_INTEGER, offsetof(TestRow, id)},
    {"rows.test_id", COLUMN_INTEGER, offsetof(TestRow, test_id)},
    {"machine_id", COLUMN_INTEGER, offsetof(TestRow, machine_id)},
    GAME_COLUMNS(TestRow),
    FAULT_COLUMNS(TestRow),
    {"updated", COLUMN_INTEGER, offsetof(TestRow, updated)},
    {"users.name", COLUMN_TEXT, offsetof(TestRow, user_name)},
    {"machines.name", COLUMN_TEXT, offsetof(TestRow, machine_name)},
    {"cpu_name", COLUMN_TEXT, offsetof(TestRow, cpu_name)},
    {"isa_name", COLUMN_TEXT, offsetof(TestRow, isa_name)},
    {"seen", COLUMN_INTEGER, offsetof(TestRow, seen)},
};
static const Columns row_columns = {row_fields, COUNT(row_fields), sizeof(TestRow)};

#define ROWS                                                                                       \
    "rows JOIN machines ON machines.id = rows.machine_id JOIN users ON users.id = "                \
    "machines.user_id "

int64_t store_row_of(Transaction *t, int64_t test_id, int64_t machine_id, int64_t now) {
    sql_run(t,
            "INSERT INTO rows (test_id, machine_id, updated) VALUES (?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            SQL_VALUES(sql_int(test_id), sql_int(machine_id), sql_int(now)));
    return sql_number(t, "SELECT id FROM rows WHERE test_id = ? AND machine_id = ?",
                      SQL_VALUES(sql_int(test_id), sql_int(machine_id)));
}

bool store_row(Transaction *t, int64_t id, TestRow *out) {
    return sql_record(t, row_columns, ROWS "WHERE rows.id = ?", SQL_VALUES(sql_int(id)), out);
}

bool store_has_row(Transaction *t, int64_t test_id, int64_t user_id) {
    return sql_number(t, "SELECT count(*) FROM " ROWS "WHERE rows.test_id = ? AND user_id = ?",
                      SQL_VALUES(sql_int(test_id), sql_int(user_id))) > 0;
}

Query *store_rows(Transaction *t, int64_t test_id) {
    return query_records(t, row_columns, ROWS "WHERE rows.test_id = ? ORDER BY machine_id",
                         SQL_VALUES(sql_int(test_id)));
}

Query *store_rows_by_games(Transaction *t, int64_t test_id, int64_t skip, int64_t limit) {
    return query_records(t, row_columns,
                         ROWS "WHERE rows.test_id = ? ORDER BY wins + losses + draws DESC, "
                              "machine_id LIMIT ? OFFSET ?",
                         SQL_VALUES(sql_int(test_id), sql_int(limit), sql_int(skip)));
}

int64_t store_count_rows(Transaction *t, int64_t test_id) {
    return sql_number(t, "SELECT count(*) FROM rows WHERE test_id = ?",
                      SQL_VALUES(sql_int(test_id)));
}

bool store_next_row(Query *query, TestRow *out) {
    return query_next_record(query, row_columns, out);
}

void store_free_row(TestRow *row) {
    columns_free(row_columns, row);
}

#define ADD_COUNTS                                                                                 \
    "wins = wins + ?, losses = losses + ?, draws = draws + ?, ll = ll + ?, ld = ld + ?, "          \
    "dd = dd + ?, dw = dw + ?, ww = ww + ?, crashes = crashes + ?, timelosses = timelosses + ?, "  \
    "illegals = illegals + ?, updated = ?"
#define COUNTS_OF(batch)                                                                           \
    sql_int((batch)->wins), sql_int((batch)->losses), sql_int((batch)->draws),                     \
        sql_int((batch)->penta.n[0]), sql_int((batch)->penta.n[1]), sql_int((batch)->penta.n[2]),  \
        sql_int((batch)->penta.n[3]), sql_int((batch)->penta.n[4]), sql_int((batch)->crashes),     \
        sql_int((batch)->timelosses), sql_int((batch)->illegals)

/* Counts of games and pairs grow together, so a point's games say whether a new one is due. */
static void add_point(Transaction *t, int64_t test_id) {
    sql_run(t,
            "INSERT INTO points (test_id, games, wins, losses, draws, ll, ld, dd, dw, ww, llr) "
            "SELECT id, wins + losses + draws, wins, losses, draws, ll, ld, dd, dw, ww, llr FROM "
            "tests WHERE id = ? AND wins + losses + draws > 1.01 * (SELECT "
            "coalesce(max(games), 0) FROM points WHERE test_id = ?)",
            SQL_VALUES(sql_int(test_id), sql_int(test_id)));
}

void store_add_results(Transaction *t, const TestRow *row, const Tally *batch, double llr,
                       int64_t now) {
    sql_run(t, "UPDATE rows SET " ADD_COUNTS " WHERE id = ?",
            SQL_VALUES(COUNTS_OF(batch), sql_int(now), sql_int(row->id)));
    sql_run(t, "UPDATE tests SET " ADD_COUNTS ", llr = ? WHERE id = ?",
            SQL_VALUES(COUNTS_OF(batch), sql_int(now), sql_real(llr), sql_int(row->test_id)));
    add_point(t, row->test_id);
}

static const Column point_fields[] = {
    GAME_COLUMNS(TestPoint),
};
static const Columns point_columns = {point_fields, COUNT(point_fields), sizeof(TestPoint)};

Query *store_points(Transaction *t, int64_t test_id) {
    return query_records(t, point_columns, "points WHERE test_id = ? ORDER BY games",
                         SQL_VALUES(sql_int(test_id)));
}

bool store_next_point(Query *query, TestPoint *out) {
    return query_next_record(query, point_columns, out);
}

bool store_note_batch(Transaction *t, int64_t row_id, const char *number, int64_t now) {
    bool fresh = sql_run(t,
                         "INSERT INTO batches (row_id, number, received) VALUES (?, ?, ?) "
                         "ON CONFLICT DO NOTHING",
                         SQL_VALUES(sql_int(row_id), sql_text(number), sql_int(now))) == 1;
    if (fresh)
        sql_run(t,
                "UPDATE batches SET spare = 1 WHERE id = (SELECT id FROM batches WHERE row_id = ? "
                "ORDER BY id DESC LIMIT 1 OFFSET ?)",
                SQL_VALUES(sql_int(row_id), sql_int(STORE_BATCHES_KEPT)));
    sql_run(t, "DELETE FROM batches WHERE spare = 1 AND received < ?",
            SQL_VALUES(sql_int(now - API_BATCH_KEPT_S)));
    return fresh;
}

/* ---- Openings ---- */

bool store_lost_openings(Transaction *t, int64_t test_id, int64_t now, int64_t least,
                         OpeningRange *out) {
    /* The rows with openings that are still to be played are found one by one in the index, and the
     * outer loop goes through them: SQLite keeps the order of a CROSS JOIN. */
    static const char lost[] =
        "WITH RECURSIVE waiting(row_id) AS (SELECT min(row_id) FROM openings WHERE test_id = ?1 "
        "AND played < count UNION ALL SELECT (SELECT min(row_id) FROM openings WHERE test_id = ?1 "
        "AND "
        "played < count AND row_id > waiting.row_id) FROM waiting WHERE row_id IS NOT NULL) "
        "SELECT first + played, count - played, openings.id FROM waiting "
        "CROSS JOIN rows ON rows.id = waiting.row_id AND updated NOT BETWEEN ?2 AND ?3 "
        "CROSS JOIN machines ON machines.id = rows.machine_id AND seen NOT BETWEEN ?2 AND ?3 "
        "CROSS JOIN openings ON openings.test_id = ?1 AND openings.row_id = waiting.row_id AND "
        "played < count AND count - played >= ?4 LIMIT 1";
    Query *query = query_begin(t, lost,
                               SQL_VALUES(sql_int(test_id), sql_int(now - MACHINE_VANISHED_SECONDS),
                                          sql_int(now + MACHINE_VANISHED_SECONDS), sql_int(least)));
    bool found = query_next(query);
    if (found)
        *out = (OpeningRange){query_int(query, 0), query_int(query, 1), query_int(query, 2)};
    query_end(query);
    return found;
}

/* The old record of a lost range keeps what was played of it, and the openings behind the range, if
 * there are any, become a record of their own. */
static void take_back(Transaction *t, OpeningRange range) {
    SqlValues record = SQL_VALUES(sql_int(range.record));
    sql_run(t,
            "INSERT INTO openings (test_id, row_id, first, count, played) "
            "SELECT test_id, row_id, first + played + ?, count - played - ?, 0 FROM openings "
            "WHERE id = ? AND count - played > ?",
            SQL_VALUES(sql_int(range.count), sql_int(range.count), sql_int(range.record),
                       sql_int(range.count)));
    sql_run(t, "UPDATE openings SET count = played WHERE id = ?", record);
    sql_run(t, "DELETE FROM openings WHERE id = ? AND count = 0", record);
}

void store_hand_out(Transaction *t, int64_t test_id, int64_t row_id, OpeningRange range) {
    if (range.record)
        take_back(t, range);
    else
        sql_run(t, "UPDATE tests SET book_index = ? WHERE id = ?",
                SQL_VALUES(sql_int(range.first + range.count), sql_int(test_id)));
    sql_run(
        t, "INSERT INTO openings (test_id, row_id, first, count, played) VALUES (?, ?, ?, ?, 0)",
        SQL_VALUES(sql_int(test_id), sql_int(row_id), sql_int(range.first), sql_int(range.count)));
}

void store_play_openings(Transaction *t, int64_t row_id, int64_t count, OpeningOrder order) {
    static const char *const next[] = {
        [OPENINGS_NEWEST_FIRST] = "SELECT id, count - played FROM openings WHERE row_id = ? AND "
                                  "played < count ORDER BY id DESC LIMIT 1",
        [OPENINGS_OLDEST_FIRST] = "SELECT id, count - played FROM openings WHERE row_id = ? AND "
                                  "played < count ORDER BY id LIMIT 1"};
    while (count > 0 && transaction_ok(t)) {
        Query *query = query_begin(t, next[order], SQL_VALUES(sql_int(row_id)));
        bool found = query_next(query);
        int64_t id = found ? query_int(query, 0) : 0;
        int64_t left = found ? query_int(query, 1) : 0;
        query_end(query);
        if (!found)
            return;
        int64_t played = left < count ? left : count;
        sql_run(t, "UPDATE openings SET played = played + ? WHERE id = ?",
                SQL_VALUES(sql_int(played), sql_int(id)));
        count -= played;
    }
}
