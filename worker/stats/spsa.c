/* SPDX-License-Identifier: MIT */
#include "stats/spsa.h"

#include <assert.h>
#include <math.h>

/* An integer that moves by less than this rounds to the same number on both sides too often. */
static const double INTEGER_STEP_MIN = 0.5;

SpsaStep spsa_step(const SpsaSchedule *schedule, const SpsaParameter *parameter, int64_t games) {
    assert(schedule->iterations >= 1 && schedule->pairs_per >= 1 && games >= 0);
    double iterations = (double)schedule->iterations;
    double k = 1 + (double)games / (2.0 * (double)schedule->pairs_per);
    double stability = schedule->a_ratio * iterations;

    double c_first = parameter->c_end * pow(iterations, schedule->gamma);
    double c = c_first / pow(k, schedule->gamma);
    if (!parameter->is_float && c < INTEGER_STEP_MIN)
        c = INTEGER_STEP_MIN;

    double a_end = parameter->r_end * parameter->c_end * parameter->c_end;
    double a_first = a_end * pow(stability + iterations, schedule->alpha);
    double r = a_first / pow(stability + k, schedule->alpha) / (c * c);
    return (SpsaStep){c, r};
}

static double clip(const SpsaParameter *parameter, double value) {
    return fmin(fmax(value, parameter->min), parameter->max);
}

void spsa_perturb(const SpsaParameter *parameter, double value, double c, int flip, double rounding,
                  double *dev, double *base) {
    assert((flip == 1 || flip == -1) && rounding >= 0 && rounding < 1);
    *dev = value + flip * c;
    *base = value - flip * c;
    if (!parameter->is_float) {
        *dev = floor(*dev + rounding);
        *base = floor(*base + rounding);
    }
    *dev = clip(parameter, *dev);
    *base = clip(parameter, *base);
}

double spsa_delta(SpsaStep step, int flip, int64_t wins, int64_t losses) {
    return step.r * step.c * (double)(wins - losses) * flip;
}

double spsa_moved(const SpsaParameter *parameter, double value, double delta) {
    return clip(parameter, value + delta);
}

void spsa_drift_add(SpsaDrift *drift, double delta) {
    drift->sum += delta;
    drift->squares += delta * delta;
}

double spsa_drift_chance(const SpsaDrift *drift) {
    return sqrt(drift->squares);
}

/* The probability that a chi-squared variable exceeds x: Q(degrees / 2, x / 2), the regularized
 * upper incomplete gamma function (Abramowitz and Stegun 26.4.4 and 26.4.5: a finite sum for whole
 * and half arguments). */
static double chi_squared_above(double x, size_t degrees) {
    double half = x / 2;
    bool odd = degrees % 2 == 1;
    double order = odd ? 0.5 : 0; /* The term in turn is half^order e^-half / gamma(order + 1). */
    double term = odd ? exp(-half) * sqrt(half) / tgamma(1.5) : exp(-half);
    double above = odd ? erfc(sqrt(half)) : 0;
    for (size_t left = degrees / 2; left > 0; left--) {
        above += term;
        order += 1;
        term *= half / order;
    }
    return fmin(above, 1);
}

double spsa_drift_probability(const SpsaDrift *drifts, size_t count) {
    double x = 0;
    size_t degrees = 0;
    for (size_t i = 0; i < count; i++) {
        if (drifts[i].squares <= 0)
            continue;
        x += drifts[i].sum * drifts[i].sum / drifts[i].squares;
        degrees++;
    }
    return degrees ? chi_squared_above(x, degrees) : 1;
}
