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

#endif
