/* SPDX-License-Identifier: MIT */
/* Iterative deepening with aspiration windows, and the reports of each iteration. */
#include <string.h>

#include "chess/move.h"
#include "lmr/flags.h"
#include "search/context.h"
#include "search/see.h"

enum { ONE_MOVE_DEPTH = 6 };

/* The order of root moves before the first iteration: captures that win material stand first. */
static int first_guess(const Position *pos, Move move) {
    if (!move_is_noisy(pos, move))
        return 0;
    int gain = see_value[move_captured(pos, move)];
    if (move_kind(move) == MOVE_PROMOTION)
        gain += see_value[move_promotion(move)];
    return see_at_least(pos, move, 0) ? gain : -gain;
}

static bool is_wanted(const SearchLimits *limits, Move move) {
    for (int i = 0; i < limits->searchmoves_count; i++) {
        if (limits->searchmoves[i] == move)
            return true;
    }
    return limits->searchmoves_count == 0;
}

/* The score in this iteration, if the move has one. */
static int score_of_now(const SearchThread *t, const RootMove *r) {
    return r->depth == t->root_depth ? r->score : -SCORE_INFINITE;
}

/* Scores of two iterations cannot be compared. In an iteration that was cut, moves without a score
 * therefore keep their order, behind those with one. */
static bool comes_before(const SearchThread *t, const RootMove *a, const RootMove *b, bool cut) {
    if (cut)
        return score_of_now(t, a) > score_of_now(t, b);
    return a->score != b->score ? a->score > b->score : a->previous > b->previous;
}

/* Stable: equal moves keep their order. */
static void sort_root(SearchThread *t, int from, int to) {
    bool cut = search_stopped(t);
    for (int i = from + 1; i < to; i++) {
        RootMove moving = t->root[i];
        int j = i;
        for (; j > from && comes_before(t, &moving, &t->root[j - 1], cut); j--)
            t->root[j] = t->root[j - 1];
        t->root[j] = moving;
    }
}

static void list_root_moves(SearchThread *t) {
    Move moves[MAX_MOVES];
    int count = movegen_legal(&t->pos, moves);
    t->root_count = 0;
    for (int i = 0; i < count; i++) {
        if (!is_wanted(&t->search->limits, moves[i]))
            continue;
        RootMove *r = &t->root[t->root_count++];
        memset(r, 0, sizeof *r);
        r->move = moves[i];
        r->pv = (Line){.length = 1, .move = {moves[i]}};
        r->score = first_guess(&t->pos, moves[i]);
    }
    t->root_whole = t->root_count == count;
    TtEntry entry;
    if (LMR_TT && tt_probe(&t->search->tt, t->pos.key, &entry)) {
        for (int i = 0; i < t->root_count; i++) {
            if (t->root[i].move == entry.move)
                t->root[i].score = SCORE_MATE;
        }
    }
    sort_root(t, 0, t->root_count);
    for (int i = 0; i < t->root_count; i++)
        t->root[i].score = t->root[i].previous = -SCORE_INFINITE;
}

void iterate_prepare(SearchThread *t, const Position *root, const uint64_t *keys, int key_count) {
    t->pos = *root;
    t->root_depth = t->finished_depth = t->seldepth = t->null_until = t->poll = t->pv_index = 0;
    t->sum_at = 0;
    t->may_stop = t->index != 0;
    atomic_store_explicit(&t->nodes, 0, memory_order_relaxed);
    atomic_store_explicit(&t->table_hits, 0, memory_order_relaxed);
    int kept = key_count < KEYS_BEFORE ? key_count : KEYS_BEFORE;
    for (int i = 0; i < kept; i++)
        t->keys[i] = keys[key_count - kept + i];
    t->key_count = kept;
    memset(t->frames, 0, sizeof t->frames);
    memset(t->depth_killers, 0, sizeof t->depth_killers);
    for (int i = 0; i < FRAMES_BEFORE + MAX_PLY + 1 + FRAMES_AFTER; i++) {
        t->frames[i].piece = PIECE_NONE;
        t->frames[i].raw_eval = t->frames[i].static_eval = SCORE_NONE;
        t->frames[i].continuation = &t->history.continuation[PIECE_NONE][0];
    }
    t->stats = (LmrStats){0};
    if (LMR_H_CLEAR)
        lmr_history_clear(&t->lmr_history);
    list_root_moves(t);
}

