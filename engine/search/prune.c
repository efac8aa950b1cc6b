/* SPDX-License-Identifier: MIT */
/* What the search does not look at: nodes whose score is clear without their moves, and moves that
 * are not worth a search. Depths are in plies, margins in centipawns. */
#include <assert.h>

#include "chess/move.h"
#include "search/node.h"
#include "search/see.h"

static int min(int a, int b) {
    return a < b ? a : b;
}

bool node_may_prune(const Node *n) {
    return !n->pv && !n->in_check && n->f->excluded == MOVE_NONE && n->beta > -SCORE_MATE_IN_MAX &&
           n->beta < SCORE_MATE_IN_MAX && n->low == -SCORE_INFINITE && n->high == SCORE_INFINITE;
}

/* The evaluation is so far above beta that no reply will take all of the lead away. */
bool reverse_futility(const Node *n, int *score) {
    assert(n->eval != SCORE_NONE);
    int margin = SEARCH_RFP_MARGIN * (n->depth - n->improving);
    if (n->depth > SEARCH_RFP_MAX_DEPTH || n->eval - margin < n->beta)
        return false;
    /* A win that the endgame tables know stays one. */
    bool won = n->eval >= SCORE_WIN && n->eval <= SCORE_TABLES;
    *score = won ? n->eval : (n->eval + n->beta) / 2;
    return true;
}

/* The evaluation is so far below alpha that only a capture can help: quiescence tells. */
bool razoring(const Node *n, int *score) {
    assert(n->eval != SCORE_NONE);
    if (n->depth > SEARCH_RAZOR_MAX_DEPTH ||
        n->eval + SEARCH_RAZOR_BASE + SEARCH_RAZOR_MARGIN * n->depth > n->alpha)
        return false;
    *score = qsearch(n->t, n->alpha, n->beta, n->ply);
    return *score <= n->alpha;
}

/* Plies that the search after a null move is less deep by. */
static int null_reduction(const Node *n) {
    int surplus = (n->eval - n->beta) / SEARCH_NULL_EVAL_DIV;
    return SEARCH_NULL_BASE + n->depth / SEARCH_NULL_DEPTH_DIV + min(surplus, SEARCH_NULL_EVAL_MAX);
}

/* Deep down a wrong cutoff costs much, and a player without a good move (zugzwang) fails high only
 * by passing. So the null move's verdict is checked by a search that may not pass for some plies.
 */
static bool null_move_verified(const Node *n, int depth) {
    SearchThread *t = n->t;
    int plies = depth * SEARCH_NULL_VERIFY_PLIES / 100;
    assert(t->null_until == 0);
    t->null_until = n->ply + (plies > 1 ? plies : 1);
    int score = search_node(t, n->beta - 1, n->beta, depth, n->ply, false);
    t->null_until = 0;
    return search_stopped(t) || score >= n->beta;
}

/* Whether passing may be tried. The side to move must be ahead already, and must have pieces enough
 * that it is hardly ever in zugzwang. After an enemy move that was often good, passing hardly ever
 * fails high, and is not tried. */
static bool may_pass(const Node *n) {
    const Position *pos = &n->t->pos;
    Bitboard pieces = position_non_pawns(pos, pos->stm);
    int lead = n->f->static_eval - n->beta + SEARCH_NULL_STATIC_MARGIN;
    int shallow = SEARCH_NULL_SHALLOW_MARGIN - SEARCH_NULL_SHALLOW_STEP * n->depth;
    if (!LMR_NULL_MOVE || n->depth < SEARCH_NULL_MIN_DEPTH || n->f[-1].move == MOVE_NULL ||
        n->ply < n->t->null_until)
        return false;
    if (n->eval < n->beta || n->eval < n->f->static_eval || lead < 0 || lead < shallow ||
        n->f[-1].history >= SEARCH_NULL_HISTORY)
        return false;
    return n->depth > SEARCH_NULL_PIECES_DEPTH ? bb_more_than_one(pieces) : pieces != 0;
}

/* Gives the turn away: a side that still fails high need not search its moves. */
bool null_move_pruning(const Node *n, int *score) {
    SearchThread *t = n->t;
    if (!may_pass(n))
        return false;
    int depth = n->depth - null_reduction(n);
    Undo undo;
    thread_make_null(t, n->ply, &undo);
    *score = -search_node(t, -n->beta, -n->beta + 1, depth, n->ply + 1, !n->cut);
    thread_unmake_null(t, &undo);
    if (search_stopped(t))
        return true;
    if (*score < n->beta)
        return false;
    /* A win against a player who passes proves no win. */
    if (search_is_known(*score))
        *score = n->beta;
    return n->depth < SEARCH_NULL_VERIFY_DEPTH || t->null_until != 0 ||
           null_move_verified(n, depth);
}

