/* SPDX-License-Identifier: MIT */
/* The games of a page: their order, what they were like together, and how much of them a page has
 * room for. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/games.h"
#include "report/page.h"
#include "results/gamemoves.h"
#include "runner.h"
#include "tools/files.h"

static const char FEN[] = "rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR b KQkq - 0 1";

static GameList list;
static Result result;

static void tear_down(void) {
    games_free(&list);
    result_free(&result);
}

/* Adds a pair without moves. */
static void add(int64_t index, int64_t first, int64_t second, int64_t plies, Ending ending) {
    PairResult pair = {.index = index, .opening = index + 1};
    pair.games[0] = (GameResult){.dev_points = first, .plies = plies, .ending = ending};
    pair.games[1] = (GameResult){.dev_points = second, .plies = 40, .ending = ENDING_MATE};
    pair.games[1].white = SIDE_BASE;
    games_add(&list, &pair);
}

static void expect_order(const char *wanted) {
    Text got = {0};
    for (size_t i = 0; i < list.count; i++)
        text_addf(&got, "%d ", (int)list.pairs[i].index);
    ck_assert_str_eq(text_string(&got), wanted);
    text_free(&got);
}

START_TEST(faults_come_first_then_lost_pairs_then_long_games) {
    add(0, 2, 2, 90, ENDING_MATE);
    add(1, 1, 1, 40, ENDING_THREEFOLD);
    add(2, 1, 1, 200, ENDING_THREEFOLD);
    add(3, 0, 1, 60, ENDING_MATE);
    add(4, 2, 2, 30, ENDING_TIME_LOSS);
    add(5, 0, 0, 50, ENDING_MATE);
    add(6, 1, 1, 40, ENDING_THREEFOLD);
    games_sort(&list);
    expect_order("4 5 3 2 1 6 0 ");
}
END_TEST

START_TEST(only_the_pairs_that_count_are_copied_and_each_once) {
    GameList all = {0};
    add(0, 1, 1, 40, ENDING_MATE);
    add(1, 1, 1, 41, ENDING_MATE);
    add(2, 1, 1, 42, ENDING_MATE);
    add(1, 1, 1, 41, ENDING_MATE);
    all = list;
    list = (GameList){0};
    games_copy(&list, &all, (const int64_t[]){0, 1}, 2);
    expect_order("1 0 ");
    games_free(&all);
}
END_TEST

START_TEST(results_are_counted_by_colour_and_length) {
    add(0, 2, 0, 38, ENDING_MATE);     /* 19 moves, and 20. */
    add(1, 1, 2, 39, ENDING_MATE);     /* 20 moves, and 20. */
    add(2, 0, 2, 100000, ENDING_MATE); /* More than the last length. */
    GameNumbers numbers = games_numbers(&list);
    for (int points = 0; points <= 2; points++)
        ck_assert_int_eq(numbers.colors[0][points], 1);
    ck_assert_int_eq(numbers.colors[1][0], 1);
    ck_assert_int_eq(numbers.colors[1][1], 0);
    ck_assert_int_eq(numbers.colors[1][2], 2);
    ck_assert_int_eq(numbers.lengths[0], 1);
    ck_assert_int_eq(numbers.lengths[1], 4);
    ck_assert_int_eq(numbers.lengths[GAMES_LENGTH_CELLS - 1], 1);
}
END_TEST

/* A game of two moves with these scores, Black's first. */
static char *moves_with(int black, int white) {
    Text text = {0};
    GameMoves moves = {0};
    gamemoves_add(&moves, &(GameMove){.from = 52, .to = 36, .scored = true, .score = black}, &text);
    gamemoves_add(&moves, &(GameMove){.from = 12, .to = 28, .scored = true, .score = white}, &text);
    return text_take(&text);
}

START_TEST(scores_are_those_of_the_side_that_moved) {
    PairResult pair = {.games = {{.white = SIDE_DEV}, {.white = SIDE_BASE}}};
    for (int i = 0; i < 2; i++) {
        pair.games[i].fen = mem_strdup(FEN);
        pair.games[i].moves = moves_with(-1000, i == 0 ? 10 : 30);
    }
    games_add(&list, &pair);
    pair_free(&pair);
    GameNumbers numbers = games_numbers(&list);
    ck_assert_int_eq(numbers.scores[SIDE_BASE][0], 1); /* Black in the first game, ... */
    ck_assert_int_eq(numbers.scores[SIDE_DEV][0], 1);  /* ... and in the second. */
    ck_assert_int_eq(numbers.scores[SIDE_DEV][4], 1);  /* 10 centipawns. */
    ck_assert_int_eq(numbers.scores[SIDE_BASE][5], 1); /* 30. */
}
END_TEST

START_TEST(moves_that_cannot_be_shown_are_not_kept) {
    PairResult pair = {.games = {{.white = SIDE_DEV}, {.white = SIDE_BASE}}};
    for (int i = 0; i < 2; i++) {
        pair.games[i].fen = mem_strdup(FEN);
        pair.games[i].moves = mem_strdup(i == 0 ? "CS000" : "\"><img src=x>");
    }
    games_add(&list, &pair);
    pair_free(&pair);
    ck_assert_ptr_null(list.pairs[0].fen);
    ck_assert_ptr_null(list.pairs[0].games[0].moves);
}
END_TEST

