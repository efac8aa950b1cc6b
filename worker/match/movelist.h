/* SPDX-License-Identifier: MIT */
/* A finished game's moves, to and from the short form of journals and pages (results/gamemoves.h).
 * Pure. */
#ifndef MATCH_MOVELIST_H
#define MATCH_MOVELIST_H

#include "base/text.h"
#include "chess/position.h"
#include "match/pgn.h"
#include "results/gamemoves.h"

/* Appends the moves up to the first illegal one. Moves of the opening have no score and no time. */
void movelist_write(const PgnGame *game, Text *out);

/* The legal move of the position that a move of the short form is; MOVE_NONE: there is none. */
Move movelist_move(const Position *pos, const GameMove *move);

#endif
