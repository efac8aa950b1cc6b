/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "chess/fen.h"
#include "lmr/flags.h"
#include "lmr/reduction.h"
#include "search/search.h"
#include "search/timeman.h"

/* Every third ply or so of games that this engine played against itself from random openings, from
 * the opening to the ending, some endings of few men, and last a position of 69 legal moves. */
static const char *const positions[] = {
    FEN_STARTPOS,
    "rnbqkbnr/p3pppp/1ppp4/3P4/4P3/2N4N/PPP1BPPP/R1BQK2R b KQkq - 1 6",
    "r1bqkbnr/ppp1pp2/2n5/3p3p/P2P2pP/1P2P3/2PQ1PP1/RNB1KBNR w KQkq - 1 8",
    "rnbqk2r/pp2ppb1/5npp/2pP4/P7/3P1N2/1PP2PPP/RNBQKB1R b Kkq - 0 9",
    "2kr1bnr/1pq2ppp/2n5/p7/8/2P1Pb1P/PP1N1P2/R1BQKB1R w KQ - 0 11",
    "rnbq1rk1/5ppp/1bpp1n2/p7/Pp1P1BP1/1P3PRN/R3P2P/1N1QKB2 b - - 2 12",
    "rq2k1nr/pb1nb3/3Ppp2/1p2B1pp/1P1P4/2P2N1P/4BPP1/RN1QK2R w KQkq - 0 14",
    "r2q1r2/2p1b1kp/p1n1b2p/1p2Np1Q/1PPp4/3PP3/P1N2PPP/1R2KB1R b K - 0 15",
    "r6r/1p3pk1/p1n2qpp/3p4/6b1/2P1PN2/PPQ2PPP/2KR1B1R w - - 5 17",
    "rr2n1k1/1b1nqppp/1p6/3pp3/1P1PP3/pQ2BN2/P1R1BPPP/5RK1 b - - 2 18",
    "rn3r1k/pp1q3p/4pp2/2Pp4/1b1P2Pn/1PNQp3/1B2B2P/R4RK1 w - - 2 20",
    "r1b1r1k1/2q2pp1/5n1p/p1ppP3/6PP/P1Q2P2/1P2P3/R1BK1B1R b - - 0 21",
    "2krr3/1pp3p1/p6p/3n1p2/3P2bP/2KBPN2/1B1N2P1/4R3 w - - 6 23",
    "r5nr/p2R1kp1/R3pp2/2b4p/1pP2P1P/4PN2/4K1P1/8 b - - 2 24",
    "2b4r/4qkb1/2pn2p1/1p1p1p2/3B4/N3P1PP/n1P1N1B1/3K1Q1R w - - 1 26",
    "r4rk1/1pp3p1/8/3Npn2/p2n2N1/P2P3P/1PPK2R1/R7 b - - 6 27",
    "3Q1b1r/6pp/6k1/1Bp1p3/8/8/5PPP/n1q1NK1R w - - 5 29",
    "4r2k/pp4bp/8/2Pn2qp/P2P4/2P3P1/R1Q1N3/5NK1 b - - 4 30",
    "4k3/5p1r/pNn5/p3b3/P3R1P1/2p1P2P/2K3R1/6N1 w - - 4 32",
    "1r1k4/p1p4p/8/6PP/1bPr1P2/3p4/PP1B3R/RK6 b - - 5 33",
    "4q3/5r1k/2pp3p/pp1NP1p1/2PN4/1P5P/PK4P1/4R3 w - - 2 35",
    "6k1/6p1/p6p/1p6/1Kb2P2/P3n1P1/3r4/2N1R3 b - - 3 36",
    "8/1p3k2/p6p/P3bpnP/1Pp1p1p1/2PrP1P1/4KP2/B1R5 w - - 1 38",
    "8/5kb1/2b1p3/2p3p1/2P5/4NP2/r2K2BR/8 w - - 18 41",
    "7k/2p4p/2n2R2/4p3/p1P1P3/1r1P4/8/4NK2 b - - 0 42",
    "6k1/8/7p/5p2/2p5/p1r3P1/R4P1K/8 w - - 0 44",
    "2b5/5k1p/pn4pP/5p2/2p5/N1P1BPP1/P4K2/8 b - - 6 45",
    "8/1R3p2/3N1k1p/3n4/4B3/1K3P2/7r/8 b - - 13 48",
    "3b4/1k6/R2P1p2/8/PPK2R2/2P5/8/7r w - - 1 53",
    "1rq5/2p1n2k/1b2b1n1/2Np2p1/QP1P1pPp/4pP1P/1BN1P1B1/R5K1 b - - 6 54",
    "r7/1b1n4/1p1kpb1B/1Pp1p3/2PpP2p/3P1P1P/6R1/2NBK3 b - - 38 57",
    "7r/r6P/8/7R/2kp3R/8/8/5K2 b - - 6 63",
    "r3k2r/pp1b1ppp/2n1pn2/q1bp4/8/2NBPN2/PPQB1PPP/R3K2R w KQkq - 0 12",
    "8/5k2/8/2p1p3/2P1P3/4K3/8/8 w - - 0 50",
    "8/2k5/8/1PB5/8/8/5n2/3K4 w - - 0 60",
    "8/8/1r6/3k4/8/3KR3/3P4/8 w - - 0 60",
    "8/8/4k3/3p4/3P1K2/8/6P1/8 w - - 0 60",
    "2q1r1k1/1q3ppp/8/3q4/4Q3/1Q1R4/5PPP/2Q3K1 w - - 0 50",
};
enum { POSITION_COUNT = sizeof positions / sizeof positions[0], MEASURE_STEP = 4 };

