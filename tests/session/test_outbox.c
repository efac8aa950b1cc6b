/* SPDX-License-Identifier: MIT */
/* Results on their way: benches that are not proved yet, a server that refuses, contradicts itself
 * or is away, and results that are parked and moved back. No game is lost or counted twice. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/journal.h"
#include "session/outbox.h"
#include "session/parcel.h"
#include "tools/openbench_double.h"
#include "tools/outbox_rig.h"
#include "tools/worker_rig.h"
#include "runner.h"

/* ---- Benches that were not proved yet ---- */

/* The same, of engines whose bench is still running, of a worker that would report at once. */
static int64_t leave_an_unproved_journal(int bench) {
    rig_hold_benches(true);
    return leave_a_journal_of(
        &(RigOffer){.id = 5, .rounds = 100000, .dev_bench = bench, .upload_pgns = "COMPACT"}, "10");
}

START_TEST(a_kill_before_the_bench_costs_no_pair) {
    int64_t kept = leave_an_unproved_journal(0);
    /* Nobody has work: it waits, and is not told. */
    rig_run(rig_once, 1);
    rig_expect_log("for the bench of their engines");
    rig_expect_log("for the next start");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
    /* A workload of the same engines proves them, whatever test it is of. */
    rig_hold_benches(false);
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 0);
    ck_assert_int_eq(games_of(5), kept);
    rig_expect_games(kept + 16);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitPGN/"), 1);
    ck_assert_ptr_null(find_journal("state/outbox"));
}
END_TEST

START_TEST(a_kill_between_the_bench_and_its_note_costs_no_pair) {
    int64_t kept = leave_an_unproved_journal(0);
    char *path = find_journal("state/outbox");
    char *away = rig_path("away");
    ck_assert_int_eq(rename(path, away), 0);
    rig_hold_benches(false);
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    ck_assert_int_eq(rename(away, path), 0);
    rig_run(rig_once, 0);
    rig_expect_games(16 + kept);
    free(path);
    free(away);
}
END_TEST

START_TEST(pairs_of_one_engine_are_not_proved_by_another) {
    leave_an_unproved_journal(0);
    rig_hold_benches(false);
    /* Other bytes, and the right engine with another bench asked of it. */
    rig_serve_engine("/dev2.zip", RIG_BENCH, "\"side=dev\", \"plan=50,20\",", "");
    Text url = {0};
    text_addf(&url, "%s/dev2.zip", double_url(rig_server));
    rig_offer(&(RigOffer){.id = 6, .dev_source = text_string(&url)});
    rig_run(rig_once, 1);
    rig_expect_games(16);
    ck_assert_int_eq(games_of(5), 0);
    char *path = find_journal("state/outbox");
    ck_assert_ptr_nonnull(path);
    free(path);
    text_free(&url);
}
END_TEST

START_TEST(pairs_that_wait_for_a_bench_end_with_their_test) {
    leave_an_unproved_journal(0);
    rig_hold_benches(false);
    rig_serve_engine("/dev2.zip", RIG_BENCH, "\"side=dev\", \"plan=50,20\",", "");
    Text url = {0};
    text_addf(&url, "%s/dev2.zip", double_url(rig_server));
    double_stop_at(rig_server, 1);
    rig_offer(&(RigOffer){.id = 5, .dev_source = text_string(&url), .book_index = 9});
    rig_run(rig_once, 0);
    rig_expect_log("test 5 is over");
    rig_expect_log("games came too late");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 1);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitPGN/"), 0);
    ck_assert_ptr_null(find_journal("state/outbox"));
    text_free(&url);
}
END_TEST

START_TEST(pairs_of_an_engine_that_is_found_wrong_are_dropped) {
    leave_an_unproved_journal(RIG_BENCH + 1);
    rig_hold_benches(false);
    rig_offer(&(RigOffer){.id = 5, .dev_bench = RIG_BENCH + 1, .time_control = "1+0.01"});
    rig_run(rig_once, 1);
    rig_expect_log("games of a wrong engine are dropped");
    ck_assert_uint_eq(double_count(rig_server, "/clientBenchError/"), 1);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitPGN/"), 0);
    ck_assert_ptr_null(find_journal("state/outbox"));
    ck_assert_ptr_null(find_journal("state/outbox/parked"));
}
END_TEST

