/* SPDX-License-Identifier: MIT */
/* What the server keeps: users, machines, tests with their rows, parameters and openings, events,
 * networks, and the list of stored games. Each function is a step of the caller's transaction
 * (serve/database.h): a failure marks the transaction, and the function finds nothing. Times are
 * seconds since the epoch. The texts of a record belong to the record; each store_free_… frees them
 * and zeroes the record. store_add_… ignores the record's id and returns the new one, 0 after a
 * failure. */
#ifndef SERVE_STORE_H
#define SERVE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/side.h"
#include "base/text.h"
#include "serve/database.h"
#include "stats/sprt.h"
#include "stats/spsa.h"
#include "stats/stats.h"

/* ---- For the store's own files ---- */

/* The columns of a struct's `tally`. */
#define GAME_COLUMNS(Type)                                                                         \
    {"wins", COLUMN_INTEGER, offsetof(Type, tally.wins)},                                          \
        {"losses", COLUMN_INTEGER, offsetof(Type, tally.losses)},                                  \
        {"draws", COLUMN_INTEGER, offsetof(Type, tally.draws)},                                    \
        {"ll", COLUMN_INTEGER, offsetof(Type, tally.penta.n[0])},                                  \
        {"ld", COLUMN_INTEGER, offsetof(Type, tally.penta.n[1])},                                  \
        {"dd", COLUMN_INTEGER, offsetof(Type, tally.penta.n[2])},                                  \
        {"dw", COLUMN_INTEGER, offsetof(Type, tally.penta.n[3])}, {                                \
        "ww", COLUMN_INTEGER, offsetof(Type, tally.penta.n[4])                                     \
    }
#define FAULT_COLUMNS(Type)                                                                        \
    {"crashes", COLUMN_INTEGER, offsetof(Type, tally.crashes)},                                    \
        {"timelosses", COLUMN_INTEGER, offsetof(Type, tally.timelosses)}, {                        \
        "illegals", COLUMN_INTEGER, offsetof(Type, tally.illegals)                                 \
    }

/* ---- Users ---- */

typedef struct {
    int64_t id;
    char *name;
    char *password; /* Its hash, by a library. */
    bool enabled;   /* May sign in, create tests and register machines. */
    bool approver;  /* May approve tests. */
    bool admin;     /* May change users. */
    int64_t created;
} User;

int64_t store_add_user(Transaction *t, const User *user);

/* Writes all but the id and the name. */
void store_update_user(Transaction *t, const User *user);
bool store_user(Transaction *t, int64_t id, User *out);
bool store_user_named(Transaction *t, const char *name, User *out);
void store_free_user(User *user);

/* All users by name. `query` for store_next_user; ends with query_end. */
Query *store_users(Transaction *t);
bool store_next_user(Query *query, User *out);

/* A browser's session. */
typedef struct {
    char *token; /* The SHA-256 of the cookie's value, in hexadecimal. */
    int64_t user_id;
    char *csrf;    /* The token of the session's forms. */
    char *message; /* What the next page shows; NULL: nothing. */
    int64_t created;
    int64_t expires;
} UserSession;

void store_add_session(Transaction *t, const UserSession *session);

/* False also for a session that is over at the time `now`. */
bool store_session(Transaction *t, const char *token, int64_t now, UserSession *out);
void store_set_session_message(Transaction *t, const char *token, const char *message);
void store_end_session(Transaction *t, const char *token);

/* Removes all sessions of a user but the one of this token, which may be NULL. */
void store_end_user_sessions(Transaction *t, int64_t user_id, const char *token);

/* Removes the sessions that are over. */
void store_drop_sessions(Transaction *t, int64_t now);
void store_free_session(UserSession *session);

/* ---- Machines ---- */

/* A registration of a worker. */
typedef struct {
    int64_t id;
    int64_t user_id;
    char *secret; /* Its SHA-256, in hexadecimal. */
    char *info;   /* The JSON text that the worker registered with. */
    /* Parts of the info. */
    char *name, *os_name, *cpu_name, *isa_name, *client;
    int64_t concurrency;    /* Threads for games. */
    int64_t physical_cores; /* 0: unknown. */
    int64_t client_version; /* Of the protocol. */
    char *config;           /* The checksum of the engines' configuration at the registration. */
    int64_t created;
    int64_t seen;    /* The last request. */
    int64_t test_id; /* Of the last workload; 0: none yet. */
    double nps;      /* Nodes a second; 0: not yet told. */
    char *user_name; /* Of user_id; read only. */
} Machine;

