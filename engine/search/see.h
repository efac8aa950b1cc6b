/* SPDX-License-Identifier: MIT */
/* Static exchange evaluation: who wins what when all captures on one square are played out, the
 * cheapest piece first. Pieces that are pinned after the first capture stay out of it. */
#ifndef SEARCH_SEE_H
#define SEARCH_SEE_H

#include <stdbool.h>

#include "chess/position.h"

/* Piece values of exchanges, centipawns, by PieceType (PIECE_TYPE_NONE is worth nothing). */
extern const int see_value[PIECE_TYPE_COUNT + 1];

/* Does the legal move gain at least `threshold` centipawns? */
bool see_at_least(const Position *pos, Move move, int threshold);

#endif
