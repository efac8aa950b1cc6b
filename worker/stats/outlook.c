/* SPDX-License-Identifier: MIT */
#include "stats/outlook.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/distribution.h"

/* The LLR's step for each cell, and the step's probability. */
typedef struct {
    int cells;
    double step[PENTA_CELLS], p[PENTA_CELLS];
} Walk;

/* ---- Shapes ---- */

bool shape_of_tally(const Tally *tally, PairShape *shape) {
    Outcomes outcomes = outcomes_of(tally);
    if (outcomes_no_interval(&outcomes) != NULL)
        return false;
    ScoreDistribution distribution = distribution_of(&outcomes, DISTRIBUTION_CELL_MIN, NULL);
    const double *p = distribution.p;
    int64_t games = tally_games(tally);
    shape->cells = distribution.cells;
    for (int i = 0; i < distribution.cells; i++)
        shape->p[i] = p[i];
    shape->draws = games > 0 ? (double)tally->draws / (double)games : p[2] + (p[1] + p[3]) / 2;
    return true;
}

PairShape shape_of_draws(double draws) {
    PairShape shape = {.cells = PENTA_CELLS, .draws = draws};
    double game[TRI_CELLS] = {(1 - draws) / 2, draws, (1 - draws) / 2};
    for (int first = 0; first < TRI_CELLS; first++)
        for (int second = 0; second < TRI_CELLS; second++)
            shape.p[first + second] += game[first] * game[second];
    return shape;
}

static ScoreDistribution distribution_of_shape(const PairShape *shape) {
    ScoreDistribution distribution = {.cells = shape->cells};
    for (int i = 0; i < shape->cells; i++)
        distribution.p[i] = shape->p[i];
    return distribution;
}

/* The draw_elo of equal engines with the shape's share of drawn games. */
static double draw_elo_of_shape(const PairShape *shape) {
    double decided = fmax((1 - shape->draws) / 2, 1e-6);
    return 400 * log10(1 / decided - 1);
}

/* ---- The walk ---- */

static Walk walk_of(const SprtRule *rule, const PairShape *shape, const ScoreDistribution *truth) {
    double draw_elo = draw_elo_of_shape(shape);
    ScoreDistribution h0 = distribution_under(truth, rule->model, rule->elo0, draw_elo);
    ScoreDistribution h1 = distribution_under(truth, rule->model, rule->elo1, draw_elo);
    Walk walk = {.cells = truth->cells};
    for (int i = 0; i < walk.cells; i++) {
        walk.p[i] = truth->p[i];
        walk.step[i] = log(h1.p[i] / h0.p[i]);
    }
    return walk;
}

/* The equations for the points between the walls: a band matrix around the diagonal, and two right
 * sides. */
typedef struct {
    int points, reach; /* columns of the band on either side of the diagonal */
    double *band;      /* points * (2 * reach + 1) */
    double *pass, *pairs;
} Grid;

static double *grid_row(const Grid *grid, int row) {
    return grid->band + (size_t)row * (size_t)(2 * grid->reach + 1) + grid->reach;
}

/* Enters into the equation of `row` that a step leads to the point `to`, a wall or a point between
 * the walls, with this weight. */
static void grid_lead(Grid *grid, int row, int to, double weight) {
    if (to >= grid->points)
        grid->pass[row] += weight;
    else if (to >= 0)
        grid_row(grid, row)[to - row] -= weight;
}

static Grid grid_build(const Walk *walk, int points, int reach, double width) {
    Grid grid = {.points = points, .reach = reach};
    grid.band = mem_calloc((size_t)points * (size_t)(2 * reach + 1), sizeof *grid.band);
    grid.pass = mem_calloc((size_t)points, sizeof *grid.pass);
    grid.pairs = mem_calloc((size_t)points, sizeof *grid.pairs);
    for (int row = 0; row < points; row++) {
        grid_row(&grid, row)[0] += 1;
        grid.pairs[row] = 1;
        for (int i = 0; i < walk->cells; i++) {
            double target = fmin(fmax(row + walk->step[i] / width, -1), points);
            int below = (int)floor(target);
            double above = target - below;
            grid_lead(&grid, row, below, walk->p[i] * (1 - above));
            if (above > 0)
                grid_lead(&grid, row, below + 1, walk->p[i] * above);
        }
    }
    return grid;
}

