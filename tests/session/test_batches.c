/* SPDX-License-Identifier: MIT */
/* What becomes of batches and their marks while the counts of a test change: each pair counts once.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/tree.h"
#include "session/items.h"
#include "session/outbox.h"
#include "session/parcel.h"
#include "session/queue.h"
#include "tools/files.h"
#include "tools/openbench_double.h"
#include "tools/outbox_rig.h"
#include "tools/worker_rig.h"
#include "runner.h"

/* The batch that is answered with the test's end is thrown away; the next one is added. */
static void a_batch_comes_too_late(Own *own) {
    own->may_end = true;
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, "{\"stop\": true}");
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert_int_eq(own->over, 5);
    lose_a_batch(DOUBLE_AFTERWARDS);
    deliver(own, 5);
    wait_until_empty(own);
    rig_expect_games(2);
}

/* The answer to the games of one workload tells of the end: the pairs of another one, which wait
 * for a bench, are dropped. */
static void games_come_too_late(Own *own) {
    char sha256[] = "aa";
    own->may_end = true;
    double_replace(rig_server, "/clientSubmitPGN/", DOUBLE_AFTERWARDS, 200, "{\"stop\": true}");
    deliver_of(own, 5, &(ParcelBench){sha256, 1});
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert_int_eq(own->over, 5);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitPGN/"), 1);
    rig_expect_games(2);
}

/* Another answer tells of the end while a batch is on its way that is added; the next one is not.
 */
static void a_test_ends_during_a_send(Own *own) {
    int64_t wait = 0;
    deliver(own, 5);
    wait_until_sending(own);
    ck_assert_str_eq(queue_action(own->queue, &wait), "reporting results");
    ck_assert_int_eq(wait, -1);
    outbox_drop(own->outbox, 5);
    go_on(own);
    wait_until_empty(own);
    rig_expect_games(2);
    lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    wait_until_empty(own);
    rig_expect_games(4);
}

/* The mark of a single pair, when the server had so many like it; it lists no other machine. */
static BatchMark mark_after(int64_t pairs) {
    return (BatchMark){
        .before = {.row = {{0, 0, 0, pairs, 0}}, .share = {{0, 0, 0, pairs, 0}}, .has_share = true},
        .sum = {{0, 0, 0, 1, 0}}};
}

/* The first was added, the last was not: what waits between them must not pass for it. */
static void two_batches_are_in_doubt(Own *own) {
    deliver(own, 5);
    wait_until_empty(own);
    close_own(own);
    const BatchMark first = mark_after(0);
    const BatchMark last = mark_after(1);
    leave_parcel(own, "state/outbox/5-2-00001.journal", &first);
    leave_parcel(own, "state/outbox/5-2-00002.journal", NULL);
    leave_parcel(own, "state/outbox/5-2-00003.journal", &last);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(6);
}

/* What an earlier process left unsent comes on top of what it had sent. */
static void a_row_has_more_than_this_process_sent(Own *own) {
    deliver(own, 5);
    wait_until_empty(own);
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00001.journal", NULL);
    open_own(own);
    lose_a_batch(DOUBLE_INSTEAD);
    wait_until_empty(own);
    rig_expect_games(4);
}

/* The server has a batch, and will lose its answer to the next one. */
static void confirm_one_and_lose_one(Own *own) {
    deliver(own, 5);
    wait_until_empty(own);
    lose_a_batch(DOUBLE_AFTERWARDS);
}

/* A first reading with a part of the batch, then two equal ones: the first is not believed. */
static void counts_change_between_readings(Own *own) {
    static const char part[] = "{\"results\": [{\"machine__id\": 2, \"games\": 2, \"LL\": 0, "
                               "\"LD\": 0, \"DD\": 0, \"DW\": 0, \"WW\": 1}]}";
    confirm_one_and_lose_one(own);
    double_replace(rig_server, COUNTS, DOUBLE_INSTEAD, 200, part);
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert(!is_parked());
    ck_assert_uint_eq(double_count(rig_server, COUNTS), 1 + 3);
    rig_expect_games(4);
}

/* Delivers a second batch, whose doubt so many readings of the counts settle. */
static void expect_settled(Own *own, size_t readings) {
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert_uint_eq(double_count(rig_server, COUNTS), 1 + readings);
    rig_expect_games(4);
}

static void a_reading_is_spoilt(void) {
    double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 200,
                   "{\"info\": {\"penta\": [0, 0, 0, 1, 0]}}");
}

