/* SPDX-License-Identifier: MIT */
/* Draws by material and by repetition. */
#include <stdio.h>

#include "chess/draw.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "runner.h"

START_TEST(insufficient_material) {
    static const struct {
        const char *board;
        bool drawn;
    } CASES[] = {
        {"4k3/8/8/8/8/8/8/4K3", true},
        {"4k3/8/8/8/8/8/8/4KN2", true},
        {"4k1b1/8/8/8/8/8/8/4K3", true},
        /* Two bishops on one colour, whoever owns them; c1 and f8 are dark, f1 and c8 light. */
        {"4kb2/8/8/8/8/8/8/2B1K3", true},
        {"2b1k3/8/8/8/8/8/8/4KB2", true},
        {"4k3/8/8/8/8/4B3/8/2B1K3", true},
        {"2b1k3/8/8/8/8/8/8/2B1K3", false},
        {"4k3/8/8/8/8/8/8/2B1KB2", false},
        {"4k3/8/8/8/8/4B3/8/B1B1K3", false}, /* three bishops are not two */
        {"4k3/8/8/8/8/4B3/8/1NB1K3", false}, /* nor are two and a knight */
        {"4k3/8/8/8/8/8/8/1N2KN2", false},
        {"1n2k3/8/8/8/8/8/8/1N2K3", false},
        {"1n2k3/8/8/8/8/8/8/2B1K3", false},
        {"4k3/8/8/8/8/8/P7/4K3", false},
        {"4k3/8/8/8/8/8/8/R3K3", false},
        {"4k3/8/8/8/8/8/8/3QK3", false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char fen[FEN_MAX];
        Position pos;
        FenError err;
        snprintf(fen, sizeof fen, "%s w - - 0 1", CASES[i].board);
        ck_assert_msg(fen_parse(&pos, fen, false, &err), "%s: %s", fen, err.text);
        ck_assert_msg(draw_insufficient_material(&pos) == CASES[i].drawn, "%s: %d", fen,
                      !CASES[i].drawn);
    }
}
END_TEST

enum { GAME_MAX = 64 };

/* Plays moves from the start position; keys[i] is the key after i plies. Returns their number. */
static int play(Position *pos, const char *const moves[], uint64_t keys[GAME_MAX]) {
    ck_assert(fen_parse(pos, FEN_STARTPOS, false, NULL));
    int count = 0;
    keys[count++] = pos->key;
    for (; *moves; moves++) {
        Undo undo;
        Move move = move_from_uci(pos, *moves);
        ck_assert_msg(move != MOVE_NONE, "%s", *moves);
        position_make(pos, move, &undo);
        keys[count++] = pos->key;
    }
    return count;
}

START_TEST(knights_out_and_back_repeat_the_start) {
    static const char *const MOVES[] = {"g1f3", "g8f6", "f3g1", "f6g8", "g1f3",
                                        "g8f6", "f3g1", "f6g8", NULL};
    Position pos;
    uint64_t keys[GAME_MAX];
    int count = play(&pos, MOVES, keys);
    static const int SEEN[] = {0, 0, 0, 0, 1, 1, 1, 1, 2};
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(draw_repetitions(keys, i + 1, i), SEEN[i]);
    ck_assert_int_eq(pos.rule50, 8);
    /* What lies before the last irreversible move, or is not known, does not count. */
    ck_assert_int_eq(draw_repetitions(keys, count, 7), 1);
    ck_assert_int_eq(draw_repetitions(keys, count, 3), 0);
    ck_assert_int_eq(draw_repetitions(keys + count - 4, 4, 8), 0);
    ck_assert_int_eq(draw_repetitions(keys, 1, 50), 0);
}
END_TEST

/* Two kings or rooks come back after three moves each. */
START_TEST(six_plies_may_lead_back) {
    static const uint64_t KEYS[] = {1, 2, 3, 4, 5, 6, 1};
    ck_assert_int_eq(draw_repetitions(KEYS, 7, 6), 1);
    ck_assert_int_eq(draw_repetitions(KEYS, 7, 5), 0);
}
END_TEST

START_TEST(an_earlier_position_may_be_the_one_that_stood_twice) {
    static const uint64_t KEYS[] = {1, 2, 3, 4, 1, 5, 6};
    ck_assert(draw_any_repetition(KEYS, 5, 4));
    ck_assert(draw_any_repetition(KEYS, 7, 6));
    ck_assert(draw_any_repetition(KEYS, 7, 100));
    ck_assert(!draw_any_repetition(KEYS, 7, 5)); /* The first 1 stood before the capture. */
    ck_assert(!draw_any_repetition(KEYS + 1, 6, 6));
    ck_assert(!draw_any_repetition(KEYS, 4, 4));
    ck_assert(!draw_any_repetition(KEYS, 1, 0));
}
END_TEST

START_TEST(lost_castling_rights_are_another_position) {
    static const char *const MOVES[] = {"g1f3", "g8f6", "h1g1", "h8g8", "g1h1",
                                        "g8h8", "f3g1", "f6g8", NULL};
    Position pos;
    uint64_t keys[GAME_MAX];
    int count = play(&pos, MOVES, keys);
    ck_assert_int_eq(draw_repetitions(keys, count, pos.rule50), 0);
}
END_TEST

START_TEST(an_en_passant_square_matters_only_when_one_can_capture) {
    /* After e2e4 nothing can capture: the position comes again. After c2c4 b4xc3 is possible. */
    static const char *const PLAIN[] = {"e2e4", "g8f6", "g1f3", "f6g8", "f3g1", NULL};
    static const char *const CAPTURABLE[] = {"a2a3", "b7b5", "a3a4", "b5b4", "c2c4",
                                             "g8f6", "g1f3", "f6g8", "f3g1", NULL};
    Position pos;
    uint64_t keys[GAME_MAX];
    int count = play(&pos, PLAIN, keys);
    ck_assert_int_eq(draw_repetitions(keys, count, pos.rule50), 1);
    count = play(&pos, CAPTURABLE, keys);
    ck_assert_int_eq(draw_repetitions(keys, count, pos.rule50), 0);
}
END_TEST

static void add_tests(TCase *tc) {
    tcase_add_test(tc, insufficient_material);
    tcase_add_test(tc, knights_out_and_back_repeat_the_start);
    tcase_add_test(tc, six_plies_may_lead_back);
    tcase_add_test(tc, an_earlier_position_may_be_the_one_that_stood_twice);
    tcase_add_test(tc, lost_castling_rights_are_another_position);
    tcase_add_test(tc, an_en_passant_square_matters_only_when_one_can_capture);
}

int main(void) {
    chess_init();
    return run_tests("draw", add_tests);
}
