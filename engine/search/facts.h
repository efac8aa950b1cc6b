/* SPDX-License-Identifier: MIT */
/* The costly facts of a move for its reduction: evaluations by part, attacks before and after the
 * move. A fact is computed only when a flag of the configuration reads the fact. */
#ifndef SEARCH_FACTS_H
#define SEARCH_FACTS_H

#include "chess/position.h"
#include "eval/eval.h"
#include "lmr/reduction.h"

/* The evaluation of the position for its side to move, taken apart. The cache only saves time, and
 * may be NULL. */
LmrEval facts_evaluate(const Position *pos, EvalCache *cache);

/* The same seen from the other side. */
LmrEval facts_turned(LmrEval eval);

/* Knights, bishops, rooks and queens of a colour that an enemy piece attacks. */
Bitboard facts_attacked(const Position *pos, Color side);

/* Fills in the facts of the legal move that the flags read: threat, escape, placement_gain,
 * eval_after, escapes_see, king_evades, few_pieces. Sets eval_to to the evaluation after the move
 * when EVAL_REFERENCE asks for it, and leaves eval_to as it is otherwise. */
void facts_of_move(const Position *pos, Move move, EvalCache *cache, LmrMove *facts);

#endif
