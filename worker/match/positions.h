/* SPDX-License-Identifier: MIT */
/* The positions of a game with scores and the result, one a line, as text for training:
 *
 *   FEN | score | result
 *
 * The score is in centipawns and the result is 1.0, 0.5 or 0.0, both from White's side. Pure. */
#ifndef MATCH_POSITIONS_H
#define MATCH_POSITIONS_H

#include "base/error.h"
#include "base/text.h"
#include "results/pair.h"

enum {
    POSITIONS_MATE = 32000,                   /* The score of a mate, in any number of moves. */
    POSITIONS_SCORE_MAX = POSITIONS_MATE - 1, /* Other scores are cut to this. */
};

typedef enum {
    POSITIONS_ALL,
    /* Those out of check in which the mover played neither a capture nor a promotion and saw no
     * mate, as `reductio datagen` chooses them. */
    POSITIONS_QUIET
} PositionsKind;

/* Appends a line for each position in which an engine moved and gave a score, which is the score of
 * the line. Positions of the opening are left out. A game that an engine's fault ended has no
 * positions, because its result tells nothing about them. False when the game has no moves
 * (GameResult), or moves that are no game. */
bool positions_write(const GameResult *game, bool chess960, PositionsKind kind, Text *out,
                     Error *err);

#endif
