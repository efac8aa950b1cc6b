/* SPDX-License-Identifier: MIT */
/* The short form of a game's moves: what is written is read again, and other texts are refused. */
#include <check.h>
#include <string.h>

#include "base/count.h"
#include "results/gamemoves.h"
#include "runner.h"

static const GameMove MOVES[] = {
    {.from = 12, .to = 28},
    {.from = 52, .to = 36, .scored = true, .score = 0, .ms = 0},
    {.from = 0, .to = 63, .named = NAMED_FILE, .check = 1, .scored = true, .score = 31, .ms = 31},
    {.from = 63, .to = 0, .named = NAMED_RANK, .scored = true, .score = -32, .ms = 32},
    {.from = 1, .to = 18, .named = NAMED_FILE | NAMED_RANK, .check = 2, .ms = 1023},
    {.from = 9, .to = 1, .promotion = 4, .scored = true, .score = -GAMEMOVE_MATE + 3, .ms = 1024},
    {.from = 48,
     .to = 57,
     .promotion = 1,
     .scored = true,
     .score = GAMEMOVE_MATE - 1,
     .ms = 86400000},
    {.from = 60, .to = 63, .scored = true, .score = GAMEMOVE_SCORE_MAX, .ms = 7},
};

static void expect_equal(const GameMove *got, const GameMove *wanted) {
    ck_assert_int_eq(got->from, wanted->from);
    ck_assert_int_eq(got->to, wanted->to);
    ck_assert_int_eq(got->promotion, wanted->promotion);
    ck_assert_int_eq(got->named, wanted->named);
    ck_assert_int_eq(got->check, wanted->check);
    ck_assert_int_eq(got->scored, wanted->scored);
    ck_assert_int_eq(got->score, wanted->score);
    ck_assert_int_eq(got->ms, wanted->ms);
}

START_TEST(what_is_written_is_read_again) {
    Text text = {0};
    GameMoves written = {0};
    for (size_t i = 0; i < COUNT(MOVES); i++)
        gamemoves_add(&written, &MOVES[i], &text);
    ck_assert(gamemoves_are_sound(text_string(&text)));
    GameMoves read = {0};
    const char *at = text_string(&text);
    for (size_t i = 0; i < COUNT(MOVES); i++) {
        GameMove move;
        ck_assert(gamemoves_next(&read, &at, &move));
        expect_equal(&move, &MOVES[i]);
    }
    ck_assert_str_eq(at, "");
    text_free(&text);
}
END_TEST

START_TEST(the_form_is_the_documented_one) {
    Text text = {0};
    GameMoves moves = {0};
    gamemoves_add(&moves, &(GameMove){.from = 12, .to = 28, .scored = true, .score = 25, .ms = 40},
                  &text);
    gamemoves_add(
        &moves, &(GameMove){.from = 52, .to = 36, .check = 1, .scored = true, .score = -1}, &text);
    gamemoves_add(&moves, &(GameMove){.from = 6, .to = 21, .scored = true, .score = 20}, &text);
    ck_assert_str_eq(text_string(&text), "CS0"
                                         "p1"
                                         "e1"
                                         "qa1"
                                         "2"
                                         "0"
                                         "6L0"
                                         "A"
                                         "0");
    text_free(&text);
}
END_TEST

START_TEST(values_out_of_range_are_brought_into_range) {
    Text text = {0};
    GameMoves written = {0};
    GameMoves read = {0};
    GameMove move = {.scored = true, .score = 2000000000, .ms = -5};
    gamemoves_add(&written, &move, &text);
    const char *at = text_string(&text);
    ck_assert(gamemoves_next(&read, &at, &move));
    ck_assert_int_eq(move.score, GAMEMOVE_MATE);
    ck_assert_int_eq(move.ms, 0);
    text_free(&text);
}
END_TEST

static const char *const UNSOUND[] = {
    "CS",                   /* Half a move. */
    "CS00",                 /* A move without its time. */
    "CS0p",                 /* A number that does not end. */
    "CS0<0",                /* No digit. */
    "CS000\"",              /* A sound move, and no digit. */
    "CS_00",                /* No promotion has this number. */
    "CS0zzzzzzzz10",        /* A score beyond all scores. */
    "CS0YgZ60",             /* A score below all scores. */
    "CS00zzzzzzzzzzzzzzz1", /* A time of too many digits. */
};

START_TEST(other_texts_are_refused) {
    ck_assert_msg(!gamemoves_are_sound(UNSOUND[_i]), "%s", UNSOUND[_i]);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, what_is_written_is_read_again);
    tcase_add_test(tests, the_form_is_the_documented_one);
    tcase_add_test(tests, values_out_of_range_are_brought_into_range);
    tcase_add_loop_test(tests, other_texts_are_refused, 0, COUNT(UNSOUND));
}

int main(void) {
    return run_tests("gamemoves", add_tests);
}
