/* SPDX-License-Identifier: MIT */
/* A tuning by SPSA as a series of game pairs: the values that each pair is played with, and the
 * change that its result makes to the parameters. Pure: the same parameters, schedule, seed and
 * results give the same values, in whatever order the pairs of an iteration end.
 *
 * Pair p belongs to iteration p / pairs_per. Iterations overlap, so that no game slot waits for the
 * last game of an iteration: iteration k is perturbed around the values that iterations 0 … k −
 * overlap have left. */
#ifndef STATS_TUNING_H
#define STATS_TUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/side.h"
#include "stats/spsa.h"
#include "stats/stats.h"

/* Limits that keep numbers and memory reasonable: of `tune`, `submit` and `serve`. Other servers
 * may take more. */
enum {
    TUNING_ITERATIONS_MAX = 1000000,
    TUNING_PAIRS_PER_MAX = 10000,
    TUNING_OVERLAP_MAX = 1000,
    TUNING_EXPONENT_MAX = 2, /* The largest alpha and gamma. */
    TUNING_A_RATIO_MAX = 10
};

/* An iteration in play. Each array has one item for each parameter. */
typedef struct {
    SpsaStep *steps;
    int *flips;
    double *values[SIDE_COUNT];
    int64_t pairs; /* Finished pairs, ... */
    Tally tally;   /* ... and their results. */
} TuningIteration;

typedef struct {
    SpsaSchedule schedule;
    uint64_t seed;
    int64_t overlap; /* Iterations in play at a time. */
    SpsaParameter *parameters;
    double *values; /* The present values, one for each parameter. */
    SpsaDrift *drifts;
    size_t count;
    int64_t done;          /* Iterations whose results the values include. */
    TuningIteration *open; /* Iteration k is open[k % overlap]. */
    Tally tally;           /* The results of all pairs. */
    double *path;          /* The values after each iteration: `count` numbers an iteration. */
    size_t path_capacity;
} Tuning;

/* Begins a tuning of these parameters. The tuning takes over the array and its parameters. */
void tuning_init(Tuning *tuning, const SpsaSchedule *schedule, int64_t overlap, uint64_t seed,
                 SpsaParameter *parameters, size_t count);
void tuning_free(Tuning *tuning);

/* The pairs of the whole tuning; and the number of the first pair that may not begin yet. */
int64_t tuning_pairs(const Tuning *tuning);
int64_t tuning_open_pairs(const Tuning *tuning);

/* The value of the parameter that this side plays this pair with. The pair may begin or has begun,
 * and its iteration is not over. */
double tuning_value(const Tuning *tuning, int64_t pair, Side side, size_t parameter);

/* Takes the result of a pair. The values move once an iteration and all iterations before are
 * complete. False with err set: the pair cannot have been played yet, or its iteration is over. */
bool tuning_take(Tuning *tuning, int64_t pair, const Tally *result, Error *err);

#endif
