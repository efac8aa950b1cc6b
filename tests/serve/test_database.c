/* SPDX-License-Identifier: MIT */
/* The server's database: versions of the schema, transactions, backups and checks; and the store's
 * openings, rows and batches. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include <sqlite3.h>

#include "base/count.h"
#include "base/tree.h"
#include "serve/database.h"
#include "serve/store.h"
#include "tools/files.h"
#include "tools/serve_rig.h"
#include "tools/temporary.h"
#include "runner.h"

enum { PATH_SIZE = 128, THREADS = 4, BATCHES = 25 };
enum { DAY = 86400, MONTH = 30 * DAY };

#define YEAR (365 * (int64_t)DAY)

/* The last batch of a row with two batches more than are kept at any age. */
enum { LAST_BATCH = STORE_BATCHES_KEPT + 2 };

static char folder[TEMPORARY_SIZE];
static char path[PATH_SIZE];

static void setup(void) {
    temporary_folder(folder, sizeof folder, "rd-database");
    snprintf(path, sizeof path, "%s/server.db", folder);
}

static void teardown(void) {
    ck_assert(tree_remove(folder, NULL));
}

static Database *must_open(void) {
    Error err = {{0}};
    Database *database = database_open(path, &err);
    ck_assert_msg(database != NULL, "%s", err.text);
    return database;
}

static void must_not_open(const char *why) {
    Error err = {{0}};
    Database *database = database_open(path, &err);
    ck_assert_msg(database == NULL, "the file was opened");
    ck_assert_msg(strstr(err.text, why), "'%s' says nothing of '%s'", err.text, why);
}

static void must_end(Transaction *t) {
    Error err = {{0}};
    ck_assert_msg(transaction_end(t, &err), "%s", err.text);
}

static void run_sql(Database *database, const char *sql) {
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    sql_run(t, sql, SQL_NO_VALUES);
    must_end(t);
}

static int64_t ask(Database *database, const char *sql) {
    Transaction *t = transaction_begin(database, TRANSACTION_READ);
    int64_t number = sql_number(t, sql, SQL_NO_VALUES);
    must_end(t);
    return number;
}

/* ---- Versions ---- */

START_TEST(a_new_file_has_the_schema_of_today) {
    Database *database = must_open();
    ck_assert_int_eq(ask(database, "PRAGMA user_version"), DATABASE_VERSION);
    database_close(database);
    database = must_open();
    ck_assert_int_eq(ask(database, "SELECT count(*) FROM users"), 0);
    database_close(database);
}
END_TEST

/* Each older version, as SQL that makes a database of it with something to keep; the row for
 * version N is added when version N + 1 is made. */
static const struct {
    int version;
    const char *sql;
} older[] = {
    {0, ""},
    {1, "INSERT INTO users VALUES (1, 'ada', 'x', 1, 1, 1, 0);"},
    {2, "INSERT INTO users VALUES (1, 'ada', 'x', 1, 1, 1, 0);"},
};

static const char *const schema1[] = {
#include "serve/schema1_sql.h"
};
static const char *const schema2[] = {
#include "serve/schema2_sql.h"
};

/* The steps to the older versions. */
static const struct {
    const char *const *lines;
    size_t count;
} upgrades[] = {{schema1, COUNT(schema1)}, {schema2, COUNT(schema2)}};

/* Makes a database of an older version with its own schema, and runs its SQL. Version 0 is an empty
 * file. */
static void make_older(int version, const char *sql) {
    Text text = {0};
    sqlite3 *handle;
    for (int step = 0; step < version; step++)
        for (size_t i = 0; i < upgrades[step].count; i++)
            text_add(&text, upgrades[step].lines[i]);
    text_addf(&text, "%s PRAGMA user_version=%d;", sql, version);
    if (version > 0)
        text_add(&text, "PRAGMA application_id=0x4f425753;");
    ck_assert_int_eq(sqlite3_open(path, &handle), SQLITE_OK);
    ck_assert_msg(sqlite3_exec(handle, text_string(&text), NULL, NULL, NULL) == SQLITE_OK, "%s",
                  sqlite3_errmsg(handle));
    sqlite3_close(handle);
    text_free(&text);
}

START_TEST(each_older_schema_is_brought_up_to_date) {
    ck_assert_uint_eq(COUNT(older), DATABASE_VERSION);
    for (size_t i = 0; i < COUNT(older); i++) {
        ck_assert_int_eq(older[i].version, (int)i);
        unlink(path);
        Error err = {{0}};
        make_older(older[i].version, older[i].sql);
        Database *database = must_open();
        ck_assert_int_eq(ask(database, "PRAGMA user_version"), DATABASE_VERSION);
        ck_assert_int_eq(ask(database, "SELECT count(*) FROM users"), older[i].version > 0);
        ck_assert_msg(database_check(database, &err), "%s", err.text);
        database_close(database);
    }
}
END_TEST

