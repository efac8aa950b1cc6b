/* SPDX-License-Identifier: MIT */
#include "lmr/statistics.h"

#include <assert.h>

#include "lmr/flags.h"

void lmr_counts_add(LmrMoveCounts *sum, const LmrMoveCounts *part) {
    sum->moves += part->moves;
    sum->deep_moves += part->deep_moves;
    sum->reduced += part->reduced;
    sum->reduction_sum += part->reduction_sum;
    if (sum->reduction_max < part->reduction_max)
        sum->reduction_max = part->reduction_max;
    sum->researched += part->researched;
    sum->research_held += part->research_held;
    sum->accepted += part->accepted;
}

void lmr_stats_add(LmrStats *sum, const LmrStats *part) {
    for (int kind = 0; kind < LMR_NODE_KIND_COUNT; kind++)
        lmr_counts_add(&sum->moves[kind], &part->moves[kind]);
    sum->best_nodes += part->best_nodes;
    for (int i = 0; i <= LMR_STATS_INDEX_MAX; i++)
        sum->best_at[i] += part->best_at[i];
    sum->best_first_tenth += part->best_first_tenth;
    sum->best_first_fifth += part->best_first_fifth;
}

void lmr_stats_move(LmrStats *stats, LmrNodeKind kind, int depth, int reduction, int researches,
                    bool above_alpha) {
    LmrMoveCounts *counts = &stats->moves[kind];
    counts->moves++;
    counts->deep_moves += depth >= LMR_MIN_DEPTH;
    if (reduction <= 0)
        return;
    counts->reduced++;
    counts->reduction_sum += (uint64_t)reduction;
    if (counts->reduction_max < (uint64_t)reduction)
        counts->reduction_max = (uint64_t)reduction;
    counts->researched += researches > 0;
    counts->research_held += researches > 0 && above_alpha;
    counts->accepted += researches == 0 && above_alpha;
}

void lmr_stats_best(LmrStats *stats, int number, int legal) {
    assert(number >= 1 && number <= legal);
    stats->best_nodes++;
    stats->best_at[number < LMR_STATS_INDEX_MAX ? number : LMR_STATS_INDEX_MAX]++;
    stats->best_first_tenth += number <= (legal + 9) / 10;
    stats->best_first_fifth += number <= (legal + 4) / 5;
}