/* A machine is active for so many seconds after its last request. A request that lies further ahead
 * was noted by a clock that was fast: its machine is not active until it comes again. */
enum { MACHINE_ACTIVE_SECONDS = 120 };
bool store_is_active(int64_t seen, int64_t now);

int64_t store_add_machine(Transaction *t, const Machine *machine);
bool store_machine(Transaction *t, int64_t id, Machine *out);
void store_see_machine(Transaction *t, int64_t id, int64_t now);

/* Notes that the machine got a workload of the test. Its speeds are unknown again. */
void store_set_machine_test(Transaction *t, int64_t id, int64_t test_id, bool focused);
void store_set_machine_nps(Transaction *t, int64_t id, double nps, double dev, double base);
void store_free_machine(Machine *machine);

/* The machines on a test. */
typedef struct {
    int64_t test_id;
    int64_t machines;
    int64_t threads; /* All of them. */
    int64_t focused; /* Those that got the test for their focus. */
} BusyThreads;

/* In any order; tests without machines have no entry. The caller frees the items. */
typedef struct {
    BusyThreads *items;
    size_t count, capacity;
} BusyList;

/* The machines on each test, of those active at the time `now` but for one machine. */
BusyList store_busy_threads(Transaction *t, int64_t now, int64_t but_machine);

/* The machines on this test: 0 for a test without an entry. */
int64_t store_busy_machines(const BusyList *busy, int64_t test_id);

/* The machines that are active at the time `now` or were seen in the `seconds` before it, newest
 * first: `limit` of them, behind the first `skip`. */
Query *store_machines(Transaction *t, int64_t now, int64_t seconds, int64_t skip, int64_t limit);
bool store_next_machine(Query *query, Machine *out);

/* Machines together. */
typedef struct {
    int64_t machines;
    int64_t threads;
    double nps; /* The mean of those that are known; 0: none is. */
} Fleet;

/* The machines of store_machines. MACHINE_ACTIVE_SECONDS: those that are active. */
Fleet store_fleet(Transaction *t, int64_t now, int64_t seconds);

/* ---- Tests ---- */

/* One side of a test. */
typedef struct {
    char *engine;
    char *repo;   /* An address, or the name of one of the server's own repositories. */
    char *branch; /* As typed: branch, tag or commit. */
    char *source; /* Where workers get the zip of the commit. */
    char *sha;    /* The commit, 40 hexadecimal digits. */
    int64_t bench;
    char *network; /* The first 8 digits of its SHA-256, upper case; "": none. */
    char *netname;
    char *options;
    char *time_control;
} TestSide;

typedef struct {
    int64_t id;
    char *author;
    char *kind; /* "SPRT", "GAMES", "SPSA", "DATAGEN" */
    TestSide sides[SIDE_COUNT];
    char *info;
    char *book_name;
    char *upload_pgns;
    int64_t workload_size;
    int64_t priority;
    int64_t throughput;
    char *syzygy_wdl, *syzygy_adj;
    char *win_adj, *draw_adj;
    char *scale_method;
    int64_t scale_nps;
    double elo0, elo1, alpha, beta; /* SPRT: bounds in normalized Elo, error rates. */
    int64_t max_games;              /* GAMES, DATAGEN; 0 otherwise. */
    char *genfens_args;
    bool play_reverses;
    char *spsa_reporting;    /* "BATCHED", "BULK"; "" unless SPSA. */
    char *spsa_distribution; /* "SINGLE", "MULTIPLE"; "" unless SPSA. */
    SpsaSchedule spsa;
    int64_t book_index; /* The first opening that was never handed out; counts from 1. */
    Tally tally;        /* Without plies and work. */
    double llr;         /* Of the tally now; SPRT. */
    bool approved;
    char *approver; /* Who approved; "": nobody. */
    bool finished, passed, failed;
    bool deleted; /* Finished, too. */
    bool faulty;  /* Engines crashed or played illegal moves, or a build or bench failed. */
    int64_t created, updated;
} Test;

/* Is the test of this kind, "SPSA"? */
bool test_is(const Test *test, const char *kind);

SprtRule test_rule(const Test *test);

/* The protocol's number of a side's engine, different for each side of each test. */
int64_t test_side_id(const Test *test, Side side);

int64_t store_add_test(Transaction *t, const Test *test);
bool store_test(Transaction *t, int64_t id, Test *out);
void store_free_test(Test *test);

