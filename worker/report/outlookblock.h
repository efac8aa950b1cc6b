/* SPDX-License-Identifier: MIT */
/* The outlook of an SPRT that is not played yet, for people and for programs. Pure. */
#ifndef REPORT_OUTLOOKBLOCK_H
#define REPORT_OUTLOOKBLOCK_H

#include "base/text.h"
#include "stats/outlook.h"

typedef struct {
    SprtRule rule;
    PairShape shape;
    double elo;   /* The true Elo, logistic. */
    double draws; /* The share of draws that the shape was made from; below 0: made from counts. */
} OutlookPlan;

/* Appends the block:
       Plan  | true Elo 4.00, normalized 5.96; 55.0 % of games drawn, pairs of independent games
       SPRT  | (-2.94, 2.94) [0.00, 5.00] normalized
       Pass  | 98.4 %
       Games | 19950 on average
   then pass and games for other true Elo around the hypotheses, and the limits that make the error
   rates exact. */
void outlook_block(const OutlookPlan *plan, Text *out);

/* Appends one object on one line: elo, normalized, pass, games, llr_lower, llr_upper, exact_lower,
 * exact_upper, and the list "others" of objects with elo, normalized, pass and games. */
void outlook_json(const OutlookPlan *plan, Text *out);

#endif
