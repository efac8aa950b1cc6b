/* SPDX-License-Identifier: MIT */
/* The parser of `go`: what it reads, and what it ignores. */
#include <stdio.h>

#include "chess/attacks.h"
#include "chess/fen.h"
#include "chess/move.h"
#include "go.h"
#include "runner.h"

static bool parse_in(const char *fen, const char *text, Go *go) {
    char words[256];
    Position position;
    ck_assert(fen_parse(&position, fen, false, NULL));
    snprintf(words, sizeof words, "%s", text);
    return go_parse(words, &position, go);
}

/* Reads `text` for the starting position. */
static bool parse(const char *text, Go *go) {
    return parse_in(FEN_STARTPOS, text, go);
}

static Go parsed(const char *text) {
    Go go;
    ck_assert_msg(parse(text, &go), "\"%s\" is refused: %s", text, go.ignored);
    return go;
}

START_TEST(every_limit_is_read) {
    Go go = parsed("wtime 1 btime 2 winc 3 binc 4 movestogo 5 depth 6 nodes 7 mate 8 movetime 9 "
                   "ponder");
    ck_assert_str_eq(go.ignored, "");
    ck_assert(go.limits.has_clock && go.limits.ponder && !go.limits.infinite);
    ck_assert_int_eq(go.limits.time_ms[WHITE], 1);
    ck_assert_int_eq(go.limits.time_ms[BLACK], 2);
    ck_assert_int_eq(go.limits.inc_ms[WHITE], 3);
    ck_assert_int_eq(go.limits.inc_ms[BLACK], 4);
    ck_assert_int_eq(go.limits.movestogo, 5);
    ck_assert_int_eq(go.limits.depth, 6);
    ck_assert_uint_eq(go.limits.nodes, 7);
    ck_assert_int_eq(go.limits.mate, 8);
    ck_assert_int_eq(go.limits.movetime_ms, 9);
}
END_TEST

