/* SPDX-License-Identifier: MIT */
/* A table of several tests side by side, the best first. Pure: reports in, text out. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <stddef.h>

#include "base/text.h"
#include "report/block.h"
#include "report/progress.h"

/* One row of the table, for one test. The strings are the caller's. */
typedef struct {
    const char *name;         /* "KILLER=0", or any other text. */
    const char *link;         /* The test's page: http(s) or a relative path; NULL: none. */
    const char *less;         /* The row is a difference, of the test `name` less this other test;
                               * interval is set, and the report counts both tests. NULL: a test. */
    const char *less_link;    /* As link, of the other test. */
    const char *spec;         /* dev's SPEC: "lmr:KILLER=0"; NULL: not known. */
    const char *difference;   /* How dev differs from base: "KILLER: 1 → 0"; NULL: not known. */
    const char *claim;        /* What is claimed of the test; NULL: nothing. */
    double claimed_low;       /* The Elo that is claimed, from low to high, which a page draws */
    double claimed_high;      /* behind the interval; both 0: no range is claimed. */
    const char *corrected;    /* Elo corrected with that of the other rows; NULL: not corrected. */
    const char *finding;      /* Whether the test bears the claim out; NULL: not judged. */
    const char *finding_kind; /* The finding's CSS class: "good", "bad", "open". */
    const EloInterval *interval; /* Of Elo, shown instead of the report's own, an infinite end as
                                  * open; NULL: the report's, with elo_open_ends. */
    Report report;
} CompareRow;

/* Appends the settings that are equal in all rows, for a line below the heading: time control and
 * options, and the SPRT's hypotheses. */
void compare_shared(const CompareRow *rows, size_t count, Text *out);

/* Sorts the rows by Elo, the highest first. Rows of equal Elo keep their order; rows without an Elo
 * interval come last. */
void compare_sort(CompareRow *rows, size_t count);

/* Each function below appends the table in the order of the rows: name, Elo with its 95 % interval
 * and, where room allows, a bar of the interval on one scale with 0 marked; LLR with its limits,
 * verdict, games, and columns of faults, claims, corrected Elo and findings when a row has any. A
 * difference is named "A less B", and has no likelihood of superiority. */

/* For a terminal, no wider than the style allows unless names are too long:
       test       Elo                            LLR                 verdict  games
       KILLER=0   +16.2 ± 7.3   │    ├──●──┤     2.97 (-2.25, 2.89)  H1        2680 */
void compare_text(const CompareRow *rows, size_t count, const ProgressStyle *style, Text *out);

void compare_markdown(const CompareRow *rows, size_t count, Text *out);

/* A <table> within a <section>, which also tells SPEC, difference and likelihood of superiority.
 * html_begin and html_end make the page around the section. heading: the id of the heading that
 * names the section; NULL: it is named "tests by Elo". */
void compare_html(const CompareRow *rows, size_t count, const char *heading, Text *out);

/* One line: a list of report_json's objects, each with a member "name" in front. */
void compare_json(const CompareRow *rows, size_t count, Text *out);

#endif
