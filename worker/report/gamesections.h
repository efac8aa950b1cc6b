/* SPDX-License-Identifier: MIT */
/* The sections of a page that show the games of a test: what they were like taken together, and
 * each by itself, on a board where the page may run its script. Each appends nothing when the games
 * are not known one by one. Pure. */
#ifndef REPORT_GAMESECTIONS_H
#define REPORT_GAMESECTIONS_H

#include "base/text.h"
#include "report/result.h"

/* Results by colour, length of games, scores of the moves: a section each. */
void gamesections_numbers(const Result *result, Text *out);

/* The games by opening. */
void gamesections_list(const Result *result, Text *out);

/* The script that puts the listed games on a board; to stand behind the list. */
void gamesections_script(const Result *result, Text *out);

#endif
