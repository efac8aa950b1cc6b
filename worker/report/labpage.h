/* SPDX-License-Identifier: MIT */
/* The lab's results for readers: a table for each text, with the claim beside the measurement, as
 * Markdown or as a page; and all rows after each other, for a terminal or a program. Pure: results
 * and claims in, text out. */
#ifndef REPORT_LABPAGE_H
#define REPORT_LABPAGE_H

#include "base/text.h"
#include "report/lab.h"
#include "report/labclaims.h"
#include "report/progress.h"

/* Comparisons without a claim stand in a table at the end. Estimates are corrected within each
 * table (stats/shrinkage.h). */
void labpage_markdown(const Lab *lab, const LabClaims *claims, Text *out);
void labpage_html(const Lab *lab, const LabClaims *claims, Text *out);

/* A table of the comparisons, and one of the differences when there are any. */
void labpage_text(const Lab *lab, const LabClaims *claims, const ProgressStyle *style, Text *out);

/* One line: compare_json's list of the comparisons, then of the differences, which have games, elo,
 * elo_lower and elo_upper alone. These three are what the tables show: elo_corrected's values after
 * an SPRT's verdict, and null at an open end. Each object ends with claim (in words), claimed (the
 * Elo as the file of claims has it), both null where there are none, and finding. */
void labpage_json(const Lab *lab, const LabClaims *claims, Text *out);

#endif
