/* SPDX-License-Identifier: MIT */
/* Batches with a number, for a server that knows numbers: a batch whose answer is missing is sent
 * again with its number, by the next process too, and the test's counts are read only where the
 * number cannot decide. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/count.h"
#include "base/file.h"
#include "openbench/api.h"
#include "runner.h"
#include "session/outbox.h"
#include "session/parcel.h"
#include "tools/openbench_double.h"
#include "tools/outbox_rig.h"
#include "tools/worker_rig.h"

/* The worker registers anew, while a batch is under way, with a server that knows no numbers any
 * more. The answer to the batch comes meanwhile. */
static void forget_numbers(Own *own) {
    wait_until_sending(own);
    set_ready(own, false);
    ApiAccount *account = (ApiAccount *)(uintptr_t)own->config.account;
    account->knows_batches = false;
    for (int i = 0; i < POLLS && queue_is_asking(own->queue, &own->table[OUTBOX_SEND]); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert(!queue_is_asking(own->queue, &own->table[OUTBOX_SEND]));
    set_ready(own, true);
}

/* The number of the index-th submission. Allocated. */
static char *number_of(size_t index) {
    char *number = double_field(rig_server, RESULTS, index, "batch", 0);
    ck_assert_msg(number && strlen(number) == BATCH_NUMBER_DIGITS,
                  "submission %zu has the number %s", index, number ? number : "(none)");
    return number;
}

/* Do two submissions have the same number? */
static bool is_same_number(size_t a, size_t b) {
    char *first = number_of(a), *second = number_of(b);
    bool same = strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

static void expect_submissions(size_t count) {
    ck_assert_uint_eq(double_count(rig_server, RESULTS), count);
}

static void expect_readings(size_t count) {
    ck_assert_uint_eq(double_count(rig_server, COUNTS), count);
}

/* ---- In one process ---- */

static void lost_answers_repeat_the_number(Own *own) {
    meet_numbers(own);
    lose_a_batch(DOUBLE_INSTEAD);
    lose_a_batch(DOUBLE_AFTERWARDS);
    deliver(own, 5);
    wait_until_empty(own);
    rig_expect_games(2);
    size_t readings = double_count(rig_server, COUNTS);
    expect_submissions(3);
    ck_assert(is_same_number(0, 1) && is_same_number(0, 2));
    deliver(own, 5);
    wait_until_empty(own);
    rig_expect_games(4);
    ck_assert(!is_same_number(0, 3));
    expect_readings(readings);
}

/* The server refuses the batch, adds it and loses the answer, and refuses it again: the batch goes
 * out with its number each time, and without the pairs that come meanwhile. */
static void refusals_repeat_the_number(Own *own) {
    meet_numbers(own);
    refuse(1);
    lose_a_batch(DOUBLE_AFTERWARDS);
    refuse(1);
    deliver(own, 5);
    wait_for_requests(own, RESULTS, 1);
    deliver(own, 5);
    wait_until_empty(own);
    rig_expect_games(4);
    expect_submissions(5);
    for (size_t i = 1; i < 4; i++)
        ck_assert(is_same_number(0, i));
    ck_assert(!is_same_number(0, 4));
    rig_expect_field(RESULTS, 4, "pentanomial", "0 0 0 1 0");
    expect_readings(1);
}

/* A day of faults, while the server takes another test's results: the results are parked, and
 * nothing is sent of a batch without members. */
static void a_parked_batch_is_not_sent(Own *own) {
    meet_numbers(own);
    double_fail(rig_server, RESULTS, 5);
    deliver(own, 5);
    wait_for_requests(own, RESULTS, 2);
    for (int taken = 2; taken <= 4; taken += 2) {
        deliver(own, 6);
        for (int i = 0; i < POLLS && own->delivered < taken; i++)
            uv_run(&own->loop, UV_RUN_ONCE);
        ck_assert_int_eq(own->delivered, taken);
        wait_for_requests(own, RESULTS, double_count(rig_server, RESULTS) + 2);
    }
    clock_now += 25 * HOUR;
    deliver(own, 6);
    wait_until_empty(own);
    ck_assert(is_parked());
    size_t count = double_count(rig_server, RESULTS);
    for (int i = 0; i < 5; i++) /* Each turn waits for the rig's timer. */
        uv_run(&own->loop, UV_RUN_ONCE);
    expect_submissions(count);
    for (size_t i = 0; i < count; i++) {
        char *test = double_field(rig_server, RESULTS, i, "test_id", 0);
        ck_assert_msg(strcmp(test, "5") == 0 || strcmp(test, "6") == 0,
                      "submission %zu is of test %s", i, test);
        free(test);
    }
}

/* ---- After a crash ---- */

/* Sends a batch whose answer is lost, and does not try it again. Returns how often the counts have
 * been read. */
static size_t send_without_an_answer(Own *own, DoubleMoment moment) {
    own->config.waits.retry_first = own->config.waits.retry_max = HOUR * 1000;
    meet_numbers(own);
    lose_a_batch(moment);
    deliver(own, 5);
    wait_for_requests(own, RESULTS, 1);
    return double_count(rig_server, COUNTS);
}

/* The process ends between the sending and the answer. The next one sends the batch with the same
 * number, whether the server has added the batch or not, and reads no counts. */
static void the_process_ends_before_the_answer(Own *own, DoubleMoment moment) {
    size_t readings = send_without_an_answer(own, moment);
    own->config.waits.retry_first = own->config.waits.retry_max = 1;
    begin_anew(own, true);
    ck_assert_int_eq(outbox_waiting(own->outbox), 2);
    wait_until_empty(own);
    ck_assert_int_eq(own->delivered, 2);
    rig_expect_games(2);
    expect_submissions(2);
    ck_assert(is_same_number(0, 1));
    expect_readings(readings);
}

static void the_process_ends_before_the_server_has_the_batch(Own *own) {
    the_process_ends_before_the_answer(own, DOUBLE_INSTEAD);
}

static void the_process_ends_after_the_server_has_the_batch(Own *own) {
    the_process_ends_before_the_answer(own, DOUBLE_AFTERWARDS);
}

/* A batch of two journals, and a journal that waits: the batch goes out as it was made, then the
 * rest with a number of its own. */
static void later_pairs_have_another_number(Own *own) {
    meet_numbers(own);
    close_own(own);
    const BatchMark mark = mark_of(NUMBER, 0, 2);
    leave_parcel(own, "state/outbox/5-2-00001.journal", &mark);
    leave_parcel(own, "state/outbox/5-2-00002.journal", NULL);
    leave_parcel(own, "state/outbox/5-2-00003.journal", &mark);
    lose_a_batch(DOUBLE_AFTERWARDS);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(6);
    expect_submissions(3);
    rig_expect_field(RESULTS, 0, "batch", NUMBER);
    rig_expect_field(RESULTS, 0, "pentanomial", "0 0 0 2 0");
    ck_assert(is_same_number(0, 1) && !is_same_number(0, 2));
    expect_readings(2);
}

/* Leaves a batch in a row that has grown since its mark was made, and has it sent again. */
static void send_an_old_batch_again(Own *own) {
    meet_numbers(own);
    for (int i = 0; i < 3; i++) {
        deliver(own, 5);
        wait_until_empty(own);
    }
    rig_expect_games(6);
    close_own(own);
    const BatchMark mark = mark_of(NUMBER, 0, 1);
    leave_parcel(own, "state/outbox/5-2-00009.journal", &mark);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(8);
}

/* The next batch does not reach the server, which then knows no numbers any more: the counts tell
 * that the batch is absent. */
static void lose_a_batch_and_the_numbers(Own *own) {
    lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    forget_numbers(own);
    wait_until_empty(own);
    rig_expect_games(10);
}

static void the_row_has_grown_since_the_mark(Own *own) {
    send_an_old_batch_again(own);
    lose_a_batch_and_the_numbers(own);
}

/* The row grows while the journal of a refused batch is parked. Then the user moves the journal
 * back, and the batch is added. */
static void park_a_batch_for_a_while(Own *own) {
    refuse(2);
    deliver(own, 5);
    for (int i = 0; i < POLLS && own->refused == 0; i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    clock_now += 25 * HOUR;
    for (int i = 0; i < POLLS && !is_parked(); i++)
        uv_run(&own->loop, UV_RUN_ONCE);
    ck_assert(is_parked());
    for (int i = 0; i < 3; i++) {
        deliver(own, 5);
        wait_until_empty(own);
    }
    rig_expect_games(6);
    close_own(own);
    char *parked = find_journal("state/outbox/parked");
    char *back = rig_path("state/outbox/5-2-00077.journal");
    ck_assert(rename(parked, back) == 0);
    free(parked);
    free(back);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(8);
}

static void the_row_has_grown_while_a_batch_was_parked(Own *own) {
    meet_numbers(own);
    park_a_batch_for_a_while(own);
    lose_a_batch_and_the_numbers(own);
}

/* The counts alone would show the parked batch as added. */
static void the_row_has_grown_while_a_batch_without_a_number_was_parked(Own *own) {
    park_a_batch_for_a_while(own);
}

/* Of two batches the first was refused and has its own journal. The second one has the pairs of
 * both journals, and was not sent: the first journal has no mark of it. (No batch is sent without
 * all of its marks; tests/session/test_no_room.c.) */
static void two_batches_are_marked(Own *own) {
    meet_numbers(own);
    close_own(own);
    const BatchMark refused = mark_of(OTHER, 0, 1);
    const BatchMark unsent = mark_of(NUMBER, 0, 2);
    leave_parcel(own, "state/outbox/5-2-00001.journal", &refused);
    leave_parcel(own, "state/outbox/5-2-00002.journal", &unsent);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(4);
    rig_expect_field(RESULTS, 0, "batch", OTHER);
    ck_assert(!is_parked());
}

/* A crash between the marks of two journals: nothing was sent with the number, and nothing is. */
static void a_mark_is_missing(Own *own) {
    meet_numbers(own);
    close_own(own);
    const BatchMark mark = mark_of(NUMBER, 0, 2);
    leave_parcel(own, "state/outbox/5-2-00001.journal", &mark);
    leave_parcel(own, "state/outbox/5-2-00002.journal", NULL);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(4);
    expect_submissions(1);
    rig_expect_field(RESULTS, 0, "pentanomial", "0 0 0 2 0");
}

/* A crash between the notes of two journals that the server has the batch: the first is gone. */
static void a_note_is_missing(Own *own) {
    meet_numbers(own);
    deliver(own, 5);
    deliver(own, 5);
    wait_until_empty(own);
    size_t count = double_count(rig_server, RESULTS);
    close_own(own);
    const BatchMark mark = mark_of(NUMBER, 0, 2);
    leave_parcel(own, "state/outbox/5-2-00002.journal", &mark);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(4);
    expect_submissions(count);
}

/* ---- Where the number cannot decide ---- */

/* Leaves a batch that the server has added with its number, and lets the counts decide: nothing
 * more is sent. */
static void expect_the_counts_decide(Own *own, int64_t age, bool knows) {
    size_t readings = send_without_an_answer(own, DOUBLE_AFTERWARDS);
    clock_now += age;
    own->config.waits.retry_first = own->config.waits.retry_max = 1;
    begin_anew(own, knows);
    wait_until_empty(own);
    rig_expect_games(2);
    expect_submissions(1);
    expect_readings(readings + 2);
}

static void the_number_is_too_old(Own *own) {
    expect_the_counts_decide(own, API_BATCH_KEPT_S - 23 * HOUR, true);
}

static void the_number_is_of_the_future(Own *own) {
    expect_the_counts_decide(own, -25 * HOUR, true);
}

static void the_server_knows_no_numbers_any_more(Own *own) {
    expect_the_counts_decide(own, 0, false);
}

/* A journal of a worker that kept no numbers: its batch was added. */
static void an_older_journal_has_no_number(Own *own) {
    meet_numbers(own);
    deliver(own, 5);
    wait_until_empty(own);
    size_t readings = double_count(rig_server, COUNTS);
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00001.journal",
                 &(BatchMark){.before = {.has_share = true}, .sum = {{0, 0, 0, 1, 0}}});
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(2);
    expect_submissions(1);
    expect_readings(readings + 2);
}

/* The worker registers anew while a batch is in doubt, and the server knows no numbers any more:
 * the batch is not sent again. */
static void numbers_are_forgotten_between_two_tries(Own *own) {
    meet_numbers(own);
    lose_a_batch(DOUBLE_AFTERWARDS);
    deliver(own, 5);
    forget_numbers(own);
    wait_until_empty(own);
    rig_expect_games(2);
    expect_submissions(1);
}

static void (*const scenarios[])(Own *own) = {
    lost_answers_repeat_the_number,
    refusals_repeat_the_number,
    a_parked_batch_is_not_sent,
    the_process_ends_before_the_server_has_the_batch,
    the_process_ends_after_the_server_has_the_batch,
    later_pairs_have_another_number,
    the_row_has_grown_since_the_mark,
    the_row_has_grown_while_a_batch_was_parked,
    the_row_has_grown_while_a_batch_without_a_number_was_parked,
    two_batches_are_marked,
    a_mark_is_missing,
    a_note_is_missing,
    the_number_is_too_old,
    the_number_is_of_the_future,
    the_server_knows_no_numbers_any_more,
    an_older_journal_has_no_number,
    numbers_are_forgotten_between_two_tries};

START_TEST(batches_with_a_number_count_once) {
    with_own_outbox(scenarios[_i]);
}
END_TEST

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    if (!rig_ready("numbers"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("numbers");
    TCase *tc = rig_case(suite, "numbers");
    tcase_add_loop_test(tc, batches_with_a_number_count_once, 0, COUNT(scenarios));
    return run_suite(suite);
}
