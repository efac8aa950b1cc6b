/* SPDX-License-Identifier: MIT */
/* Elo after an SPRT has stopped. A test stops when the score looks good (or bad) enough, and its
   LLR overshoots the limit a little, so the plain estimate is too far from 0. Pure. */
#ifndef STATS_ESTIMATE_H
#define STATS_ESTIMATE_H

#include "stats/sprt.h"

/* The probability that a Brownian motion with this drift and unit variance per unit of time has
   reached `upper` > 0 by `time` without reaching `lower` < 0 before. Computed by images of the
   inverse Gaussian distribution of a single wall (D. Siegmund, "Sequential Analysis", chapter III).
   */
double brownian_passes(double drift, double lower, double upper, double time);

/* Logistic Elo corrected for the stopping: the median-unbiased estimate and the 95 % interval of
   equal tails. Outcomes are ordered from the quick fail to the quick pass; the place of an Elo is
   the probability of an outcome worse than the outcome seen. The LLR is taken for a Brownian motion
   that met the limit where the straight line from 0 to the LLR's end meets the limit, which
   corrects for the overshoot. (After fishtest's analysis of its tests, M. Van den Bergh.) False
   when the test is undecided, or has fewer than two counts. */
bool sprt_estimate(const SprtRule *rule, const Tally *tally, EloInterval *elo);

#endif
