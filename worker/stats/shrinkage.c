/* SPDX-License-Identifier: MIT */
#include "stats/shrinkage.h"

#include <math.h>

/* Widths of the family at which the average is taken: w = scale * u / (1 - u), u in the middle of
 * equal parts of 0 ... 1, so that all widths have their share. */
enum { WIDTHS = 400 };

/* The family's mean at one width of the distribution of effects. */
typedef struct {
    double width, mean, mean_variance;
    double log_weight; /* Of this width: the likelihood of the estimates, and the step of w. */
} Fit;

static double variance_of(const Estimate *estimate, double width) {
    return estimate->error * estimate->error + width * width;
}

static double scale_of(const Estimate *estimates, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += estimates[i].error * estimates[i].error;
    return sqrt(sum / (double)count);
}

static Fit fit_at(const Estimate *estimates, size_t count, double scale, int step) {
    double u = (step + 0.5) / WIDTHS;
    Fit fit = {.width = scale * u / (1 - u)};
    double weights = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = 1 / variance_of(&estimates[i], fit.width);
        weights += weight;
        sum += weight * estimates[i].value;
    }
    fit.mean = sum / weights;
    fit.mean_variance = 1 / weights;
    fit.log_weight = -2 * log(1 - u) - log(weights) / 2;
    for (size_t i = 0; i < count; i++) {
        double variance = variance_of(&estimates[i], fit.width);
        fit.log_weight -= (log(variance) + pow(estimates[i].value - fit.mean, 2) / variance) / 2;
    }
    return fit;
}

/* The effect behind one estimate, were the width known. */
static Estimate correct_at(const Fit *fit, const Estimate *estimate) {
    double variance = variance_of(estimate, fit->width);
    double own = fit->width * fit->width / variance;
    double chance = own * estimate->error * estimate->error;
    return (Estimate){.value = fit->mean + own * (estimate->value - fit->mean),
                      .error = sqrt(chance + (1 - own) * (1 - own) * fit->mean_variance)};
}

bool shrinkage_correct(const Estimate *estimates, size_t count, Estimate *corrected) {
    Fit fits[WIDTHS];
    double most = -INFINITY;
    double total = 0;
    if (count < SHRINKAGE_MIN)
        return false;
    double scale = scale_of(estimates, count);
    for (int step = 0; step < WIDTHS; step++) {
        fits[step] = fit_at(estimates, count, scale, step);
        most = fmax(most, fits[step].log_weight);
    }
    for (int step = 0; step < WIDTHS; step++)
        total += exp(fits[step].log_weight - most);
    for (size_t i = 0; i < count; i++) {
        double mean = 0;
        double square = 0;
        for (int step = 0; step < WIDTHS; step++) {
            double share = exp(fits[step].log_weight - most) / total;
            Estimate at = correct_at(&fits[step], &estimates[i]);
            mean += share * at.value;
            square += share * (at.error * at.error + at.value * at.value);
        }
        corrected[i] = (Estimate){.value = mean, .error = sqrt(fmax(square - mean * mean, 0))};
    }
    return true;
}
