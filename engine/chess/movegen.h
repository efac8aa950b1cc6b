/* SPDX-License-Identifier: MIT */
/* All legal moves of a position. Every move that comes out is legal; none is missing or doubled. */
#ifndef CHESS_MOVEGEN_H
#define CHESS_MOVEGEN_H

#include "chess/position.h"

/* Each writes its moves to out, in no particular order, and returns how many there are. */
int movegen_legal(const Position *pos, Move out[MAX_MOVES]);
/* Captures, en passant, and all promotions (to any piece, with or without capture). */
int movegen_noisy(const Position *pos, Move out[MAX_MOVES]);
/* The rest, castling among them: noisy and quiets together are the legal moves. */
int movegen_quiets(const Position *pos, Move out[MAX_MOVES]);

/* How many legal moves there are; faster than making the list. */
int movegen_count(const Position *pos);
/* Whether there is any: false is mate or stalemate. */
bool movegen_any(const Position *pos);

#endif
