/* SPDX-License-Identifier: MIT */
#include "stats/distribution.h"

#include <math.h>
#include <stddef.h>

static const double EVEN = 0.5;        /* the score of equal opponents */
static const double SCORE_MIN = 0.001; /* scores are kept this far from 0 and 1 */

/* The score of a cell, from 0 to 1. */
static double score_of_cell(int cells, int cell) {
    return (double)cell / (cells - 1);
}

Moments distribution_moments(const ScoreDistribution *distribution) {
    Moments m = {0, 0};
    for (int i = 0; i < distribution->cells; i++)
        m.mean += distribution->p[i] * score_of_cell(distribution->cells, i);
    for (int i = 0; i < distribution->cells; i++) {
        double deviation = score_of_cell(distribution->cells, i) - m.mean;
        m.variance += distribution->p[i] * deviation * deviation;
    }
    return m;
}

ScoreDistribution distribution_of(const Outcomes *outcomes, double least, double *total) {
    ScoreDistribution distribution = {.cells = outcomes->cells};
    double sum = 0;
    for (int i = 0; i < distribution.cells; i++) {
        distribution.p[i] = fmax((double)outcomes->n[i], least);
        sum += distribution.p[i];
    }
    for (int i = 0; i < distribution.cells; i++)
        distribution.p[i] /= sum;
    if (total != NULL)
        *total = sum;
    return distribution;
}

/* ---- Most likely distributions ---- */

/* The search of tilt() for the zero, which lies at x = -1 / end + direction * exp(u). */
typedef struct {
    const ScoreDistribution *seen;
    const double *v;
    double end, direction;
} Tilt;

/* sum q_i v_i / (1 + x v_i) at u, its derivative by u, and the shares q_i / (1 + x v_i). */
static double tilted_sum(const Tilt *tilt, double u, double *slope, ScoreDistribution *out) {
    double distance = tilt->direction * exp(u);
    double sum = 0;
    *slope = 0;
    for (int i = 0; i < tilt->seen->cells; i++) {
        double divisor = (1 - tilt->v[i] / tilt->end) + distance * tilt->v[i];
        out->p[i] = tilt->seen->p[i] / divisor;
        sum += out->p[i] * tilt->v[i];
        *slope -= out->p[i] * tilt->v[i] * tilt->v[i] / divisor * distance;
    }
    return sum;
}

/* Turns shares q into q_i / (1 + x v_i), where x is the zero of sum q_i v_i / (1 + x v_i) with all
 * 1 + x v_i > 0. The sum falls with x from +inf at x = -1 / max v to -inf at x = -1 / min v. False
 * unless v has values of both signs. The zero may lie so close to an end that the difference is
 * lost in x itself, so x is measured from the nearer end, by its logarithm u. The search takes
 * Newton's steps, and halves its interval where they converge slowly. */
static bool tilt(const ScoreDistribution *seen, const double v[PENTA_CELLS],
                 ScoreDistribution *out) {
    enum { STEPS = 200 };
    static const double NEAREST = 1e-60;
    static const double ENOUGH = 1e-14;
    double least = v[0];
    double most = v[0];
    for (int i = 1; i < seen->cells; i++) {
        least = fmin(least, v[i]);
        most = fmax(most, v[i]);
    }
    if (!(least < 0 && most > 0))
        return false;

    double middle = (-1 / most - 1 / least) / 2;
    double slope = 0;
    for (int i = 0; i < seen->cells; i++)
        slope += seen->p[i] * v[i] / (1 + middle * v[i]);
    Tilt tilt = {seen, v, slope < 0 ? most : least, slope < 0 ? 1 : -1};
    double low = log(NEAREST);
    double high = log((1 / most - 1 / least) / 2);
    double u = fmin(-log(fabs(tilt.end)), high); /* x = 0: the shares seen */
    double last = high - low;
    out->cells = seen->cells;
    for (int k = 0; k < STEPS; k++) {
        double sum = tilted_sum(&tilt, u, &slope, out);
        if (tilt.direction * sum > 0)
            low = u;
        else
            high = u;
        double next = u - sum / slope;
        if (!(next > low && next < high) || fabs(2 * sum) > fabs(last * slope))
            next = (low + high) / 2;
        last = next - u;
        if (fabs(last) <= ENOUGH * (1 + fabs(u)))
            return true;
        u = next;
    }
    return true;
}

