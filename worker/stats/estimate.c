/* SPDX-License-Identifier: MIT */
#include "stats/estimate.h"

#include <math.h>

#include "stats/distribution.h"

/* exp(drift upper) times the probability that a motion without drift reaches `wall` by `time`, its
 * paths weighted by exp(-drift^2 t / 2). There is no second wall. wall > 0. */
static double image(double drift, double upper, double wall, double time) {
    double root = sqrt(time);
    return exp(drift * (upper - wall) + normal_log_below((drift * time - wall) / root)) +
           exp(drift * (upper + wall) + normal_log_below((-drift * time - wall) / root));
}

/* The probability to reach `upper` before `lower`, without a limit of time: exp(-2 drift x) is a
 * martingale. */
static double passes_ever(double drift, double lower, double upper) {
    if (fabs(drift) * (upper - lower) < 1e-9)
        return -lower / (upper - lower);
    if (drift > 0)
        return expm1(2 * drift * lower) / expm1(-2 * drift * (upper - lower));
    return exp(2 * drift * upper) * expm1(-2 * drift * lower) / expm1(2 * drift * (upper - lower));
}

double brownian_passes(double drift, double lower, double upper, double time) {
    enum { IMAGES = 100 };
    static const double ENOUGH = 1e-15;
    static const double LONG =
        10; /* in spans squared: a motion still between the walls by then changes no digit */
    double span = upper - lower;
    if (time > LONG * span * span)
        return passes_ever(drift, lower, upper);
    double sum = 0;
    for (int k = 0; k < IMAGES; k++) {
        double nearer = image(drift, upper, upper + 2 * k * span, time);
        double farther = image(drift, upper, 2 * (k + 1) * span - upper, time);
        sum += nearer - farther;
        if (nearer < ENOUGH && farther < ENOUGH)
            break;
    }
    return fmin(fmax(sum, 0), 1);
}

/* A stopped test, in units of the LLR's standard deviation in one count. */
typedef struct {
    bool passed;
    double lower, upper, time;
} Stopped;

/* The probability of a worse outcome. The probability falls as the drift rises. */
static double worse(const Stopped *test, double drift) {
    if (test->passed)
        return 1 - brownian_passes(drift, test->lower, test->upper, test->time);
    return brownian_passes(-drift, -test->upper, -test->lower, test->time);
}

/* The drift for which a worse outcome has this probability. */
static double drift_of(const Stopped *test, double probability) {
    enum { DOUBLINGS = 60, HALVINGS = 80 };
    double middle = (test->passed ? test->upper : test->lower) / test->time;
    double reach = 1 / sqrt(test->time);
    double low = middle - reach;
    double high = middle + reach;
    for (int i = 0; i < DOUBLINGS && worse(test, low) < probability; i++)
        low -= reach * ldexp(1, i);
    for (int i = 0; i < DOUBLINGS && worse(test, high) > probability; i++)
        high += reach * ldexp(1, i);
    for (int i = 0; i < HALVINGS; i++) {
        double drift = (low + high) / 2;
        if (worse(test, drift) > probability)
            low = drift;
        else
            high = drift;
    }
    return (low + high) / 2;
}

bool sprt_estimate(const SprtRule *rule, const Tally *tally, EloInterval *elo) {
    double total;
    Outcomes outcomes = outcomes_of(tally);
    LlrLimits limits = sprt_limits(rule);
    double llr = sprt_llr(rule, tally);
    Verdict verdict = sprt_verdict(llr, limits);
    if (verdict == VERDICT_NONE || outcomes_total(&outcomes) < 2)
        return false;

    ScoreDistribution seen = distribution_of(&outcomes, DISTRIBUTION_CELL_MIN, &total);
    Moments m = distribution_moments(&seen);
    double sigma = sqrt(m.variance);
    /* A pair's LLR has the standard deviation step, and step times (t - middle) as its mean. */
    double step = sprt_step(rule, tally);
    double limit = verdict == VERDICT_H1 ? limits.upper : limits.lower;
    Stopped test = {verdict == VERDICT_H1, limits.lower / step, limits.upper / step,
                    total * limit / llr};
    double t = (m.mean - 0.5) / sigma;
    double drift = llr / total / step;
    const double probabilities[] = {1 - TAIL_95, 0.5, TAIL_95};
    double values[3];
    for (int i = 0; i < 3; i++)
        values[i] = elo_of_score(0.5 + (t + drift_of(&test, probabilities[i]) - drift) * sigma);
    *elo = (EloInterval){values[0], values[1], values[2]};
    return true;
}
