/* SPDX-License-Identifier: MIT */
/* The short form of a game's moves says what SAN says of them. */
#include <check.h>

#include "chess/fen.h"
#include "chess/move.h"
#include "match/movelist.h"
#include "results/gamemoves.h"
#include "runner.h"

enum { A1 = 0, B1 = 1, D1 = 3, E1 = 4, H1 = 7, A3 = 16, B3 = 17, H7 = 55, A8 = 56, H8 = 63 };

/* Writes the moves, given in UCI's notation, from a position, and reads the last of them again. */
static GameMove last_of(const char *fen, const char *const *words, const MoveScore *score) {
    PgnMove moves[16] = {0};
    Position pos;
    PgnGame game = {.fen = fen, .moves = moves};
    Text text = {0};
    chess_init();
    ck_assert(fen_parse(&pos, fen, false, NULL));
    for (; words[game.move_count] != NULL; game.move_count++) {
        Undo undo;
        PgnMove *move = &moves[game.move_count];
        *move = (PgnMove){.move = move_from_uci(&pos, words[game.move_count]),
                          .book = score == NULL,
                          .score = score != NULL ? *score : (MoveScore){0},
                          .elapsed_ms = 12};
        ck_assert_msg(move->move != MOVE_NONE, "%s", words[game.move_count]);
        position_make(&pos, move->move, &undo);
    }
    movelist_write(&game, &text);
    GameMoves read = {0};
    GameMove last = {0};
    const char *at = text_string(&text);
    while (*at != '\0')
        ck_assert_msg(gamemoves_next(&read, &at, &last), "%s", text_string(&text));
    ck_assert_int_eq(read.count, (int64_t)game.move_count);
    text_free(&text);
    return last;
}

static const struct {
    const char *fen, *move;
    GameMove wanted;
} CASES[] = {
    /* Rad1, R1a3, R8a3, Qb1b3: the file, the rank, both. */
    {"4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1", {.from = A1, .to = D1, .named = NAMED_FILE}},
    {"R7/7k/8/8/8/8/4K3/R7 w - - 0 1", "a1a3", {.from = A1, .to = A3, .named = NAMED_RANK}},
    {"R7/7k/8/8/8/8/4K3/R7 w - - 0 1", "a8a3", {.from = A8, .to = A3, .named = NAMED_RANK}},
    {"7k/8/8/8/1Q6/8/4K3/1Q1Q4 w - - 0 1",
     "b1b3",
     {.from = B1, .to = B3, .named = NAMED_FILE | NAMED_RANK}},
    /* Castling: the king takes its rook. */
    {"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", {.from = E1, .to = H1}},
    /* A promotion that gives mate; a pawn's file is not named. */
    {"k7/7P/1K6/8/8/8/8/8 w - - 0 1", "h7h8q", {.from = H7, .to = H8, .promotion = 4, .check = 2}},
    {"4k3/8/8/8/8/8/4K3/7R w - - 0 1", "h1h8", {.from = H1, .to = H8, .check = 1}},
    /* Rxh8: the sign of a capture names nothing. */
    {"7n/8/4k3/8/8/8/4K3/7R w - - 0 1", "h1h8", {.from = H1, .to = H8}},
};

START_TEST(moves_are_marked_as_san_marks_them) {
    const char *const words[] = {CASES[_i].move, NULL};
    const GameMove *wanted = &CASES[_i].wanted;
    GameMove got = last_of(CASES[_i].fen, words, NULL);
    ck_assert_int_eq(got.from, wanted->from);
    ck_assert_int_eq(got.to, wanted->to);
    ck_assert_int_eq(got.named, wanted->named);
    ck_assert_int_eq(got.promotion, wanted->promotion);
    ck_assert_int_eq(got.check, wanted->check);
    ck_assert(!got.scored);
    ck_assert_int_eq(got.ms, 0);
}
END_TEST

static const struct {
    MoveScore score;
    int wanted;
} SCORES[] = {
    {{.known = true, .value = -37}, -37},
    {{.known = true, .value = 1234567}, GAMEMOVE_SCORE_MAX},
    {{.known = true, .value = -1234567}, -GAMEMOVE_SCORE_MAX},
    {{.known = true, .is_mate = true, .value = 5000}, GAMEMOVE_MATE - GAMEMOVE_MATE_MAX},
    {{.known = true, .is_mate = true, .value = -5000}, GAMEMOVE_MATE_MAX - GAMEMOVE_MATE},
    {{.known = true, .is_mate = true, .value = 3}, GAMEMOVE_MATE - 3},
    {{.known = true, .is_mate = true, .value = -2}, -GAMEMOVE_MATE + 2},
};

START_TEST(scores_and_times_are_those_of_the_engine) {
    const char *const words[] = {"e2e4", "e7e5", "g1f3", NULL};
    GameMove got = last_of(FEN_STARTPOS, words, &SCORES[_i].score);
    ck_assert(got.scored);
    ck_assert_int_eq(got.score, SCORES[_i].wanted);
    ck_assert_int_eq(got.ms, 12);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, moves_are_marked_as_san_marks_them, 0, COUNT(CASES));
    tcase_add_loop_test(tests, scores_and_times_are_those_of_the_engine, 0, COUNT(SCORES));
}

int main(void) {
    return run_tests("movelist", add_tests);
}
