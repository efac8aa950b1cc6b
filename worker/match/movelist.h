/* SPDX-License-Identifier: MIT */
/* A finished game's moves in the short form of journals and pages (results/gamemoves.h). Pure. */
#ifndef MATCH_MOVELIST_H
#define MATCH_MOVELIST_H

#include "base/text.h"
#include "match/pgn.h"

/* Appends the moves up to the first illegal one. Moves of the opening have no score and no time. */
void movelist_write(const PgnGame *game, Text *out);

#endif