static void a_reading_fails(void) {
    double_replace(rig_server, COUNTS, DOUBLE_INSTEAD, 500, "");
}

/* Another machine's results are added between a reading's parts: the reading begins anew. */
static void totals_change_within_a_reading(Own *own) {
    confirm_one_and_lose_one(own);
    a_reading_is_spoilt();
    expect_settled(own, 3);
}

/* More results are added while the reading waits to begin anew: these spoil no second reading. */
static void totals_change_before_a_second_try(Own *own) {
    confirm_one_and_lose_one(own);
    a_reading_is_spoilt();
    double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 200,
                   "{\"info\": {\"penta\": [0, 0, 1, 1, 0]}}");
    expect_settled(own, 3);
}

/* A reading fails between its parts, and more results are added before it is tried again. */
static void totals_change_after_a_failed_reading(Own *own) {
    confirm_one_and_lose_one(own);
    a_reading_is_spoilt();
    a_reading_fails();
    expect_settled(own, 1 + 2);
}

/* The counts that settle a doubt cannot be read: the doubt lasts until they can. */
static void counts_are_away_for_long(Own *own) {
    enum { FAULTS = 15 };
    confirm_one_and_lose_one(own);
    for (int i = 0; i < FAULTS; i++)
        a_reading_fails();
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert_uint_ge(double_count(rig_server, COUNTS), FAULTS + 2);
    rig_expect_games(4);
}

static void a_reading_is_refused(void) {
    double_replace(rig_server, COUNTS, DOUBLE_INSTEAD, 200, "{\"error\": \"not for you\"}");
}

/* The same where the server refuses to tell the counts once. */
static void counts_are_refused(Own *own) {
    confirm_one_and_lose_one(own);
    a_reading_is_refused();
    deliver(own, 5);
    wait_until_empty(own);
    rig_expect_games(4);
}

/* The first batch of a row goes out without a reading of the row, after so many tries. */
static void expect_unread(Own *own, size_t tries) {
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert_uint_eq(double_count(rig_server, COUNTS), tries);
    rig_expect_games(2);
}

static void first_readings_are_refused(Own *own) {
    for (int i = 0; i < 5; i++)
        a_reading_is_refused();
    expect_unread(own, 3);
}

/* The row's share is known: the first batch, whose answer is lost and whose update the row loses,
 * is found in the totals. */
static void expect_found_in_totals(Own *own) {
    double_lose_row(rig_server);
    lose_a_batch(DOUBLE_AFTERWARDS);
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert(!is_parked());
    rig_expect_games(2);
}

static void a_first_reading_is_refused_once(Own *own) {
    a_reading_is_refused();
    expect_found_in_totals(own);
}

static void first_readings_fail(Own *own) {
    for (int i = 0; i < 20; i++)
        a_reading_fails();
    expect_unread(own, 16);
}

/* The rows are told once between many faults, and the totals behind them are not: the server is
 * asked until a reading is whole. */
static void first_readings_fail_but_not_always(Own *own) {
    enum { FAULTS = 12 };
    for (int i = 0; i < FAULTS; i++)
        a_reading_fails();
    double_replace(rig_server, COUNTS, DOUBLE_INSTEAD, 200, "{\"results\": []}");
    for (int i = 0; i < FAULTS; i++)
        a_reading_fails();
    for (int i = 0; i < FAULTS + 1; i++)
        double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 200,
                       "{\"info\": {\"penta\": [0, 0, 0, 0, 0]}}");
    double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 500, "");
    expect_found_in_totals(own);
}

/* Removes what an earlier outbox has left. */
static void clear_outbox(void) {
    char *path = rig_path("state/outbox");
    Error err = {0};
    ck_assert_msg(tree_remove(path, &err), "%s", err.text);
    free(path);
}

static void an_answer_is_lost(void) {
    lose_a_batch(DOUBLE_INSTEAD);
}

static void a_batch_is_refused(void) {
    refuse(1);
}

static void an_upload_fails(void) {
    double_replace(rig_server, "/clientSubmitPGN/", DOUBLE_INSTEAD, 500, "");
}

static void an_upload_is_refused(void) {
    double_replace(rig_server, "/clientSubmitPGN/", DOUBLE_INSTEAD, 200, "{\"error\": \"no\"}");
}