/* Versions 1 and 2 kept the numbers of batches without their order of arrival. */
START_TEST(a_row_of_an_older_schema_keeps_its_newest_numbers) {
    make_older(2, "INSERT INTO rows (id, test_id, machine_id, updated) VALUES (1, 1, 1, 0), "
                  "(2, 1, 2, 0);"
                  "INSERT INTO batches VALUES (1, 'f', 10), (1, 'e', 20), (1, 'd', 30), "
                  "(1, 'c', 40), (1, 'b', 50), (1, 'a', 60), (2, 'z', 5);");
    Database *database = must_open();
    ck_assert_int_eq(ask(database, "SELECT count(*) FROM batches"), 7);
    ck_assert_int_eq(ask(database, "SELECT count(*) FROM batches WHERE row_id = 1 AND NOT spare"),
                     STORE_BATCHES_KEPT);
    ck_assert_int_eq(ask(database, "SELECT count(*) FROM batches WHERE spare AND received <= 20"),
                     2);
    ck_assert_int_eq(ask(database, "SELECT received FROM batches ORDER BY id DESC LIMIT 1"), 60);
    database_close(database);
}
END_TEST

START_TEST(a_newer_schema_is_refused_and_left_alone) {
    Database *database = must_open();
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA user_version=%d", DATABASE_VERSION + 1);
    run_sql(database, sql);
    database_close(database);
    must_not_open("newer obworker");
    must_not_open("newer obworker");
}
END_TEST

START_TEST(a_file_of_another_kind_is_refused) {
    put_text(path, "a letter, which is no database at all, long enough");
    must_not_open("not a database");
    unlink(path);
    Database *database = must_open();
    run_sql(database, "PRAGMA application_id=7");
    database_close(database);
    must_not_open("another program");
}
END_TEST

/* The bytes of the file, which the caller frees. */
static Text read_bytes(void) {
    Text bytes = read_whole(path);
    return bytes;
}

/* Has the file the bytes of before? Frees them. */
static bool has_still(Text *before) {
    Text now = read_bytes();
    bool same = now.length == before->length &&
                memcmp(text_string(&now), text_string(before), now.length) == 0;
    text_free(&now);
    text_free(before);
    return same;
}

START_TEST(a_file_that_is_refused_keeps_its_bytes) {
    Error err = {{0}};
    make_older(0, "CREATE TABLE letters (text);");
    Text before = read_bytes();
    must_not_open("another program");
    ck_assert_ptr_null(database_open_unchanged(path, &err));
    ck_assert(has_still(&before));
    put_text(path, "");
    before = read_bytes();
    ck_assert_ptr_null(database_open_unchanged(path, &err));
    ck_assert_msg(strstr(err.text, "is empty"), "%s", err.text);
    ck_assert(has_still(&before));
}
END_TEST

START_TEST(a_folder_that_is_missing_is_named) {
    snprintf(path, sizeof path, "%s/none/server.db", folder);
    must_not_open(path);
}
END_TEST

/* ---- Transactions ---- */

START_TEST(a_step_that_fails_undoes_the_whole_transaction) {
    Database *database = must_open();
    User ada = {.name = (char *)"ada", .password = (char *)"x"};
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    ck_assert_int_gt(store_add_user(t, &ada), 0);
    ck_assert_int_eq(store_add_user(t, &ada), 0); /* The name is taken. */
    ck_assert(!transaction_ok(t));
    User found;
    ck_assert(!store_user_named(t, "ada", &found)); /* Later steps do nothing. */
    Error err = {{0}};
    ck_assert(!transaction_end(t, &err));
    ck_assert_msg(strstr(err.text, "UNIQUE"), "%s", err.text);
    ck_assert_int_eq(ask(database, "SELECT count(*) FROM users"), 0);
    database_close(database);
}
END_TEST

START_TEST(a_reader_sees_one_state_and_waits_for_no_writer) {
    Database *database = must_open();
    User ada = {.name = (char *)"ada", .password = (char *)"x"};
    Transaction *reader = transaction_begin(database, TRANSACTION_READ);
    ck_assert_int_eq(sql_number(reader, "SELECT count(*) FROM users", SQL_NO_VALUES), 0);
    Transaction *writer = transaction_begin(database, TRANSACTION_WRITE);
    store_add_user(writer, &ada);
    must_end(writer);
    ck_assert_int_eq(sql_number(reader, "SELECT count(*) FROM users", SQL_NO_VALUES), 0);
    must_end(reader);
    ck_assert_int_eq(ask(database, "SELECT count(*) FROM users"), 1);
    database_close(database);
}
END_TEST

