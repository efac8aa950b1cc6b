/* SPDX-License-Identifier: MIT */
/* The positions of a game with scores and the result, one a line, as text for training:
 *
 *   FEN | score | result
 *
 * The score is in centipawns and the result is 1.0, 0.5 or 0.0, both from White's side. Pure. */
#ifndef MATCH_POSITIONS_H
#define MATCH_POSITIONS_H

#include "base/text.h"
#include "match/pgn.h"

enum {
    POSITIONS_MATE = 32000,                   /* The score of a mate, in any number of moves. */
    POSITIONS_SCORE_MAX = POSITIONS_MATE - 1, /* Other scores are cut to this. */
};

/* Appends a line for each position in which an engine moved and gave a score, which is the score of
 * the line. Positions of the opening are left out. */
void positions_write(const PgnGame *game, Text *out);

#endif
