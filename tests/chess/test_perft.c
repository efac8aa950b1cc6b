/* SPDX-License-Identifier: MIT */
/* Leaf counts: the reference files of RD_SHARED, and a few that every chess programmer knows. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chess/fen.h"
#include "chess/perft.h"
#include "runner.h"

/* The largest count that `make check` computes; RD_DEEP=1 computes all. */
static const uint64_t CHECK_LIMIT = 1000000;
static const uint64_t DEEP_LIMIT = UINT64_MAX;

static uint64_t count_limit(void) {
    const char *deep = getenv("RD_DEEP");
    return deep && strcmp(deep, "1") == 0 ? DEEP_LIMIT : CHECK_LIMIT;
}

/* Checks the counts "D1 n ;D2 n" of one position up to the limit; returns how many it checked. */
static int check_counts(const char *fen, bool chess960, const char *counts) {
    Position pos;
    FenError err;
    ck_assert_msg(fen_parse(&pos, fen, chess960, &err), "%s: %s", fen, err.text);
    const Position before = pos;
    int checked = 0;
    int depth;
    uint64_t expected;
    for (const char *at = strchr(counts, 'D'); at; at = strchr(at + 1, 'D')) {
        ck_assert_msg(sscanf(at, "D%d %" SCNu64, &depth, &expected) == 2, "counts: %s", at);
        if (expected > count_limit())
            continue;
        uint64_t counted = perft(&pos, depth);
        ck_assert_msg(counted == expected, "%s depth %d: %" PRIu64 " instead of %" PRIu64, fen,
                      depth, counted, expected);
        ck_assert_msg(memcmp(&pos, &before, sizeof pos) == 0, "%s depth %d: position changed", fen,
                      depth);
        checked++;
    }
    return checked;
}

START_TEST(known_counts) {
    static const struct {
        const char *fen;
        const char *counts;
    } KNOWN[] = {
        {FEN_STARTPOS, "D1 20 ;D2 400 ;D3 8902 ;D4 197281 ;D5 4865609 ;D6 119060324"},
        {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
         "D1 48 ;D2 2039 ;D3 97862 ;D4 4085603 ;D5 193690690"},
        {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
         "D1 14 ;D2 191 ;D3 2812 ;D4 43238 ;D5 674624 ;D6 11030083"},
        {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
         "D1 6 ;D2 264 ;D3 9467 ;D4 422333 ;D5 15833292"},
        {"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
         "D1 44 ;D2 1486 ;D3 62379 ;D4 2103487 ;D5 89941194"},
        {"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
         "D1 46 ;D2 2079 ;D3 89890 ;D4 3894594"},
        /* Of two pawns that could take en passant one is pinned. */
        {"4r1k1/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", "D1 8 ;D2 109 ;D3 835 ;D4 12605 ;D5 100228"},
        /* A pinned pawn promotes by taking what pins it. */
        {"2b3k1/1P6/K7/8/8/8/8/8 w - - 0 1", "D1 8 ;D2 60 ;D3 720 ;D4 6375 ;D5 77567"},
    };
    int checked = 0;
    for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++)
        checked += check_counts(KNOWN[i].fen, false, KNOWN[i].counts);
    ck_assert_int_ge(checked, 32);
    /* A standard position is a Chess960 position too, and counts the same. */
    ck_assert_int_ge(check_counts(KNOWN[1].fen, true, KNOWN[1].counts), 3);
}
END_TEST

static void check_file(const char *name, bool chess960) {
    const char *path = shared_path(name);
    FILE *file = fopen(path, "r");
    if (!file) {
        printf("test_perft: left out %s: no %s\n", name, path);
        return;
    }
    char line[512];
    int positions = 0;
    int checked = 0;
    while (fgets(line, sizeof line, file)) {
        char *counts = strchr(line, ';');
        ck_assert_msg(counts != NULL, "%s: no counts: %s", path, line);
        *counts = '\0';
        checked += check_counts(line, chess960, counts + 1);
        positions++;
    }
    fclose(file);
    printf("test_perft: %s: %d positions, %d counts\n", name, positions, checked);
    ck_assert_int_gt(positions, 0);
    ck_assert_int_ge(checked, positions);
}

START_TEST(reference_counts_standard) {
    check_file("golden/perft-standard.epd", false);
}
END_TEST

START_TEST(reference_counts_chess960) {
    check_file("golden/perft-chess960.epd", true);
}
END_TEST

START_TEST(depth_zero_is_one_leaf) {
    Position pos;
    ck_assert(fen_parse(&pos, FEN_STARTPOS, false, NULL));
    ck_assert_uint_eq(perft(&pos, 0), 1);
    ck_assert_uint_eq(perft(&pos, -1), 1);
}
END_TEST

static void add_tests(TCase *tc) {
    tcase_add_test(tc, depth_zero_is_one_leaf);
    tcase_add_test(tc, known_counts);
    tcase_add_test(tc, reference_counts_standard);
    tcase_add_test(tc, reference_counts_chess960);
}

int main(void) {
    chess_init();
    return run_tests("perft", add_tests);
}
