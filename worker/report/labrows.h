/* SPDX-License-Identifier: MIT */
/* The rows of the lab's tables: each comparison, or difference of two, with its claim, its interval
 * and the finding. Pure. */
#ifndef REPORT_LABROWS_H
#define REPORT_LABROWS_H

#include <stddef.h>

#include "report/compare.h"
#include "report/lab.h"
#include "report/labclaims.h"

/* What one CompareRow points to. */
typedef struct {
    const LabClaim *claim; /* NULL: none. */
    EloInterval interval;
    char *name, *less, *words, *corrected, *finding, *difference;
} LabRowParts;

/* One table. Lab and claims must outlive it. */
typedef struct {
    const char *title, *about;
    CompareRow *rows;
    LabRowParts *parts;
    size_t count;
    Text missing; /* The comparisons without results: "t4/pv, t4/cut". */
} LabRows;

/* The rows of the claims' table of that index whose comparisons have results; behind the last table
 * the comparisons that no table names. A difference waits until both comparisons have an interval.
 *
 * Estimates are corrected within the table (stats/shrinkage.h), but not in a table that answers a
 * question: its rows are no family, because they come from other tables. A difference has a dash
 * for its corrected value, and no part in those of the other rows: it is no measurement of its own.
 * So has a row whose interval reaches the end of the scale (elo_reaches_end).
 *
 * Free with labrows_free. */
LabRows labrows_of_table(const Lab *lab, const LabClaims *claims, size_t index);

/* All comparisons in the order of the results, each with its claim of a text's table, or else of a
 * question's; behind them the differences, each once. Nothing is corrected. */
LabRows labrows_of_all(const Lab *lab, const LabClaims *claims);

void labrows_free(LabRows *table);

#endif