/* After each of these the server is asked again after a while, and not at once. */
static void troubles_are_waited_out(Own *own) {
    enum { RETRY = 1000000, VERIFY = 2000000, REFUSED = 4000000 }; /* Milliseconds. */
    static const struct {
        void (*begin)(void);
        const char *next;
        int64_t wait;
    } rows[] = {{a_reading_is_spoilt, "reading the test's counts", RETRY},
                {a_reading_fails, "reading the test's counts", RETRY},
                {an_answer_is_lost, "reading the test's counts", VERIFY},
                {a_batch_is_refused, "reporting results", REFUSED},
                {an_upload_fails, "uploading the games", RETRY},
                {an_upload_is_refused, "uploading the games", REFUSED}};
    SessionWaits *waits = &own->config.waits;
    waits->retry_first = waits->retry_max = RETRY;
    waits->refused_first = waits->refused_max = REFUSED;
    waits->verify = VERIFY;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *next = NULL;
        int64_t wait = -1;
        close_own(own);
        clear_outbox();
        open_own(own);
        rows[i].begin();
        deliver(own, 5);
        for (int k = 0; k < POLLS && wait < 0; k++) {
            uv_run(&own->loop, UV_RUN_ONCE);
            next = queue_action(own->queue, &wait);
        }
        ck_assert_msg(next != NULL, "trouble %zu: nothing follows", i);
        /* A wait is shortened or lengthened by up to a quarter. */
        ck_assert_msg(strcmp(next, rows[i].next) == 0 && wait >= rows[i].wait * 3 / 4 &&
                          wait <= rows[i].wait * 5 / 4,
                      "trouble %zu: %s in %lld ms", i, next, (long long)wait);
    }
}

/* Other machines' results are added during each of the first readings. */
static void spoil_first_readings(void) {
    for (int i = 0; i < 6; i++)
        double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 200,
                       i % 2 ? "{\"info\": {\"penta\": [0, 0, 0, 1, 0]}}"
                             : "{\"info\": {\"penta\": [0, 0, 0, 0, 0]}}");
}

/* Runs the loop until the queue waits for so many milliseconds or more; returns the wait, or -1. */
static int64_t await_wait(Own *own, int64_t least) {
    int64_t wait = -1;
    for (int i = 0; i < POLLS && wait < least; i++) {
        uv_run(&own->loop, UV_RUN_ONCE);
        (void)queue_action(own->queue, &wait);
    }
    return wait;
}

static void spoilt_readings_wait_longer_and_longer(Own *own) {
    enum { RETRY = 1000000, MOST = 10 * RETRY };
    close_own(own);
    own->config.waits.retry_first = RETRY;
    own->config.waits.retry_max = MOST;
    open_own(own);
    spoil_first_readings();
    deliver(own, 5);
    int64_t first = await_wait(own, RETRY / 2);
    ck_assert_int_gt(first, RETRY / 2);
    ck_assert_int_le(first, RETRY);
    outbox_hurry(own->outbox);
    go_on(own);
    int64_t second = await_wait(own, RETRY / 2);
    ck_assert_int_gt(second, RETRY);
    ck_assert_int_le(second, 2 * RETRY);
}

/* The answer to each try is lost: after five the batch is sent as rarely as refused results. */
static void many_lost_answers_make_tries_rare(Own *own) {
    enum { REFUSED = 1000000, TRIES = 6 };
    close_own(own);
    own->config.waits.refused_first = own->config.waits.refused_max = REFUSED;
    open_own(own);
    for (int i = 0; i < TRIES; i++)
        lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    ck_assert_int_ge(await_wait(own, REFUSED / 2), REFUSED / 2);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), TRIES);
}

static void first_readings_are_spoilt(Own *own) {
    spoil_first_readings();
    expect_unread(own, 3);
}

/* The row has a batch of an earlier process. The first one of this process, which is as large, is
 * not added: the batch of the earlier process must not pass for it. */
static void first_readings_of_an_old_row_are_spoilt(Own *own) {
    deliver(own, 5);
    wait_until_empty(own);
    close_own(own);
    open_own(own);
    spoil_first_readings();
    lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert(!is_parked());
    rig_expect_games(4);
}

/* Other machines' results are added during five readings, one after the other. */
static void totals_change_within_many_readings(Own *own) {
    confirm_one_and_lose_one(own);
    for (int i = 0; i < 3; i++) {
        double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 200,
                       "{\"info\": {\"penta\": [0, 0, 0, 1, 0]}}");
        double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 200,
                       "{\"info\": {\"penta\": [0, 0, 1, 1, 0]}}");
    }
    deliver(own, 5);
    wait_until_empty(own);
    rig_expect_games(4);
}