/* Which tests a list has. */
typedef enum {
    TESTS_ACTIVE,  /* Approved, not finished, not deleted; newest first. */
    TESTS_PENDING, /* Not approved, not finished, not deleted; newest first. */
    TESTS_FINISHED /* Finished, not deleted; the last updated first. */
} TestList;

/* At most `limit` tests of the list, without the first `skip`. */
Query *store_tests(Transaction *t, TestList list, int64_t skip, int64_t limit);
bool store_next_test(Query *query, Test *out);
int64_t store_count_tests(Transaction *t, TestList list);

/* Appends words that change when an active test does, or when the number of active tests does. */
void store_active_state(Transaction *t, Text *out);

/* The active tests, lowest number first, each with what decides whether and how a machine gets the
 * test (rules_fits, rules_choose, rules_distribution); their other fields are empty. */
Query *store_candidates(Transaction *t);
bool store_next_candidate(Query *query, Test *out);

/* The first test, not finished and not deleted, that names the engine's network of this sha; 0:
 * there is none. */
int64_t store_test_of_network(Transaction *t, const char *engine, const char *sha);

/* The tests, not deleted, whose author, engines, branches, commits or info contain the text, newest
 * first, for store_next_test. */
Query *store_search_tests(Transaction *t, const char *text, int64_t skip, int64_t limit);

/* Writes what people may change: approved, approver, finished, deleted, priority, throughput,
 * workload_size, and the time `updated`. */
void store_update_test(Transaction *t, const Test *test);

/* Ends the test at the time `now`. */
void store_finish_test(Transaction *t, int64_t id, bool passed, bool failed, int64_t now);
void store_mark_faulty(Transaction *t, int64_t id);

/* ---- Tuned parameters of a test ---- */

typedef struct {
    SpsaParameter parameter;
    double value; /* Now. */
} TestParameter;

typedef struct {
    TestParameter *items;
    size_t count, capacity;
} TestParameters;

/* The parameters begin at their start values. */
void store_add_parameters(Transaction *t, int64_t test_id, const SpsaParameters *parameters);
void store_parameters(Transaction *t, int64_t test_id, TestParameters *out);
int64_t store_count_parameters(Transaction *t, int64_t test_id);
void store_set_parameter(Transaction *t, int64_t test_id, size_t position, double value);
void store_free_parameters(TestParameters *parameters);

/* ---- Rows: the counts of a machine in a test ---- */

typedef struct {
    int64_t id; /* The protocol's result_id. */
    int64_t test_id;
    int64_t machine_id;
    Tally tally; /* Without plies and work. */
    int64_t updated;
    /* Of the machine; read only. */
    char *user_name, *machine_name, *cpu_name, *isa_name;
    int64_t seen;
} TestRow;

/* The number of the row of a test and a machine; the row is made when it is missing. */
int64_t store_row_of(Transaction *t, int64_t test_id, int64_t machine_id, int64_t now);
bool store_row(Transaction *t, int64_t id, TestRow *out);

/* Is a row of the test one of a machine of this user? */
bool store_has_row(Transaction *t, int64_t test_id, int64_t user_id);

/* The rows of a test, by the machine's number. */
Query *store_rows(Transaction *t, int64_t test_id);

/* The rows of a test, those with most games first: `limit` of them, behind the first `skip`. */
Query *store_rows_by_games(Transaction *t, int64_t test_id, int64_t skip, int64_t limit);
int64_t store_count_rows(Transaction *t, int64_t test_id);
bool store_next_row(Query *query, TestRow *out);
void store_free_row(TestRow *row);

/* Adds a batch to the row and to its test, and a point to the test's course where one is due. `llr`
 * is the test's LLR with the batch. */
void store_add_results(Transaction *t, const TestRow *row, const Tally *batch, double llr,
                       int64_t now);

/* A point in the course of a test. */
typedef struct {
    Tally tally; /* Games and pairs alone. */
} TestPoint;

/* The course of a test, a point for each hundredth by which the games grew. */
Query *store_points(Transaction *t, int64_t test_id);
bool store_next_point(Query *query, TestPoint *out);

/* The newest numbers of each row, by their arrival, which are kept at any age: a server's clock may
 * be years ahead for a moment. A worker has one batch of a row in doubt, which is the newest, and
 * at most a few that were parked. schema3.sql has this number too. */
enum { STORE_BATCHES_KEPT = 4 };

/* Notes the number of a batch, and forgets the numbers that arrived more than API_BATCH_KEPT_S ago,
 * but for the newest of each row. False: the row has seen the number before. The numbers that
 * arrive while the clock is ahead are kept until the day that it showed, so that a clock that goes
 * back forgets none. */
