/* SPDX-License-Identifier: MIT */
/* Sentences and words about a result, shared by its page and its Markdown. All functions append. */
#ifndef REPORT_RESULTWORDS_H
#define REPORT_RESULTWORDS_H

#include "base/text.h"
#include "report/result.h"

/* One sentence: the test's outcome. */
void result_sentence(const Result *result, Text *out);

/* The Elo of a group of games, "+8.8 ± 5.1", or "no interval yet". */
void result_group_elo(const ResultGroup *group, Text *out);

/* The faults in a group of games: "1 crash, 2 time losses", "none", or "not known". */
void result_group_faults(const ResultGroup *group, Text *out);

/* How dev differs from base: "KILLER: 1 (default) → 0", or dev's commit; nothing when the
 * difference is not known. */
void result_difference(const Result *result, Text *out);

#endif
