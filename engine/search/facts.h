/* SPDX-License-Identifier: MIT */
/* What the reductions ask of a move that costs something to find: evaluations taken apart, attacks
 * before and after it. Only what a configuration asks for is ever computed. */
#ifndef SEARCH_FACTS_H
#define SEARCH_FACTS_H

#include "chess/position.h"
#include "lmr/reduction.h"

/* The evaluation of the position for its side to move, taken apart. */
LmrEval facts_evaluate(const Position *pos);

/* The same seen from the other side. */
LmrEval facts_turned(LmrEval eval);

/* Knights, bishops, rooks and queens of a colour that an enemy piece attacks. */
Bitboard facts_attacked(const Position *pos, Color side);

/* Fills in what there is to know of the legal move: threat, escape, placement_gain, eval_after,
 * escapes_see, king_evades, few_pieces; and eval_to, which is the position after the move when
 * EVAL_REFERENCE asks for that; else it is left alone. As far as the flags ask. */
void facts_of_move(const Position *pos, Move move, LmrMove *facts);

#endif