START_TEST(pairs_that_nobody_proves_for_a_day_are_parked_until_somebody_does) {
    static const Change old = {
        .from = "\"created\":", .to = "\"created\":1000000000,\"was\":", .seal = true};
    int64_t kept = leave_an_unproved_journal(0);
    char *path = find_journal("state/outbox");
    spoil(path, &old);
    rig_run(rig_once, 1);
    rig_expect_log("games are parked: the bench of their engines was not proved in time");
    ck_assert_ptr_null(find_journal("state/outbox"));
    char *parked = find_journal("state/outbox/parked");
    ck_assert_ptr_nonnull(parked);
    rig_hold_benches(false);
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    ck_assert_int_eq(rename(parked, path), 0);
    rig_run(rig_once, 0);
    rig_expect_games(16 + kept);
    free(parked);
    free(path);
}
END_TEST

/* ---- The server ---- */

START_TEST(what_is_refused_waits_and_holds_up_nothing) {
    rig_serve_dev();
    refuse(1);
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6});
    rig_run((const char *const[]){"--once", "--report-ms", "100000", NULL}, 1);
    /* Of the test whose results come first. */
    rig_expect_log(": reporting results: the server refuses: Not today; 16 games are kept");
    rig_expect_games(16);
    rig_run(rig_once, 0);
    rig_expect_games(32);
}
END_TEST

/* What an earlier process played of two tests is reported before a workload of one of them is
 * played, of which nothing is reported before its end. */
START_TEST(a_line_about_a_test_counts_the_reported_games_of_that_test) {
    rig_serve_dev();
    refuse(2);
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6});
    rig_run((const char *const[]){"--once", "--report-ms", "100000", NULL}, 1);
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, RESULTS, 4, RIG_PATIENCE_S));
    rig_offer(&(RigOffer){.id = 5, .reporting = "BULK"});
    rig_wait_log("test 5: 1 of 8 pairs played; ");
    rig_expect_log("test 5: 1 of 8 pairs played; 16 games reported\n");
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
}
END_TEST

START_TEST(what_is_refused_for_long_is_parked_and_can_be_tried_again) {
    rig_serve_dev();
    refuse(1000);
    rig_offer(&(RigOffer){.id = 5});
    rig_start((const char *const[]){"--report-ms", "100000", "--refused-ms", "20",
                                    "--refused-max-ms", "100", "--park-ms", "1", NULL});
    char *parked = NULL;
    for (int i = 0; i < POLLS && !parked; i++, nap())
        parked = find_journal("state/outbox/parked");
    ck_assert_ptr_nonnull(parked);
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    rig_expect_log("test 5: 16 games are parked: the server has refused the results for too long; "
                   "its last answer: "
                   "Not today; their journal is ");
    char *back = rig_path("state/outbox/back.journal");
    ck_assert_int_eq(rename(parked, back), 0);
    double_forgive(rig_server, RESULTS);
    rig_run(rig_once, 0);
    rig_expect_games(16);
    free(parked);
    free(back);
}
END_TEST

/* Totals of which nobody's row has anything. */
static const char strange[] = "{\"info\": {\"penta\": [99, 99, 99, 99, 99]}}";
static const char *const totals_of_both[] = {TOTALS, "/api/workload/6/info/"};

