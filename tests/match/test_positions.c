/* SPDX-License-Identifier: MIT */
/* The positions of a game as text for training. */
#include <check.h>
#include <string.h>

#include "chess/attacks.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "match/movelist.h"
#include "match/positions.h"
#include "runner.h"

enum { MOVES_MAX = 8 };

typedef struct {
    const char *uci; /* NULL: the end of the game. */
    MoveScore score;
} Played;

/* A game of these moves, of which the first is the opening's. The caller frees it. */
static GameResult played(const char *fen, const Played *given, bool chess960, Side white,
                         int64_t dev_points) {
    PgnMove moves[MOVES_MAX] = {0};
    PgnGame game = {.fen = fen, .chess960 = chess960, .moves = moves};
    Position pos;
    Text text = {0};
    chess_init();
    ck_assert(fen_parse(&pos, fen, chess960, NULL));
    for (; given[game.move_count].uci != NULL; game.move_count++) {
        Undo undo;
        const Played *one = &given[game.move_count];
        Move move = move_from_uci(&pos, one->uci);
        ck_assert_msg(move != MOVE_NONE, "%s", one->uci);
        moves[game.move_count] =
            (PgnMove){.move = move, .book = game.move_count == 0, .score = one->score};
        position_make(&pos, move, &undo);
    }
    movelist_write(&game, &text);
    return (GameResult){.white = white,
                        .dev_points = dev_points,
                        .ending = ENDING_MATE,
                        .fen = strdup(fen),
                        .moves = text_take(&text)};
}

static void expect_lines(const GameResult *game, bool chess960, PositionsKind kind,
                         const char *wanted) {
    Text text = {0};
    Error err = {0};
    ck_assert_msg(positions_write(game, chess960, kind, &text, &err), "%s", err.text);
    ck_assert_str_eq(text_string(&text), wanted);
    text_free(&text);
}

#define SCORE(number)                                                                              \
    { .known = true, .value = (number) }
#define MATE(number)                                                                               \
    { .known = true, .is_mate = true, .value = (number) }

START_TEST(each_move_with_a_score_gives_a_position_from_whites_side) {
    static const Played MOVES[] = {{"e2e4", {0}},     {"e7e5", SCORE(25)},      {"g1f3", SCORE(31)},
                                   {"b8c6", {0}},     {"f1c4", SCORE(123456)},  {"d7d6", MATE(-7)},
                                   {"b1c3", MATE(4)}, {"c8g4", SCORE(-123456)}, {NULL, {0}}};
    static const struct {
        Side white;
        int64_t dev_points;
        const char *points;
    } RESULTS[] = {{SIDE_DEV, 2, "1.0"},  {SIDE_DEV, 1, "0.5"},  {SIDE_DEV, 0, "0.0"},
                   {SIDE_BASE, 2, "0.0"}, {SIDE_BASE, 1, "0.5"}, {SIDE_BASE, 0, "1.0"}};
    for (size_t i = 0; i < sizeof RESULTS / sizeof *RESULTS; i++) {
        const char *points = RESULTS[i].points;
        GameResult game =
            played(FEN_STARTPOS, MOVES, false, RESULTS[i].white, RESULTS[i].dev_points);
        Text wanted = {0};
        text_addf(
            &wanted,
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 | -25 | %s\n"
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 | 31 | %s\n"
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3 | 31999 | %s\n"
            "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3 | 32000 | %s\n"
            "r1bqkbnr/ppp2ppp/2np4/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4 | 32000 | %s\n"
            "r1bqkbnr/ppp2ppp/2np4/4p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R b KQkq - 1 4 | 31999 | %s\n",
            points, points, points, points, points, points);
        expect_lines(&game, false, POSITIONS_ALL, text_string(&wanted));
        text_free(&wanted);
        game_free_result(&game);
    }
}
END_TEST

/* A capture, a check, the answer to it, a mate that was seen, a promotion; what is left is quiet.
 */
