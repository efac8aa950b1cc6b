/* SPDX-License-Identifier: MIT */
/* An event or error in words and values, for lists and pages. Pure. */
#ifndef SERVE_EVENTWORDS_H
#define SERVE_EVENTWORDS_H

#include "base/json.h"
#include "serve/store.h"

/* Adds the values id, time, time_ago, author, machine ("box #12"; "" for none), test, summary, log
 * and game: what the tags of a fault's game tell, "round 17: Reductio-dev (White) lost to
 * Reductio-base (Black)", and "" for a log that does not begin with a game. */
void event_values(cJSON *item, const Event *event, int64_t now);

#endif
