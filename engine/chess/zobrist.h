/* SPDX-License-Identifier: MIT */
/* Random numbers that make up a position's key. The same in every build and on every machine. */
#ifndef CHESS_ZOBRIST_H
#define CHESS_ZOBRIST_H

#include "chess/types.h"

/* Immutable after chess_init(). */
extern uint64_t zobrist_piece[PIECE_COUNT][SQUARE_COUNT];
extern uint64_t zobrist_castling[1 << CASTLE_COUNT];  /* by the set of rights; 0 for none */
extern uint64_t zobrist_en_passant[SQUARE_COUNT + 1]; /* by square, equal within a file;
                                                          SQUARE_NONE is 0 */
extern uint64_t zobrist_black_to_move;

/* Called by chess_init(). */
void zobrist_init(void);

#endif
