/* SPDX-License-Identifier: MIT */
/* A score as a list of counts, for files: wins, losses and draws of dev, and the pairs' five
 * counts. The empty list is no games. */
#ifndef RESULTS_SCORELIST_H
#define RESULTS_SCORELIST_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "stats/stats.h"

/* Fills the empty *list; the caller frees list->items. No games leave it empty. */
void scorelist_write(const Tally *score, IntList *list);

/* Reads a list into *score. Refuses what scorelist_check refuses; *score is all zero then. */
bool scorelist_read(const IntList *list, Tally *score, Error *err);

/* Refuses counts below 0 or above 2^31 - 1, and counts of pairs whose games, points or draws are
 * not those of the wins, losses and draws. */
bool scorelist_check(const Tally *score, Error *err);

#endif