/* Elimination without pivots: in each row the diagonal outweighs the other entries. */
static void grid_solve(Grid *grid) {
    for (int row = 0; row < grid->points; row++) {
        const double *pivot = grid_row(grid, row);
        for (int k = 1; k <= grid->reach && row + k < grid->points; k++) {
            double *other = grid_row(grid, row + k);
            double factor = other[-k] / pivot[0];
            if (factor == 0)
                continue;
            for (int j = 1; j <= grid->reach; j++)
                other[j - k] -= factor * pivot[j];
            grid->pass[row + k] -= factor * grid->pass[row];
            grid->pairs[row + k] -= factor * grid->pairs[row];
        }
    }
    for (int row = grid->points - 1; row >= 0; row--) {
        const double *pivot = grid_row(grid, row);
        for (int j = 1; j <= grid->reach && row + j < grid->points; j++) {
            grid->pass[row] -= pivot[j] * grid->pass[row + j];
            grid->pairs[row] -= pivot[j] * grid->pairs[row + j];
        }
        grid->pass[row] /= pivot[0];
        grid->pairs[row] /= pivot[0];
    }
}

static void grid_free(Grid *grid) {
    free(grid->band);
    free(grid->pass);
    free(grid->pairs);
}

static double between(const double *values, int count, double at) {
    int below = (int)fmin(fmax(floor(at), 0), count - 2);
    double above = at - below;
    return values[below] * (1 - above) + values[below + 1] * above;
}

/* The largest step, and the standard deviation of a step. */
static void walk_measure(const Walk *walk, double *longest, double *deviation) {
    double mean = 0;
    double square = 0;
    *longest = 0;
    for (int i = 0; i < walk->cells; i++) {
        mean += walk->p[i] * walk->step[i];
        square += walk->p[i] * walk->step[i] * walk->step[i];
        *longest = fmax(*longest, fabs(walk->step[i]));
    }
    *deviation = sqrt(fmax(square - mean * mean, 1e-300));
}

/* The multiplications of one solution of a grid at most: for a plan's numbers, and for exact
 * limits, which take some fifty solutions. */
static const double PLAN_WORK = 1e9;
static const double LIMITS_WORK = 1e8;

/* The points of the grid at most. Its solution takes points * reach² multiplications, and reach is
 * longest / span * points. */
static double points_most(double span, double longest, double work) {
    enum { POINTS_MAX = 30000, REACH_MAX = 1000 };
    double affordable = cbrt(work * span / longest * span / longest);
    return fmin(fmin(POINTS_MAX, affordable), (double)REACH_MAX * span / longest);
}

/* The probability to leave at the upper wall, and the mean number of steps until the walk leaves,
 * from 0. */
static void walk_run(const Walk *walk, LlrLimits limits, double work, double *pass, double *pairs) {
    enum { POINTS_MIN = 100, FINE = 16 };
    double longest;
    double deviation;
    walk_measure(walk, &longest, &deviation);
    double span = limits.upper - limits.lower;
    double wanted = span / deviation * (double)FINE;
    int points = (int)fmax(fmin(wanted, points_most(span, longest, work)), POINTS_MIN);
    double width = span / (points + 1); /* the walls are points too */
    int reach = (int)fmin(ceil(longest / width) + 1, points);
    Grid grid = grid_build(walk, points, reach, width);
    grid_solve(&grid);
    double zero = -limits.lower / width - 1;
    *pass = fmin(fmax(between(grid.pass, points, zero), 0), 1);
    *pairs = fmax(between(grid.pairs, points, zero), 1);
    grid_free(&grid);
}

/* ---- The test ---- */

/* The distribution of pairs of this shape whose mean score has this logistic Elo. */
static ScoreDistribution truth_of(const PairShape *shape, double elo) {
    ScoreDistribution seen = distribution_of_shape(shape);
    return distribution_with_mean(&seen, score_of_elo(elo));
}

