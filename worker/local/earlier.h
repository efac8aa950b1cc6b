/* SPDX-License-Identifier: MIT */
/* Games of a suite's variants that were played elsewhere: a lab's results have their counts, and
 * this machine has no journals of them. A match goes on behind their openings. */
#ifndef LOCAL_EARLIER_H
#define LOCAL_EARLIER_H

#include <stdbool.h>

#include "base/error.h"
#include "local/settings.h"
#include "local/venue.h"
#include "report/lab.h"

/* Sets given->earlier and moves given->start when the lab knows the comparison that given->journal
 * names. The games in that journal, if there is one, are not among the earlier ones. False: the
 * lab's games are not those of this match, or the journal does not go on from them, or ends before
 * they do. The venue is open. */
bool earlier_take(const Lab *lab, const Venue *venue, LocalSettings *given, Error *err);

#endif
