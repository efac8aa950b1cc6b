/* SPDX-License-Identifier: MIT */
/* Quiescence: captures and promotions, and evasions in check, until the evaluation can be trusted.
 */
#include "chess/move.h"
#include "lmr/flags.h"
#include "search/context.h"
#include "search/see.h"

typedef struct {
    SearchThread *t;
    Frame *f;
    int alpha, beta, ply;
    bool in_check, pv;
    bool hit;
    TtEntry entry;
    int best;
    int stand_pat; /* improved by the table */
    Move best_move;
} QNode;

/* A side that is not in check may do without a capture, so its evaluation is a lower bound. Fills
 * the frame's evaluations, `stand_pat` and `best`. */
static void stand_pat(QNode *q) {
    SearchThread *t = q->t;
    if (q->in_check) {
        q->f->raw_eval = q->f->static_eval = SCORE_NONE;
        q->best = -SCORE_MATE + q->ply;
        q->stand_pat = -SCORE_INFINITE;
        return;
    }
    thread_evaluate(t, q->ply, q->hit ? &q->entry : NULL);
    int score = q->hit ? tt_score_out(q->entry.score, q->ply, t->pos.rule50) : SCORE_NONE;
    q->best = q->stand_pat = search_improved_eval(q->f->static_eval, score, q->entry.bound);
}

static bool table_decides(const QNode *q, int *score) {
    if (q->pv || !q->hit)
        return false;
    *score = tt_score_out(q->entry.score, q->ply, q->t->pos.rule50);
    return table_cuts(q->t, *score, q->entry.bound, q->alpha, q->beta);
}

/* Whether the move cannot lift the score to alpha, or loses material. In check only a quiet move is
 * hopeless, when it loses material and an evasion is known. */
static bool is_hopeless(QNode *q, Move move) {
    const Position *pos = &q->t->pos;
    if (q->best <= -SCORE_WIN)
        return false;
    if (q->in_check)
        return !move_is_noisy(pos, move) && q->best_move != MOVE_NONE &&
               !see_at_least(pos, move, 0);
    int reach = q->stand_pat + SEARCH_QS_DELTA + see_value[move_captured(pos, move)];
    if (move_kind(move) == MOVE_PROMOTION)
        reach += see_value[QUEEN];
    if (reach <= q->alpha && !move_gives_check(pos, move)) {
        if (q->best < reach)
            q->best = reach;
        return true;
    }
    return !see_at_least(pos, move, 0);
}

static void store_qnode(const QNode *q, int old_alpha) {
    TtEntry entry = {.move = q->best_move,
                     .score = (int16_t)tt_score_in(q->best, q->ply),
                     .eval = (int16_t)q->f->raw_eval,
                     .depth = TT_DEPTH_QS,
                     .pv = q->hit && q->entry.pv};
    entry.bound = q->best >= q->beta             ? BOUND_LOWER
                  : q->pv && q->best > old_alpha ? BOUND_EXACT
                                                 : BOUND_UPPER;
    tt_store(&q->t->search->tt, q->t->pos.key, &entry);
}

/* Searches the moves of the node. False when the search was stopped. */
static bool try_moves(QNode *q) {
    SearchThread *t = q->t;
    HistoryContext c;
    Picker picker;
    Move hash = q->hit ? q->entry.move : MOVE_NONE;
    static const Move none[KILLERS] = {MOVE_NONE, MOVE_NONE};
    if (q->in_check) {
        c = thread_history_context(t, q->ply);
        picker_init(&picker, &t->pos, &t->history, &c, hash, none, MOVE_NONE);
    } else {
        picker_init_noisy(&picker, &t->pos, &t->history, hash);
    }
    for (Move move; (move = picker_next(&picker)) != MOVE_NONE;) {
        if (is_hopeless(q, move))
            continue;
        Undo undo;
        thread_make(t, move, q->ply, &undo);
        int score = -qsearch(t, -q->beta, -q->alpha, q->ply + 1);
        thread_unmake(t, move, &undo);
        if (search_stopped(t))
            return false;
        if (score <= q->best)
            continue;
        q->best = score;
        if (score <= q->alpha)
            continue;
        q->best_move = move;
        q->alpha = score;
        if (q->pv)
            line_set(&q->f->pv, move, &q->f[1].pv);
        if (score >= q->beta)
            break;
    }
    return true;
}

int qsearch(SearchThread *t, int alpha, int beta, int ply) {
    QNode q = {.t = t, .f = frame_at(t, ply), .alpha = alpha, .beta = beta, .ply = ply};
    q.f->pv.length = 0;
    if (!thread_count_node(t))
        return 0;
    if (ply > t->seldepth)
        t->seldepth = ply;
    if (thread_is_draw(t, ply))
        return 0;
    q.in_check = position_in_check(&t->pos);
    if (ply >= MAX_PLY)
        return q.in_check ? 0 : eval_cached(&t->pos, &t->eval_cache);
    q.pv = beta - alpha > 1;
    q.hit = LMR_TT && tt_probe(&t->search->tt, t->pos.key, &q.entry);
    int score;
    if (table_decides(&q, &score))
        return score;
    stand_pat(&q);
    if (q.best >= beta) {
        if (!q.hit)
            store_qnode(&q, alpha);
        return q.best;
    }
    if (q.best > alpha)
        q.alpha = q.best;
    if (!try_moves(&q))
        return 0;
    store_qnode(&q, alpha);
    return q.best;
}
