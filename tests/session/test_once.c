/* SPDX-License-Identifier: MIT */
/* Each game counts once: a server in trouble adds and answers as it likes and is restarted, and the
 * worker is killed at any moment; in the end the server has what was played, no more and no less.
 * RD_DEEP makes a long run, RD_SEED another one. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/tree.h"
#include "tools/openbench_double.h"
#include "tools/random.h"
#include "tools/worker_rig.h"
#include "runner.h"

enum {
    BATCHES = 60,
    KILLS = 8,
    DEEP_BATCHES = 2000,
    DEEP_KILLS = 200,
    TROUBLE = 40, /* of a hundred requests */
    START_MS = 400,
    HELD_MS = 1500,
    NAP_MS = 30,
    OUTAGES = 4,   /* One of so many lives sees the server go down. */
    DYING_MS = 20, /* That long answers are lost before, at most, */
    DOWN_MS = 200, /* and so long connections are refused. */
    LAST_STARTS = 20,
    ROWS_MAX = 4096,
    DEEP_SECONDS = 7200
};

#define FAST                                                                                       \
    "--keep-delivered", "--report-ms", "10", "--verify-ms", "15", "--verify-again-ms", "5",        \
        "--retry-ms", "2", "--retry-max-ms", "40", "--idle-ms", "20", "--refused-ms", "20",        \
        "--refused-max-ms", "100"

static uint64_t random_state;

static uint64_t seed(void) {
    return seed_or(1);
}

static void nap_ms(int ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

/* ---- What the worker has kept of what it played ---- */

typedef struct {
    DoubleRow rows[ROWS_MAX];
    size_t count;
    DoubleRow *row; /* Of the journal that is being read. */
    int64_t pairs;
} Kept;

static int64_t number(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    ck_assert_msg(cJSON_IsNumber(item), "a record without %s", key);
    return (int64_t)item->valuedouble;
}

static DoubleRow *kept_row(Kept *kept, int64_t test_id, int64_t machine_id) {
    for (size_t i = 0; i < kept->count; i++)
        if (kept->rows[i].test_id == test_id && kept->rows[i].machine_id == machine_id)
            return &kept->rows[i];
    ck_assert_uint_lt(kept->count, ROWS_MAX);
    kept->rows[kept->count] = (DoubleRow){.test_id = test_id, .machine_id = machine_id};
    return &kept->rows[kept->count++];
}

static void keep_pair(Kept *kept, const cJSON *pair) {
    DoubleTotals *totals = &kept->row->totals;
    const cJSON *games = cJSON_GetObjectItemCaseSensitive(pair, "games");
    int64_t points[2] = {number(cJSON_GetArrayItem(games, 0), "points"),
                         number(cJSON_GetArrayItem(games, 1), "points")};
    for (int i = 0; i < 2; i++)
        totals->tri[points[i]]++;
    totals->penta[points[0] + points[1]]++;
    const cJSON *deltas = cJSON_GetObjectItemCaseSensitive(pair, "deltas");
    if (cJSON_GetArraySize(deltas) > 0)
        totals->delta += cJSON_GetArrayItem(deltas, 0)->valuedouble;
    kept->pairs++;
}

static bool keep_record(const char *record, size_t length, void *user, Error *err) {
    Kept *kept = user;
    char *line = mem_strndup(record, length);
    cJSON *object = json_parse(line, length, err);
    ck_assert_msg(object != NULL, "%s", err->text);
    ck_assert_msg(strstr(line, "secret") == NULL, "a secret is in the journal: %s", line);
    const char *kind = cJSON_GetObjectItemCaseSensitive(object, "kind")->valuestring;
    if (strcmp(kind, "head") == 0)
        kept->row = kept_row(kept, number(object, "test"), number(object, "machine"));
    if (strcmp(kind, "pair") == 0)
        keep_pair(kept, object);
    cJSON_Delete(object);
    free(line);
    return true;
}

/* What the server added for a machine is what the machine played: the totals have all of it, and
 * the row what it has not lost. */
static void compare(const DoubleRow *row, const DoubleRow *kept) {
    const DoubleTotals *has = &row->totals;
    const DoubleTotals *lost = &row->lost;
    const DoubleTotals *played = &kept->totals;
    bool same = has->delta + lost->delta == played->delta;
    for (int i = 0; i < 3; i++)
        same = same && has->tri[i] + lost->tri[i] == played->tri[i];
    for (int i = 0; i < 5; i++)
        same = same && has->penta[i] + lost->penta[i] == played->penta[i];
    ck_assert_msg(same,
                  "seed %" PRIu64 ", test %" PRId64 ", machine %" PRId64
                  ": the server added %" PRId64 " %" PRId64 " %" PRId64
                  " and delta %g, played were %" PRId64 " %" PRId64 " %" PRId64 " and delta %g",
                  seed(), row->test_id, row->machine_id, has->tri[0] + lost->tri[0],
                  has->tri[1] + lost->tri[1], has->tri[2] + lost->tri[2], has->delta + lost->delta,
                  played->tri[0], played->tri[1], played->tri[2], played->delta);
}

/* The server has, of every test and machine, what the worker has kept; how many pairs. */
static int64_t expect_what_was_kept(void) {
    Kept *kept = mem_calloc(1, sizeof *kept);
    DoubleRow row;
    size_t rows = 0;
    ck_assert_int_eq(rig_journals("state/outbox", keep_record, kept), 0);
    ck_assert_int_eq(rig_journals("state/outbox/parked", keep_record, kept), 0);
    rig_journals("state/outbox/delivered", keep_record, kept);
    for (; double_row(rig_server, rows, &row); rows++)
        compare(&row, kept_row(kept, row.test_id, row.machine_id));
    /* And no other. */
    for (size_t i = 0; i < kept->count; i++) {
        int64_t played = 0;
        for (int k = 0; k < 5; k++)
            played += kept->rows[i].totals.penta[k];
        bool found = played == 0;
        for (size_t k = 0; double_row(rig_server, k, &row) && !found; k++)
            found =
                row.test_id == kept->rows[i].test_id && row.machine_id == kept->rows[i].machine_id;
        ck_assert_msg(found, "the server has no row for machine %" PRId64,
                      kept->rows[i].machine_id);
    }
    int64_t pairs = kept->pairs;
    free(kept);
    rig_expect_games(2 * pairs);
    return pairs;
}

/* ---- The runs ---- */

/* A test of each kind. */
static int offer_all(int rounds) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .rounds = rounds});
    rig_offer(&(RigOffer){.id = 6,
                          .rounds = rounds,
                          .type = "SPSA",
                          .spsa =
                              "{\"Hash\": {\"index\": 0, \"dev\": [11, 22], \"base\": [22, 11], "
                              "\"flip\": [1, 1], \"c\": 4.0, \"r\": 0.25}}",
                          .reporting = "BATCHED"});
    rig_offer(&(RigOffer){
        .id = 7, .rounds = rounds, .type = "GAMES", .upload_pgns = "COMPACT", .book_index = 3});
    rig_offer(&(RigOffer){.id = 5, .rounds = rounds, .book_index = 5});
    return 4 * rounds;
}

