#include "search/facts.h"

#include "chess/attacks.h"
#include "chess/move.h"
#include "eval/eval.h"

LmrEval facts_evaluate(const Position *pos) {
    EvalTrace trace;
    eval_trace(pos, &trace);
    return (LmrEval){.known = true,
                     .total = trace.total - eval_term(&trace, EVAL_TEMPO, pos->stm),
                     .material = eval_term(&trace, EVAL_MATERIAL, pos->stm),
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
    Bitboard targets = pos->by_color[side] & ~(pos->by_type[PAWN] | pos->by_type[KING]);
    Bitboard attacked = 0;
    while (targets) {
        Square square = bb_pop_lsb(&targets);
        if (position_attacked(pos, square, side ^ 1, position_occupied(pos)))
            attacked |= bb_square(square);
    }
    return attacked;
}

/* Where the moving piece stands afterwards. */
static Square arrives(Move move) {
    return move_kind(move) == MOVE_CASTLING ? move_castling_king_to(move) : move_to(move);
}

static void compare_attacks(const Position *pos, const Position *after, Move move, LmrMove *facts) {
    Color us = pos->stm;
    Bitboard own = facts_attacked(pos, us);
    Bitboard own_after = facts_attacked(after, us);
    Bitboard mover = bb_square(move_from(move));
    /* The mover's own danger counts at the square it goes to. */
    bool mover_escapes = (own & mover) && !(own_after & bb_square(arrives(move)));
    facts->escape = mover_escapes || (own & ~mover & ~own_after);
    Bitboard enemies = facts_attacked(pos, us ^ 1);
    facts->threat = (facts_attacked(after, us ^ 1) & ~enemies) != 0;
}

void facts_of_move(const Position *pos, Move move, LmrMove *facts) {
    if (LMR_S12_PST) {
        Piece piece = pos->board[move_from(move)];
        facts->placement_gain =
            eval_placement(pos, piece, arrives(move)) - eval_placement(pos, piece, move_from(move));
    }
    if (!lmr_needs_child() && !lmr_needs_attacks())
        return;
    Position after = *pos;
    Undo undo;
    position_make(&after, move, &undo);
    if (lmr_needs_attacks())
        compare_attacks(pos, &after, move, facts);
    if (LMR_EX_EVAL_ALPHA)
        facts->eval_after = -evaluate(&after);
    if (LMR_EVAL_REFERENCE == LMR_EVAL_REFERENCE_CHILD && lmr_compares())
        facts->eval_to = facts_turned(facts_evaluate(&after));
}
