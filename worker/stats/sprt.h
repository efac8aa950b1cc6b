/* SPDX-License-Identifier: MIT */
/* The sequential probability ratio test of one tally. stats/sequence.h follows a test pair by pair,
   stats/outlook.h looks at a test before its first game, stats/estimate.h corrects Elo after a
   test. Pure.

   Sources: A. Wald, "Sequential tests of statistical hypotheses" (the limits); for the likelihoods
   see stats/distribution.h. */
#ifndef STATS_SPRT_H
#define STATS_SPRT_H

#include "stats/stats.h"

/* The unit of a rule's hypotheses. */
typedef enum {
    SPRT_NORMALIZED, /* normalized Elo, as servers use today */
    SPRT_LOGISTIC,   /* logistic Elo, of the mean score */
    SPRT_BAYES       /* R. Coulom's Bayes-Elo, with the draw rate seen, as the first servers used */
} SprtModel;

/* "normalized", "logistic", "bayes". */
const char *sprt_model_name(SprtModel model);

/* The unit in words: "normalized Elo", "logistic Elo", "Bayes Elo". */
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
   Where only pairs are known, an even pair counts as two draws. Nothing counted: 0. */
double sprt_llr(const SprtRule *rule, const Tally *tally);

typedef struct {
    double lower, upper;
} LlrLimits;

/* ln(beta / (1 - alpha)) and ln((1 - beta) / alpha) (Wald). */
LlrLimits sprt_limits(const SprtRule *rule);

typedef enum { VERDICT_NONE, VERDICT_H0, VERDICT_H1 } Verdict;

/* H1 when the LLR is at or above the upper limit, H0 when at or below the lower. */
Verdict sprt_verdict(double llr, LlrLimits limits);

/* The distance between the hypotheses in standard deviations of one count (a pair or a game). The
   same number is the standard deviation of one count's LLR. */
double sprt_step(const SprtRule *rule, const Tally *tally);

/* The number of pairs until the verdict, if the LLR keeps its mean drift. False while the LLR is
   within one standard deviation of 0, where chance alone may explain the LLR. The LLR's standard
   deviation is sqrt(pairs) times sprt_step. */
bool sprt_pairs_left(const SprtRule *rule, const Tally *tally, double llr, double *left);

/* "none", "H0", "H1". */
const char *verdict_name(Verdict verdict);

#endif