START_TEST(counts_that_contradict_are_not_sent_over) {
    rig_serve_dev();
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 500, "<html>");
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6});
    double_hold(rig_server, RESULTS);
    rig_start((const char *const[]){"--once", "--report-ms", "100000", NULL});
    ck_assert(double_wait_asked(rig_server, RIG_PATIENCE_S));
    /* The results of either test may have come first. */
    for (size_t i = 0; i < sizeof totals_of_both / sizeof *totals_of_both; i++)
        double_serve(rig_server, totals_of_both[i], "application/json", strange,
                     sizeof strange - 1);
    double_hold(rig_server, NULL);
    rig_expect_status(1);
    rig_expect_log("16 games are parked: the server's counts do not show whether they were added");
    char *parked = find_journal("state/outbox/parked");
    ck_assert_ptr_nonnull(parked);
    rig_expect_games(16);
    free(parked);
}
END_TEST

/* The games go on without it, and the results wait. */
START_TEST(a_server_that_is_away_costs_no_games) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=1\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 60});
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    double_trouble(rig_server, 1, 100);
    rig_wait_log("60 of 60 pairs played");
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    double_trouble(rig_server, 0, 0);
    rig_run(rig_once, 0);
    rig_expect_games(120);
}
END_TEST

/* The batch was added, its answer was lost, and connections are refused until the server has been
 * restarted. */
START_TEST(a_server_that_is_restarted_while_it_answers_counts_each_game_once) {
    rig_serve_dev();
    double_replace(rig_server, RESULTS, DOUBLE_AFTERWARDS, 0, "");
    rig_offer(&(RigOffer){.id = 5});
    rig_start((const char *const[]){"--report-ms", "100000", "--verify-ms", "100", NULL});
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    double_go_down(rig_server, 0);
    rig_wait_log("trying again in");
    double_come_back(rig_server);
    rig_wait_log("the server has the last 16 games");
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    rig_expect_games(16);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 1);
}
END_TEST

/* ---- A server that is well but for one test ---- */

/* So many tries more of what fails. */
enum { TRIES = 8 };

static void fail_for_a_day(Own *own, const char *path) {
    double_fail(rig_server, path, 5);
    deliver(own, 5);
    wait_for_requests(own, path, 2);
    for (int hour = 0; hour < 22; hour += 11) {
        clock_now += 11 * HOUR;
        deliver(own, 6);
        size_t tries = double_count(rig_server, path);
        wait_for_requests(own, path, tries + TRIES);
        char *parked = find_journal("state/outbox/parked");
        ck_assert_msg(parked == NULL, "%s after %d hours", parked, hour + 11);
    }
    clock_now += 3 * HOUR;
    deliver(own, 6);
    wait_until_empty(own);
    char *parked = find_journal("state/outbox/parked");
    ck_assert_ptr_nonnull(parked);
    ck_assert_msg(strstr(parked, "/5-2-") != NULL, "%s", parked);
    free(parked);
    /* What comes later is not held up. */
    deliver(own, 7);
    wait_until_empty(own);
}

static void results_of_one_test_fail(Own *own) {
    fail_for_a_day(own, RESULTS);
    ck_assert_int_eq(own->refused, 5);
    ck_assert_int_eq(own->delivered, 8);
}

static void games_of_one_test_fail(Own *own) {
    fail_for_a_day(own, "/clientSubmitPGN/");
    ck_assert_int_eq(own->refused, 0);
    ck_assert_int_eq(own->delivered, 10);
}

/* Nobody's results are taken: that is the server's trouble, and passes with it. */
static void nothing_is_taken(Own *own) {
    double_fail(rig_server, RESULTS, 5);
    deliver(own, 5);
    wait_for_requests(own, RESULTS, 2);
    clock_now += 30 * 24 * HOUR;
    wait_for_requests(own, RESULTS, 2 + TRIES);
    ck_assert_int_eq(outbox_waiting(own->outbox), 2);
    ck_assert_ptr_null(find_journal("state/outbox/parked"));
    double_fail(rig_server, RESULTS, 0);
    wait_until_waiting(own, 0);
    ck_assert_int_eq(own->delivered, 2);
    ck_assert_int_eq(own->refused, 0);
}