bool store_note_batch(Transaction *t, int64_t row_id, const char *number, int64_t now);

/* ---- Openings ---- */

/* Consecutive openings of a test's book, which one workload plays. */
typedef struct {
    int64_t first; /* Counts from 1. */
    int64_t count;
    int64_t record; /* Of lost openings; 0: the range is the next one of the book. */
} OpeningRange;

/* A machine that was silent for so many seconds has vanished: its openings are handed out again. A
 * worker may be silent while it builds. */
enum { MACHINE_VANISHED_SECONDS = 900 };

/* Openings, `least` or more in a row, that were handed out to a machine which has vanished at the
 * time `now`, and were not played. A machine has not vanished as long as results of its row arrive,
 * under whatever registration. What lies more than MACHINE_VANISHED_SECONDS ahead of now was noted
 * by a clock that was fast, and is as old. False: there are none. */
bool store_lost_openings(Transaction *t, int64_t test_id, int64_t now, int64_t least,
                         OpeningRange *out);

/* Hands the range out to the row's machine: takes it from the machine that vanished, or moves the
 * test's book_index behind it. Of a lost range the front may be handed out alone. */
void store_hand_out(Transaction *t, int64_t test_id, int64_t row_id, OpeningRange range);

/* Notes that the row's machine has played so many openings. A result does not name its workload.
 * OPENINGS_NEWEST_FIRST is for a worker that takes its next workload when it has finished or left
 * the last one, and keeps its row when it starts again: the openings are those of the workload that
 * was handed out last, and then those of earlier ones. OPENINGS_OLDEST_FIRST is for a worker that
 * takes its next workload while it plays the last one, and has a new row when it starts again. What
 * is left goes out again when the machine vanishes, and no sooner. */
typedef enum { OPENINGS_NEWEST_FIRST, OPENINGS_OLDEST_FIRST } OpeningOrder;
void store_play_openings(Transaction *t, int64_t row_id, int64_t count, OpeningOrder order);

/* ---- Events and errors ---- */

typedef struct {
    int64_t id;
    int64_t time;
    bool is_error;
    char *author;
    int64_t machine_id; /* 0: none. */
    char *machine_name; /* "": none; not stored with the event. */
    int64_t test_id;    /* 0: none. */
    char *summary;
    char *log; /* "": none. */
} Event;

void store_add_event(Transaction *t, const Event *event);
bool store_event(Transaction *t, int64_t id, Event *out);

/* At most `limit` events, newest first, without the first `skip`: errors or others, of one test or,
 * with 0, of all. Of a log they have the start alone, which holds a game's tags. */
Query *store_events(Transaction *t, bool errors, int64_t test_id, int64_t skip, int64_t limit);
int64_t store_count_errors(Transaction *t, int64_t test_id);
bool store_next_event(Query *query, Event *out);
void store_free_event(Event *event);

/* ---- Networks ---- */

typedef struct {
    int64_t id;
    char *engine;
    char *name;
    char *sha;    /* The first 8 digits of the digest, upper case. */
    char *digest; /* SHA-256 of the bytes, 64 digits, lower case: the file's name. */
    char *author;
    int64_t created;
    bool is_default, was_default;
} Network;

int64_t store_add_network(Transaction *t, const Network *network);

/* By the engine and the network's sha or name. */
bool store_network(Transaction *t, const char *engine, const char *sha_or_name, Network *out);

/* Has a network, of any engine, the content of this digest? */
bool store_has_content(Transaction *t, const char *digest);

/* The networks of an engine, or, with "", of all; newest first. */
Query *store_networks(Transaction *t, const char *engine);
bool store_next_network(Query *query, Network *out);
void store_set_default_network(Transaction *t, const Network *network);
void store_delete_network(Transaction *t, int64_t id);
void store_free_network(Network *network);

/* ---- Games ---- */

/* The file of a workload's games. */
typedef struct {
    int64_t test_id;
    int64_t row_id;
    int64_t book_index;
    int64_t bytes;
    int64_t created;
} StoredGames;

/* Notes a file, in place of an earlier one of the same workload. */
void store_note_games(Transaction *t, const StoredGames *games);

/* The files of a test, by row and book_index. */
Query *store_games(Transaction *t, int64_t test_id);
bool store_next_games(Query *query, StoredGames *out);
int64_t store_count_games(Transaction *t, int64_t test_id);

#endif