/* The server is well again. */
static void heal(void) {
    double_trouble(rig_server, 0, 0);
    double_offer_again(rig_server, false);
}

/* The worker is started until everything is delivered. */
static void deliver_the_rest(void) {
    int starts = 0;
    do {
        rig_start((const char *const[]){"--once", FAST, NULL});
        int status = rig_wait();
        ck_assert_msg(status <= 1, "it ends with status %d", status);
    } while (rig_journals("state/outbox", NULL, NULL) > 0 && ++starts < LAST_STARTS);
}

/* The servers of a test's two rounds: the second one knows the numbers of batches. */
static void choose_server(int round) {
    if (round == 1)
        double_know_batches(rig_server);
}

START_TEST(a_server_in_trouble_counts_each_game_once) {
    choose_server(_i);
    double_trouble(rig_server, seed(), TROUBLE);
    int pairs = offer_all(getenv("RD_DEEP") ? 200 : 24);
    rig_start((const char *const[]){"--once", FAST, NULL});
    ck_assert_int_le(rig_wait(), 1);
    heal();
    deliver_the_rest();
    /* Nobody was killed: it is all that the server handed out and the worker understood. A workload
     * whose answer was spoilt is nobody's. */
    int64_t played = expect_what_was_kept();
    ck_assert_int_le(played, pairs);
    ck_assert_int_gt(played, 0);
    ck_assert_int_eq(played % (pairs / 4), 0);
}
END_TEST

/* Whether the worker still runs; if not it is reaped. */
static bool is_running(void) {
    return waitpid(rig_worker, NULL, WNOHANG) == 0;
}

