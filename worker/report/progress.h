/* SPDX-License-Identifier: MIT */
/* The state of a running test for people: a few lines for a terminal, one line elsewhere. Pure:
 * numbers in, text out. */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "stats/sprt.h"

typedef struct {
    const char *title; /* A line above the others; NULL: none. */
    Tally tally;       /* Of the pairs that count. */
    Tally earlier;     /* Of games elsewhere, which llr counts too and tally does not. */
    bool no_elo;       /* The games compare nothing. */
    bool sprt;         /* rule and llr are valid. */
    SprtRule rule;
    double llr;
    int64_t games_wanted; /* 0: the SPRT alone ends the test. */
    int64_t games_played; /* In `seconds`, counted or not: the source of games/h. */
    double seconds; /* 0: no result has come, or a server does not tell them; no speed is shown. */
} Progress;

/* The terminal's abilities. */
typedef struct {
    int width; /* Columns; the last column stays free. */
    bool utf8;
    bool color;
} ProgressStyle;

/* Appends a view of one to six lines, each with its line end, none wider than the style allows:
       Games  330   W 175  L 78  D 77   [8 23 49 34 51]
       Elo    +105.2 ± 36.1
       LLR    +2.89   -2.94 ├──────────┼━━━━━━━━━━┤ +2.94   [0.00, 10.00]
       Speed  15847 games/h for 75 s   ~2 s left at this drift
       Faults 2 crashes   1 time loss
   The time left is the time until `games_wanted` games, or until the LLR reaches a limit at its
   present drift, once the drift is more than chance. */
void progress_view(const Progress *progress, const ProgressStyle *style, Text *out);

/* Appends the view's facts as one plain line, without a line end. */
void progress_line(const Progress *progress, Text *out);

/* "75 s", "12 min", "3 h 20 min", "2 d 4 h". */
void progress_duration(Text *out, double seconds);

#endif
