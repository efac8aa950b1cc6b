/* SPDX-License-Identifier: MIT */
/* From the match to the score: a match goes on with the journal that an older version began. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "base/journal.h"
#include "base/memory.h"
#include "local/pairlog.h"
#include "local/scorebook.h"
#include "report/result.h"
#include "runner.h"
#include "tools/temporary.h"

enum { OLD_PAIRS = 2, COUNTED_MAX = 8 };

#define PARTS                                                                                      \
    "\"dev\":{\"moves\":1,\"ms\":2,\"depths\":3,\"depth_moves\":4,\"nodes\":5,\"nodes_ns\":6},"    \
    "\"base\":{\"moves\":7,\"ms\":8,\"depths\":0,\"depth_moves\":0,\"nodes\":0,\"nodes_ns\":0}"
/* A pair as version 1 wrote it: dev has won the first game and lost the second. */
#define OLD_PAIR(number)                                                                           \
    "{\"kind\":\"pair\",\"pair\":" number ",\"opening\":1,\"ended\":9,\"at_ms\":8,\"games\":["     \
    "{\"dev_points\":2,\"reason\":\"White mates\",\"plies\":61," PARTS "},"                        \
    "{\"dev_points\":0,\"reason\":\"White mates\",\"plies\":40," PARTS "}]}"

static char folder[TEMPORARY_SIZE];
static char path[TEMPORARY_SIZE + 32];

static void set_up(void) {
    temporary_folder(folder, sizeof folder, "test_pairlog");
    snprintf(path, sizeof path, "%s/journal", folder);
}

