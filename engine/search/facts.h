/* SPDX-License-Identifier: MIT */
/* The costly facts of a move for its reduction: evaluations by part, attacks before and after the
 * move. A fact is computed only when a flag of the configuration reads the fact, and for no move
 * that lmr_needs_costly_facts leaves out. */
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

/* Was a knight, bishop, rook or queen of the side to move attacked before the move, and is not
 * after it? A piece that moves, the castling rook too, counts where it arrives. `after` is the
 * position after the move. */
bool facts_escapes(const Position *pos, const Position *after, Move move);

/* Would the piece that the quiet move moves, no pawn and no king, lose material on its old square?
 * The move is judged backwards. `after` is the position after the move. */
bool facts_flees(const Position *pos, const Position *after, Move move);

/* Fills in the facts of the legal move that the flags read: threat, escape, placement_gain,
 * eval_after, escapes_see, king_evades, few_pieces. Sets eval_to to the evaluation after the move
 * when EVAL_REFERENCE asks for it, and leaves eval_to as it is otherwise. The cache may be NULL. */
void facts_of_move(const Position *pos, Move move, EvalCache *cache, LmrMove *facts);

#endif
