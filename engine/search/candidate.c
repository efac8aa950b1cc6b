/* SPDX-License-Identifier: MIT */
/* What is known of a move before the search decides whether, and how deep, to search it. */
#include "chess/move.h"
#include "search/facts.h"
#include "search/node.h"
#include "search/see.h"

/* The history that the reduction rules read. */
static int reduction_history(const Node *n, const Candidate *c) {
    const SearchThread *t = n->t;
    switch (LMR_HIST_SOURCE) {
    case LMR_HIST_SOURCE_PIECE_SQUARE:
        return lmr_history_get(&t->lmr_history, c->piece, move_to(c->move));
    case LMR_HIST_SOURCE_MAIN:
        return c->noisy ? 0 : history_quiet(&t->history, &n->context, &t->pos, c->move);
    case LMR_HIST_SOURCE_MAIN_CONT:
        return c->noisy ? 0 : c->history;
    default:
        return 0;
    }
}

/* The relative rank 1..8 a pawn reaches, 0 for a piece. */
static int pawn_rank(const Position *pos, Piece piece, Move move) {
    if (piece_type(piece) != PAWN)
        return 0;
    return 1 + square_rank(square_relative(pos->stm, move_to(move)));
}

/* The node's evaluation, and the two that EVAL_REFERENCE compares. */
static void fill_evaluations(const Node *n, LmrMove *facts) {
    Frame *f = n->f;
    if (!f->eval.known)
        f->eval = facts_evaluate(&n->t->pos, &n->t->eval_cache);
    facts->eval = f->eval;
    facts->eval_from = LMR_EVAL_REFERENCE == LMR_EVAL_REFERENCE_NODE      ? facts_turned(f[-1].eval)
                       : LMR_EVAL_REFERENCE == LMR_EVAL_REFERENCE_TWO_AGO ? f[-2].eval
                                                                          : f->eval;
    facts->eval_to = f->eval;
}

/* The facts that cost something to find, as far as the rules ask for them. */
static void fill_costly_facts(const Node *n, const Picker *picker, Move move, LmrMove *facts) {
    const Position *pos = &n->t->pos;
    if (lmr_needs_see(facts->capture, facts->gives_check)) {
        /* The picker has sorted captures by their exchange; at the root it gave no move. */
        if (!n->root && picker->given == PICK_GOOD_NOISY)
            facts->see_good = true;
        else if (n->root || picker->given != PICK_BAD_NOISY)
            facts->see_good = see_at_least(pos, move, 0);
    }
    if (lmr_needs_capture_history() && facts->capture)
        facts->capture_history = history_capture(&n->t->history, pos, move);
    if (!lmr_needs_costly_facts(facts))
        return;
    if (lmr_needs_eval())
        fill_evaluations(n, facts);
    facts_of_move(pos, move, &n->t->eval_cache, facts);
}

void gather_facts(Node *n, const Picker *picker, Move move, const RootMove *root, Candidate *c) {
    SearchThread *t = n->t;
    const Position *pos = &t->pos;
    const Move *killer = n->killer;
    bool promotion = move_kind(move) == MOVE_PROMOTION;
    bool may_reduce = lmr_may_reduce(n->depth, n->number);
    c->move = move;
    c->piece = pos->board[move_from(move)];
    c->noisy = move_is_noisy(pos, move);
    c->history = c->noisy ? 0 : history_quiet_full(&t->history, &n->context, pos, move);
    c->facts = (LmrMove){.depth = n->depth,
                         .number = n->number,
                         .root = n->root,
                         .pv = n->pv,
                         .alpha_raised = n->alpha > n->old_alpha,
                         .cut = n->cut,
                         .in_check = n->in_check,
                         .improving = n->improving,
                         .tt_pv = n->tt_pv,
                         .tt_capture = n->hash_noisy,
                         .tt_deep = n->hit && n->entry.depth >= n->depth,
                         .tt_hit_move = n->hash != MOVE_NONE,
                         .static_eval = n->f->static_eval,
                         .eval_known = n->f->static_eval != SCORE_NONE,
                         .correction = n->f->static_eval - n->f->raw_eval,
                         .iteration = t->root_depth,
                         .alpha = n->alpha,
                         .window = n->beta - n->alpha,
                         .root_window = t->root_window,
                         .child_cutoffs = n->f[1].cutoffs,
                         .hash_move = move == n->hash,
                         .capture = move_is_capture(pos, move),
                         .promotion = promotion,
                         .queen_promotion = promotion && move_promotion(move) == QUEEN,
                         .gives_check = may_reduce && move_gives_check(pos, move),
                         .killer = !c->noisy && (move == killer[0] || move == killer[1]),
                         .counter = !c->noisy && move == picker->counter,
                         .ever_best = root && root->ever_best,
                         .pawn_rank = pawn_rank(pos, c->piece, move)};
    c->facts.history = reduction_history(n, c);
    if (may_reduce)
        fill_costly_facts(n, picker, move, &c->facts);
    c->reduction = lmr_reduction(&c->facts);
}
