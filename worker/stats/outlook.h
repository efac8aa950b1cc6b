/* SPDX-License-Identifier: MIT */
/* What an SPRT has in store before a game is played: how likely it passes, how long it takes, and
   the limits that make its error rates exact. Pure.

   The LLR is a random walk between two walls. Its steps and their probabilities are known when the
   distribution of the pairs is, so that the chance to leave at the upper wall, h(x) = sum p_i h(x +
   s_i), and the pairs until it leaves, n(x) = 1 + sum p_i n(x + s_i), are linear equations, solved
   here on a grid. Overshoot of the walls is thereby accounted for, which Wald's formulas leave out.
   (A. Wald, "Sequential Analysis"; D. Siegmund, "Sequential Analysis", chapter III.) */
#ifndef STATS_OUTLOOK_H
#define STATS_OUTLOOK_H

#include "stats/sprt.h"

/* What the pairs (or games) of a test look like, Elo aside. */
typedef struct {
    int cells;
    double p[PENTA_CELLS];
} PairShape;

/* The shape of counts. False with fewer than two. */
bool shape_of_outcomes(const Outcomes *outcomes, PairShape *shape);

/* Pairs of two games that know nothing of each other, equal engines drawing this share of games.
   (Where openings favour one colour, the two games of a pair cancel more often, so real tests are
   shorter: shape_of_outcomes knows.) 0 < draws < 1. */
PairShape shape_of_draws(double draws);

typedef struct {
    double pass;       /* the probability of H1 */
    double pairs;      /* until the verdict, on average */
    double normalized; /* the true Elo, normalized */
    double logistic;   /* and logistic */
} Outlook;

/* The test with these limits when the true logistic Elo is `elo` (kept to the scores that the shape
   can have). */
Outlook sprt_outlook(const SprtRule *rule, LlrLimits limits, const PairShape *shape, double elo);

/* The logistic Elo of a hypothesis of the rule with pairs of this shape. */
double sprt_logistic_elo(const SprtRule *rule, const PairShape *shape, double elo);

/* The limits with which the test's error rates are alpha and beta, not less: nearer to 0 than
   Wald's, as the LLR stops some way past them. */
LlrLimits sprt_exact_limits(const SprtRule *rule, const PairShape *shape);

#endif