START_TEST(a_reference_to_nothing_is_refused) {
    Database *database = must_open();
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    ck_assert_int_eq(store_row_of(t, 7, 7, 0), 0);
    Error err = {{0}};
    ck_assert(!transaction_end(t, &err));
    ck_assert_msg(strstr(err.text, "FOREIGN KEY"), "%s", err.text);
    database_close(database);
}
END_TEST

/* ---- A test with a machine ---- */

/* A test, and the rows of two machines. */
static int64_t test_id, rows[2], machines[2];

static void add_test(Database *database) {
    User ada = {.name = (char *)"ada", .password = (char *)"x", .enabled = true};
    Test test = rig_test("SPRT", "x");
    test.book_index = 1;
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    int64_t user = store_add_user(t, &ada);
    test_id = store_add_test(t, &test);
    for (size_t i = 0; i < COUNT(rows); i++) {
        Machine machine = {.user_id = user,
                           .secret = (char *)"s",
                           .info = (char *)"{}",
                           .name = (char *)"",
                           .os_name = (char *)"",
                           .cpu_name = (char *)"",
                           .isa_name = (char *)"",
                           .client = (char *)"",
                           .config = (char *)""};
        machines[i] = store_add_machine(t, &machine);
        rows[i] = store_row_of(t, test_id, machines[i], 0);
    }
    must_end(t);
    store_free_test(&test);
}

START_TEST(a_row_is_made_once) {
    Database *database = must_open();
    add_test(database);
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    ck_assert_int_eq(store_row_of(t, test_id, machines[0], 5), rows[0]);
    ck_assert_int_ne(rows[0], rows[1]);
    must_end(t);
    database_close(database);
}
END_TEST

START_TEST(a_batch_with_a_number_counts_once_for_its_row) {
    Database *database = must_open();
    add_test(database);
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    ck_assert(store_note_batch(t, rows[0], "n1", 0));
    ck_assert(!store_note_batch(t, rows[0], "n1", 1));
    ck_assert(store_note_batch(t, rows[0], "n2", 1));
    ck_assert(store_note_batch(t, rows[1], "n1", 1));
    must_end(t);
    database_close(database);
}
END_TEST

typedef struct {
    Database *database;
    int64_t row;
} Adder;

static void *add_batches(void *user) {
    const Adder *adder = user;
    Tally pair = tally_of_pair(2, 1);
    TestRow row = {.id = adder->row, .test_id = test_id};
    for (int i = 0; i < BATCHES; i++) {
        Transaction *t = transaction_begin(adder->database, TRANSACTION_WRITE);
        store_add_results(t, &row, &pair, 0, 0);
        if (!transaction_end(t, NULL))
            abort();
    }
    return NULL;
}

