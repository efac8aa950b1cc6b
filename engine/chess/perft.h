/* SPDX-License-Identifier: MIT */
/* Counting the leaves of the tree of legal moves: the measure of a move generator. */
#ifndef CHESS_PERFT_H
#define CHESS_PERFT_H

#include "chess/position.h"

/* Sequences of `depth` legal moves from here; 1 at depth 0 and below. The last ply is counted, not
 * played. *pos is played on and is as before afterwards. */
uint64_t perft(Position *pos, int depth);

#endif