/* A first reading whose totals lack the batch that the row has, then two equal ones. */
static void totals_change_between_readings(Own *own) {
    static const char before[] = "{\"info\": {\"penta\": [0, 0, 0, 1, 0]}}";
    confirm_one_and_lose_one(own);
    double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 200, before);
    double_replace(rig_server, TOTALS, DOUBLE_INSTEAD, 200, before);
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert(!is_parked());
    ck_assert_uint_eq(double_count(rig_server, COUNTS), 1 + 3);
    rig_expect_games(4);
}

/* The answer is lost, and the server's row loses the update too: the totals have the batch. */
static void a_row_loses_its_update(Own *own) {
    DoubleRow row;
    deliver(own, 5);
    wait_until_empty(own);
    double_lose_row(rig_server);
    lose_a_batch(DOUBLE_AFTERWARDS);
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert(!is_parked());
    ck_assert(double_row(rig_server, 0, &row));
    ck_assert_int_eq(row.totals.penta[3], 1);
    ck_assert_int_eq(row.lost.penta[3], 1);
    rig_expect_games(4);
    /* And again, from a row that lacks what was confirmed; this one was not added. */
    lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert(!is_parked());
    rig_expect_games(6);
}

/* The row has lost a batch that was confirmed, as large as the next one, which was not added. */
static void a_row_has_lost_as_much_before(Own *own) {
    deliver(own, 5);
    wait_until_empty(own);
    double_lose_row(rig_server);
    double_replace(rig_server, RESULTS, DOUBLE_AFTERWARDS, 200, "{}");
    deliver(own, 5);
    wait_until_empty(own);
    lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    wait_until_empty(own);
    ck_assert(!is_parked());
    rig_expect_games(6);
}

/* The row of another machine of this worker loses its update: this row's share grows by that much,
 * and then the answer to a batch that was not added is lost. */
static void another_row_loses_its_update(Own *own) {
    deliver(own, 5);
    wait_until_empty(own);
    double_lose_row(rig_server);
    double_replace(rig_server, RESULTS, DOUBLE_AFTERWARDS, 200, "{}");
    OutboxItem *item = begin_parcel_of(own, 5, 3, NULL);
    add_pair(own, item, 0);
    end_parcel(own, item);
    wait_until_empty(own);
    lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    wait_until_empty(own);
    rig_expect_games(6);
}

/* The counts cannot be read for long while a batch is in doubt: the results of another machine of
 * the same test wait, since its share is not known before. */
static void another_row_waits_for_a_doubt(Own *own) {
    enum { FAULTS = 30 };
    deliver(own, 5);
    wait_until_empty(own);
    lose_a_batch(DOUBLE_INSTEAD);
    for (int i = 0; i < 2 * FAULTS; i++)
        a_reading_fails();
    deliver(own, 5);
    wait_for_requests(own, RESULTS, 2);
    OutboxItem *item = begin_parcel_of(own, 5, 3, NULL);
    add_pair(own, item, 0);
    end_parcel(own, item);
    wait_for_requests(own, COUNTS, 1 + FAULTS);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 2);
    double_forgive(rig_server, COUNTS);
    wait_until_empty(own);
    rig_expect_games(6);
}

/* Everything that a row has waiting after a doubt goes out together. */
static void a_backlog_is_one_submission(Own *own) {
    lose_a_batch(DOUBLE_INSTEAD);
    deliver(own, 5);
    wait_for_requests(own, RESULTS, 1);
    set_ready(own, false);
    for (int i = 0; i < 20; i++)
        deliver(own, 5);
    wait_until_waiting(own, 42);
    set_ready(own, true);
    wait_until_empty(own);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 2);
    rig_expect_field(RESULTS, 1, "pentanomial", "0 0 0 21 0");
    rig_expect_games(42);
}

/* A crash between two journals' marks: nothing was sent, and nothing is lost. */
static void a_batch_is_marked_in_one_of_two_journals(Own *own) {
    const BatchMark mark = {.before = {.has_share = true}, .sum = {{0, 0, 0, 2, 0}}};
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00001.journal", &mark);
    leave_parcel(own, "state/outbox/5-2-00002.journal", NULL);
    open_own(own);
    wait_until_empty(own);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 1);
    rig_expect_games(4);
}

/* A crash between two journals' notes that the batch was added: the first is gone. */
static void a_batch_is_noted_in_one_of_two_journals(Own *own) {
    const BatchMark mark = {.before = {.has_share = true}, .sum = {{0, 0, 0, 2, 0}}};
    deliver(own, 5);
    deliver(own, 5);
    wait_until_empty(own);
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00002.journal", &mark);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(4);
}

