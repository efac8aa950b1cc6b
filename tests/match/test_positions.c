/* SPDX-License-Identifier: MIT */
/* The positions of a game as text for training. */
#include <check.h>
#include <string.h>

#include "chess/attacks.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "match/positions.h"
#include "runner.h"

enum { MOVES = 6 };

/* 1. e4 e5 2. Nf3 Nc6 3. Bc4 d6, of which the first move is the opening's. */
static void make_moves(PgnMove moves[MOVES]) {
    static const char *const UCI[MOVES] = {"e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "d7d6"};
    static const MoveScore SCORES[MOVES] = {
        {.known = false},
        {.known = true, .value = 25},
        {.known = true, .value = 31},
        {.known = false},
        {.known = true, .value = 123456},
        {.known = true, .is_mate = true, .value = -7},
    };
    Position pos;
    chess_init();
    ck_assert(fen_parse(&pos, FEN_STARTPOS, false, NULL));
    for (int i = 0; i < MOVES; i++) {
        Undo undo;
        moves[i] =
            (PgnMove){.move = move_from_uci(&pos, UCI[i]), .book = i == 0, .score = SCORES[i]};
        position_make(&pos, moves[i].move, &undo);
    }
}

START_TEST(each_move_with_a_score_gives_a_position_from_whites_side) {
    static const struct {
        const char *result;
        const char *points;
    } RESULTS[] = {{"1-0", "1.0"}, {"1/2-1/2", "0.5"}, {"0-1", "0.0"}};
    PgnMove moves[MOVES];
    make_moves(moves);
    for (size_t i = 0; i < sizeof RESULTS / sizeof *RESULTS; i++) {
        const char *points = RESULTS[i].points;
        PgnGame game = {
            .fen = FEN_STARTPOS, .result = RESULTS[i].result, .moves = moves, .move_count = MOVES};
        Text text = {0};
        Text wanted = {0};
        text_addf(
            &wanted,
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 | -25 | %s\n"
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 | 31 | %s\n"
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3 | 31999 | %s\n"
            "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3 | 32000 | %s\n",
            points, points, points, points);
        positions_write(&game, &text);
        ck_assert_str_eq(text_string(&text), text_string(&wanted));
        text_free(&text);
        text_free(&wanted);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, each_move_with_a_score_gives_a_position_from_whites_side);
}

int main(void) {
    return run_tests("positions", add_tests);
}
