/* SPDX-License-Identifier: MIT */
/* What an SPRT has in store, for people and for programs. Pure. */
#ifndef REPORT_OUTLOOKBLOCK_H
#define REPORT_OUTLOOKBLOCK_H

#include "base/text.h"
#include "stats/outlook.h"

typedef struct {
    SprtRule rule;
    PairShape shape;
    double elo;   /* the true one, logistic */
    double draws; /* the share that the shape was made of; below 0: of counts */
} OutlookPlan;

/* The block:
       Plan  | true Elo 4.00, normalized 6.90; 55.0 % of games drawn, pairs of independent games
       SPRT  | (-2.94, 2.94) [0.00, 5.00] normalized
       Pass  | 99.3 %
       Games | 15842 on average
   then the same for other true Elo around the hypotheses, and the limits that make the error rates
   exact. */
void outlook_block(const OutlookPlan *plan, Text *out);

/* One object on one line: elo, normalized, pass, games, llr_lower, llr_upper, exact_lower,
   exact_upper, and the list "others" with elo, normalized, pass and games of each. */
void outlook_json(const OutlookPlan *plan, Text *out);

#endif