/* ---- How much there is room for ---- */

/* A game as long, with numbers as large, as those of matches with clocks: scores that change by a
 * third of a pawn, and up to two seconds a move. */
static char *make_moves(int plies) {
    Text text = {0};
    GameMoves moves = {0};
    int score = 0;
    for (int i = 0; i < plies; i++) {
        score += rand() % 61 - 30;
        gamemoves_add(&moves,
                      &(GameMove){.from = rand() % 64,
                                  .to = rand() % 64,
                                  .check = rand() % 10 == 0,
                                  .scored = true,
                                  .score = i % 2 ? -score : score,
                                  .ms = rand() % 2000},
                      &text);
    }
    return text_take(&text);
}

static void make_result(int64_t games, int plies) {
    int64_t *indices = mem_calloc((size_t)games / 2, sizeof *indices);
    srand(1);
    result.title = mem_strdup("dev against base");
    result.source = mem_strdup("test.jsonl");
    result.report.sprt = true;
    result.report.rule =
        (SprtRule){.model = SPRT_NORMALIZED, .elo0 = 0, .elo1 = 5, .alpha = 0.05, .beta = 0.05};
    for (int64_t i = 0; i < games / 2; i++) {
        PairResult pair = {.index = i, .opening = i + 1};
        for (int k = 0; k < 2; k++)
            pair.games[k] = (GameResult){.white = k == 0 ? SIDE_DEV : SIDE_BASE,
                                         .dev_points = rand() % 3,
                                         .plies = plies,
                                         .ending = ENDING_WIN_ADJUDICATED,
                                         .fen = mem_strdup(FEN),
                                         .moves = make_moves(plies)};
        Tally tally = pair_tally(&pair);
        tally_add(&result.report.tally, &tally);
        if (i % (games / 400 + 1) == 0)
            result_add_point(&result, 2 * (i + 1));
        games_add(&list, &pair);
        pair_free(&pair);
        indices[i] = i;
    }
    games_copy(&result.games, &list, indices, (size_t)games / 2);
    free(indices);
}

enum { PAGE_MAX = 1000000 };

START_TEST(a_page_of_1000_games_has_them_all_in_less_than_a_megabyte) {
    Text page = {0};
    make_result(1000, 90);
    page_of_result(&result, &page);
    printf("a page of 1000 games of 90 plies: %zu bytes\n", page.length);
    ck_assert_uint_lt(page.length, PAGE_MAX);
    ck_assert_int_eq(count_of(page.data, "<tr data-pair="), 500);
    ck_assert_int_eq(count_of(page.data, " data-moves="), 1000);
    ck_assert_ptr_null(strstr(page.data, "To keep the page small"));
    ck_assert_ptr_null(strstr(page.data, "leaves out"));
    text_free(&page);
}
END_TEST

START_TEST(a_page_says_which_moves_it_leaves_out) {
    char words[64];
    Text page = {0};
    make_result(1000, 200);
    page_of_result(&result, &page);
    ck_assert_uint_lt(page.length, PAGE_MAX);
    ck_assert_int_eq(count_of(page.data, "<tr data-pair="), 500);
    int with = count_of(page.data, " data-fen=");
    ck_assert_int_gt(with, 200);
    ck_assert_int_lt(with, 500);
    snprintf(words, sizeof words, "no moves for the last %d of them", 500 - with);
    ck_assert_msg(strstr(page.data, words) != NULL, "the page does not say: %s", words);
    text_free(&page);
}
END_TEST

START_TEST(a_page_of_many_games_lists_the_most_interesting_ones) {
    Text page = {0};
    make_result(10000, 60);
    page_of_result(&result, &page);
    ck_assert_uint_lt(page.length, PAGE_MAX);
    ck_assert_int_eq(count_of(page.data, "<tr data-pair="), GAMES_ROWS_MAX);
    ck_assert_ptr_nonnull(strstr(page.data, "lists 600 of 5,000 openings"));
    /* About 550 of the 5,000 pairs were lost by dev: all of them are listed. */
    ck_assert_int_eq(count_of(page.data, "data-points=\"4\""), 0);
    text_free(&page);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, NULL, tear_down);
    tcase_add_test(tests, faults_come_first_then_lost_pairs_then_long_games);
    tcase_add_test(tests, only_the_pairs_that_count_are_copied_and_each_once);
    tcase_add_test(tests, results_are_counted_by_colour_and_length);
    tcase_add_test(tests, scores_are_those_of_the_side_that_moved);
    tcase_add_test(tests, moves_that_cannot_be_shown_are_not_kept);
    tcase_add_test(tests, a_page_of_1000_games_has_them_all_in_less_than_a_megabyte);
    tcase_add_test(tests, a_page_says_which_moves_it_leaves_out);
    tcase_add_test(tests, a_page_of_many_games_lists_the_most_interesting_ones);
}

int main(void) {
    return run_tests("games", add_tests);
}
