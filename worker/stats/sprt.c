/* SPDX-License-Identifier: MIT */
#include "stats/sprt.h"

#include <math.h>
#include <stddef.h>

#include "stats/distribution.h"

/* The tally's games as losses, draws and wins. Where only pairs are known: the games with the
   fewest decided ones that make these pairs. */
static Outcomes games_of_tally(const Tally *tally) {
    const int64_t *n = tally->penta.n;
    if (tally_games(tally) > 0)
        return (Outcomes){.cells = TRI_CELLS, .n = {tally->losses, tally->draws, tally->wins}};
    return (Outcomes){.cells = TRI_CELLS,
                      .n = {2 * n[0] + n[1], n[1] + 2 * n[2] + n[3], n[3] + 2 * n[4]}};
}

/* The draw_elo of the games seen, for the Bayes-Elo model. */
static double draw_elo_of(const Tally *tally) {
    Outcomes games = games_of_tally(tally);
    ScoreDistribution distribution = distribution_of(&games, DISTRIBUTION_CELL_MIN, NULL);
    return 200 * log10((1 / distribution.p[0] - 1) * (1 / distribution.p[2] - 1));
}

/* The model's own shares of losses, draws and wins. */
static ScoreDistribution bayes_distribution(double elo, double draw_elo) {
    double win = score_of_elo(elo - draw_elo);
    double loss = score_of_elo(-elo - draw_elo);
    return (ScoreDistribution){.cells = TRI_CELLS, .p = {loss, fmax(1 - win - loss, 1e-9), win}};
}

double sprt_llr(const SprtRule *rule, const Tally *tally) {
    double total;
    Outcomes outcomes = outcomes_of(tally);
    if (outcomes_total(&outcomes) == 0)
        return 0;
    ScoreDistribution seen = distribution_of(&outcomes, DISTRIBUTION_CELL_MIN, &total);
    double draw_elo = rule->model == SPRT_BAYES ? draw_elo_of(tally) : 0;
    bool own = rule->model == SPRT_BAYES && seen.cells == TRI_CELLS;
    ScoreDistribution h0 = own ? bayes_distribution(rule->elo0, draw_elo)
                               : distribution_under(&seen, rule->model, rule->elo0, draw_elo);
    ScoreDistribution h1 = own ? bayes_distribution(rule->elo1, draw_elo)
                               : distribution_under(&seen, rule->model, rule->elo1, draw_elo);
    double sum = 0;
    for (int i = 0; i < seen.cells; i++)
        sum += seen.p[i] * log(h1.p[i] / h0.p[i]);
    return total * sum;
}

const char *sprt_model_name(SprtModel model) {
    static const char *const names[] = {"normalized", "logistic", "bayes"};
    return names[model];
}

const char *sprt_model_unit(SprtModel model) {
    static const char *const units[] = {"normalized Elo", "logistic Elo", "Bayes Elo"};
    return units[model];
}

LlrLimits sprt_limits(const SprtRule *rule) {
    return (LlrLimits){log(rule->beta / (1 - rule->alpha)), log((1 - rule->beta) / rule->alpha)};
}

Verdict sprt_verdict(double llr, LlrLimits limits) {
    if (llr >= limits.upper)
        return VERDICT_H1;
    return llr <= limits.lower ? VERDICT_H0 : VERDICT_NONE;
}

double sprt_step(const SprtRule *rule, const Tally *tally) {
    Outcomes outcomes = outcomes_of(tally);
    ScoreDistribution seen = distribution_of(&outcomes, DISTRIBUTION_CELL_MIN, NULL);
    double draw_elo = rule->model == SPRT_BAYES ? draw_elo_of(tally) : 0;
    return t_under(&seen, rule->model, rule->elo1, draw_elo) -
           t_under(&seen, rule->model, rule->elo0, draw_elo);
}

bool sprt_pairs_left(const SprtRule *rule, const Tally *tally, double llr, double *left) {
    LlrLimits limits = sprt_limits(rule);
    int64_t pairs = penta_pairs(&tally->penta);
    if (pairs < 1 || fabs(llr) < sprt_step(rule, tally) * sqrt((double)pairs))
        return false;
    double goal = llr > 0 ? limits.upper : limits.lower;
    *left = fmax((goal - llr) / (llr / (double)pairs), 0);
    return true;
}

const char *verdict_name(Verdict verdict) {
    static const char *const names[] = {"none", "H0", "H1"};
    return names[verdict];
}