/* Searches one position from an empty table. */
static bool search_position(Task *task, const char *fen, const SearchLimits *limits,
                            SearchResult *result) {
    Position position;
    search_clear(task->search);
    return fen_parse(&position, fen, false, NULL) &&
           task_search(task, &position, NULL, 0, limits, result);
}

bool bench_run(Task *task, int depth, FILE *progress, BenchResult *result) {
    SearchLimits limits = {.depth = depth};
    int64_t start = timeman_now_ns();
    *result = (BenchResult){0};
    for (int i = 0; i < POSITION_COUNT; i++) {
        SearchResult found;
        if (!search_position(task, positions[i], &limits, &found))
            return false;
        result->nodes += found.nodes;
        fprintf(progress, "%2d/%d %10" PRIu64 " nodes  %s\n", i + 1, (int)POSITION_COUNT,
                found.nodes, positions[i]);
    }
    result->time_ns = timeman_now_ns() - start;
    return true;
}

/* Searches with ENABLE as given; the row is as it was afterwards. */
static bool search_enabled(Task *task, const char *fen, const SearchLimits *limits, bool enable,
                           SearchResult *result) {
    int row = lmr_row_find("ENABLE"), before = lmr_row_value(row);
    lmr_row_set(row, enable);
    lmr_init();
    bool done = search_position(task, fen, limits, result);
    lmr_row_set(row, before);
    lmr_init();
    return done;
}

/* One position for bench_measure. */
static bool measure_position(Task *task, const char *fen, int depth, LmrMeasurement *out) {
    SearchLimits limits = {.depth = depth};
    SearchResult on, off, same_cost;
    LmrStats stats;
    if (!search_enabled(task, fen, &limits, true, &on))
        return false;
    search_lmr_stats(task->search, &stats);
    if (!search_enabled(task, fen, &limits, false, &off))
        return false;
    limits = (SearchLimits){.nodes = off.nodes};
    if (!search_enabled(task, fen, &limits, true, &same_cost))
        return false;
    lmr_stats_add(&out->stats, &stats);
    out->nodes_on += on.nodes;
    out->nodes_off += off.nodes;
    out->deeper += same_cost.depth - depth;
    out->positions++;
    return true;
}

bool bench_measure(Task *task, int depth, LmrMeasurement *out) {
    memset(out, 0, sizeof *out);
    out->depth = depth;
    for (int i = 0; i < POSITION_COUNT; i += MEASURE_STEP)
        if (!measure_position(task, positions[i], depth, out))
            return false;
    out->deeper /= out->positions;
    return true;
}
