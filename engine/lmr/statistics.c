/* SPDX-License-Identifier: MIT */
#include "lmr/statistics.h"

void lmr_stats_add(LmrStats *sum, const LmrStats *part) {
    sum->nodes += part->nodes;
    sum->loop_nodes += part->loop_nodes;
    sum->moves += part->moves;
    sum->deep_moves += part->deep_moves;
    sum->reduced += part->reduced;
    sum->reduction_sum += part->reduction_sum;
    if (sum->reduction_max < part->reduction_max)
        sum->reduction_max = part->reduction_max;
    sum->researched += part->researched;
    sum->research_held += part->research_held;
    sum->reduced_accepted += part->reduced_accepted;
    sum->best_nodes += part->best_nodes;
    for (int i = 0; i <= LMR_STATS_INDEX_MAX; i++)
        sum->best_at[i] += part->best_at[i];
    sum->best_first_tenth += part->best_first_tenth;
    sum->best_first_fifth += part->best_first_fifth;
}

void lmr_stats_best(LmrStats *stats, int number, int legal) {
    stats->best_nodes++;
    stats->best_at[number < LMR_STATS_INDEX_MAX ? number : LMR_STATS_INDEX_MAX]++;
    stats->best_first_tenth += number <= (legal + 9) / 10;
    stats->best_first_fifth += number <= (legal + 4) / 5;
}

static double ratio(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0.0;
}

double lmr_stats_reduced_of_all(const LmrStats *stats) {
    return 100.0 * ratio(stats->reduced, stats->moves);
}

double lmr_stats_reduced_of_deep(const LmrStats *stats) {
    return 100.0 * ratio(stats->reduced, stats->deep_moves);
}

double lmr_stats_average(const LmrStats *stats) {
    return ratio(stats->reduction_sum, stats->reduced);
}

double lmr_stats_research_rate(const LmrStats *stats) {
    return 100.0 * ratio(stats->researched, stats->reduced);
}

double lmr_stats_held_rate(const LmrStats *stats) {
    return 100.0 * ratio(stats->research_held, stats->researched);
}

double lmr_stats_best_first_fifth(const LmrStats *stats) {
    return 100.0 * ratio(stats->best_first_fifth, stats->best_nodes);
}