/* Searches one line of one iteration. The window is widened until the score lies inside. */
static void aspirate(SearchThread *t, int lines) {
    RootMove *first = &t->root[t->pv_index];
    int alpha = -SCORE_INFINITE;
    int beta = SCORE_INFINITE;
    int window = SEARCH_ASPIRATION_WINDOW;
    int depth = t->root_depth;
    int guess = first->previous;
    if (depth >= SEARCH_ASPIRATION_MIN_DEPTH && guess != -SCORE_INFINITE &&
        !search_is_mate(guess)) {
        alpha = guess - window;
        beta = guess + window;
    }
    for (;;) {
        int score = search_node(t, alpha, beta, depth, 0, false);
        sort_root(t, t->pv_index, t->root_count);
        if (search_stopped(t))
            return;
        bool inside = score > alpha && score < beta;
        if (!inside && lines == 1)
            report_bound(t);
        if (inside)
            return;
        if (score <= alpha) {
            beta = (alpha + beta) / 2;
            alpha = score - window < -SCORE_INFINITE ? -SCORE_INFINITE : score - window;
            depth = t->root_depth;
        } else {
            beta = score + window > SCORE_INFINITE ? SCORE_INFINITE : score + window;
            /* A move that is better than thought needs a ply less to prove it. The iteration keeps
             * its number. */
            if (depth > 1 && !search_is_mate(score))
                depth--;
        }
        window += window * SEARCH_ASPIRATION_GROWTH / 100;
        if (window > SEARCH_ASPIRATION_OPEN || search_is_mate(score)) {
            alpha = alpha < -SEARCH_ASPIRATION_OPEN ? -SCORE_INFINITE : alpha;
            beta = beta > SEARCH_ASPIRATION_OPEN ? SCORE_INFINITE : beta;
        }
    }
}

/* All lines of one iteration. */
static void search_lines(SearchThread *t, int lines) {
    for (int i = 0; i < t->root_count; i++) {
        RootMove *move = &t->root[i];
        if (move->score != -SCORE_INFINITE)
            move->previous = move->score;
        move->nodes = 0;
    }
    for (t->pv_index = 0; t->pv_index < lines && !search_stopped(t); t->pv_index++) {
        t->seldepth = 0;
        aspirate(t, lines);
        sort_root(t, 0, t->pv_index + 1);
    }
    t->pv_index = 0;
    if (t->index != 0)
        return;
    for (int i = 0; i < lines; i++)
        report_line(t, i);
}

/* The stability of the best move and of its score between iterations. */
typedef struct {
    Move best;
    int stable;
    int score;
    int drop; /* of the score, since the iteration before */
} Trend;

/* Takes an iteration in. */
static void follow(Trend *trend, const SearchThread *t) {
    const RootMove *best = &t->root[0];
    trend->drop = t->root_depth > 1 ? trend->score - best->score : 0;
    trend->stable = best->move == trend->best ? trend->stable + 1 : 0;
    trend->best = best->move;
    trend->score = best->score;
}

/* Has the search found the mate that was asked for? */
static bool is_mate_found(const SearchThread *t) {
    int moves = search_mate_moves(t->root[0].score);
    return moves > 0 && moves <= t->search->limits.mate;
}

/* Does the time plan end the search after the iteration that began at `nodes_before`? */
static bool is_time_up(const SearchThread *t, const Trend *trend, uint64_t nodes_before) {
    Search *s = t->search;
    if (s->plan.soft == INT64_MAX || s->limits.infinite)
        return false;
    uint64_t spent = thread_nodes(t) - nodes_before;
    int share = spent ? (int)(t->root[0].nodes * 1000 / spent) : 1000;
    int64_t soft = s->plan.soft * timeman_stretch(share, trend->stable, trend->drop) / 1000;
    bool enough = (t->root_count == 1 && t->root_depth >= ONE_MOVE_DEPTH) ||
                  timeman_elapsed_us(s->began_ns) >= soft;
    /* While it ponders, the search goes on; search_ponderhit ends it if the time has passed. */
    atomic_store(&s->spent, enough);
    return enough && !atomic_load(&s->pondering);
}

void iterate(SearchThread *t) {
    Search *s = t->search;
    int wanted = s->limits.multipv > 1 ? s->limits.multipv : 1;
    int lines = wanted < t->root_count ? wanted : t->root_count;
    int most = s->limits.depth > 0 && s->limits.depth < MAX_PLY ? s->limits.depth : MAX_PLY;
    Trend trend = {.best = MOVE_NONE};
    for (int depth = 1; depth <= most && t->root_count > 0; depth++) {
        /* Every second helper thread begins one ply deeper, so that the threads search different
         * trees. */
        uint64_t nodes_before = thread_nodes(t);
        t->root_depth = t->index % 2 && depth < MAX_PLY ? depth + 1 : depth;
        search_lines(t, lines);
        if (search_stopped(t))
            break;
        t->finished_depth = t->root_depth;
        t->may_stop = true;
        if (search_stopped(t))
            break;
        follow(&trend, t);
        if (t->index == 0 && (is_mate_found(t) || is_time_up(t, &trend, nodes_before)))
            break;
    }
}