/* Plays a capture at less depth against `bar`; true with *score when the capture reaches it. */
static bool capture_reaches(const Node *n, Move move, int bar, int depth, int *score) {
    SearchThread *t = n->t;
    Undo undo;
    n->f->history = history_capture(&t->history, &t->pos, move);
    /* The verification of a null move leaves here what it did with its last move. */
    n->f->reduction = 0;
    n->f[1].extensions = n->f->extensions;
    thread_make(t, move, n->ply, &undo);
    *score = -qsearch(t, -bar, -bar + 1, n->ply + 1);
    if (*score >= bar && depth > 1)
        *score = -search_node(t, -bar, -bar + 1, depth - 1, n->ply + 1, !n->cut);
    thread_unmake(t, move, &undo);
    return *score >= bar;
}

/* A capture that beats beta by far at a lower depth will very likely beat beta at this one. */
bool probcut(Node *n, int *score) {
    SearchThread *t = n->t;
    int bar = n->beta + SEARCH_PROBCUT_MARGIN - n->improving * SEARCH_PROBCUT_IMPROVING;
    int depth = n->depth - SEARCH_PROBCUT_REDUCTION;
    if (n->depth < SEARCH_PROBCUT_MIN_DEPTH ||
        (n->table_score != SCORE_NONE && n->entry.depth >= depth && n->table_score < bar))
        return false;
    Picker picker;
    picker_init_noisy(&picker, &t->pos, &t->history, n->hash);
    for (Move move; (move = picker_next(&picker)) != MOVE_NONE;) {
        if (!see_at_least(&t->pos, move, bar - n->f->static_eval))
            continue;
        bool reached = capture_reaches(n, move, bar, depth, score);
        if (search_stopped(t))
            return true;
        if (!reached)
            continue;
        n->best = *score;
        n->best_move = move;
        store_node(n, depth > 0 ? depth : 0, BOUND_LOWER);
        if (!search_is_known(*score))
            *score -= bar - n->beta;
        return true;
    }
    return false;
}

/* Late-move pruning: so many moves were tried that the rest, being worse by the order, is left out.
 * A move this late is reduced as a rule, so the first ply of its reduction does not count. */
static bool is_too_late(const Node *n, Picker *picker, int depth, int reduction) {
    int late_depth = depth + (LMR_PRUNE_DEPTH && reduction > 0);
    int limit =
        (SEARCH_LATE_BASE + SEARCH_LATE_FACTOR * late_depth * late_depth) / (2 - n->improving);
    if (n->number <= limit)
        return false;
    picker->skip_quiets = late_depth >= n->depth;
    return true;
}

/* Futility pruning: the evaluation is so far below alpha that a quiet move will not reach it. */
static bool is_futile(const Node *n, Picker *picker, int depth, Move move) {
    if (depth > SEARCH_FUTILITY_MAX_DEPTH || n->in_check ||
        n->f->static_eval + SEARCH_FUTILITY_BASE + SEARCH_FUTILITY_MARGIN * depth > n->alpha ||
        move_gives_check(&n->t->pos, move))
        return false;
    picker->skip_quiets = true;
    return true;
}

bool move_is_pruned(const Node *n, Picker *picker, const Candidate *c) {
    const Position *pos = &n->t->pos;
    /* Something must have been searched, and a side without pieces may be in zugzwang. */
    if (n->root || n->best <= -SCORE_WIN || !position_has_pieces(pos, pos->stm))
        return false;
    int depth = LMR_PRUNE_DEPTH ? n->depth - c->reduction : n->depth;
    if (c->noisy)
        return depth <= SEARCH_SEE_MAX_DEPTH && picker->given != PICK_GOOD_NOISY &&
               !see_at_least(pos, c->move, -SEARCH_SEE_NOISY_MARGIN * depth);
    if (is_too_late(n, picker, depth, c->reduction) || is_futile(n, picker, depth, c->move))
        return true;
    if (depth <= SEARCH_HISTORY_PRUNE_DEPTH && c->history < -SEARCH_HISTORY_PRUNE_MARGIN * depth)
        return true;
    return depth <= SEARCH_SEE_MAX_DEPTH &&
           !see_at_least(pos, c->move, -SEARCH_SEE_QUIET_MARGIN * depth * depth);
}