/* Maximising sum q_i log p_i under a constraint that is linear in p, sum p_i v_i = 0, gives p_i =
 * q_i / (1 + x v_i) with the x that meets the constraint. The t-value is not linear in p, so its
 * constraint is replaced by the tangent at the last p (mean - 1/2 - t sigma, with the derivative of
 * sigma). The two steps are repeated until p stays. */
ScoreDistribution distribution_with_t(const ScoreDistribution *seen, double t) {
    enum { ROUNDS = 50 };
    static const double ENOUGH = 1e-9;
    ScoreDistribution d = {.cells = seen->cells};
    for (int i = 0; i < d.cells; i++)
        d.p[i] = 1.0 / d.cells;
    for (int round = 0; round < ROUNDS; round++) {
        Moments m = distribution_moments(&d);
        double sigma = sqrt(m.variance);
        double v[PENTA_CELLS];
        for (int i = 0; i < d.cells; i++) {
            double score = score_of_cell(d.cells, i);
            double deviation = (score - m.mean) / sigma;
            v[i] = score - EVEN - t * sigma * (1 + deviation * deviation) / 2;
        }
        ScoreDistribution next;
        if (!tilt(seen, v, &next))
            break;
        double change = 0;
        for (int i = 0; i < d.cells; i++)
            change = fmax(change, fabs(next.p[i] - d.p[i]));
        d = next;
        if (change < ENOUGH)
            break;
    }
    return d;
}

ScoreDistribution distribution_with_mean(const ScoreDistribution *seen, double mean) {
    double v[PENTA_CELLS];
    ScoreDistribution out = *seen;
    for (int i = 0; i < seen->cells; i++)
        v[i] = score_of_cell(seen->cells, i) - mean;
    tilt(seen, v, &out);
    return out;
}

/* ---- Elo of three kinds ---- */

double elo_of_score(double score) {
    score = fmin(fmax(score, SCORE_MIN), 1 - SCORE_MIN);
    return -400 * log10(1 / score - 1);
}

double score_of_elo(double elo) {
    return 1 / (1 + pow(10, -elo / 400));
}

/* The games of one count: 2 for a pair, 1 for a game. */
static double games_of(int cells) {
    return cells == PENTA_CELLS ? 2 : 1;
}

double t_of_normalized_elo(int cells, double elo) {
    return elo * M_LN10 / 800 * sqrt(games_of(cells));
}

double normalized_elo_of_t(int cells, double t) {
    return t / (M_LN10 / 800 * sqrt(games_of(cells)));
}

/* R. Coulom's model: wins 1 / (1 + 10^((draw_elo - elo) / 400)), losses 1 / (1 + 10^((draw_elo +
 * elo) / 400)), the rest are draws. */
static double score_of_bayes_elo(double elo, double draw_elo) {
    return (score_of_elo(elo - draw_elo) + 1 - score_of_elo(-elo - draw_elo)) / 2;
}

static double score_under(SprtModel model, double elo, double draw_elo) {
    return model == SPRT_BAYES ? score_of_bayes_elo(elo, draw_elo) : score_of_elo(elo);
}

ScoreDistribution distribution_under(const ScoreDistribution *seen, SprtModel model, double elo,
                                     double draw_elo) {
    if (model == SPRT_NORMALIZED)
        return distribution_with_t(seen, t_of_normalized_elo(seen->cells, elo));
    return distribution_with_mean(seen, score_under(model, elo, draw_elo));
}

double t_under(const ScoreDistribution *seen, SprtModel model, double elo, double draw_elo) {
    if (model == SPRT_NORMALIZED)
        return t_of_normalized_elo(seen->cells, elo);
    return (score_under(model, elo, draw_elo) - EVEN) / sqrt(distribution_moments(seen).variance);
}

/* ---- The normal distribution ---- */

double normal_below(double z) {
    return erfc(-z / M_SQRT2) / 2;
}

/* For z far below 0: the asymptotic series of Mills' ratio (Abramowitz and Stegun, 26.2.12). */
double normal_log_below(double z) {
    static const double FAR = -20;
    if (z > FAR)
        return log(normal_below(z));
    double s = 1 / (z * z);
    return -z * z / 2 - log(-z * sqrt(2 * M_PI)) + log1p(-s * (1 - 3 * s * (1 - 5 * s)));
}

double normal_quantile(double p) {
    if (p < EVEN)
        return -normal_quantile(1 - p);
    double low = 0;
    double high = 40;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (normal_below(-middle) > 1 - p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
