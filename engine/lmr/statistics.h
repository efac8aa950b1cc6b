/* SPDX-License-Identifier: MIT */
/* What the reductions did: counters, filled only in STATS=1 builds, never part of the tree. */
#ifndef LMR_STATISTICS_H
#define LMR_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

enum { LMR_STATS_INDEX_MAX = 64 }; /* move numbers above share the last slot */

/* What is expected of a node: an open window, a null window that fails high or one that does not.
 */
typedef enum { LMR_NODE_PV, LMR_NODE_CUT, LMR_NODE_ALL, LMR_NODE_KIND_COUNT } LmrNodeKind;

/* The moves that the move loop searched; quiescence has no part in them. */
typedef struct {
    uint64_t moves;         /* at any depth */
    uint64_t deep_moves;    /* of these at d >= MIN_DEPTH */
    uint64_t reduced;       /* searched with R > 0 */
    uint64_t reduction_sum; /* plies, over these */
    uint64_t reduction_max; /* plies */
    uint64_t researched;    /* reduced moves that were searched again */
    uint64_t research_held; /* of these, still above alpha afterwards */
    /* Reduced moves above alpha that were not searched again: SHALLOWER_MARGIN left no more depth
     * than the reduced search had, or RESEARCH believes the score. */
    uint64_t accepted;
} LmrMoveCounts;

/* One a thread; all zero is empty. */
typedef struct {
    LmrMoveCounts moves[LMR_NODE_KIND_COUNT];
    uint64_t best_nodes; /* nodes at d >= MIN_DEPTH where a move raised alpha */
    uint64_t best_at[LMR_STATS_INDEX_MAX + 1]; /* the 1-based number of the best move there */
    uint64_t best_first_tenth; /* nodes whose best move was among the first 10 % of the legal moves,
                                  rounded up */
    uint64_t best_first_fifth; /* the same for 20 % */
} LmrStats;

/* sum += part, counter by counter (reduction_max is the greater one). */
void lmr_stats_add(LmrStats *sum, const LmrStats *part);
void lmr_counts_add(LmrMoveCounts *sum, const LmrMoveCounts *part);

/* Counts a move that was searched with `reduction` plies less and then `researches` times again;
 * above_alpha is about the last score. */
void lmr_stats_move(LmrStats *stats, LmrNodeKind kind, int depth, int reduction, int researches,
                    bool above_alpha);

/* Counts the best move of a node: 1-based `number` of `legal` moves. */
void lmr_stats_best(LmrStats *stats, int number, int legal);

#endif