START_TEST(without_a_limit_a_search_is_infinite) {
    static const char *const texts[] = {"", "infinite", "searchmoves e2e4", "xyzzy", "dept 10"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(parsed(texts[i]).limits.infinite, "go %s is not infinite", texts[i]);
}
END_TEST

START_TEST(the_clock_of_the_side_to_move_counts) {
    static const char black_moves[] = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    static const struct {
        const char *fen, *text;
        bool has_clock, infinite;
        int depth;
    } rows[] = {
        {FEN_STARTPOS, "wtime 1000", true, false, 0},
        {FEN_STARTPOS, "btime 1000 binc 10 winc 10", false, false, 1},
        {FEN_STARTPOS, "binc 10 winc 10", false, true, 0},
        {FEN_STARTPOS, "btime 1000 depth 9", false, false, 9},
        {FEN_STARTPOS, "btime 1000 mate 3", false, false, 0},
        {FEN_STARTPOS, "btime 1000 ponder", false, false, 1},
        {FEN_STARTPOS, "ponder wtime 1000.5", false, false, 1},
        {FEN_STARTPOS, "ponder wtime 1000", true, false, 0},
        {FEN_STARTPOS, "ponder", false, false, 0},
        {black_moves, "btime 1000", true, false, 0},
        {black_moves, "btime 0 wtime 1000", true, false, 0},
        {black_moves, "wtime 60000", false, false, 1},
        {black_moves, "wtime 60000 nodes 500", false, false, 0},
        {black_moves, "wtime 60000 btime x", false, false, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Go go;
        ck_assert(parse_in(rows[i].fen, rows[i].text, &go));
        ck_assert_msg(go.limits.has_clock == rows[i].has_clock &&
                          go.limits.infinite == rows[i].infinite &&
                          go.limits.depth == rows[i].depth,
                      "go %s in %s: has_clock %d, infinite %d, depth %d", rows[i].text, rows[i].fen,
                      go.limits.has_clock, go.limits.infinite, go.limits.depth);
    }
}
END_TEST

START_TEST(the_other_sides_clock_alone_is_told) {
    Go go = parsed("btime 1000 binc 10 winc 10");
    ck_assert_str_eq(go.ignored, "");
    ck_assert(go.no_limit);
    go = parsed("btime 1000 depth 9");
    ck_assert_str_eq(go.ignored, "");
    ck_assert(!go.no_limit);
    go = parsed("wtime abc");
    ck_assert_str_eq(go.ignored, "go: wtime wants a number, not \"abc\": ignored");
    ck_assert(go.no_limit);
    go = parsed("foo btime 1000");
    ck_assert_str_eq(go.ignored, "go: \"foo\" is not understood: ignored");
    ck_assert(go.no_limit);
}
END_TEST

START_TEST(unknown_words_are_ignored_and_named) {
    Go go = parsed("xyzzy 12 depth 3 frobnicate");
    ck_assert_int_eq(go.limits.depth, 3);
    ck_assert_str_eq(go.ignored, "go: \"xyzzy\" is not understood: ignored");
}
END_TEST

START_TEST(numbers_out_of_range_become_the_nearer_end) {
    static const char huge[] = "99999999999999999999999999999999999999";
    char text[192];
    ck_assert_int_eq(parsed("depth 0").limits.depth, 1);
    ck_assert_int_eq(parsed("depth -3").limits.depth, 1);
    snprintf(text, sizeof text, "depth %s", huge);
    ck_assert_int_eq(parsed(text).limits.depth, MAX_PLY);
    ck_assert_uint_eq(parsed("nodes 0").limits.nodes, 1);
    ck_assert_int_eq(parsed("movetime 0").limits.movetime_ms, 1);
    ck_assert_int_eq(parsed("wtime -5").limits.time_ms[WHITE], -5);
    snprintf(text, sizeof text, "wtime %s btime -%s nodes %s", huge, huge, huge);
    Go go = parsed(text);
    ck_assert_str_eq(go.ignored, "");
    ck_assert_int_gt(go.limits.time_ms[WHITE], INT64_C(1000000000000));
    ck_assert_int_lt(go.limits.time_ms[BLACK], -INT64_C(1000000000000));
    ck_assert_uint_gt(go.limits.nodes, UINT64_C(100000000000000));
}
END_TEST

START_TEST(a_limit_without_a_number_is_ignored) {
    Go go = parsed("depth x nodes 50");
    ck_assert_int_eq(go.limits.depth, 0);
    ck_assert_uint_eq(go.limits.nodes, 50);
    ck_assert_str_eq(go.ignored, "go: depth wants a number, not \"x\": ignored");
    go = parsed("wtime btime 1000"); /* the word that stands where a number should is read itself */
    ck_assert_int_eq(go.limits.time_ms[BLACK], 1000);
}
END_TEST

START_TEST(where_no_limit_could_be_read_the_depth_is_1) {
    static const char *const texts[] = {"depth", "depth x", "movetime 1s", "nodes 1e6 foo",
                                        "nodes -"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Go go = parsed(texts[i]);
        ck_assert_msg(go.limits.depth == 1 && !go.limits.infinite && go.no_limit,
                      "go %s: depth %d, no limit %d", texts[i], go.limits.depth, go.no_limit);
    }
}
END_TEST

START_TEST(searchmoves_that_are_not_legal_are_ignored) {
    Go go = parsed("searchmoves e9e9 e2e4 e2e5 d2d4 e2e4 depth 2");
    ck_assert_int_eq(go.limits.searchmoves_count, 2);
    ck_assert_int_eq(go.limits.depth, 2);
    ck_assert_str_eq(go.ignored, "go: searchmoves: \"e9e9\" is not a legal move here: ignored");
    ck_assert_int_eq(parsed("searchmoves e2e5 depth 2").limits.searchmoves_count, 0);
}
END_TEST

START_TEST(perft_wants_a_depth) {
    Go go;
    ck_assert_int_eq(parsed("perft 5").perft, 5);
    ck_assert(!parse("perft", &go));
    ck_assert(!parse("perft 0", &go));
    ck_assert(!parse("perft 33", &go));
    ck_assert_str_eq(go.ignored, "go: perft wants a depth from 1 to 32, not \"33\"");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, every_limit_is_read);
    tcase_add_test(tests, without_a_limit_a_search_is_infinite);
    tcase_add_test(tests, the_clock_of_the_side_to_move_counts);
    tcase_add_test(tests, the_other_sides_clock_alone_is_told);
    tcase_add_test(tests, unknown_words_are_ignored_and_named);
    tcase_add_test(tests, numbers_out_of_range_become_the_nearer_end);
    tcase_add_test(tests, a_limit_without_a_number_is_ignored);
    tcase_add_test(tests, where_no_limit_could_be_read_the_depth_is_1);
    tcase_add_test(tests, searchmoves_that_are_not_legal_are_ignored);
    tcase_add_test(tests, perft_wants_a_depth);
}

int main(void) {
    chess_init();
    return run_tests("go", add_tests);
}