/* A crash after all marks and before the answer, which would have been yes, and no. */
static void a_batch_of_two_journals_is_in_doubt(Own *own) {
    const BatchMark added = {.before = {.has_share = true}, .sum = {{0, 0, 0, 2, 0}}};
    const BatchMark absent = {
        .before = {.row = {{0, 0, 0, 2, 0}}, .share = {{0, 0, 0, 2, 0}}, .has_share = true},
        .sum = {{0, 0, 0, 2, 0}}};
    deliver(own, 5);
    deliver(own, 5);
    wait_until_empty(own);
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00001.journal", &added);
    leave_parcel(own, "state/outbox/5-2-00002.journal", &added);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(4);
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00003.journal", &absent);
    leave_parcel(own, "state/outbox/5-2-00004.journal", &absent);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(8);
}

static void copy_file(const char *from, const char *to) {
    char *paths[] = {rig_path(from), rig_path(to)};
    Text bytes = read_whole(paths[0]);
    put_bytes(paths[1], bytes.data, bytes.length, 0600);
    text_free(&bytes);
    free(paths[0]);
    free(paths[1]);
}

/* An earlier copy of a journal under a name that comes first; the longer one is the parcel's. */
static void a_journal_is_copied(Own *own) {
    const BatchMark mark = mark_after(0);
    deliver(own, 5);
    wait_until_empty(own);
    close_own(own);
    leave_parcel(own, "state/outbox/5-2-00007.journal", NULL);
    copy_file("state/outbox/5-2-00007.journal", "state/outbox/5-2-00001.journal");
    copy_file("state/outbox/5-2-00007.journal", "state/outbox/5-2-00007.journal.backup");
    add_mark("state/outbox/5-2-00007.journal", &mark);
    open_own(own);
    wait_until_empty(own);
    rig_expect_games(2);
    char *aside = rig_path("state/outbox/5-2-00001.journal.copy");
    ck_assert_int_eq(access(aside, F_OK), 0);
    free(aside);
    char *backup = rig_path("state/outbox/5-2-00007.journal.backup");
    ck_assert_int_eq(access(backup, F_OK), 0); /* Somebody's own file. */
    free(backup);
    close_own(own);
    open_own(own);
    ck_assert(outbox_empty(own->outbox));
}

/* Only the games' PGN is left for the next start. */
static void what_was_added_is_noted(Own *own) {
    double_fail(rig_server, "/clientSubmitPGN/", 5);
    deliver(own, 5);
    wait_for_requests(own, "/clientSubmitPGN/", 1);
    close_own(own);
    double_fail(rig_server, "/clientSubmitPGN/", 0);
    open_own(own);
    ck_assert_int_eq(outbox_waiting(own->outbox), 0);
    wait_until_empty(own);
    ck_assert_uint_eq(double_count(rig_server, COUNTS), 1);
    rig_expect_games(2);
}

/* Somebody removes the packed games between two tries to upload them. */
static void vanished_games_are_packed_again(Own *own) {
    size_t length = 0;
    double_fail(rig_server, "/clientSubmitPGN/", 5);
    deliver(own, 5);
    wait_for_requests(own, "/clientSubmitPGN/", 1);
    char *packed = rig_path("state/outbox/5-2-00001.bz2");
    ck_assert_int_eq(unlink(packed), 0);
    double_fail(rig_server, "/clientSubmitPGN/", 0);
    wait_until_empty(own);
    for (size_t i = 0; i < double_count(rig_server, "/clientSubmitPGN/"); i++) {
        char *games = double_upload(rig_server, "/clientSubmitPGN/", i, &length);
        ck_assert_msg(games && length > 2 && strncmp(games, "BZ", 2) == 0,
                      "upload %zu has %zu bytes of games", i, games ? length : 0);
        free(games);
    }
    free(packed);
}

