/* SPDX-License-Identifier: MIT */
#include "stats/stats.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "stats/distribution.h"

static const double EVEN = 0.5; /* the score of equal opponents */

Tally tally_of_pair(int first_points, int second_points) {
    Tally pair = {0};
    int points[2] = {first_points, second_points};
    for (int i = 0; i < 2; i++) {
        pair.losses += points[i] == 0;
        pair.draws += points[i] == 1;
        pair.wins += points[i] == 2;
    }
    pair.penta.n[first_points + second_points] = 1;
    return pair;
}

void work_add(EngineWork *total, const EngineWork *more) {
    total->depths += more->depths;
    total->depth_moves += more->depth_moves;
    total->nodes += more->nodes;
    total->nodes_ns += more->nodes_ns;
}

bool work_depth(const EngineWork *work, double *depth) {
    if (work->depth_moves == 0)
        return false;
    *depth = (double)work->depths / (double)work->depth_moves;
    return true;
}

bool work_nps(const EngineWork *work, double *nps) {
    if (work->nodes_ns == 0)
        return false;
    *nps = (double)work->nodes * 1e9 / (double)work->nodes_ns;
    return true;
}

void tally_add(Tally *total, const Tally *more) {
    total->wins += more->wins;
    total->losses += more->losses;
    total->draws += more->draws;
    penta_add(&total->penta, &more->penta);
    total->crashes += more->crashes;
    total->timelosses += more->timelosses;
    total->illegals += more->illegals;
    total->plies += more->plies;
    for (int side = 0; side < SIDE_COUNT; side++)
        work_add(&total->work[side], &more->work[side]);
}

int64_t tally_games(const Tally *tally) {
    return tally->wins + tally->losses + tally->draws;
}

int64_t tally_games_counted(const Tally *tally) {
    int64_t pairs = penta_pairs(&tally->penta);
    return pairs > 0 ? 2 * pairs : tally_games(tally);
}

void penta_add(Penta *total, const Penta *more) {
    for (int i = 0; i < PENTA_CELLS; i++)
        total->n[i] += more->n[i];
}

bool penta_equal(const Penta *a, const Penta *b) {
    return memcmp(a->n, b->n, sizeof a->n) == 0;
}

int64_t penta_pairs(const Penta *penta) {
    int64_t pairs = 0;
    for (int i = 0; i < PENTA_CELLS; i++)
        pairs += penta->n[i];
    return pairs;
}

int64_t tally_half_points(const Tally *tally) {
    return 2 * tally->wins + tally->draws;
}

int64_t penta_half_points(const Penta *penta) {
    int64_t points = 0;
    for (int i = 0; i < PENTA_CELLS; i++)
        points += i * penta->n[i];
    return points;
}

bool penta_allows_draws(const Penta *penta, int64_t draws) {
    int64_t least = penta->n[1] + penta->n[3];
    return draws >= least && draws <= least + 2 * penta->n[2] && (draws - least) % 2 == 0;
}

Outcomes outcomes_of_penta(const Penta *penta) {
    Outcomes outcomes = {.cells = PENTA_CELLS};
    for (int i = 0; i < PENTA_CELLS; i++)
        outcomes.n[i] = penta->n[i];
    return outcomes;
}

Outcomes outcomes_of(const Tally *tally) {
    if (penta_pairs(&tally->penta) > 0 || tally_games(tally) == 0)
        return outcomes_of_penta(&tally->penta);
    return (Outcomes){.cells = TRI_CELLS, .n = {tally->losses, tally->draws, tally->wins}};
}

int64_t outcomes_total(const Outcomes *outcomes) {
    int64_t total = 0;
    for (int i = 0; i < outcomes->cells; i++)
        total += outcomes->n[i];
    return total;
}

const char *outcomes_no_interval(const Outcomes *outcomes) {
    bool pairs = outcomes->cells == PENTA_CELLS;
    int64_t total = outcomes_total(outcomes);
    if (total < 2)
        return pairs ? "fewer than two pairs" : "fewer than two games";
    for (int i = 0; i < outcomes->cells; i++)
        if (outcomes->n[i] == total)
            return pairs ? "all pairs are equal" : "all games are equal";
    return NULL;
}

double elo_margin(const EloInterval *elo) {
    return fmax(elo->upper - elo->value, elo->value - elo->lower);
}

bool elo_reaches_end(const EloInterval *elo) {
    return elo->lower <= elo_of_score(0) || elo->upper >= elo_of_score(1);
}

void elo_open_ends(EloInterval *elo) {
    if (elo->lower <= elo_of_score(0))
        elo->lower = -INFINITY;
    if (elo->upper >= elo_of_score(1))
        elo->upper = INFINITY;
}

/* The probability that |T| <= tan(theta) * sqrt(freedom), T being Student's t with so many degrees
 * of freedom: the finite sums for whole degrees (Abramowitz and Stegun, 26.7.3 and 26.7.4).
 * *slope: its derivative by theta, a multiple of cos(theta)^(freedom - 1). */