/* Lets it work until the server has so many batches more, or it ends of itself. */
static bool run_for(int64_t batches, int seconds) {
    int64_t wanted = double_totals(rig_server).submissions + batches;
    for (int waited = 0; waited < seconds * 1000; waited++) {
        if (!is_running())
            return false;
        if (double_totals(rig_server).submissions >= wanted)
            return true;
        nap_ms(1);
    }
    return true;
}

/* Whether it found pairs of engines that were not proved yet when it started. */
static bool kill_worker(void) {
    kill(rig_worker, SIGKILL);
    waitpid(rig_worker, NULL, 0);
    double_settle(rig_server);
    Text log = rig_log();
    bool found = strstr(text_string(&log), "for the bench of their engines") != NULL;
    text_free(&log);
    return found;
}

/* What benches told is forgotten, and those that run now do not end. */
static void hold_benches(void) {
    char *path = rig_path("state/benches");
    Error err = {0};
    ck_assert_msg(access(path, F_OK) != 0 || tree_remove(path, &err), "%s", err.text);
    rig_hold_benches(true);
    free(path);
}

/* The server goes down while the worker works, and comes back before the worker is killed or only
 * after the next one has found nobody. Whether it is down in the end. */
static bool server_goes_down(void) {
    double_go_down(rig_server, roll(&random_state, DYING_MS));
    nap_ms(roll(&random_state, DOWN_MS));
    if (roll(&random_state, 2))
        return true;
    double_come_back(rig_server);
    return false;
}

static void server_comes_back(void) {
    nap_ms(roll(&random_state, DOWN_MS));
    double_come_back(rig_server);
}

START_TEST(a_worker_and_a_server_that_end_at_any_moment_count_each_game_once) {
    bool deep = getenv("RD_DEEP") != NULL;
    int64_t batches = deep ? DEEP_BATCHES : BATCHES;
    int kills = deep ? DEEP_KILLS : KILLS;
    int lives = 0;
    int unproved = 0;
    int outages = 0;
    bool down = false;
    choose_server(_i);
    offer_all(2000);
    double_offer_again(rig_server, true);
    random_state = seed() * 2 + 1;
    double_trouble(rig_server, seed(), TROUBLE);
    for (int killed = 0; killed < kills; lives++) {
        int wanted = killed ? roll(&random_state, 2 * (int)batches / kills + 1) : 1;
        /* Some die while they play engines whose bench is still running. */
        bool held = killed && roll(&random_state, 4) == 0;
        if (held)
            hold_benches();
        rig_start((const char *const[]){FAST, NULL});
        if (down)
            server_comes_back();
        down = false;
        if (!held && !run_for(wanted, RIG_PATIENCE_S))
            continue;
        if (killed % OUTAGES == 1) {
            down = server_goes_down();
            outages++;
        }
        nap_ms(roll(&random_state, held ? HELD_MS : wanted ? NAP_MS : START_MS));
        unproved += kill_worker();
        killed++;
        if (held)
            rig_hold_benches(false);
    }
    if (down)
        double_come_back(rig_server);
    rig_start((const char *const[]){FAST, NULL});
    while (double_totals(rig_server).submissions < batches && lives < 2 * kills)
        if (!run_for(batches - double_totals(rig_server).submissions, DEEP_SECONDS)) {
            rig_start((const char *const[]){FAST, NULL});
            lives++;
        }
    kill_worker();
    heal();
    /* And proves the engines whose benches nobody knows. */
    rig_offer(&(RigOffer){.id = 5, .rounds = 2, .book_index = 7});
    deliver_the_rest();
    int64_t pairs = expect_what_was_kept();
    printf("once: seed %" PRIu64 ": %" PRId64 " pairs in %" PRId64
           " batches, %d kills, %d outages, "
           "%d starts with pairs of engines that were not proved\n",
           seed(), pairs, double_totals(rig_server).submissions, kills, outages, unproved);
    ck_assert_int_ge(double_totals(rig_server).submissions, batches);
}
END_TEST

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    if (!rig_ready("once"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("once");
    TCase *tc = rig_case(suite, "once");
    tcase_set_timeout(tc, DEEP_SECONDS);
    tcase_add_loop_test(tc, a_server_in_trouble_counts_each_game_once, 0, 2);
    tcase_add_loop_test(tc, a_worker_and_a_server_that_end_at_any_moment_count_each_game_once, 0,
                        2);
    return run_suite(suite);
}
