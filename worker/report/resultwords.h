/* SPDX-License-Identifier: MIT */
/* The words for a result that its page and its Markdown share. All append. */
#ifndef REPORT_RESULTWORDS_H
#define REPORT_RESULTWORDS_H

#include "base/text.h"
#include "report/result.h"

/* One sentence: what the test has shown. */
void result_sentence(const Result *result, Text *out);

/* The Elo of a part of the games, "+8.8 ± 5.1", or "no interval yet". */
void result_group_elo(const ResultGroup *group, Text *out);

/* The faults in a part of the games: "1 crash, 2 time losses", "none", or "not known". */
void result_group_faults(const ResultGroup *group, Text *out);

/* In what dev differs from base: "KILLER: 1 (default) → 0", or dev's commit; nothing when that is not
 * known. */
void result_difference(const Result *result, Text *out);

#endif