static void tear_down(void) {
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static RecordHead make_head(int64_t version) {
    RecordHead head = {.version = version,
                       .created = 1,
                       .book = {.file = mem_strdup("b"), .sha256 = mem_strdup("02")},
                       .seed = 1,
                       .start = 1,
                       .win_adj = mem_strdup("None"),
                       .draw_adj = mem_strdup("None"),
                       .pgn_notation = mem_strdup("san")};
    for (int side = 0; side < SIDE_COUNT; side++) {
        head.engines[side].name = mem_strdup("x");
        head.engines[side].spec = mem_strdup("x");
        head.engines[side].program = mem_strdup("/x");
        head.engines[side].sha256 = mem_strdup("01");
        head.engines[side].tc = mem_strdup("N=100");
    }
    return head;
}

/* A journal of version 1 with OLD_PAIRS pairs. */
static void make_old_journal(void) {
    static const char *const PAIRS[OLD_PAIRS] = {OLD_PAIR("0"), OLD_PAIR("1")};
    RecordHead head = make_head(1);
    Journal journal = {0};
    Text text = {0};
    Error err = {0};
    record_write_head(&head, &text);
    ck_assert_msg(journal_create(&journal, path, text.data, text.length, &err), "%s", err.text);
    for (int i = 0; i < OLD_PAIRS; i++)
        ck_assert_msg(journal_append(&journal, PAIRS[i], strlen(PAIRS[i]), &err), "%s", err.text);
    journal_close(&journal);
    record_free_head(&head);
    text_free(&text);
}

typedef struct {
    int64_t indices[COUNTED_MAX];
    int count;
} Counted;

static void on_counted(const PairResult *pair, void *user) {
    Counted *counted = user;
    ck_assert_int_lt(counted->count, COUNTED_MAX);
    counted->indices[counted->count++] = pair->index;
}

static void on_crowded(bool crowded, void *user) {
    (void)user;
    ck_assert(!crowded);
}

static void on_failed(const Error *err, void *user) {
    (void)user;
    ck_abort_msg("%s", err->text);
}

static const PairLogEvents EVENTS = {
    .counted = on_counted, .crowded = on_crowded, .failed = on_failed};

/* Resumed twice; the journal has records of both forms then, and reads as one match. */
START_TEST(a_match_goes_on_with_a_journal_of_version_1) {
    uv_loop_t loop;
    Result result = {0};
    Error err = {0};
    for (int run = 0; run < 2; run++) {
        Counted counted = {0};
        PairLog log;
        pairlog_init(&log, &loop, &EVENTS, &counted);
        RecordHead now = make_head(RECORD_VERSION);
        PairResult pair = {.index = OLD_PAIRS + run,
                           .games = {{.dev_points = 2}, {.dev_points = 1}}};
        if (run == 0)
            make_old_journal();
        ck_assert_int_eq(uv_loop_init(&loop), 0);
        ck_assert_msg(pairlog_resume(&log, path, &now, &err), "%s", err.text);
        ck_assert_int_eq(counted.count, OLD_PAIRS + run);
        pairlog_add(&log, &pair);
        uv_run(&loop, UV_RUN_DEFAULT);
        ck_assert_int_eq(counted.count, OLD_PAIRS + run + 1);
        for (int i = 0; i < counted.count; i++)
            ck_assert_int_eq(counted.indices[i], i);
        pairlog_free(&log);
        ck_assert_int_eq(uv_loop_close(&loop), 0);
        record_free_head(&now);
    }
    ck_assert_msg(result_of_journal(path, &result, &err), "%s", err.text);
    ck_assert_int_eq(result.report.tally.wins, OLD_PAIRS + 2);
    ck_assert_int_eq(result.report.tally.draws, 2);
    ck_assert_int_eq(result.report.tally.losses, OLD_PAIRS);
    result_free(&result);
}
END_TEST

/* Appends a run whose pairs end at these times. */
static void append_run(Journal *journal, int64_t first_pair, const int64_t *at_ms, int count) {
    RecordRun run;
    Text record = {0};
    Error err = {0};
    pairlog_describe_run(1, &run);
    record_write_run(&run, &record);
    ck_assert_msg(journal_append(journal, record.data, record.length, &err), "%s", err.text);
    for (int i = 0; i < count; i++) {
        PairResult pair = {.index = first_pair + i, .at_ms = at_ms[i]};
        text_clear(&record);
        pair_write(&pair, &record);
        ck_assert_msg(journal_append(journal, record.data, record.length, &err), "%s", err.text);
    }
    record_free_run(&run);
    text_free(&record);
}

/* Each run takes until its last pair. The second run has the pair before those of the first run,
 * and one that counts already. */
START_TEST(a_match_that_goes_on_knows_how_long_all_its_runs_took) {
    uv_loop_t loop;
    PairLog log;
    RecordHead head = make_head(RECORD_VERSION);
    Journal journal = {0};
    Counted counted = {0};
    Text text = {0};
    Error err = {0};
    record_write_head(&head, &text);
    ck_assert_msg(journal_create(&journal, path, text.data, text.length, &err), "%s", err.text);
    append_run(&journal, 2, (const int64_t[]){500, 300}, 2);
    append_run(&journal, 1, (const int64_t[]){20, 70}, 2);
    journal_close(&journal);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    pairlog_init(&log, &loop, &EVENTS, &counted);
    ck_assert_msg(pairlog_resume(&log, path, &head, &err), "%s", err.text);
    ck_assert_int_eq(counted.count, 3);
    ck_assert_uint_eq(log.played_count, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(log.played[i], i + 1);
    ck_assert_int_eq(log.earlier_ms, 570);
    pairlog_free(&log);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    record_free_head(&head);
    text_free(&text);
}
END_TEST

START_TEST(time_in_which_this_process_was_stopped_is_no_playing_time) {
    static const int64_t HOUR_NS = INT64_C(3600) * 1000000000;
    Scorebook book;
    scorebook_init(&book, NULL, NULL, NULL);
    book.earlier_ms = 570;
    scorebook_start(&book);
    book.started_ns -= HOUR_NS; /* An hour and a little have passed. */
    scorebook_excuse(&book, (uint64_t)(2 * HOUR_NS));
    ck_assert_double_eq(scorebook_seconds(&book), 0.57);
    scorebook_stop(&book);
    ck_assert_int_eq(book.earlier_ms, 570);
    scorebook_free(&book);
}
END_TEST

START_TEST(a_workers_journal_is_not_gone_on_with) {
    static const char WORKLOAD[] =
        "{\"kind\":\"head\",\"version\":3,\"created\":1,\"server\":\"http://s/\",\"user\":\"u\","
        "\"test\":5,\"machine\":2,\"result\":105,\"book_index\":1,\"type\":\"SPRT\",\"dev\":\"d\","
        "\"base\":\"b\",\"host\":\"h\",\"reporting\":\"\",\"upload_pgns\":\"FALSE\"}";
    Journal journal = {0};
    Error err = {0};
    int64_t seed = -1;
    ck_assert(journal_create(&journal, path, WORKLOAD, strlen(WORKLOAD), &err));
    journal_close(&journal);
    ck_assert(!pairlog_find(path, true, &seed, &err));
    ck_assert_msg(strstr(err.text, "is not the journal of a match") != NULL, "%s", err.text);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_match_goes_on_with_a_journal_of_version_1);
    tcase_add_test(tests, a_match_that_goes_on_knows_how_long_all_its_runs_took);
    tcase_add_test(tests, time_in_which_this_process_was_stopped_is_no_playing_time);
    tcase_add_test(tests, a_workers_journal_is_not_gone_on_with);
}

int main(void) {
    return run_tests("pairlog", add_tests);
}
