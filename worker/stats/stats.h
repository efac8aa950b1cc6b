/* SPDX-License-Identifier: MIT */
/* What results of game pairs say: Elo and its interval, the sequential test's LLR and verdict.
   Pure: values in, values out, no NaN for any counts.

   A pair is two games of one opening with colours swapped; its score is dev's points over 2, one of
   0, 1/4, 1/2, 3/4, 1, and the five counts of them are the pentanomial. */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/side.h"

enum { PENTA_CELLS = 5 };

/* Pairs by dev's points: 0, 1/2, 1, 1 1/2, 2 (LL, LD, DD or WL, DW, WW). */
typedef struct {
    int64_t n[PENTA_CELLS];
} Penta;

/* What an engine said of its own work, summed over the moves that said so: what averages are made
   of. All zero: it said nothing. */
typedef struct {
    int64_t depths, depth_moves; /* the depths in plies, and how many moves named theirs */
    int64_t nodes, nodes_ns;     /* nodes, and the nanoseconds of the moves that counted them */
} EngineWork;

void work_add(EngineWork *total, const EngineWork *more);

/* Mean depth in plies and nodes a second; false when the engine did not say. */
bool work_depth(const EngineWork *work, double *depth);
bool work_nps(const EngineWork *work, double *nps);

/* Everything that is counted over whole pairs, from dev's view. A single pair is a Tally too. */
typedef struct {
    int64_t wins, losses, draws; /* games */
    Penta penta;
    int64_t crashes, timelosses, illegals; /* games that ended by such a fault, of either side */
    int64_t plies;                         /* half moves played, book moves not counted */
    EngineWork work[SIDE_COUNT];
} Tally;

/* The tally of one pair whose two games gave dev first_points and second_points, in half points
   (0 lost, 1 drawn, 2 won). The rest is 0. */
Tally tally_of_pair(int first_points, int second_points);
void tally_add(Tally *total, const Tally *more);
int64_t tally_games(const Tally *tally);

/* The games that the statistics rest on: two of each pair, or the games where no pairs were
 * counted.
 */
int64_t tally_games_counted(const Tally *tally);

int64_t penta_pairs(const Penta *penta);

/* What the statistics rest on: counts of the equally spaced scores from 0 to 1, of pairs (five
   cells) or of games (three: losses, draws, wins). */
typedef struct {
    int cells;
    int64_t n[PENTA_CELLS];
} Outcomes;

enum { TRI_CELLS = 3 };

Outcomes outcomes_of_penta(const Penta *penta);

/* The pairs, which know more, or the games where no pairs were counted. */
Outcomes outcomes_of(const Tally *tally);
int64_t outcomes_total(const Outcomes *outcomes);

/* Why no interval can be told from these outcomes: "fewer than two pairs" ("games" where games are
   counted), or "all pairs are equal", since outcomes that never varied do not show how much they
   vary. NULL: an interval can be told. */
const char *outcomes_no_interval(const Outcomes *outcomes);

/* Elo with its 95 % interval. */
typedef struct {
    double lower, value, upper;
} EloInterval;

/* The larger half of the interval: what a report prints after "+-". */
double elo_margin(const EloInterval *elo);

/* Logistic Elo of the mean score, with Student's t interval of (pairs - 1) degrees of freedom on
   it. Scores are kept within [0.001, 0.999]; all 0 with fewer than two pairs. */
EloInterval stats_elo(const Penta *penta);

/* How the 95 % interval is made: by Student's t with (counts - 1) degrees of freedom, as OpenBench
   does, or for large samples, by the normal distribution (1.96 standard errors). */
typedef enum { INTERVAL_STUDENT, INTERVAL_NORMAL } IntervalKind;

/* Logistic Elo of the mean score: -400 log10(1 / score - 1), the interval's ends likewise. Scores
   are kept within [0.001, 0.999]; all 0 with fewer than two counts. */
EloInterval outcomes_elo(const Outcomes *outcomes, IntervalKind kind);

/* Normalized Elo: (score - 1/2) / (sigma of a game) * 800 / ln 10, sigma of a game being sqrt(2)
   sigma of a pair; the interval is that of the score with the same sigma (M. Van den Bergh,
   "Normalized Elo"). Each cell counts at least 1e-3; all 0 with fewer than two counts. */
EloInterval outcomes_normalized_elo(const Outcomes *outcomes, IntervalKind kind);

/* The share of pairs that were even (DD or WL), and pairs won per pair lost, (DW + WW) / (LL + LD).
   False when there are none to divide by. */
bool stats_draw_ratio(const Penta *penta, double *ratio);
bool stats_pair_ratio(const Penta *penta, double *ratio);

/* How many pairs of each score equal engines would most likely have made of as many pairs: the most
   likely distribution with mean 1/2 given these, times their number. All 0 without pairs. */
void stats_expected_pairs(const Penta *penta, double expected[PENTA_CELLS]);

/* Quantile of Student's t: the t that a variable with `freedom` >= 1 degrees of freedom exceeds
   with probability 1 - p. 0 < p < 1. */
double stats_t_quantile(double p, int64_t freedom);

/* Likelihood of superiority: the probability that dev is the stronger one, by the normal
   approximation of the mean score; 1/2 without counts. */
double outcomes_los(const Outcomes *outcomes);

/* In what a rule's hypotheses are given. */
typedef enum {
    SPRT_NORMALIZED, /* as today's servers do */
    SPRT_LOGISTIC,   /* of the mean score */
    SPRT_BAYES       /* R. Coulom's: with the draw rate seen, as the first servers did */
} SprtModel;

/* "normalized", "logistic", "bayes". */
const char *sprt_model_name(SprtModel model);

/* What such hypotheses count: "normalized Elo", "logistic Elo", "Bayes Elo". */
const char *sprt_model_unit(SprtModel model);

/* A sequential probability ratio test: its hypotheses, in Elo of its model, and its error rates. */
typedef struct {
    double elo0, elo1;
    double alpha; /* chance of H1 when H0 is true */
    double beta;  /* chance of H0 when H1 is true */
    SprtModel model;
} SprtRule;

/* The generalised log likelihood ratio of H1, Elo = elo1, against H0, Elo = elo0: n times the sum
   of share * ln(most likely share under H1 / most likely share under H0). Each cell counts at least
   1e-3. In the Bayes-Elo model draw_elo is 200 log10((1/L - 1) (1/W - 1)) of the shares of lost and
   won games; games (three cells) are then judged by the model's own shares, pairs by its mean.
   Where only pairs are known, an even pair counts as two draws. */
double sprt_llr(const SprtRule *rule, const Tally *tally);

typedef struct {
    double lower, upper;
} LlrLimits;

/* ln(beta / (1 - alpha)) and ln((1 - beta) / alpha) (Wald). */
LlrLimits sprt_limits(const SprtRule *rule);

typedef enum { VERDICT_NONE, VERDICT_H0, VERDICT_H1 } Verdict;

/* H1 when the LLR is at or above the upper limit, H0 when at or below the lower. */
Verdict sprt_verdict(double llr, LlrLimits limits);

/* How many pairs more decide the test when its LLR goes on as it went so far, on average. False
   while chance alone may have brought it here: within one standard deviation of nothing at all,
   which is sqrt(pairs) times the distance of the hypotheses in standard deviations of a pair. */
bool sprt_pairs_left(const SprtRule *rule, const Tally *tally, double llr, double *left);

/* "none", "H0", "H1". */
const char *verdict_name(Verdict verdict);

#endif
