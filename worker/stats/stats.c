#include "stats/stats.h"

#include <math.h>

static const double PAIR_SCORES[PENTA_CELLS] = {0, 0.25, 0.5, 0.75, 1};
static const double EVEN = 0.5;            /* the score of equal opponents */
static const double SCORE_LEAST = 0.001;   /* scores are kept this far from 0 and 1 */
static const double CELL_LEAST = 1e-3;     /* pairs in a cell, for the likelihoods */
static const double CONFIDENCE_95 = 0.975; /* two sides of 2.5 % each */

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
    for (int i = 0; i < PENTA_CELLS; i++)
        total->penta.n[i] += more->penta.n[i];
    total->crashes += more->crashes;
    total->timelosses += more->timelosses;
    total->illegals += more->illegals;
    total->plies += more->plies;
    for (int side = 0; side < TALLY_SIDES; side++)
        work_add(&total->work[side], &more->work[side]);
}

int64_t tally_games(const Tally *tally) {
    return tally->wins + tally->losses + tally->draws;
}

int64_t penta_pairs(const Penta *penta) {
    int64_t pairs = 0;
    for (int i = 0; i < PENTA_CELLS; i++)
        pairs += penta->n[i];
    return pairs;
}

/* A distribution over the five pair scores. */
typedef struct {
    double p[PENTA_CELLS];
} Distribution;

typedef struct {
    double mean, variance;
} Moments;

static Moments moments_of(const Distribution *d) {
    Moments m = {0, 0};
    for (int i = 0; i < PENTA_CELLS; i++)
        m.mean += d->p[i] * PAIR_SCORES[i];
    for (int i = 0; i < PENTA_CELLS; i++)
        m.variance += d->p[i] * (PAIR_SCORES[i] - m.mean) * (PAIR_SCORES[i] - m.mean);
    return m;
}

/* The shares of the cells when each counts at least `least`; *total is what they are shares of,
 * which must not come to 0. */
static Distribution shares_of(const Penta *penta, double least, double *total) {
    Distribution d;
    *total = 0;
    for (int i = 0; i < PENTA_CELLS; i++) {
        d.p[i] = fmax((double)penta->n[i], least);
        *total += d.p[i];
    }
    for (int i = 0; i < PENTA_CELLS; i++)
        d.p[i] /= *total;
    return d;
}

/* The logistic model: a player that is E Elo better scores 1 / (1 + 10^(-E / 400)). */
static double elo_of_score(double score) {
    score = fmin(fmax(score, SCORE_LEAST), 1 - SCORE_LEAST);
    return -400 * log10(1 / score - 1);
}

double elo_margin(const EloInterval *elo) {
    return fmax(elo->upper - elo->value, elo->value - elo->lower);
}