START_TEST(quiet_positions_have_no_check_capture_promotion_or_mate) {
    static const Played MOVES[] = {
        {"h1h2", {0}},        {"h8h7", SCORE(-300)}, {"d1d4", SCORE(310)},  {"h7h6", MATE(-9)},
        {"d4d6", SCORE(320)}, {"h6h7", SCORE(-330)}, {"a7a8q", SCORE(900)}, {NULL, {0}}};
    GameResult game = played("7k/P7/8/8/3p4/8/8/3R3K w - - 0 1", MOVES, false, SIDE_DEV, 2);
    expect_lines(&game, false, POSITIONS_QUIET,
                 "7k/P7/8/8/3p4/8/7K/3R4 b - - 1 1 | 300 | 1.0\n"
                 "8/P7/7k/8/3R4/8/7K/8 w - - 1 3 | 320 | 1.0\n");
    game_free_result(&game);
}
END_TEST

START_TEST(castling_is_found_again_in_both_kinds_of_chess) {
    static const Played STANDARD[] = {{"h8h7", {0}}, {"e1g1", SCORE(5)}, {"h7h8", SCORE(6)}, {0}};
    static const Played SHUFFLED[] = {{"h8h7", {0}}, {"b1f1", SCORE(5)}, {"h7h8", SCORE(6)}, {0}};
    GameResult game = played("4k2r/8/8/8/8/8/8/4K2R b K - 0 1", STANDARD, false, SIDE_BASE, 1);
    expect_lines(&game, false, POSITIONS_ALL,
                 "4k3/7r/8/8/8/8/8/4K2R w K - 1 2 | 5 | 0.5\n"
                 "4k3/7r/8/8/8/8/8/5RK1 b - - 2 2 | -6 | 0.5\n");
    game_free_result(&game);
    game = played("4k2r/8/8/8/8/8/8/1K3R2 b F - 0 1", SHUFFLED, true, SIDE_BASE, 1);
    expect_lines(&game, true, POSITIONS_ALL,
                 "4k3/7r/8/8/8/8/8/1K3R2 w F - 1 2 | 5 | 0.5\n"
                 "4k3/7r/8/8/8/8/8/5RK1 b - - 2 2 | -6 | 0.5\n");
    game_free_result(&game);
}
END_TEST

START_TEST(a_game_that_a_fault_ended_gives_none) {
    static const Played MOVES[] = {{"e2e4", {0}}, {"e7e5", SCORE(25)}, {0}};
    GameResult game = played(FEN_STARTPOS, MOVES, false, SIDE_DEV, 2);
    game.ending = ENDING_CRASH;
    expect_lines(&game, false, POSITIONS_ALL, "");
    game_free_result(&game);
}
END_TEST

static void expect_refused(char *fen, char *moves, const char *wanted) {
    GameResult game = {.ending = ENDING_MATE, .fen = fen, .moves = moves};
    Text text = {0};
    Error err = {0};
    ck_assert(!positions_write(&game, false, POSITIONS_ALL, &text, &err));
    ck_assert_ptr_nonnull(strstr(err.text, wanted));
    text_free(&text);
}

START_TEST(what_is_no_game_is_refused) {
    static char start[] = FEN_STARTPOS;
    static char nonsense[] = "nonsense";
    static char empty[] = "";
    static char illegal[] = "00000"; /* a1a1 */
    static char torn[] = "0";
    expect_refused(NULL, NULL, "not known");
    expect_refused(nonsense, empty, "no position");
    expect_refused(start, illegal, "move 1 of a game");
    expect_refused(start, torn, "cannot be read");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, each_move_with_a_score_gives_a_position_from_whites_side);
    tcase_add_test(tests, quiet_positions_have_no_check_capture_promotion_or_mate);
    tcase_add_test(tests, castling_is_found_again_in_both_kinds_of_chess);
    tcase_add_test(tests, a_game_that_a_fault_ended_gives_none);
    tcase_add_test(tests, what_is_no_game_is_refused);
}

int main(void) {
    return run_tests("positions", add_tests);
}
