/* SPDX-License-Identifier: MIT */
/* Counts of game pairs, and Elo with its interval. The sequential test is in stats/sprt.h.
   Pure: values in, values out, no NaN for any counts.

   A pair is two games of one opening with colours swapped; its score is dev's points over 2, one of
   0, 1/4, 1/2, 3/4, 1, and the five counts of them are the pentanomial. */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/side.h"

enum { GAMES_PER_PAIR = 2, PENTA_CELLS = 5 };

/* A 95 % interval: the probability on either side of it, and half of it in standard errors of a
 * normal distribution. */
#define TAIL_95 0.025
#define ERRORS_95 1.959963984540054

/* Pairs by dev's points: 0, 1/2, 1, 1 1/2, 2 (LL, LD, DD or WL, DW, WW). */
typedef struct {
    int64_t n[PENTA_CELLS];
} Penta;

/* What an engine reported of its own searches, summed over the moves with a report. All zero: the
   engine reported nothing. */
typedef struct {
    int64_t depths, depth_moves; /* sum in plies, and the moves that named a depth */
    int64_t nodes, nodes_ns;     /* sum, and the time of the moves that named nodes */
} EngineWork;

void work_add(EngineWork *total, const EngineWork *more);

/* Mean depth in plies, and nodes a second. False when the engine did not report any. */
bool work_depth(const EngineWork *work, double *depth);
bool work_nps(const EngineWork *work, double *nps);

/* The counts of whole pairs, from dev's view. A single pair is a Tally too. */
typedef struct {
    int64_t wins, losses, draws; /* games */
    Penta penta;
    int64_t crashes, timelosses, illegals; /* games that ended by such a fault, of either side */
    int64_t plies;                         /* half moves played, book moves not counted */
    EngineWork work[SIDE_COUNT];
} Tally;

/* The tally of one pair whose two games gave dev first_points and second_points, in half points (0
   lost, 1 drawn, 2 won). The other fields are 0. */
Tally tally_of_pair(int first_points, int second_points);
void tally_add(Tally *total, const Tally *more);
int64_t tally_games(const Tally *tally);

/* The games behind the statistics: two for each pair, or the games where no pairs were counted. */
int64_t tally_games_counted(const Tally *tally);

void penta_add(Penta *total, const Penta *more);
bool penta_equal(const Penta *a, const Penta *b);
int64_t penta_pairs(const Penta *penta);

/* dev's points, in half points: of the games, and of the pairs. The same where both are of the same
   games. */
int64_t tally_half_points(const Tally *tally);
int64_t penta_half_points(const Penta *penta);

/* Can pairs of these points have so many draws? A pair of one point has two draws or none. */
bool penta_allows_draws(const Penta *penta, int64_t draws);

/* The counts behind the statistics: counts of the equally spaced scores from 0 to 1, of pairs (five
   cells) or of games (three cells: losses, draws, wins). */
typedef struct {
    int cells;
    int64_t n[PENTA_CELLS];
} Outcomes;

enum { TRI_CELLS = 3 };

Outcomes outcomes_of_penta(const Penta *penta);

/* The pairs, which hold more information than games; or the games where no pairs were counted. */
Outcomes outcomes_of(const Tally *tally);
int64_t outcomes_total(const Outcomes *outcomes);

/* Why these outcomes give no interval: "fewer than two pairs" ("games" where games are counted), or
   "all pairs are equal", since equal outcomes do not show their variance. NULL: there is an
   interval. */
const char *outcomes_no_interval(const Outcomes *outcomes);

/* Elo with its 95 % interval. */
typedef struct {
    double lower, value, upper;
} EloInterval;

/* The larger half of the interval: what a report prints after "+-". */
double elo_margin(const EloInterval *elo);

/* Does the interval reach an end of the scale, the Elo of a score of 0.001 or 0.999? The interval
   tells nothing of what lies beyond. */
bool elo_reaches_end(const EloInterval *elo);

/* Makes each end of the interval that reaches the end of the scale infinite. */
void elo_open_ends(EloInterval *elo);

/* How the 95 % interval is computed: by Student's t with (counts - 1) degrees of freedom, as
   OpenBench does, or by the normal distribution (1.96 standard errors), for large samples. */
typedef enum { INTERVAL_STUDENT, INTERVAL_NORMAL } IntervalKind;

/* Logistic Elo of the mean score: -400 log10(1 / score - 1), the interval's ends likewise. Scores
   are kept within [0.001, 0.999]; all 0 with fewer than two counts. */
EloInterval outcomes_elo(const Outcomes *outcomes, IntervalKind kind);

/* Normalized Elo: (score - 1/2) / (sigma of a game) * 800 / ln 10, sigma of a game being sqrt(2)
   sigma of a pair; the interval is the score's interval with the same sigma (M. Van den Bergh,
   "Normalized Elo"). Each cell counts at least 1e-3; all 0 with fewer than two counts. */
EloInterval outcomes_normalized_elo(const Outcomes *outcomes, IntervalKind kind);

/* The share of even pairs (DD or WL), and the pairs won per pair lost, (DW + WW) / (LL + LD). False
   when the divisor is 0. */
bool stats_draw_ratio(const Penta *penta, double *ratio);
bool stats_pair_ratio(const Penta *penta, double *ratio);

/* The pairs of each score that equal engines would most likely have made in the same number of
   pairs: the most likely distribution with mean 1/2 given these pairs, times their number. All 0
   without pairs. */
void stats_expected_pairs(const Penta *penta, double expected[PENTA_CELLS]);

/* Quantile of Student's t: the t that a variable with `freedom` >= 1 degrees of freedom exceeds
   with probability 1 - p. 0 < p < 1. */
double stats_t_quantile(double p, int64_t freedom);

/* Likelihood of superiority: the probability that dev is the stronger one, by the normal
   approximation of the mean score; 1/2 without counts. */
double outcomes_los(const Outcomes *outcomes);

#endif
