/* SPDX-License-Identifier: MIT */
/* What the enemy of the side to move attacks: quiet moves away from there, and into there, are
 * ordered and remembered by it. */
#ifndef SEARCH_THREATS_H
#define SEARCH_THREATS_H

#include "chess/position.h"

typedef struct {
    Bitboard by_any;
    /* For each kind of piece the squares that an enemy piece of a lesser kind attacks. Knights and
     * bishops are one kind here; a pawn and a king fear none. */
    Bitboard by_lesser[PIECE_TYPE_COUNT];
} Threats;

Threats threats_find(const Position *pos);

#endif
