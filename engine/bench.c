#include "bench.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "chess/fen.h"
#include "lmr/flags.h"
#include "lmr/reduction.h"
#include "search/search.h"

/* From games of this engine against itself: openings, middle games, endings. */
static const char *const positions[] = {
    FEN_STARTPOS,
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    "8/8/4k3/3p4/3P1K2/8/6P1/8 w - - 0 1",
};
enum { POSITION_COUNT = sizeof positions / sizeof positions[0], MEASURE_STEP = 4 };

/* Searches one position from an empty table. */
static SearchResult search_position(Search *search, const char *fen, const SearchLimits *limits) {
    Position position;
    SearchResult result = {0};
    if (fen_parse(&position, fen, false, NULL)) {
        search_clear(search);
        search_run(search, &position, NULL, 0, limits, NULL, NULL, &result);
    }
    return result;
}

BenchResult bench_run(int depth, FILE *progress) {
    Search *search = search_new();
    SearchLimits limits = {.depth = depth};
    BenchResult sum = {0};
    int64_t start = search_now_ns();
    for (int i = 0; i < POSITION_COUNT; i++) {
        SearchResult result = search_position(search, positions[i], &limits);
        sum.nodes += result.nodes;
        if (progress != NULL)
            fprintf(progress, "%2d/%d %10" PRIu64 " nodes  %s\n", i + 1, (int)POSITION_COUNT,
                    result.nodes, positions[i]);
    }
    sum.time_ns = search_now_ns() - start;
    search_free(search);
    return sum;
}

/* Searches with ENABLE as given; the row is as it was afterwards. */
static SearchResult search_enabled(Search *search, const char *fen, const SearchLimits *limits,
                                   bool enable) {
    int row = lmr_row_find("ENABLE"), before = lmr_row_value(row);
    lmr_row_set(row, enable);
    lmr_init();
    SearchResult result = search_position(search, fen, limits);
    lmr_row_set(row, before);
    lmr_init();
    return result;
}

void bench_measure(int depth, LmrMeasurement *out) {
    Search *search = search_new();
    memset(out, 0, sizeof *out);
    out->depth = depth;
    for (int i = 0; i < POSITION_COUNT; i += MEASURE_STEP) {
        SearchLimits limits = {.depth = depth};
        LmrStats stats;
        out->nodes_on += search_enabled(search, positions[i], &limits, true).nodes;
        search_lmr_stats(search, &stats);
        lmr_stats_add(&out->stats, &stats);
        uint64_t nodes = search_enabled(search, positions[i], &limits, false).nodes;
        SearchLimits same_cost = {.nodes = nodes};
        out->nodes_off += nodes;
        out->deeper += search_enabled(search, positions[i], &same_cost, true).depth - depth;
        out->positions++;
    }
    out->deeper /= out->positions;
    search_free(search);
}
