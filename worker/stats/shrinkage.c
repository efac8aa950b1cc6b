/* SPDX-License-Identifier: MIT */
#include "stats/shrinkage.h"

#include <math.h>

/* The sum of the weighted squares of the deviations from the weighted mean, for effects of this
 * spread. Falls as the spread grows. */
static double deviation(const Estimate *estimates, size_t count, EffectFamily *family) {
    double weights = 0;
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = 1 / (estimates[i].error * estimates[i].error + pow(family->spread, 2));
        weights += weight;
        sum += weight * estimates[i].value;
    }
    family->mean = sum / weights;
    family->mean_error = 1 / sqrt(weights);
    for (size_t i = 0; i < count; i++)
        squares += pow(estimates[i].value - family->mean, 2) /
                   (estimates[i].error * estimates[i].error + pow(family->spread, 2));
    return squares;
}

bool shrinkage_fit(const Estimate *estimates, size_t count, EffectFamily *family) {
    enum { STEPS = 100 };
    *family = (EffectFamily){.count = count};
    if (count < SHRINKAGE_MIN)
        return false;
    double expected = (double)count - 1;
    if (deviation(estimates, count, family) <= expected)
        return true;
    double low = 0;
    double high = 1;
    for (family->spread = high; deviation(estimates, count, family) > expected;
         family->spread = high) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < STEPS; i++) {
        family->spread = (low + high) / 2;
        if (deviation(estimates, count, family) > expected)
            low = family->spread;
        else
            high = family->spread;
    }
    return true;
}

Estimate shrinkage_correct(const EffectFamily *family, Estimate estimate) {
    double chance = estimate.error * estimate.error;
    double own = pow(family->spread, 2) / (pow(family->spread, 2) + chance);
    double drawn = (1 - own) * (estimate.value - family->mean);
    double variance = own * chance + pow((1 - own) * family->mean_error, 2) +
                      2.0 / ((double)family->count - 1) * drawn * drawn;
    return (Estimate){.value = estimate.value - drawn, .error = sqrt(variance)};
}
