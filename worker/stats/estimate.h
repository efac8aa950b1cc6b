/* SPDX-License-Identifier: MIT */
/* Elo after an SPRT has stopped. A test stops when the score looks good (or bad) enough, and runs
   past its limit a little, so that the plain estimate is too far out. Pure. */
#ifndef STATS_ESTIMATE_H
#define STATS_ESTIMATE_H

#include "stats/sprt.h"

/* The probability that a Brownian motion with this drift and unit variance a time has reached
   `upper` > 0 by `time` without reaching `lower` < 0 before. From images of the single wall's
   inverse Gaussian distribution (D. Siegmund, "Sequential Analysis", chapter III). */
double brownian_passes(double drift, double lower, double upper, double time);

/* Logistic Elo corrected for the stopping: the median-unbiased estimate and the 95 % interval of
   equal tails. Outcomes are ordered from the quick fail to the quick pass; an Elo's place is the
   probability of an outcome worse than the one seen. The LLR is taken for a Brownian motion, and
   its path for one that met the limit where the straight line from 0 to its end does: that is the
   correction for the overshoot. (After fishtest's analysis of its tests, M. Van den Bergh.) False
   when the test is undecided, or ended within two counts. */
bool sprt_estimate(const SprtRule *rule, const Tally *tally, EloInterval *elo);

#endif
