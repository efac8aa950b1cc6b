/* SPDX-License-Identifier: MIT */
/* The charts of a page that follow a test over its games. Each appends a section, or nothing when
 * the result has no such chart. */
#ifndef REPORT_OVERGAMES_H
#define REPORT_OVERGAMES_H

#include "base/text.h"
#include "report/result.h"

/* The LLR's path between its limits; when the path is not known, the present LLR. */
void overgames_llr(const Result *result, Text *out);

/* Elo with its 95 % interval. */
void overgames_elo(const Result *result, Text *out);

#endif