START_TEST(results_of_a_machine_in_several_requests_at_a_time_all_count) {
    Database *database = must_open();
    add_test(database);
    pthread_t threads[THREADS];
    Adder adders[THREADS];
    for (int i = 0; i < THREADS; i++) {
        adders[i] = (Adder){database, rows[i % 2]};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, add_batches, &adders[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(ask(database, "SELECT dw FROM tests"), THREADS * BATCHES);
    ck_assert_int_eq(ask(database, "SELECT sum(dw) FROM rows"), THREADS * BATCHES);
    ck_assert_int_eq(ask(database, "SELECT max(dw) FROM rows"), THREADS / 2 * BATCHES);
    Error err = {{0}};
    ck_assert_msg(database_check(database, &err), "%s", err.text);
    database_close(database);
}
END_TEST

/* Notes the batches of a row from number `first` to `last` at this time. Returns how many of them
 * the row had not seen. */
static int note_batches(Database *database, int row, int first, int last, int64_t now) {
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    int fresh = 0;
    for (int i = first; i <= last; i++) {
        char number[16];
        snprintf(number, sizeof number, "n%d", i);
        fresh += store_note_batch(t, rows[row], number, now);
    }
    must_end(t);
    return fresh;
}

/* A test, and a row that has seen the batches from 1 to LAST_BATCH at time 0. */
static Database *open_with_batches(void) {
    Database *database = must_open();
    add_test(database);
    ck_assert_int_eq(note_batches(database, 0, 1, LAST_BATCH, 0), LAST_BATCH);
    return database;
}

START_TEST(the_number_of_a_batch_is_forgotten_after_thirty_days) {
    Database *database = open_with_batches();
    ck_assert_int_eq(note_batches(database, 0, 1, LAST_BATCH, MONTH), 0);
    ck_assert_int_eq(ask(database, "SELECT count(*) FROM batches"), LAST_BATCH);
    note_batches(database, 1, 1, 1, MONTH + 1);
    ck_assert_int_eq(ask(database, "SELECT count(*) FROM batches"), STORE_BATCHES_KEPT + 1);
    ck_assert_int_eq(note_batches(database, 0, 1, 1, MONTH + 1), 1);
    database_close(database);
}
END_TEST

/* Every row still knows its newest numbers, also those rows that report while the clock is wrong.
 */
START_TEST(a_clock_that_is_years_ahead_forgets_no_newest_number) {
    Database *database = open_with_batches();
    ck_assert_int_eq(note_batches(database, 1, 1, LAST_BATCH, DAY), LAST_BATCH);
    note_batches(database, 0, LAST_BATCH + 1, LAST_BATCH + 1, 10 * YEAR);
    ck_assert_int_eq(note_batches(database, 0, 4, LAST_BATCH + 1, 10 * YEAR), 0);
    ck_assert_int_eq(note_batches(database, 1, 3, LAST_BATCH, 10 * YEAR), 0);
    database_close(database);
}
END_TEST

/* The numbers of the future and those after them are kept, and age by the clock of today. */
START_TEST(a_clock_that_was_ahead_and_goes_back_forgets_no_number) {
    Database *database = open_with_batches();
    note_batches(database, 0, 11, 30, 10 * YEAR);
    ck_assert_int_eq(note_batches(database, 0, 31, 40, DAY), 10);
    ck_assert_int_eq(note_batches(database, 0, 11, 40, DAY + MONTH), 0);
    note_batches(database, 1, 1, 1, DAY + MONTH + 1);
    ck_assert_int_eq(ask(database, "SELECT count(*) FROM batches WHERE received = 86400"),
                     STORE_BATCHES_KEPT);
    database_close(database);
}
END_TEST

/* A server without a clock of its own begins in 1970, and learns the time later. */
START_TEST(a_clock_that_was_behind_forgets_no_newest_number) {
    Database *database = must_open();
    add_test(database);
    note_batches(database, 0, 1, 10, 50 * YEAR);
    note_batches(database, 0, 11, 12, 0);
    ck_assert_int_eq(note_batches(database, 0, 13, 13, 50 * YEAR), 1);
    ck_assert_int_eq(note_batches(database, 0, 1, 13, 50 * YEAR), 0);
    database_close(database);
}
END_TEST

/* A new point is due when the games are more by one in a hundred. */
START_TEST(a_long_test_has_far_fewer_points_than_batches) {
    Database *database = must_open();
    add_test(database);
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    TestRow row = {0};
    ck_assert(store_row(t, rows[0], &row));
    for (int i = 0; i < 1000; i++)
        store_add_results(t, &row, &(Tally){.wins = 1, .losses = 1, .penta = {{0, 0, 1, 0, 0}}}, 0,
                          DAY);
    store_free_row(&row);
    must_end(t);
    ck_assert_int_lt(ask(database, "SELECT count(*) FROM points"), 500);
    ck_assert_int_ge(ask(database, "SELECT max(games) FROM points"), 1980); /* Of 2,000. */
    database_close(database);
}
END_TEST

START_TEST(a_check_names_a_test_whose_counts_are_not_its_rows) {
    Database *database = must_open();
    add_test(database);
    run_sql(database, "UPDATE tests SET wins = wins + 1");
    Error err = {{0}};
    ck_assert(!database_check(database, &err));
    ck_assert_msg(strstr(err.text, "test 1: its counts"), "%s", err.text);
    database_close(database);
}
END_TEST

/* The table of games has no numbers of rows to name. */
START_TEST(a_check_names_a_reference_to_a_missing_record) {
    sqlite3 *handle;
    Database *database = must_open();
    ck_assert_int_eq(sqlite3_open(path, &handle), SQLITE_OK); /* Which keeps no references. */
    ck_assert_int_eq(
        sqlite3_exec(handle, "INSERT INTO pgns VALUES (999, 999, 1, 1, 1)", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(handle);
    Error err = {{0}};
    ck_assert(!database_check(database, &err));
    ck_assert_msg(strstr(err.text, "a reference of table pgns to a missing record of "), "%s",
                  err.text);
    database_close(database);
}
END_TEST

/* ---- Openings ---- */

static OpeningRange lost_at(Transaction *t, int64_t now) {
    OpeningRange range = {0};
    store_lost_openings(t, test_id, now, 1, &range);
    return range;
}

static void check_range(OpeningRange range, int64_t first, int64_t count) {
    ck_assert_int_eq(range.first, first);
    ck_assert_int_eq(range.count, count);
}

START_TEST(openings_move_on_with_each_workload) {
    Database *database = must_open();
    add_test(database);
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    store_hand_out(t, test_id, rows[0], (OpeningRange){.first = 1, .count = 32});
    store_hand_out(t, test_id, rows[1], (OpeningRange){.first = 33, .count = 8});
    must_end(t);
    ck_assert_int_eq(ask(database, "SELECT book_index FROM tests"), 41);
    database_close(database);
}
END_TEST

START_TEST(openings_of_a_machine_that_vanished_are_handed_out_again_once) {
    Database *database = must_open();
    add_test(database);
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    store_hand_out(t, test_id, rows[0], (OpeningRange){.first = 1, .count = 32});
    store_play_openings(t, rows[0], 12, OPENINGS_NEWEST_FIRST);
    check_range(lost_at(t, MACHINE_VANISHED_SECONDS), 0, 0); /* Not silent for long enough. */
    check_range(lost_at(t, DAY), 13, 20);

    store_see_machine(t, machines[1], DAY);
    OpeningRange lost = lost_at(t, DAY);
    lost.count = 8; /* A part is taken. */
    store_hand_out(t, test_id, rows[1], lost);
    check_range(lost_at(t, DAY), 21, 12);
    store_hand_out(t, test_id, rows[1], lost_at(t, DAY));
    check_range(lost_at(t, DAY), 0, 0);
    ck_assert_int_eq(sql_number(t, "SELECT book_index FROM tests", SQL_NO_VALUES), 33);
    must_end(t);
    /* Every opening stands in one record. */
    ck_assert_int_eq(ask(database, "SELECT sum(count) FROM openings"), 32);
    database_close(database);
}
END_TEST

START_TEST(a_machine_of_a_fast_clock_has_vanished_when_the_clock_is_set_back) {
    Database *database = must_open();
    add_test(database);
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    store_hand_out(t, test_id, rows[0], (OpeningRange){.first = 1, .count = 32});
    sql_run(t, "UPDATE rows SET updated = ?", SQL_VALUES(sql_int(2 * DAY)));
    store_see_machine(t, machines[0], 2 * DAY);
    check_range(lost_at(t, DAY), 1, 32);
    check_range(lost_at(t, 2 * DAY - MACHINE_VANISHED_SECONDS), 0, 0);
    store_see_machine(t, machines[0], DAY); /* It is still here. */
    check_range(lost_at(t, DAY), 0, 0);
    check_range(lost_at(t, DAY + MACHINE_VANISHED_SECONDS + 1), 1, 32);
    transaction_cancel(t);
    database_close(database);
}
END_TEST

/* ---- The cost of a question for work ---- */

static int64_t steps; /* SQLite's, on all connections since the counter was installed. */

static int count_step(void *user) {
    (void)user;
    steps++;
    return 0;
}

static int watch_connection(sqlite3 *handle, char **message, const void *api) {
    (void)message;
    (void)api;
    sqlite3_progress_handler(handle, 1, count_step, NULL);
    return SQLITE_OK;
}

/* SQLite's steps to look for lost openings and to hand out the next workload. */
static int64_t steps_of_a_workload(Transaction *t, int64_t first) {
    int64_t before = steps;
    check_range(lost_at(t, MACHINE_VANISHED_SECONDS), 0, 0);
    store_hand_out(t, test_id, rows[0], (OpeningRange){.first = first, .count = 8});
    return steps - before;
}

/* The same for openings that were lost: the front of them goes to the other row. */
static int64_t steps_of_a_lost_workload(Transaction *t) {
    int64_t before = steps;
    OpeningRange lost = lost_at(t, DAY);
    lost.count = 2;
    store_hand_out(t, test_id, rows[1], lost);
    return steps - before;
}

START_TEST(a_workload_costs_no_more_after_a_thousand_others) {
    sqlite3_auto_extension((void (*)(void))watch_connection);
    Database *database = must_open();
    add_test(database);
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    store_see_machine(t, machines[1], DAY);
    steps_of_a_workload(t, 1);
    steps_of_a_lost_workload(t); /* Both rows have a workload from here on. */
    int64_t at_first = steps_of_a_workload(t, 9);
    int64_t lost_at_first = steps_of_a_lost_workload(t);
    for (int64_t i = 2; i < 1000; i++)
        store_hand_out(t, test_id, rows[0], (OpeningRange){.first = 8 * i + 1, .count = 8});
    ck_assert_int_gt(at_first, 0);
    ck_assert_int_eq(steps_of_a_workload(t, 8001), at_first);
    ck_assert_int_eq(steps_of_a_lost_workload(t), lost_at_first);
    must_end(t);
    database_close(database);
    sqlite3_reset_auto_extension();
}
END_TEST

START_TEST(a_machine_plays_the_openings_that_it_got_last) {
    Database *database = must_open();
    add_test(database);
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    store_hand_out(t, test_id, rows[0], (OpeningRange){.first = 1, .count = 8});
    store_hand_out(t, test_id, rows[1], (OpeningRange){.first = 9, .count = 8});
    store_hand_out(t, test_id, rows[0], (OpeningRange){.first = 17, .count = 8});
    store_play_openings(t, rows[0], 11, OPENINGS_NEWEST_FIRST);
    store_play_openings(t, rows[1], 100,
                        OPENINGS_NEWEST_FIRST); /* More than it was given: the rest is ignored. */
    check_range(lost_at(t, DAY), 4, 5);         /* 17 to 24 and 1 to 3 are played. */
    must_end(t);
    database_close(database);
}
END_TEST

START_TEST(a_machine_that_fetches_ahead_plays_the_openings_that_it_got_first) {
    Database *database = must_open();
    add_test(database);
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    store_hand_out(t, test_id, rows[0], (OpeningRange){.first = 1, .count = 8});
    store_hand_out(t, test_id, rows[0], (OpeningRange){.first = 9, .count = 8});
    store_play_openings(t, rows[0], 11, OPENINGS_OLDEST_FIRST);
    check_range(lost_at(t, DAY), 12, 5);
    must_end(t);
    database_close(database);
}
END_TEST

START_TEST(a_machine_whose_results_arrive_has_not_vanished) {
    Database *database = must_open();
    add_test(database);
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    store_hand_out(t, test_id, rows[0], (OpeningRange){.first = 1, .count = 8});
    check_range(lost_at(t, DAY), 1, 8);
    TestRow row = {0};
    ck_assert(store_row(t, rows[0], &row));
    store_add_results(t, &row, &(Tally){.wins = 1, .losses = 1, .penta = {{0, 0, 1, 0, 0}}}, 0,
                      DAY - 1);
    store_play_openings(t, rows[0], 1, OPENINGS_OLDEST_FIRST);
    store_free_row(&row);
    check_range(lost_at(t, DAY), 0, 0);
    check_range(lost_at(t, 2 * DAY), 2, 7);
    must_end(t);
    database_close(database);
}
END_TEST

static void check_busy(Transaction *t, int64_t since, int64_t but_machine, int64_t threads,
                       int64_t focused) {
    BusyList busy = store_busy_threads(t, since + MACHINE_ACTIVE_SECONDS, but_machine);
    ck_assert_uint_eq(busy.count, 1);
    ck_assert_int_eq(busy.items[0].test_id, test_id);
    ck_assert_int_eq(busy.items[0].threads, threads);
    ck_assert_int_eq(busy.items[0].focused, focused);
    free(busy.items);
}

START_TEST(a_test_has_the_threads_of_the_other_machines_that_were_seen) {
    Database *database = must_open();
    add_test(database);
    run_sql(database, "UPDATE machines SET concurrency = 4 * id");
    Transaction *t = transaction_begin(database, TRANSACTION_WRITE);
    for (size_t i = 0; i < COUNT(machines); i++) {
        store_see_machine(t, machines[i], (int64_t)i + 100);
        store_set_machine_test(t, machines[i], test_id, i == 0);
    }
    check_busy(t, 100, 0, 12, 4);
    check_busy(t, 101, 0, 8, 0);
    check_busy(t, 100, machines[1], 4, 4);
    store_set_machine_test(t, machines[1], 0, false);
    check_busy(t, 100, 0, 4, 4);
    must_end(t);
    database_close(database);
}
END_TEST

/* ---- Backups ---- */

START_TEST(a_backup_is_a_whole_database_of_that_moment) {
    Database *database = must_open();
    add_test(database);
    char copy[PATH_SIZE];
    Error err = {{0}};
    snprintf(copy, sizeof copy, "%s/copy.db", folder);
    ck_assert_msg(database_backup(database, copy, &err), "%s", err.text);
    run_sql(database, "UPDATE tests SET priority = 9");
    ck_assert(!database_backup(database, copy, &err)); /* Never over another file. */
    ck_assert_msg(strstr(err.text, "exists"), "%s", err.text);
    ck_assert(!database_backup(database, "/nonexistent/x", &err));
    ck_assert_str_eq(err.text, "backup /nonexistent/x: the file cannot be made there: No such file "
                               "or directory");
    database_close(database);
    memcpy(path, copy, sizeof copy);
    database = must_open();
    ck_assert_int_eq(ask(database, "SELECT priority FROM tests"), 0);
    ck_assert_msg(database_check(database, &err), "%s", err.text);
    database_close(database);
}
END_TEST

START_TEST(a_backup_and_a_check_leave_an_older_schema_as_it_is) {
    char copy[PATH_SIZE];
    Error err = {{0}};
    snprintf(copy, sizeof copy, "%s/copy.db", folder);
    make_older(1, older[1].sql);
    Text before = read_bytes();
    Database *database = database_open_unchanged(path, &err);
    ck_assert_msg(database, "%s", err.text);
    ck_assert_msg(database_check(database, &err), "%s", err.text);
    ck_assert_msg(database_backup(database, copy, &err), "%s", err.text);
    ck_assert_int_eq(ask(database, "PRAGMA user_version"), 1);
    database_close(database);
    ck_assert(has_still(&before));
    database = database_open_unchanged(copy, &err);
    ck_assert_msg(database, "%s", err.text);
    ck_assert_int_eq(ask(database, "PRAGMA user_version"), 1);
    ck_assert_int_eq(ask(database, "SELECT count(*) FROM users"), 1);
    database_close(database);
}
END_TEST

/* Starts obworker with these options and the folder of the test. */
static FILE *start_obworker(const char *options) {
    Text command = {0};
    text_addf(&command, "'%s' serve --data '%s' %s 2>&1", getenv("OBWORKER"), folder, options);
    FILE *pipe = popen(text_string(&command), "r");
    ck_assert_ptr_nonnull(pipe);
    text_free(&command);
    return pipe;
}

/* Waits for the end of obworker, and gives its output. */
static void read_obworker(FILE *pipe, char *output, size_t size) {
    output[fread(output, 1, size - 1, pipe)] = '\0';
    pclose(pipe);
}

/* Runs obworker with these options and the folder of the test, and says whether its output has the
 * words. */
static bool obworker_says(const char *options, const char *words) {
    char output[1024];
    read_obworker(start_obworker(options), output, sizeof output);
    bool says = strstr(output, words) != NULL;
    if (!says)
        fprintf(stderr, "serve %s says: %s", options, output);
    return says;
}

static int64_t version_of_file(void) {
    Error err = {{0}};
    Database *database = database_open_unchanged(path, &err);
    ck_assert_msg(database, "%s", err.text);
    int64_t version = ask(database, "PRAGMA user_version");
    database_close(database);
    return version;
}

/* Takes the lock of the folder, as a server does. Closing the descriptor gives the lock back. */
static int must_lock(void) {
    char lock[PATH_SIZE];
    snprintf(lock, sizeof lock, "%s/lock", folder);
    int server = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(server, 0);
    ck_assert_int_eq(flock(server, LOCK_EX), 0);
    return server;
}

/* Writes the options that give this user a password. option: --add-user or --set-password. */
static void must_offer_user(const char *option, const char *name, char options[2 * PATH_SIZE]) {
    char password[PATH_SIZE];
    snprintf(password, sizeof password, "%s/password", folder);
    snprintf(options, 2 * PATH_SIZE, "%s %s --password-file '%s'", option, name, password);
    FILE *file = fopen(password, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fchmod(fileno(file), 0600), 0);
    fputs("correct horse\n", file);
    fclose(file);
}

/* The new program beside a server of the older one, which has the folder's lock. */
START_TEST(the_database_of_a_running_server_keeps_its_schema) {
    char add[2 * PATH_SIZE];
    must_offer_user("--add-user", "bob", add);
    make_older(2, older[2].sql);
    int server = must_lock();
    ck_assert(obworker_says("--listen 127.0.0.1:0", "another obworker serve uses this folder"));
    ck_assert_int_eq(version_of_file(), 2);
    ck_assert(obworker_says(add, "user bob added"));
    ck_assert_int_eq(version_of_file(), 2);
    close(server);
    ck_assert(obworker_says(add, "bob"));
    ck_assert_int_eq(version_of_file(), DATABASE_VERSION);
}
END_TEST

START_TEST(a_forgotten_password_is_replaced_beside_a_running_server) {
    char options[2 * PATH_SIZE];
    must_offer_user("--add-user", "bob", options);
    ck_assert(obworker_says(options, "user bob added"));
    int server = must_lock();
    must_offer_user("--set-password", "bob", options);
    ck_assert(obworker_says(options, "user bob has a new password"));
    must_offer_user("--set-password", "eve", options);
    ck_assert(obworker_says(options, "there is no user eve"));
    /* Before anybody types a password. */
    ck_assert(obworker_says("--set-password eve", "there is no user eve"));
    ck_assert(obworker_says("--add-user bob", "there is a user bob already"));
    close(server);
}
END_TEST

START_TEST(a_password_file_that_others_may_read_is_told) {
    char options[2 * PATH_SIZE], file[PATH_SIZE], output[1024];
    must_offer_user("--add-user", "bob", options);
    snprintf(file, sizeof file, "%s/password", folder);
    ck_assert_int_eq(chmod(file, 0644), 0);
    ck_assert(obworker_says(options, "warning: others may read "));
    must_offer_user("--set-password", "bob", options);
    read_obworker(start_obworker(options), output, sizeof output);
    ck_assert_str_eq(output, "user bob has a new password\n");
}
END_TEST

START_TEST(of_the_commands_that_end_at_once_one_may_stand) {
    ck_assert(obworker_says("--check --backup x", "--backup and --check: one at a time"));
    ck_assert(obworker_says("--add-user a --set-password b", "one at a time"));
    ck_assert(obworker_says("--check --admin", "--admin: needs --add-user"));
    ck_assert(obworker_says("--check --password-file x", "needs --add-user or --set-password"));
}
END_TEST

/* The first of several makes the database while the others wait: here they find the lock held and
 * no database for a moment. */
START_TEST(users_added_at_once_to_a_new_folder_are_all_added) {
    static const char *const NAMES[] = {"ada", "bob", "cyd", "dan"};
    FILE *pipes[COUNT(NAMES)];
    char add[2 * PATH_SIZE], output[1024], wanted[64];
    int other = must_lock();
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        must_offer_user("--add-user", NAMES[i], add);
        pipes[i] = start_obworker(add);
    }
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    close(other);
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        read_obworker(pipes[i], output, sizeof output);
        snprintf(wanted, sizeof wanted, "user %s added\n", NAMES[i]);
        ck_assert_str_eq(output, wanted);
    }
}
END_TEST

START_TEST(opening_unchanged_makes_no_database) {
    Error err = {{0}};
    ck_assert_ptr_null(database_open_unchanged(path, &err));
    ck_assert_int_ne(access(path, F_OK), 0);
    make_older(0, "");
    ck_assert_ptr_null(database_open_unchanged(path, &err));
    ck_assert_msg(strstr(err.text, "is empty"), "%s", err.text);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_new_file_has_the_schema_of_today);
    tcase_add_test(tests, each_older_schema_is_brought_up_to_date);
    tcase_add_test(tests, a_newer_schema_is_refused_and_left_alone);
    tcase_add_test(tests, a_backup_and_a_check_leave_an_older_schema_as_it_is);
    tcase_add_test(tests, opening_unchanged_makes_no_database);
    if (getenv("OBWORKER")) {
        tcase_add_test(tests, the_database_of_a_running_server_keeps_its_schema);
        tcase_add_test(tests, a_forgotten_password_is_replaced_beside_a_running_server);
        tcase_add_test(tests, a_password_file_that_others_may_read_is_told);
        tcase_add_test(tests, of_the_commands_that_end_at_once_one_may_stand);
        tcase_add_test(tests, users_added_at_once_to_a_new_folder_are_all_added);
    } else {
        puts("left out: the database of a running server, users and passwords beside it (make "
             "check sets "
             "OBWORKER)");
    }
    tcase_add_test(tests, a_file_of_another_kind_is_refused);
    tcase_add_test(tests, a_file_that_is_refused_keeps_its_bytes);
    tcase_add_test(tests, a_folder_that_is_missing_is_named);
    tcase_add_test(tests, a_step_that_fails_undoes_the_whole_transaction);
    tcase_add_test(tests, a_reader_sees_one_state_and_waits_for_no_writer);
    tcase_add_test(tests, a_reference_to_nothing_is_refused);
    tcase_add_test(tests, a_row_is_made_once);
    tcase_add_test(tests, a_batch_with_a_number_counts_once_for_its_row);
    tcase_add_test(tests, results_of_a_machine_in_several_requests_at_a_time_all_count);
    tcase_add_test(tests, a_long_test_has_far_fewer_points_than_batches);
    tcase_add_test(tests, a_check_names_a_reference_to_a_missing_record);
    tcase_add_test(tests, a_check_names_a_test_whose_counts_are_not_its_rows);
    tcase_add_test(tests, openings_move_on_with_each_workload);
    tcase_add_test(tests, the_number_of_a_batch_is_forgotten_after_thirty_days);
    tcase_add_test(tests, a_clock_that_is_years_ahead_forgets_no_newest_number);
    tcase_add_test(tests, a_clock_that_was_ahead_and_goes_back_forgets_no_number);
    tcase_add_test(tests, a_clock_that_was_behind_forgets_no_newest_number);
    tcase_add_test(tests, a_row_of_an_older_schema_keeps_its_newest_numbers);
    tcase_add_test(tests, openings_of_a_machine_that_vanished_are_handed_out_again_once);
    tcase_add_test(tests, a_machine_of_a_fast_clock_has_vanished_when_the_clock_is_set_back);
    tcase_add_test(tests, a_workload_costs_no_more_after_a_thousand_others);
    tcase_add_test(tests, a_machine_plays_the_openings_that_it_got_last);
    tcase_add_test(tests, a_machine_that_fetches_ahead_plays_the_openings_that_it_got_first);
    tcase_add_test(tests, a_machine_whose_results_arrive_has_not_vanished);
    tcase_add_test(tests, a_test_has_the_threads_of_the_other_machines_that_were_seen);
    tcase_add_test(tests, a_backup_is_a_whole_database_of_that_moment);
}

int main(void) {
    return run_tests("database", add_tests);
}
