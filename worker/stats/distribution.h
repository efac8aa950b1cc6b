/* SPDX-License-Identifier: MIT */
/* The distribution of equally spaced scores, and the most likely distribution under a hypothesis.
   For use within this room; the other rooms use stats.h. Pure.

   Source of the likelihoods: the generalised sequential probability ratio test as OpenBench and
   fishtest compute it (M. Van den Bergh, "The generalized maximum likelihood ratio for the
   expectation value of a distribution" and "Normalized Elo"). */
#ifndef STATS_DISTRIBUTION_H
#define STATS_DISTRIBUTION_H

#include "stats/sprt.h"

/* A distribution over the scores 0, 1 / (cells - 1), ... 1. */
typedef struct {
    int cells;
    double p[PENTA_CELLS];
} ScoreDistribution;

typedef struct {
    double mean, variance;
} Moments;

Moments distribution_moments(const ScoreDistribution *distribution);

/* The shares of the cells, each cell counted as at least `least`. The sum of
   these counts must be above 0; *total, unless NULL, is set to it. */
ScoreDistribution distribution_of(const Outcomes *outcomes, double least, double *total);

/* The least count of a cell in a likelihood: a cell without a count is not taken to be impossible.
 */
#define DISTRIBUTION_CELL_MIN 1e-3

/* The most likely distribution, given the shares seen (all above 0), among those whose
   (mean - 1/2) / sigma is t. */
ScoreDistribution distribution_with_t(const ScoreDistribution *seen, double t);

/* The same among those whose mean is `mean`, 0 < mean < 1. */
ScoreDistribution distribution_with_mean(const ScoreDistribution *seen, double mean);

/* Logistic Elo of a score, which is kept within [0.001, 0.999], and back:
   score = 1 / (1 + 10^(-elo / 400)). */
double elo_of_score(double score);
double score_of_elo(double elo);

/* Normalized Elo is 800 / ln 10 times (score - 1/2) / sigma of a game. The sigma of a pair's score
   is smaller by the square root of 2. t is (score - 1/2) / sigma of a count: a pair with five
   cells, a game with three. */
double t_of_normalized_elo(int cells, double elo);
double normalized_elo_of_t(int cells, double t);

/* The most likely distribution under a hypothesis of the rule, given the shares seen, and the
   hypothesis's (mean - 1/2) / sigma (the logistic and the Bayes-Elo model take the sigma seen).
   draw_elo: used by the Bayes-Elo model only. */
ScoreDistribution distribution_under(const ScoreDistribution *seen, SprtModel model, double elo,
                                     double draw_elo);
double t_under(const ScoreDistribution *seen, SprtModel model, double elo, double draw_elo);

/* Standard normal: P(X <= z), its logarithm (precise far out on the left), and the z with
   P(X <= z) = p. 0 < p < 1. */
double normal_below(double z);
double normal_log_below(double z);
double normal_quantile(double p);

#endif
