/* SPDX-License-Identifier: MIT */
/* A look at an SPRT before its first game: the probability of a pass, the mean number of pairs, and
   the limits that make its error rates exact. Pure.

   The LLR is a random walk between two walls. The distribution of the pairs gives its steps and
   their probabilities. The probability to leave at the upper wall, h(x) = sum p_i h(x + s_i), and
   the mean number of pairs before the walk leaves, n(x) = 1 + sum p_i n(x + s_i), are linear
   equations, solved here on a grid. The solution accounts for the overshoot of the walls, which
   Wald's formulas leave out. (A. Wald, "Sequential Analysis"; D. Siegmund, "Sequential Analysis",
   chapter III.) */
#ifndef STATS_OUTLOOK_H
#define STATS_OUTLOOK_H

#include "base/error.h"
#include "stats/sprt.h"

/* The distribution of the scores of a test's pairs (or games), from which the distribution at any
   Elo is derived. */
typedef struct {
    int cells;
    double p[PENTA_CELLS];
    double draws; /* the share of drawn games; used by the Bayes-Elo model only */
} PairShape;

/* The shape of a tally's outcomes. Where only pairs were counted, an even pair is taken for two
   drawn games. False where outcomes_no_interval has a reason. */
bool shape_of_tally(const Tally *tally, PairShape *shape);

/* The shape of pairs of two independent games between equal engines, of which this share is drawn.
   0 < draws < 1. Where openings favour one colour, the two games of a pair cancel more often, and
   real tests are shorter: shape_of_tally accounts for the openings. */
PairShape shape_of_draws(double draws);

typedef struct {
    double pass;       /* the probability of H1 */
    double pairs;      /* mean number of pairs until the verdict; of games where the shape has
                          three cells */
    double normalized; /* the true Elo, normalized */
    double logistic;   /* the true Elo, logistic */
} Outlook;

/* The outlook of the test with these limits when the true logistic Elo is `elo` (kept to the scores
   that the shape can have). */
Outlook sprt_outlook(const SprtRule *rule, LlrLimits limits, const PairShape *shape, double elo);

/* The logistic Elo of a hypothesis of the rule with pairs of this shape. */
double sprt_logistic_elo(const SprtRule *rule, const PairShape *shape, double elo);

/* Are the steps of the LLR large enough for the grid? False with err set where the hypotheses are
   so near to each other that sprt_outlook would be wrong. */
bool sprt_check_outlook(const SprtRule *rule, const PairShape *shape, Error *err);

/* The limits with which the test's error rates are exactly alpha and beta. These limits are nearer
   to 0 than Wald's, since the LLR stops somewhat past a limit. False where none are found in a few
   seconds, or there are none: one step already leads so far past 0 that the errors are fewer. */
bool sprt_exact_limits(const SprtRule *rule, const PairShape *shape, LlrLimits *out);

#endif
