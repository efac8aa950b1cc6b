/* SPDX-License-Identifier: MIT */
/* Several tests side by side, the best first: what a person who tries twelve reductions wants.
   Pure: reports in, text out. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <stddef.h>

#include "base/text.h"
#include "report/block.h"
#include "report/progress.h"

/* A test. The strings are the caller's. */
typedef struct {
    const char *name; /* "KILLER=0": any text */
    const char *link; /* its page, for HTML and Markdown: http(s) or a relative path; NULL: none */
    const char *spec; /* the engine that is tried: "lmr:KILLER=0"; NULL: not known */
    const char *difference; /* in what it differs from base: "KILLER: 1 → 0"; NULL: not known */
    Report report;
} CompareRow;

/* What all rows have in common, for a line below the heading: time control and options, and the
   SPRT's hypotheses; nothing where they differ. */
void compare_shared(const CompareRow *rows, size_t count, Text *out);

/* By Elo, the highest first; equal ones as they came; last those without a pair to tell one. */
void compare_sort(CompareRow *rows, size_t count);

/* Each appends the table in the order of the rows: name, Elo with its 95 % interval and, where
   there is room, a bar of it on one scale with 0 marked; LLR with its limits, verdict, games, and
   faults where there are any. */

/* For a terminal, no wider than the style allows where names permit:
       test       Elo                            LLR                 verdict  games
       KILLER=0   +16.2 ± 7.3   │    ├──●──┤     2.97 (-2.25, 2.89)  H1        2680 */
void compare_text(const CompareRow *rows, size_t count, const ProgressStyle *style, Text *out);

void compare_markdown(const CompareRow *rows, size_t count, Text *out);

/* A <table> within a <section>, with SPEC, difference and likelihood of superiority besides; the
 * page around it is html_begin's and html_end's. */
void compare_html(const CompareRow *rows, size_t count, Text *out);

/* One line: a list of the objects of report_json, each with a "name" before. */
void compare_json(const CompareRow *rows, size_t count, Text *out);

#endif
