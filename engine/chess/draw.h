/* SPDX-License-Identifier: MIT */
/* The draws that need no search: material and repetition. (Fifty moves: rule50 >= 100 unless mate.)
 */
#ifndef CHESS_DRAW_H
#define CHESS_DRAW_H

#include "chess/position.h"

/* Plies without capture or pawn move after which the game is drawn, unless mate is on the board. */
enum { DRAW_RULE50_PLIES = 100 };

/* Bare kings, one minor piece, or two bishops on squares of one colour, whoever owns them. */
bool draw_insufficient_material(const Position *pos);

/* How often the last position stood before: keys[count - 1] is its key, keys[count - 2] that of the
 * position one ply earlier, and so on; only rule50 plies back can be equal. 2: it stands the third
 * time. Keys before the start of the game may be missing: count is what there is. */
int draw_repetitions(const uint64_t *keys, int count, int rule50);

/* Does any position of the last rule50 plies, the last one too, stand there twice? Keys as for
 * draw_repetitions. */
bool draw_any_repetition(const uint64_t *keys, int count, int rule50);

#endif
