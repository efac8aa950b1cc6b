/* SPDX-License-Identifier: MIT */
#include "search/facts.h"

#include "chess/move.h"
#include "search/see.h"

LmrEval facts_evaluate(const Position *pos, EvalCache *cache) {
    EvalTrace trace;
    eval_trace(pos, cache, &trace);
    return (LmrEval){.known = true,
                     .total = trace.total - eval_term_scaled(&trace, EVAL_TEMPO, pos->stm),
                     .material = eval_term_scaled(&trace, EVAL_MATERIAL, pos->stm),
                     .passed = eval_term(&trace, EVAL_PASSED, pos->stm),
                     .king = eval_term(&trace, EVAL_KING, pos->stm)};
}

LmrEval facts_turned(LmrEval eval) {
    return (LmrEval){.known = eval.known,
                     .total = -eval.total,
                     .material = -eval.material,
                     .passed = -eval.passed,
                     .king = -eval.king};
}

Bitboard facts_attacked(const Position *pos, Color side) {
    Bitboard targets = position_non_pawns(pos, side);
    Bitboard attacked = 0;
    while (targets) {
        Square square = bb_pop_lsb(&targets);
        if (position_attacked(pos, square, side ^ 1, position_occupied(pos)))
            attacked |= bb_square(square);
    }
    return attacked;
}

/* The square of the moving piece after the move. */
static Square arrives(Move move) {
    return move_kind(move) == MOVE_CASTLING ? move_castling_king_to(move) : move_to(move);
}

bool facts_escapes(const Position *pos, const Position *after, Move move) {
    bool castles = move_kind(move) == MOVE_CASTLING;
    Bitboard from = bb_square(castles ? move_to(move) : move_from(move));
    Bitboard to = bb_square(castles ? move_castling_rook_to(move) : move_to(move));
    Bitboard before = facts_attacked(pos, pos->stm);
    if (before & from)
        before = (before & ~from) | to;
    return (before & ~facts_attacked(after, pos->stm)) != 0;
}

static void compare_attacks(const Position *pos, const Position *after, Move move, LmrMove *facts) {
    Color them = pos->stm ^ 1;
    facts->escape = facts_escapes(pos, after, move);
    facts->threat = (facts_attacked(after, them) & ~facts_attacked(pos, them)) != 0;
}

bool facts_flees(const Position *pos, const Position *after, Move move) {
    PieceType type = piece_type(pos->board[move_from(move)]);
    if (type == PAWN || type == KING || move_is_noisy(pos, move))
        return false;
    Position again = *after;
    again.stm = pos->stm; /* the exchange reads the board and the side to move alone */
    return !see_at_least(&again, move_make(move_to(move), move_from(move), MOVE_NORMAL), 0);
}

void facts_of_move(const Position *pos, Move move, EvalCache *cache, LmrMove *facts) {
    if (LMR_S12_PST) {
        Piece piece = pos->board[move_from(move)];
        facts->placement_gain =
            eval_placement(pos, piece, arrives(move)) - eval_placement(pos, piece, move_from(move));
    }
    if (LMR_W_KING_EVADE)
        facts->king_evades = facts->in_check && piece_type(pos->board[move_from(move)]) == KING;
    if (LMR_W_FEW_PIECES)
        facts->few_pieces = !bb_more_than_one(position_non_pawns(pos, pos->stm ^ 1));
    if (!lmr_needs_child() && !lmr_needs_attacks() && !LMR_W_ESCAPE_SEE)
        return;
    Position after = *pos;
    Undo undo;
    position_make(&after, move, &undo);
    if (lmr_needs_attacks())
        compare_attacks(pos, &after, move, facts);
    if (LMR_W_ESCAPE_SEE)
        facts->escapes_see = facts_flees(pos, &after, move);
    if (LMR_EX_EVAL_ALPHA)
        facts->eval_after = -eval_cached(&after, cache);
    if (LMR_EVAL_REFERENCE == LMR_EVAL_REFERENCE_CHILD && lmr_compares())
        facts->eval_to = facts_turned(facts_evaluate(&after, cache));
}
