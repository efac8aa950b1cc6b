/* SPDX-License-Identifier: MIT */
/* How a test stands while it runs, as people see it: a few lines for a terminal, one line
   elsewhere. Pure: numbers in, text out. */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "stats/sprt.h"

typedef struct {
    const char *title; /* a line of its own above the others, or NULL */
    Tally tally;       /* of the pairs that count */
    bool sprt;         /* there is a rule, and an LLR */
    SprtRule rule;
    double llr;
    int64_t games_wanted; /* 0: until the SPRT is decided */
    int64_t games_played; /* counted or not, in `seconds`: what a game takes */
    double seconds;
} Progress;

/* What the terminal can show. */
typedef struct {
    int width; /* columns; the last one stays free */
    bool utf8;
    bool color;
} ProgressStyle;

/* Appends a view of one to six lines, each with its line end, none wider than the style allows:
       Games  330   W 175  L 78  D 77   [8 23 49 34 51]
       Elo    +105.2 ± 36.1
       LLR    +2.89   -2.94 ├──────────┼━━━━━━━━━━┤ +2.94   [0.00, 10.00]
       Speed  15847 games/h for 75 s   ~2 s left at this drift
       Faults 2 crashes   1 time loss
   The time left is given only when it is known: until `games_wanted`, or at the LLR's drift once
   that is more than chance. */
void progress_view(const Progress *progress, const ProgressStyle *style, Text *out);

/* Appends the same as one plain line, without a line end. */
void progress_line(const Progress *progress, Text *out);

/* "75 s", "12 min", "3 h 20 min", "2 d 4 h". */
void progress_duration(Text *out, double seconds);

#endif
