/* SPDX-License-Identifier: MIT */
/* The chances that a score stands for. */
#include "chess/attacks.h"
#include "chess/fen.h"
#include "runner.h"
#include "search/search.h"
#include "wdl.h"
#include "tools/position.h"

static const char *const fens[] = {FEN_STARTPOS, "4k3/pppp4/8/8/8/8/4PPPP/R3K3 w - - 0 1",
                                   "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1",
                                   "8/8/4k3/8/8/4K3/8/8 w - - 0 1"};
enum { FEN_COUNT = sizeof fens / sizeof *fens };

START_TEST(the_three_chances_are_thousandths_of_one) {
    for (int i = 0; i < FEN_COUNT; i++) {
        Position position = parsed(fens[i]);
        for (int score = -SCORE_MATE; score <= SCORE_MATE; score += 7) {
            Wdl wdl = wdl_of(&position, score);
            ck_assert_msg(wdl.win >= 0 && wdl.draw >= 0 && wdl.loss >= 0 &&
                              wdl.win + wdl.draw + wdl.loss == 1000,
                          "%s at %d: %d %d %d", fens[i], score, wdl.win, wdl.draw, wdl.loss);
        }
    }
}
END_TEST

START_TEST(both_sides_see_the_same_chances) {
    for (int i = 0; i < FEN_COUNT; i++) {
        Position position = parsed(fens[i]);
        for (int score = 0; score <= SCORE_MATE; score += 13) {
            Wdl mine = wdl_of(&position, score);
            Wdl theirs = wdl_of(&position, -score);
            ck_assert_int_eq(mine.win, theirs.loss);
            ck_assert_int_eq(mine.draw, theirs.draw);
            ck_assert_int_eq(mine.loss, theirs.win);
        }
    }
}
END_TEST

START_TEST(a_better_score_never_lowers_the_chance_to_win) {
    for (int i = 0; i < FEN_COUNT; i++) {
        Position position = parsed(fens[i]);
        int before = 0;
        for (int score = -SCORE_MATE; score <= SCORE_MATE; score++) {
            int win = wdl_of(&position, score).win;
            ck_assert_msg(win >= before, "%s at %d: %d, before %d", fens[i], score, win, before);
            before = win;
        }
    }
}
END_TEST

/* Also the weakest score that is known. */
START_TEST(what_is_known_is_certain) {
    static const int known[] = {SCORE_MATE, SCORE_TABLES - 5, SCORE_WIN};
    for (int i = 0; i < FEN_COUNT; i++) {
        Position position = parsed(fens[i]);
        for (int k = 0; k < 3; k++) {
            Wdl won = wdl_of(&position, known[k]), lost = wdl_of(&position, -known[k]);
            ck_assert(won.win == 1000 && won.draw == 0 && won.loss == 0);
            ck_assert(lost.win == 0 && lost.draw == 0 && lost.loss == 1000);
        }
    }
}
END_TEST

/* Eight points and one; 78 points and more. */
START_TEST(beyond_the_ends_of_the_table_nothing_changes) {
    static const char *const same[][2] = {
        {"4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1", "4k3/8/8/8/8/8/P7/4K3 w - - 0 1"},
        {FEN_STARTPOS, "qqqqkqqq/8/8/8/8/8/8/QQQQKQQQ w - - 0 1"}};
    for (int i = 0; i < 2; i++) {
        Position at_end = parsed(same[i][0]), beyond = parsed(same[i][1]);
        ck_assert_int_eq(wdl_of(&at_end, 100).win, wdl_of(&beyond, 100).win);
    }
}
END_TEST

START_TEST(the_same_lead_wins_more_often_with_more_pieces_on_the_board) {
    Position many = parsed(FEN_STARTPOS);
    Position few = parsed(fens[2]);
    ck_assert_int_gt(wdl_of(&many, 100).win, wdl_of(&few, 100).win);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, the_three_chances_are_thousandths_of_one);
    tcase_add_test(tests, both_sides_see_the_same_chances);
    tcase_add_test(tests, a_better_score_never_lowers_the_chance_to_win);
    tcase_add_test(tests, what_is_known_is_certain);
    tcase_add_test(tests, beyond_the_ends_of_the_table_nothing_changes);
    tcase_add_test(tests, the_same_lead_wins_more_often_with_more_pieces_on_the_board);
}

int main(void) {
    chess_init();
    return run_tests("wdl", add_tests);
}
