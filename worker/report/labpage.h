/* SPDX-License-Identifier: MIT */
/* The lab's results for readers: a table for each text, with the claim beside the measurement, as
 * Markdown or as a page. Pure: results and claims in, text out. */
#ifndef REPORT_LABPAGE_H
#define REPORT_LABPAGE_H

#include "base/text.h"
#include "report/lab.h"
#include "report/labclaims.h"

/* Comparisons without a claim stand in a table at the end. Estimates are corrected within each
 * table (stats/shrinkage.h). */
void labpage_markdown(const Lab *lab, const LabClaims *claims, Text *out);
void labpage_html(const Lab *lab, const LabClaims *claims, Text *out);

#endif