/* Runs the loop until the answer to the count-th submission of results has come. */
static void await_answer(Own *own, size_t count) {
    wait_for_requests(own, RESULTS, count);
    for (int i = 0; i < POLLS && queue_is_asking(own->queue, &own->table[OUTBOX_SEND]); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
}

/* Test 5's results fail, and wait until they are asked for again. */
static void begin_failing_by_hand(Own *own) {
    own->config.waits.retry_first = own->config.waits.retry_max = HOUR * 1000;
    meet_numbers(own);
    double_fail(rig_server, RESULTS, 5);
    deliver(own, 5);
    await_answer(own, 1);
}

/* Tries test 5's results again, as the count-th submission. */
static void try_by_hand(Own *own, size_t count) {
    outbox_hurry(own->outbox);
    go_on(own);
    await_answer(own, count);
}

/* The server, or the worker, is away for a day between two faults, and then the server takes
 * another test's results. A first fault after that is no day of faults. */
static void a_day_without_tries_passes(Own *own) {
    enum { ENOUGH = 3 };
    begin_failing_by_hand(own);
    clock_now += 25 * HOUR;
    for (size_t i = 1; i <= ENOUGH; i++) {
        clock_now++;
        deliver(own, 6);
        await_answer(own, 2 * i);
        ck_assert_int_eq(own->delivered, 2 * (int)i);
        ck_assert_msg(!is_parked(), "parked after %zu faults beside others' results", i - 1);
        try_by_hand(own, 2 * i + 1);
    }
    ck_assert(is_parked());
    ck_assert_int_eq(own->refused, 5);
}

/* The server takes another test's results, and then nothing for a day. */
static void a_day_in_which_nothing_is_taken_passes(Own *own) {
    enum { TRIED = 6 };
    begin_failing_by_hand(own);
    clock_now++;
    deliver(own, 6);
    await_answer(own, 2);
    for (size_t i = 1; i <= TRIED; i++) {
        clock_now += 5 * HOUR;
        try_by_hand(own, 2 + i);
        ck_assert_msg(!is_parked(), "parked after %zu faults, and the server took nothing", i);
    }
}

static void (*const scenarios[])(Own *own) = {results_of_one_test_fail, games_of_one_test_fail,
                                              nothing_is_taken, a_day_without_tries_passes,
                                              a_day_in_which_nothing_is_taken_passes};

START_TEST(one_test_that_fails_for_a_day_is_parked_and_holds_up_nothing) {
    with_own_outbox(scenarios[_i]);
}
END_TEST

/* ---- A server with a new database, whose test 5 is another one ---- */

static const char another_test[] =
    "{\"info\": {\"test_mode\": \"SPRT\", \"dev\": {\"name\": \"other\"}, \"base\": {\"name\": "
    "\"main\"}, \"penta\": [0, 0, 0, 0, 0]}}";
static const char same_test[] = "{\"info\": {\"test_mode\": \"SPRT\", \"dev\": {\"name\": "
                                "\"dev-branch\"}, \"base\": {\"name\": "
                                "\"base-branch\"}, \"penta\": [0, 0, 0, 0, 0]}}";

static const char no_test[] = "{\"error\": \"there is no test 5\"}";

static void serve_totals(const char *json) {
    double_serve(rig_server, TOTALS, "application/json", json, strlen(json));
}

/* Nothing more of test 5 was sent. */
static void expect_parked(Own *own, size_t sent) {
    wait_until_empty(own);
    ck_assert(is_parked());
    ck_assert_uint_eq(double_count(rig_server, RESULTS), sent);
    deliver(own, 6);
    wait_until_empty(own);
    ck_assert_int_eq(own->delivered, 2);
}

/* The worker registers with the new server, which has another test 5. */
static void register_anew(Own *own) {
    set_ready(own, false);
    serve_totals(another_test);
    set_ready(own, true);
}

static void an_earlier_process_left_pairs(Own *own) {
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00001.journal", NULL);
    serve_totals(another_test);
    open_own(own);
    expect_parked(own, 0);
}

static void an_earlier_process_left_a_batch(Own *own) {
    const BatchMark mark = mark_of(NUMBER, 0, 1);
    meet_numbers(own);
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00001.journal", &mark);
    serve_totals(another_test);
    open_own(own);
    expect_parked(own, 0);
}

/* The server, which has no test 5 at first, refuses to tell of one. */
static void an_earlier_process_left_a_batch_of_no_test(Own *own) {
    double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 200, no_test);
    an_earlier_process_left_a_batch(own);
}

