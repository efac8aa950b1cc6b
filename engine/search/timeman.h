/* SPDX-License-Identifier: MIT */
/* The search's clock, and the time for a move, computed from the limits of `go` alone. */
#ifndef SEARCH_TIMEMAN_H
#define SEARCH_TIMEMAN_H

#include <stdint.h>

#include "search/search.h"

/* Nanoseconds of a clock that only goes forward, and whole microseconds since a reading. */
int64_t timeman_now_ns(void);
int64_t timeman_elapsed_us(int64_t since_ns);

/* Both in microseconds since the start. Without a clock soft is INT64_MAX; with neither a clock nor
 * a movetime, so is hard. */
typedef struct {
    int64_t soft; /* begin no new iteration after about this, the more the clearer the best move */
    int64_t hard; /* stop wherever the search is */
} TimePlan;

TimePlan timeman_plan(const SearchLimits *limits, Color stm);

/* Permille by which the soft limit is stretched: `best_nodes` permille of the iteration's nodes
 * went into the best move, which has stayed the same for `stable` iterations, and the score fell by
 * `drop` centipawns (negative: rose) against the iteration before. */
int timeman_stretch(int best_nodes, int stable, int drop);

#endif