static double t_central_probability(double theta, int freedom, double *slope) {
    double cosine = cos(theta);
    double square = cosine * cosine;
    bool odd = freedom % 2 == 1;
    double term = odd ? cosine : 1;
    double sum = 0;
    for (int k = odd ? 1 : 0; k <= freedom - 2; k += 2) {
        sum += term;
        term *= square * (k + 1) / (k + 2);
    }
    *slope = (odd ? M_2_PI : 1) * freedom * term / cosine;
    return odd ? M_2_PI * (theta + sin(theta) * sum) : sin(theta) * sum;
}

/* Many degrees of freedom: the expansion around the normal quantile (Abramowitz and Stegun,
 * 26.7.5); the omitted terms are below 1e-9 from 1000 degrees on, for p <= 0.999. */
static double t_quantile_expansion(double p, double freedom) {
    double z = normal_quantile(p);
    double s = z * z;
    double g1 = (s + 1) * z / 4;
    double g2 = ((5 * s + 16) * s + 3) * z / 96;
    double g3 = (((3 * s + 19) * s + 17) * s - 15) * z / 384;
    return z + (g1 + (g2 + g3 / freedom) / freedom) / freedom;
}

/* Newton's method from theta = 0. The probability grows ever more slowly with theta, so no step
 * goes beyond the root but by rounding, which ends the steps. */
double stats_t_quantile(double p, int64_t freedom) {
    enum { EXACT_MAX = 1000, STEPS = 200 };
    if (p < 0.5)
        return -stats_t_quantile(1 - p, freedom);
    if (freedom > EXACT_MAX)
        return t_quantile_expansion(p, (double)freedom);
    double theta = 0;
    for (int i = 0; i < STEPS; i++) {
        double slope;
        double missing = 2 * p - 1 - t_central_probability(theta, (int)freedom, &slope);
        double next = theta + missing / slope;
        if (next <= theta || next >= M_PI_2)
            break;
        theta = next;
    }
    return tan(theta) * sqrt((double)freedom);
}

/* Half of the mean score's 95 % interval. */
static double half_interval(double variance, int64_t total, IntervalKind kind) {
    double errors = kind == INTERVAL_STUDENT ? stats_t_quantile(1 - TAIL_95, total - 1)
                                             : normal_quantile(1 - TAIL_95);
    return errors * sqrt(variance / (double)total);
}

EloInterval outcomes_elo(const Outcomes *outcomes, IntervalKind kind) {
    int64_t count = outcomes_total(outcomes);
    if (count < 2)
        return (EloInterval){0, 0, 0};
    ScoreDistribution distribution = distribution_of(outcomes, 0, NULL);
    Moments m = distribution_moments(&distribution);
    double half = half_interval(m.variance, count, kind);
    return (EloInterval){elo_of_score(m.mean - half), elo_of_score(m.mean),
                         elo_of_score(m.mean + half)};
}

EloInterval outcomes_normalized_elo(const Outcomes *outcomes, IntervalKind kind) {
    int64_t count = outcomes_total(outcomes);
    if (count < 2)
        return (EloInterval){0, 0, 0};
    ScoreDistribution distribution = distribution_of(outcomes, DISTRIBUTION_CELL_MIN, NULL);
    Moments m = distribution_moments(&distribution);
    double t = (m.mean - EVEN) / sqrt(m.variance);
    double half = half_interval(1, count, kind);
    return (EloInterval){normalized_elo_of_t(distribution.cells, t - half),
                         normalized_elo_of_t(distribution.cells, t),
                         normalized_elo_of_t(distribution.cells, t + half)};
}

double outcomes_los(const Outcomes *outcomes) {
    if (outcomes_total(outcomes) < 1)
        return EVEN;
    double total;
    ScoreDistribution distribution = distribution_of(outcomes, 0, &total);
    Moments m = distribution_moments(&distribution);
    double distance = m.mean - EVEN;
    if (m.variance <= 0)
        return distance > 0 ? 1 : distance < 0 ? 0 : EVEN;
    return normal_below(distance / sqrt(m.variance / total));
}

static bool divide(int64_t part, int64_t whole, double *ratio) {
    if (whole == 0)
        return false;
    *ratio = (double)part / (double)whole;
    return true;
}

bool stats_draw_ratio(const Penta *penta, double *ratio) {
    return divide(penta->n[2], penta_pairs(penta), ratio);
}

bool stats_pair_ratio(const Penta *penta, double *ratio) {
    return divide(penta->n[3] + penta->n[4], penta->n[0] + penta->n[1], ratio);
}

void stats_expected_pairs(const Penta *penta, double expected[PENTA_CELLS]) {
    Outcomes outcomes = outcomes_of_penta(penta);
    ScoreDistribution seen = distribution_of(&outcomes, DISTRIBUTION_CELL_MIN, NULL);
    ScoreDistribution even = distribution_with_mean(&seen, EVEN);
    for (int i = 0; i < PENTA_CELLS; i++)
        expected[i] = even.p[i] * (double)penta_pairs(penta);
}
