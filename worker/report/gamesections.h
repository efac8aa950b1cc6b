/* SPDX-License-Identifier: MIT */
/* The sections of a page that show the games of a test: counts over all games, and each game on a
 * board where the page may run its script. Each function appends nothing when single games are not
 * known. Pure. */
#ifndef REPORT_GAMESECTIONS_H
#define REPORT_GAMESECTIONS_H

#include "base/text.h"
#include "report/result.h"

/* Results by colour, length of games, scores of the moves: a section each. */
void gamesections_numbers(const Result *result, Text *out);

/* The games by opening. */
void gamesections_list(const Result *result, Text *out);

/* The script that shows the listed games on a board; belongs behind the list. */
void gamesections_script(const Result *result, Text *out);

#endif
