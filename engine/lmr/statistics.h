/* SPDX-License-Identifier: MIT */
/* What the reductions did: counters, filled only in STATS=1 builds, never part of the tree. */
#ifndef LMR_STATISTICS_H
#define LMR_STATISTICS_H

#include <stdint.h>

enum { LMR_STATS_INDEX_MAX = 64 }; /* move numbers above share the last slot */

/* One a thread; all zero is empty. Main search only: quiescence moves are not in the loop. */
typedef struct {
    uint64_t nodes;            /* all nodes, quiescence included */
    uint64_t loop_nodes;       /* nodes whose move loop was entered */
    uint64_t moves;            /* moves searched in the loop, at any depth */
    uint64_t deep_moves;       /* of these at d >= MIN_DEPTH */
    uint64_t reduced;          /* moves searched with R > 0 */
    uint64_t reduction_sum;    /* plies, over these */
    uint64_t reduction_max;    /* plies */
    uint64_t researched;       /* reduced moves that were searched again at full depth */
    uint64_t research_held;    /* of these, still above alpha afterwards */
    uint64_t reduced_accepted; /* reduced moves above alpha that no policy searched again */
    uint64_t best_nodes;       /* nodes at d >= MIN_DEPTH where a move raised alpha */
    uint64_t
        best_at[LMR_STATS_INDEX_MAX + 1]; /* at which 1-based move number the best move stood */
    uint64_t best_first_tenth; /* nodes whose best move was among the first 10 % of all moves
                                  (rounded up), */
    uint64_t best_first_fifth; /* and among the first 20 % */
} LmrStats;

/* sum += part, counter by counter (reduction_max is the greater one). */
void lmr_stats_add(LmrStats *sum, const LmrStats *part);

/* Counts the best move of a node: 1-based `number` of `legal` moves. */
void lmr_stats_best(LmrStats *stats, int number, int legal);

/* The rates that texts quote, each in percent, or plies for the average; 0 when nothing was
 * counted. */
double lmr_stats_reduced_of_all(const LmrStats *stats);  /* of all moves in the loop */
double lmr_stats_reduced_of_deep(const LmrStats *stats); /* of those at d >= MIN_DEPTH */
double lmr_stats_average(const LmrStats *stats);         /* plies a reduced move */
double lmr_stats_research_rate(const LmrStats *stats);   /* of the reduced moves */
double lmr_stats_held_rate(const LmrStats *stats);       /* of the re-searches */
double lmr_stats_best_first_fifth(const LmrStats *stats);

#endif