static void results_were_refused(Own *own) {
    refuse(1);
    deliver(own, 5);
    wait_for_requests(own, RESULTS, 1);
    register_anew(own);
    expect_parked(own, 1);
    ck_assert_int_eq(own->over, 0);
}

static void results_with_a_number_were_refused(Own *own) {
    meet_numbers(own);
    results_were_refused(own);
}

/* The answer is lost, and the new server asks for a registration. */
static void a_batch_with_a_number_was_lost(Own *own) {
    own->config.waits.retry_first = own->config.waits.retry_max = HOUR * 1000;
    meet_numbers(own);
    lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    await_answer(own, 1);
    register_anew(own);
    outbox_hurry(own->outbox);
    go_on(own);
    expect_parked(own, 1);
}

/* The server first has no test 5, and then another one. */
static void the_test_was_missing(Own *own) {
    meet_numbers(own);
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, no_test);
    deliver(own, 5);
    wait_until_sending(own);
    serve_totals(another_test);
    expect_parked(own, 1);
}

static void a_workload_is_in_play(Own *own) {
    own->may_end = true;
    OutboxItem *item = begin_parcel(own, 5, NULL);
    add_pair(own, item, 0);
    wait_until_waiting(own, 2);
    serve_totals(another_test);
    outbox_report(own->outbox, item);
    go_on(own);
    for (int i = 0; i < POLLS && !is_parked(); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert_int_eq(own->over, 5);
    ck_assert_int_eq(own->refused, 0);
    end_parcel(own, item);
    expect_parked(own, 0);
}

static void (*const new_databases[])(Own *own) = {an_earlier_process_left_a_batch_of_no_test,
                                                  an_earlier_process_left_pairs,
                                                  an_earlier_process_left_a_batch,
                                                  results_were_refused,
                                                  results_with_a_number_were_refused,
                                                  a_batch_with_a_number_was_lost,
                                                  the_test_was_missing,
                                                  a_workload_is_in_play};

START_TEST(results_go_to_no_other_test_of_the_same_number) {
    with_own_outbox(new_databases[_i]);
}
END_TEST

START_TEST(results_go_to_the_test_of_their_names) {
    rig_serve_dev();
    serve_totals(same_test);
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    rig_expect_games(16);
}
END_TEST

START_TEST(a_workload_of_another_test_is_parked_with_the_names) {
    rig_serve_dev();
    serve_totals(another_test);
    rig_offer(&(RigOffer){.id = 5});
    rig_run((const char *const[]){"--once", "--report-ms", "100000", NULL}, 1);
    rig_expect_log("16 games are parked: the server's test of this number is another one (SPRT, "
                   "'other' against 'main'), and the games are of 'dev-branch' against "
                   "'base-branch' (SPRT)");
    rig_expect_games(0);
}
END_TEST

/* ---- What is moved back from the folder of what is parked ---- */

/* What keeps the games of test 5 from the server: how it begins, and how it goes on until something
 * has been tried several times or is parked. */
typedef struct {
    void (*begin)(Own *own);
    void (*go_on)(Own *own);
} Hindrance;

static void try_results(Own *own) {
    size_t wanted = double_count(rig_server, RESULTS) + TRIES;
    for (int i = 0; i < POLLS && double_count(rig_server, RESULTS) < wanted && !is_parked(); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
}

static void begin_refusing(Own *own) {
    refuse(1000);
    deliver(own, 5);
}

static void begin_failing(Own *own) {
    double_fail(rig_server, RESULTS, 5);
    deliver(own, 5);
    wait_for_requests(own, RESULTS, 2);
}

/* Others' results are taken meanwhile. */
static void try_beside_others(Own *own) {
    enum { TIMES = 3 };
    for (int i = 0; i < TIMES && !is_parked(); i++) {
        clock_now++;
        deliver(own, 6);
        try_results(own);
    }
}

static void begin_unproved(Own *own) {
    char sha256[] = "aa";
    deliver_of(own, 5, &(ParcelBench){sha256, 1});
}

static void look_for_a_proof(Own *own) {
    for (int i = 0; i < TRIES; i++) {
        go_on(own);
        uv_run(&own->loop, UV_RUN_ONCE);
    }
}

static const Hindrance hindrances[] = {{begin_refusing, try_results},
                                       {begin_failing, try_beside_others},
                                       {begin_unproved, look_for_a_proof}};
static const Hindrance *hindrance;

/* Another start of the worker, so many hours later. */
static void start_after(Own *own, int hours) {
    close_own(own);
    clock_now += hours * HOUR;
    open_own(own);
    hindrance->go_on(own);
}

static void move_back(void) {
    char *back = rig_path("state/outbox/back.journal");
    char *parked = find_journal("state/outbox/parked");
    ck_assert_ptr_nonnull(parked);
    ck_assert_int_eq(rename(parked, back), 0);
    free(parked);
    free(back);
}

static void a_day_begins_anew(Own *own) {
    hindrance->begin(own);
    hindrance->go_on(own);
    ck_assert(!is_parked());
    start_after(own, 25);
    for (int round = 0; round < 2; round++) {
        ck_assert_msg(is_parked(), "not parked the %d. time", round + 1);
        close_own(own);
        move_back();
        open_own(own);
        hindrance->go_on(own);
        ck_assert_msg(!is_parked(), "parked again at once");
        start_after(own, 23);
        ck_assert_msg(!is_parked(), "parked again after less than a day");
        start_after(own, 2);
    }
    ck_assert_msg(is_parked(), "each start gives it another day");
    wait_until_empty(own);
}

START_TEST(what_is_moved_back_gets_its_day_anew) {
    hindrance = &hindrances[_i];
    with_own_outbox(a_day_begins_anew);
}
END_TEST

/* As on a machine whose own clock is wrong, when the right time comes from the network. */
static void the_calendar_is_set(Own *own) {
    hindrance->begin(own);
    hindrance->go_on(own);
    clock_set = 25 * HOUR;
    hindrance->go_on(own);
    ck_assert_msg(!is_parked(), "parked when the calendar was set");
    clock_now += 23 * HOUR;
    hindrance->go_on(own);
    ck_assert_msg(!is_parked(), "parked after less than a day");
    clock_now += 2 * HOUR;
    hindrance->go_on(own);
    ck_assert_msg(is_parked(), "not parked after a day");
}

START_TEST(a_calendar_that_is_set_makes_no_day_pass) {
    hindrance = &hindrances[_i];
    with_own_outbox(the_calendar_is_set);
}
END_TEST

/* Has the next batch of test 5 end in a doubt that no reading settles. The server has the batch. */
static void make_a_doubt(Own *own) {
    deliver(own, 5);
    wait_until_empty(own);
    double_lose_row(rig_server);
    lose_a_batch(DOUBLE_AFTERWARDS);
    /* Two readings, each with the totals twice. */
    for (int i = 0; i < 4; i++)
        double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 200, strange);
}

/* The batch's mark stays. */
static void a_doubt_is_parked(Own *own) {
    make_a_doubt(own);
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert_int_eq(own->refused, 0);
    close_own(own);
    move_back();
    open_own(own);
    wait_until_empty(own);
    ck_assert(!is_parked());
    rig_expect_games(4);
}

START_TEST(what_is_parked_in_doubt_and_moved_back_counts_once) {
    with_own_outbox(a_doubt_is_parked);
}
END_TEST

/* Its further games would go into the parked journal. */
static void a_workload_in_play_is_parked(Own *own) {
    make_a_doubt(own);
    OutboxItem *item = begin_parcel(own, 5, NULL);
    add_pair(own, item, 0);
    wait_until_waiting(own, 2);
    outbox_report(own->outbox, item);
    go_on(own);
    for (int i = 0; i < POLLS && !is_parked(); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert(is_parked());
    ck_assert_int_eq(own->refused, 5);
    end_parcel(own, item);
}

/* The same where the server refuses for a day to tell the counts that would settle the doubt. */
static void a_workload_in_play_is_refused_its_counts(Own *own) {
    deliver(own, 5);
    wait_until_empty(own);
    double_lose_row(rig_server);
    lose_a_batch(DOUBLE_AFTERWARDS);
    for (int i = 0; i < POLLS; i++)
        double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 200, "{\"error\": \"Not today\"}");
    OutboxItem *item = begin_parcel(own, 5, NULL);
    add_pair(own, item, 0);
    wait_until_waiting(own, 2);
    outbox_report(own->outbox, item);
    go_on(own);
    wait_for_requests(own, TOTALS, double_count(rig_server, TOTALS) + 2);
    ck_assert(!is_parked());
    ck_assert_int_eq(own->refused, 0);
    clock_now += 25 * HOUR;
    for (int i = 0; i < POLLS && !is_parked(); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert(is_parked());
    ck_assert_int_eq(own->refused, 5);
    end_parcel(own, item);
}

static void (*const parkings[])(Own *own) = {a_workload_in_play_is_parked,
                                             a_workload_in_play_is_refused_its_counts};

START_TEST(a_workload_whose_results_are_parked_is_played_no_further) {
    with_own_outbox(parkings[_i]);
}
END_TEST

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    if (!rig_ready("outbox"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("outbox");
    TCase *tc = rig_case(suite, "benches");
    tcase_add_test(tc, a_kill_before_the_bench_costs_no_pair);
    tcase_add_test(tc, a_kill_between_the_bench_and_its_note_costs_no_pair);
    tcase_add_test(tc, pairs_of_one_engine_are_not_proved_by_another);
    tcase_add_test(tc, pairs_that_wait_for_a_bench_end_with_their_test);
    tcase_add_test(tc, pairs_of_an_engine_that_is_found_wrong_are_dropped);
    tcase_add_test(tc, pairs_that_nobody_proves_for_a_day_are_parked_until_somebody_does);
    tc = rig_case(suite, "server");
    tcase_add_test(tc, what_is_refused_waits_and_holds_up_nothing);
    tcase_add_test(tc, a_line_about_a_test_counts_the_reported_games_of_that_test);
    tcase_add_test(tc, what_is_refused_for_long_is_parked_and_can_be_tried_again);
    tcase_add_test(tc, counts_that_contradict_are_not_sent_over);
    tcase_add_test(tc, a_server_that_is_away_costs_no_games);
    tcase_add_test(tc, a_server_that_is_restarted_while_it_answers_counts_each_game_once);
    tcase_add_loop_test(tc, results_go_to_no_other_test_of_the_same_number, 0,
                        (int)COUNT(new_databases));
    tcase_add_test(tc, results_go_to_the_test_of_their_names);
    tcase_add_test(tc, a_workload_of_another_test_is_parked_with_the_names);
    tcase_add_loop_test(tc, one_test_that_fails_for_a_day_is_parked_and_holds_up_nothing, 0,
                        COUNT(scenarios));
    tcase_add_loop_test(tc, what_is_moved_back_gets_its_day_anew, 0, COUNT(hindrances));
    tcase_add_loop_test(tc, a_calendar_that_is_set_makes_no_day_pass, 0, (int)COUNT(hindrances));
    tcase_add_test(tc, what_is_parked_in_doubt_and_moved_back_counts_once);
    tcase_add_loop_test(tc, a_workload_whose_results_are_parked_is_played_no_further, 0,
                        (int)COUNT(parkings));
    return run_suite(suite);
}