/* The queue looks when the wait of such games is over, before its own timer tells so. */
static void vanished_games_outlast_a_look(Own *own) {
    int64_t wait = -1;
    close_own(own);
    own->config.waits.retry_first = own->config.waits.retry_max = 200;
    open_own(own);
    double_fail(rig_server, "/clientSubmitPGN/", 5);
    deliver(own, 5);
    wait_for_requests(own, "/clientSubmitPGN/", 1);
    for (int i = 0; i < POLLS && wait < 0; i++) {
        uv_run(&own->loop, UV_RUN_ONCE);
        (void)queue_action(own->queue, &wait);
    }
    ck_assert_int_ge(wait, 0);
    double_fail(rig_server, "/clientSubmitPGN/", 0);
    char *packed = rig_path("state/outbox/5-2-00001.bz2");
    ck_assert_int_eq(unlink(packed), 0);
    free(packed);
    outbox_advance(own->outbox);
    for (int64_t i = 0; i <= wait; i += 10)
        nap();
    uv_update_time(&own->loop);
    queue_look(own->queue);
    wait_until_empty(own);
}

/* Packing takes no more than one of the threads that requests and journals need too. */
static void games_are_packed_one_by_one(Own *own) {
    enum { PARCELS = 8 };
    set_ready(own, false);
    for (int i = 0; i < PARCELS; i++)
        deliver(own, 5);
    wait_until_waiting(own, 2 * PARCELS);
    set_ready(own, true);
    for (int i = 0; i < POLLS && !outbox_empty(own->outbox); i++) {
        int packing = 0;
        uv_run(&own->loop, UV_RUN_ONCE);
        for (const OutboxItem *item = own->outbox->items; item; item = item->next)
            packing += item->packing.running;
        ck_assert_int_le(packing, 1);
    }
    ck_assert(outbox_empty(own->outbox));
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitPGN/"), PARCELS);
}

/* Both are kept, though the first has no file yet when the second is named. */
static void two_begin_at_once(Own *own) {
    set_ready(own, false);
    deliver(own, 5);
    deliver(own, 5);
    wait_until_waiting(own, 4);
    close_own(own);
    open_own(own);
    ck_assert_int_eq(outbox_waiting(own->outbox), 4);
    wait_until_empty(own);
    rig_expect_games(4);
}

/* Each has a name of its own, also beside what lies there already. */
static void two_are_parked(Own *own) {
    static const char *const names[] = {"state/outbox/parked/5-2-00001.journal",
                                        "state/outbox/parked/5-2-00002.journal"};
    refuse(1000);
    for (size_t i = 0; i < COUNT(names); i++) {
        deliver(own, 5);
        wait_for_requests(own, RESULTS, double_count(rig_server, RESULTS) + 2);
        clock_now += 25 * HOUR;
        wait_until_empty(own);
        close_own(own);
        open_own(own);
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        char *path = rig_path(names[i]);
        ck_assert_msg(access(path, F_OK) == 0, "%s is not there", path);
        free(path);
    }
}

static void (*const changes[])(Own *own) = {a_batch_comes_too_late,
                                            games_come_too_late,
                                            a_test_ends_during_a_send,
                                            two_batches_are_in_doubt,
                                            a_row_has_more_than_this_process_sent,
                                            counts_change_between_readings,
                                            totals_change_within_a_reading,
                                            totals_change_before_a_second_try,
                                            totals_change_after_a_failed_reading,
                                            totals_change_within_many_readings,
                                            totals_change_between_readings,
                                            counts_are_away_for_long,
                                            counts_are_refused,
                                            first_readings_are_refused,
                                            a_first_reading_is_refused_once,
                                            first_readings_fail,
                                            first_readings_fail_but_not_always,
                                            troubles_are_waited_out,
                                            spoilt_readings_wait_longer_and_longer,
                                            many_lost_answers_make_tries_rare,
                                            first_readings_are_spoilt,
                                            first_readings_of_an_old_row_are_spoilt,
                                            a_row_loses_its_update,
                                            a_row_has_lost_as_much_before,
                                            another_row_loses_its_update,
                                            another_row_waits_for_a_doubt,
                                            a_backlog_is_one_submission,
                                            a_batch_is_marked_in_one_of_two_journals,
                                            a_batch_is_noted_in_one_of_two_journals,
                                            a_batch_of_two_journals_is_in_doubt,
                                            a_journal_is_copied,
                                            what_was_added_is_noted,
                                            vanished_games_are_packed_again,
                                            vanished_games_outlast_a_look,
                                            games_are_packed_one_by_one,
                                            two_begin_at_once,
                                            two_are_parked};

START_TEST(several_parcels_of_one_test_count_once) {
    with_own_outbox(changes[_i]);
}
END_TEST

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    if (!rig_ready("batches"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("batches");
    TCase *tc = rig_case(suite, "counts");
    tcase_add_loop_test(tc, several_parcels_of_one_test_count_once, 0, COUNT(changes));
    return run_suite(suite);
}