/* The probability that |T| <= tan(theta) * sqrt(freedom), T being Student's t with so many degrees
 * of freedom: the finite sums for whole degrees (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
static double t_central_probability(double theta, int freedom) {
    double cosine = cos(theta);
    double square = cosine * cosine;
    bool odd = freedom % 2 == 1;
    double term = odd ? cosine : 1;
    double sum = 0;
    for (int k = odd ? 1 : 0; k <= freedom - 2; k += 2) {
        sum += term;
        term *= square * (k + 1) / (k + 2);
    }
    if (odd)
        return 2 / M_PI * (theta + sin(theta) * sum);
    return sin(theta) * sum;
}

/* The z that a standard normal variable stays below with probability p >= 1/2, by halving. */
static double normal_quantile(double p) {
    double low = 0;
    double high = 40;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (erfc(middle / M_SQRT2) / 2 > 1 - p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Many degrees of freedom: the expansion around the normal quantile (Abramowitz and
 * Stegun, 26.7.5); what is left out is below 1e-9 from 1000 degrees on, for p <= 0.999. */
static double t_quantile_expansion(double p, double freedom) {
    double z = normal_quantile(p);
    double s = z * z;
    double g1 = (s + 1) * z / 4;
    double g2 = ((5 * s + 16) * s + 3) * z / 96;
    double g3 = (((3 * s + 19) * s + 17) * s - 15) * z / 384;
    return z + (g1 + (g2 + g3 / freedom) / freedom) / freedom;
}

double stats_t_quantile(double p, int64_t freedom) {
    enum { EXACT_MOST = 1000, HALVINGS = 100 };
    if (p < 0.5)
        return -stats_t_quantile(1 - p, freedom);
    if (freedom > EXACT_MOST)
        return t_quantile_expansion(p, (double)freedom);
    double low = 0;
    double high = M_PI_2;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (t_central_probability(middle, (int)freedom) < 2 * p - 1)
            low = middle;
        else
            high = middle;
    }
    return tan((low + high) / 2) * sqrt((double)freedom);
}

EloInterval stats_elo(const Penta *penta) {
    int64_t pairs = penta_pairs(penta);
    if (pairs < 2)
        return (EloInterval){0, 0, 0};
    double total;
    Distribution shares = shares_of(penta, 0, &total);
    Moments m = moments_of(&shares);
    double half = stats_t_quantile(CONFIDENCE_95, pairs - 1) * sqrt(m.variance / total);
    return (EloInterval){elo_of_score(m.mean - half), elo_of_score(m.mean),
                         elo_of_score(m.mean + half)};
}

double stats_los(const Penta *penta) {
    if (penta_pairs(penta) < 1)
        return EVEN;
    double total;
    Distribution shares = shares_of(penta, 0, &total);
    Moments m = moments_of(&shares);
    double distance = m.mean - EVEN;
    if (m.variance <= 0)
        return distance > 0 ? 1 : distance < 0 ? 0 : EVEN;
    return erfc(-distance / sqrt(2 * m.variance / total)) / 2;
}

/* Normalized Elo is defined on games: 800 / ln 10 times (score - 1/2) / sigma of a game. Of a
 * pair's score sigma is smaller by the square root of 2, so this is (score - 1/2) / sigma of a
 * pair. */
static double t_value_of_normalized_elo(double elo) {
    return elo * M_LN10 / 800 * M_SQRT2;
}

/* Turns shares q into q_i / (1 + x v_i), where x is the zero of sum q_i v_i / (1 + x v_i) with all
 * 1 + x v_i > 0. The sum falls with x from +inf at x = -1 / max v to -inf at x = -1 / min v; false
 * when v has not both signs. The zero may lie so close to an end that the difference is lost in x
 * itself, so x is measured from the nearer end, by its logarithm. */
static bool tilt(const Distribution *q, const double v[PENTA_CELLS], Distribution *out) {
    enum { HALVINGS = 100 };
    static const double NEAREST = 1e-60;
    double least = v[0];
    double most = v[0];
    for (int i = 1; i < PENTA_CELLS; i++) {
        least = fmin(least, v[i]);
        most = fmax(most, v[i]);
    }
    if (!(least < 0 && most > 0))
        return false;

    double width = 1 / most - 1 / least;
    double middle = (-1 / most - 1 / least) / 2;
    double slope = 0;
    for (int i = 0; i < PENTA_CELLS; i++)
        slope += q->p[i] * v[i] / (1 + middle * v[i]);
    double end = slope < 0 ? most : least; /* x = -1 / end + direction * distance */
    double direction = slope < 0 ? 1 : -1;

    double low = log(NEAREST);
    double high = log(width / 2);
    for (int k = 0; k < HALVINGS; k++) {
        double distance = direction * exp((low + high) / 2);
        double sum = 0;
        for (int i = 0; i < PENTA_CELLS; i++) {
            double divisor = (1 - v[i] / end) + distance * v[i];
            out->p[i] = q->p[i] / divisor;
            sum += out->p[i] * v[i];
        }
        if (direction * sum > 0)
            low = (low + high) / 2;
        else
            high = (low + high) / 2;
    }
    return true;
}

/* The most likely distribution, given the shares seen, among those whose (mean - 1/2) / sigma is t.
 *
 * Maximising sum q_i log p_i under a constraint that is linear in p, sum p_i v_i = 0, gives
 * p_i = q_i / (1 + x v_i) with the x that meets it. The t-value is not linear in p, so its
 * constraint is replaced by its tangent at the last p (mean - 1/2 - t sigma, with the derivative of
 * sigma), and this is repeated until p stays. (M. Van den Bergh's method for the GSPRT with
 * normalized Elo.) */
static Distribution most_likely_with_t_value(const Distribution *seen, double t) {
    enum { ROUNDS = 50 };
    static const double ENOUGH = 1e-9;
    Distribution d;
    for (int i = 0; i < PENTA_CELLS; i++)
        d.p[i] = 1.0 / PENTA_CELLS;
    for (int round = 0; round < ROUNDS; round++) {
        Moments m = moments_of(&d);
        double sigma = sqrt(m.variance);
        double v[PENTA_CELLS];
        for (int i = 0; i < PENTA_CELLS; i++) {
            double deviation = (PAIR_SCORES[i] - m.mean) / sigma;
            v[i] = PAIR_SCORES[i] - EVEN - t * sigma * (1 + deviation * deviation) / 2;
        }
        Distribution next;
        if (!tilt(seen, v, &next))
            break;
        double change = 0;
        for (int i = 0; i < PENTA_CELLS; i++)
            change = fmax(change, fabs(next.p[i] - d.p[i]));
        d = next;
        if (change < ENOUGH)
            break;
    }
    return d;
}

double stats_llr(const Penta *penta, double elo0, double elo1) {
    double total;
    Distribution seen = shares_of(penta, CELL_LEAST, &total);
    Distribution h0 = most_likely_with_t_value(&seen, t_value_of_normalized_elo(elo0));
    Distribution h1 = most_likely_with_t_value(&seen, t_value_of_normalized_elo(elo1));
    double sum = 0;
    for (int i = 0; i < PENTA_CELLS; i++)
        sum += seen.p[i] * log(h1.p[i] / h0.p[i]);
    return total * sum;
}

LlrLimits sprt_limits(const SprtRule *rule) {
    return (LlrLimits){log(rule->beta / (1 - rule->alpha)), log((1 - rule->beta) / rule->alpha)};
}

Verdict sprt_verdict(double llr, LlrLimits limits) {
    if (llr >= limits.upper)
        return VERDICT_H1;
    return llr <= limits.lower ? VERDICT_H0 : VERDICT_NONE;
}

bool sprt_pairs_left(const SprtRule *rule, int64_t pairs, double llr, double *left) {
    LlrLimits limits = sprt_limits(rule);
    double step = t_value_of_normalized_elo(rule->elo1) - t_value_of_normalized_elo(rule->elo0);
    if (pairs < 1 || fabs(llr) < step * sqrt((double)pairs))
        return false;
    double goal = llr > 0 ? limits.upper : limits.lower;
    *left = fmax((goal - llr) / (llr / (double)pairs), 0);
    return true;
}

const char *verdict_name(Verdict verdict) {
    static const char *const names[] = {"none", "H0", "H1"};
    return names[verdict];
}
