/* SPDX-License-Identifier: MIT */
/* Many estimates corrected together. Of many 95 % intervals one in twenty misses by chance, and the
   largest of many estimates is likely to be too large. The estimates of one family are therefore
   taken as drawn from a normal distribution, whose mean and width the estimates themselves tell,
   and each estimate is drawn towards the mean: much where the games are few, little where they are
   many. The width is not fixed at its likeliest value, which is often 0 and makes intervals far too
   narrow: the estimates are averaged over all widths, each with the weight that the family gives it
   (the normal-normal hierarchical model with flat priors; A. Gelman and others, "Bayesian Data
   Analysis", chapter 5). Pure. */
#ifndef STATS_SHRINKAGE_H
#define STATS_SHRINKAGE_H

#include <stdbool.h>
#include <stddef.h>

enum { SHRINKAGE_MIN = 3 }; /* Fewer estimates do not tell how much effects differ. */

/* An estimate and its standard error, which is above 0, in any unit. */
typedef struct {
    double value, error;
} Estimate;

/* Writes the effect behind each estimate to `corrected`: its mean and standard deviation, given all
   estimates of the family. False with fewer than SHRINKAGE_MIN estimates. */
bool shrinkage_correct(const Estimate *estimates, size_t count, Estimate *corrected);

#endif
