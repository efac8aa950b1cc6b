/* SPDX-License-Identifier: MIT */
/* What a server's counts say about a batch whose answer was lost. */
#include <check.h>
#include <stdlib.h>

#include "base/count.h"
#include "session/counts.h"
#include "runner.h"

/* The machine's row before and after, the share before and after; the batch is one pair of two
 * draws and one won by 1 1/2. */
static const Penta batch = {{0, 0, 1, 1, 0}};

static const struct {
    const char *name;
    Penta row, share, row_now, share_now;
    bool knows_share;
    BatchVerdict verdict;
} readings[] = {
    {"nothing has changed",
     {{1, 0, 5, 0, 2}},
     {{1, 0, 5, 0, 2}},
     {{1, 0, 5, 0, 2}},
     {{1, 0, 5, 0, 2}},
     true,
     BATCH_ABSENT},
    {"row and share have the batch",
     {{1, 0, 5, 0, 2}},
     {{1, 0, 5, 0, 2}},
     {{1, 0, 6, 1, 2}},
     {{1, 0, 6, 1, 2}},
     true,
     BATCH_ADDED},
    {"an earlier batch came late too",
     {{1, 0, 5, 0, 2}},
     {{1, 0, 5, 0, 2}},
     {{1, 3, 6, 1, 2}},
     {{1, 3, 6, 1, 2}},
     true,
     BATCH_ADDED},
    {"the row lost the batch",
     {{1, 0, 5, 0, 2}},
     {{1, 0, 5, 0, 2}},
     {{1, 0, 5, 0, 2}},
     {{1, 0, 6, 1, 2}},
     true,
     BATCH_ADDED},
    {"the row lost an earlier batch and has not this one",
     {{1, 0, 5, 0, 2}},
     {{1, 0, 5, 0, 2}},
     {{0, 0, 4, 0, 2}},
     {{1, 0, 5, 0, 2}},
     true,
     BATCH_ABSENT},
    {"the row lost an earlier batch, as large as this one",
     {{0, 0, 1, 1, 0}},
     {{0, 0, 1, 1, 0}},
     {{0, 0, 0, 0, 0}},
     {{0, 0, 1, 1, 0}},
     true,
     BATCH_ABSENT},
    {"the row lost an earlier batch and this one",
     {{1, 0, 5, 0, 2}},
     {{1, 0, 5, 0, 2}},
     {{0, 0, 5, 0, 2}},
     {{1, 0, 6, 1, 2}},
     true,
     BATCH_ADDED},
    {"other machines' rows had lost as much before",
     {{0, 0, 0, 0, 0}},
     {{0, 0, 1, 1, 0}},
     {{0, 0, 0, 0, 0}},
     {{0, 0, 1, 1, 0}},
     true,
     BATCH_ABSENT},
    {"other machines' rows have lost something meanwhile",
     {{0, 0, 0, 0, 0}},
     {{0, 0, 0, 0, 0}},
     {{0, 0, 0, 0, 0}},
     {{9, 0, 1, 0, 0}},
     true,
     BATCH_ABSENT},
    {"other machines' rows have lost more than the batch meanwhile",
     {{0, 0, 0, 0, 0}},
     {{0, 0, 0, 0, 0}},
     {{0, 0, 0, 0, 0}},
     {{0, 0, 2, 1, 0}},
     true,
     BATCH_UNCLEAR},
    {"the share before is not known, and the totals have no such batch",
     {{1, 0, 5, 0, 2}},
     {{0, 0, 0, 0, 0}},
     {{1, 0, 5, 0, 2}},
     {{9, 9, 6, 0, 9}},
     false,
     BATCH_ABSENT},
    {"the share before is not known, and the totals may have the batch",
     {{1, 0, 5, 0, 2}},
     {{0, 0, 0, 0, 0}},
     {{1, 0, 5, 0, 2}},
     {{1, 0, 6, 1, 2}},
     false,
     BATCH_UNCLEAR},
    {"the share before is not known, and the row has the batch",
     {{1, 0, 5, 0, 2}},
     {{0, 0, 0, 0, 0}},
     {{1, 0, 6, 1, 2}},
     {{1, 0, 6, 1, 2}},
     false,
     BATCH_ADDED},
};

START_TEST(counts_say_whether_a_batch_was_added) {
    const BatchMark mark = {.before = {.row = readings[_i].row,
                                       .share = readings[_i].share,
                                       .has_share = readings[_i].knows_share},
                            .sum = batch};
    const Counts now = {
        .row = readings[_i].row_now, .share = readings[_i].share_now, .has_share = true};
    BatchVerdict verdict = counts_judge(&mark, &now);
    ck_assert_msg(verdict == readings[_i].verdict, "%s: %d, wanted %d", readings[_i].name,
                  (int)verdict, (int)readings[_i].verdict);
}
END_TEST

/* Whatever rows lose, a batch that the server has is never judged absent, so it is sent once. */
START_TEST(a_batch_in_the_totals_is_never_absent) {
    for (int own = 0; own < 8; own++) {
        for (int others = 0; others < 8; others++) {
            const Counts before = {
                .row = {{3, 3, 3, 3, 3}}, .share = {{4, 3, 3, 5, 3}}, .has_share = true};
            const BatchMark mark = {.before = before, .sum = batch};
            Counts now = before;
            counts_add(&now, &batch);
            now.row.n[own % 5] -= own % 4;
            now.share.n[others % 5] += others;
            ck_assert_msg(counts_judge(&mark, &now) != BATCH_ABSENT, "own row %d, others %d", own,
                          others);
        }
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("counts");
    TCase *tc = tcase_create("counts");
    tcase_add_loop_test(tc, counts_say_whether_a_batch_was_added, 0, COUNT(readings));
    tcase_add_test(tc, a_batch_in_the_totals_is_never_absent);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
