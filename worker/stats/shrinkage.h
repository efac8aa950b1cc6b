/* SPDX-License-Identifier: MIT */
/* Many estimates corrected together. Of many 95 % intervals one in twenty misses by chance, and the
   largest of many estimates is likely to be too large. The estimates of one family are therefore
   taken as drawn from a normal distribution, whose mean and width the estimates themselves tell,
   and each estimate is drawn towards the mean: much where the games are few, little where they are
   many (the normal-normal model of empirical Bayes; B. Efron, C. Morris, "Stein's estimation rule
   and its competitors"). Pure. */
#ifndef STATS_SHRINKAGE_H
#define STATS_SHRINKAGE_H

#include <stdbool.h>
#include <stddef.h>

enum { SHRINKAGE_MIN = 3 }; /* Fewer estimates do not tell how much effects differ. */

/* An estimate and its standard error, which is above 0, in any unit. */
typedef struct {
    double value, error;
} Estimate;

/* The distribution of the true effects: its mean, the mean's standard error, and the standard
   deviation of the effects, 0 when chance explains all differences. */
typedef struct {
    double mean, mean_error;
    double spread;
    size_t count; /* Of the estimates that tell all this. */
} EffectFamily;

/* Fits the distribution. The spread is the one with which the weighted squares of the deviations
   from the mean add up to count - 1 (R. C. Paule, J. Mandel, "Consensus values and weighting
   factors"). False with fewer than SHRINKAGE_MIN estimates. */
bool shrinkage_fit(const Estimate *estimates, size_t count, EffectFamily *family);

/* The effect behind an estimate of the family: mean and standard deviation of the effect, given the
   estimate. The uncertainty of the family's mean is contained, and that of the spread, from the
   number of estimates (C. Morris, "Parametric empirical Bayes inference", there for equal errors).
   */
Estimate shrinkage_correct(const EffectFamily *family, Estimate estimate);

#endif