static double normalized_of(const ScoreDistribution *truth) {
    Moments m = distribution_moments(truth);
    return normalized_elo_of_t(truth->cells, (m.mean - 0.5) / sqrt(m.variance));
}

static Outlook outlook_of(const SprtRule *rule, LlrLimits limits, const PairShape *shape,
                          double elo, double work) {
    ScoreDistribution truth = truth_of(shape, elo);
    Walk walk = walk_of(rule, shape, &truth);
    Outlook outlook = {.normalized = normalized_of(&truth), .logistic = elo};
    walk_run(&walk, limits, work, &outlook.pass, &outlook.pairs);
    return outlook;
}

Outlook sprt_outlook(const SprtRule *rule, LlrLimits limits, const PairShape *shape, double elo) {
    return outlook_of(rule, limits, shape, elo, PLAN_WORK);
}

double sprt_logistic_elo(const SprtRule *rule, const PairShape *shape, double elo) {
    enum { HALVINGS = 60 };
    static const double ELO_MAX = 1000;
    ScoreDistribution seen = distribution_of_shape(shape);
    if (rule->model != SPRT_NORMALIZED) {
        ScoreDistribution truth =
            distribution_under(&seen, rule->model, elo, draw_elo_of_shape(shape));
        return elo_of_score(distribution_moments(&truth).mean);
    }
    double low = -ELO_MAX;
    double high = ELO_MAX;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        ScoreDistribution truth = truth_of(shape, middle);
        if (normalized_of(&truth) < elo)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Are the steps large enough for a grid of so much work? */
static bool is_fine(const SprtRule *rule, const PairShape *shape, double work) {
    double longest;
    double deviation;
    ScoreDistribution truth = truth_of(shape, sprt_logistic_elo(rule, shape, rule->elo0));
    Walk walk = walk_of(rule, shape, &truth);
    LlrLimits limits = sprt_limits(rule);
    double span = limits.upper - limits.lower;
    walk_measure(&walk, &longest, &deviation);
    /* With two points for each such step an error rate of 5 % is computed to 0.2 %. */
    return 2 * span / deviation <= points_most(span, longest, work);
}

bool sprt_check_outlook(const SprtRule *rule, const PairShape *shape, Error *err) {
    return is_fine(rule, shape, PLAN_WORK) ||
           error_set(err,
                     "the bounds %g and %g are too near to each other to be planned with such "
                     "pairs",
                     rule->elo0, rule->elo1);
}

bool sprt_exact_limits(const SprtRule *rule, const PairShape *shape, LlrLimits *out) {
    enum { ROUNDS = 24 };
    static const double ENOUGH = 1e-5;
    static const double PROGRESS = 0.9;
    static const double NEAREST = 1e-3;
    LlrLimits limits = sprt_limits(rule);
    bool found = false;
    int rounds = is_fine(rule, shape, LIMITS_WORK) ? ROUNDS : 0;
    double step = 1; /* Whole steps may swing limits from side to side. */
    double before = INFINITY;
    double elo0 = sprt_logistic_elo(rule, shape, rule->elo0);
    double elo1 = sprt_logistic_elo(rule, shape, rule->elo1);
    for (int round = 0; round < rounds && !found; round++) {
        double alpha = outlook_of(rule, limits, shape, elo0, LIMITS_WORK).pass;
        double beta = 1 - outlook_of(rule, limits, shape, elo1, LIMITS_WORK).pass;
        double up = log(fmax(alpha, 1e-12) / rule->alpha);
        double down = log(fmax(beta, 1e-12) / rule->beta);
        double off = fmax(fabs(up), fabs(down));
        step = off < PROGRESS * before ? step : step / 2;
        before = off;
        limits.upper = fmax(limits.upper + step * up, NEAREST);
        limits.lower = fmin(limits.lower - step * down, -NEAREST);
        found = off < ENOUGH;
    }
    *out = limits;
    return found;
}
