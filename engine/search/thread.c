/* SPDX-License-Identifier: MIT */
/* Functions of a search thread that all kinds of nodes use: counting nodes, limits, draws, making
 * moves with their keys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chess/draw.h"
#include "chess/move.h"
#include "search/context.h"
#include "search/timeman.h"

enum { POLL_NODES = 512, CACHE_LINE = 64 };

void *search_try_alloc(size_t size) {
    size_t rounded = (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    /* The comparison is true; compilers that optimise at link time want to see it. */
    void *memory = rounded <= PTRDIFF_MAX ? aligned_alloc(CACHE_LINE, rounded) : NULL;
    return memory ? memset(memory, 0, rounded) : NULL;
}

void *search_alloc(size_t size) {
    void *memory = search_try_alloc(size);
    if (!memory)
        search_end_without_memory(size);
    return memory;
}

void search_end_without_memory(size_t size) {
    fprintf(stderr, "reductio: out of memory (%zu bytes)\n", size);
    exit(1);
}

uint64_t search_nodes(const Search *search) {
    uint64_t sum = 0;
    for (int i = 0; i < search->thread_count; i++)
        sum += thread_nodes(search->threads[i]);
    return sum;
}

uint64_t search_table_hits(const Search *search) {
    uint64_t sum = 0;
    for (int i = 0; i < search->thread_count; i++)
        sum += atomic_load_explicit(&search->threads[i]->table_hits, memory_order_relaxed);
    return sum;
}

/* Whether a limit may end the search. A pondering search, and one that is to go on until `stop`,
 * has to wait. Whoever sees the end of pondering sees the clock's new start too. */
static bool limits_count(const Search *s) {
    return !s->limits.infinite && !atomic_load_explicit(&s->pondering, memory_order_acquire);
}

static void look_at_clock(SearchThread *t) {
    Search *s = t->search;
    t->poll = POLL_NODES;
    t->may_stop = t->may_stop || thread_nodes(t) >= SEARCH_FIRST_NODES;
    if (s->plan.hard == INT64_MAX || !limits_count(s))
        return;
    int64_t start = atomic_load_explicit(&s->start_ns, memory_order_relaxed);
    if (timeman_elapsed_us(start) >= s->plan.hard)
        atomic_store_explicit(&s->stop, true, memory_order_relaxed);
}

int thread_nodes_until_sum(uint64_t left, int threads) {
    uint64_t share = left / (uint64_t)threads;
    return share < 1 ? 1 : share > POLL_NODES ? POLL_NODES : (int)share;
}

static void look_at_nodes(SearchThread *t, uint64_t own) {
    Search *s = t->search;
    uint64_t sum = search_nodes(s);
    if (sum < s->limits.nodes)
        t->sum_at = own + (uint64_t)thread_nodes_until_sum(s->limits.nodes - sum, s->thread_count);
    else if (limits_count(s))
        atomic_store_explicit(&s->stop, true, memory_order_relaxed);
    else
        t->sum_at = own + POLL_NODES;
}

bool thread_count_node(SearchThread *t) {
    Search *s = t->search;
    uint64_t nodes = thread_nodes(t);
    if (t->index == 0) {
        if (s->limits.nodes && nodes >= t->sum_at)
            look_at_nodes(t, nodes);
        if (--t->poll <= 0)
            look_at_clock(t);
    }
    if (search_stopped(t))
        return false;
    atomic_store_explicit(&t->nodes, nodes + 1, memory_order_relaxed);
    return true;
}

static bool is_repetition(const SearchThread *t, int ply) {
    int known = t->key_count - t->frames[FRAMES_BEFORE + ply].first_key;
    int reach = t->pos.rule50 < known ? t->pos.rule50 : known;
    const uint64_t *now = &t->keys[t->key_count]; /* the place of the present position's key */
    int found = 0;
    for (int back = 4; back <= reach; back += 2) {
        if (now[-back] != t->pos.key)
            continue;
        if (back < ply || ++found == 2)
            return true;
    }
    return false;
}

bool thread_is_draw(const SearchThread *t, int ply) {
    if (t->pos.rule50 >= DRAW_RULE50_PLIES && (!position_in_check(&t->pos) || movegen_any(&t->pos)))
        return true;
    return draw_insufficient_material(&t->pos) || is_repetition(t, ply);
}

void thread_evaluate(SearchThread *t, int ply, const TtEntry *entry) {
    Frame *f = frame_at(t, ply);
    bool stored = entry && entry->eval != SCORE_NONE;
    f->raw_eval = stored ? entry->eval : eval_cached(&t->pos, &t->eval_cache);
    int corrected = f->raw_eval + history_correction(&t->history, &t->pos, f[-1].piece, f[-1].to);
    f->static_eval = corrected > EVAL_LIMIT    ? EVAL_LIMIT
                     : corrected < -EVAL_LIMIT ? -EVAL_LIMIT
                                               : corrected;
}

Continuations frame_continuations(const Frame *f) {
    return (Continuations){{f[-1].continuation, f[-2].continuation, f[-4].continuation}};
}

HistoryContext thread_history_context(const SearchThread *t, int ply) {
    return (HistoryContext){.continuations = frame_continuations(&t->frames[FRAMES_BEFORE + ply]),
                            .threats = threats_find(&t->pos)};
}

/* Records the move in the frame of `ply` before the move is made. */
static void enter_move(SearchThread *t, Move move, Piece piece, Square to, int ply) {
    Frame *f = frame_at(t, ply);
    f->move = move;
    f->quiet = move != MOVE_NULL && !move_is_noisy(&t->pos, move);
    f->piece = piece;
    f->to = to;
    f->continuation = &t->history.continuation[piece][to];
    t->keys[t->key_count++] = t->pos.key;
    f[1].first_key = move == MOVE_NULL ? t->key_count : f->first_key;
}

void thread_make(SearchThread *t, Move move, int ply, Undo *undo) {
    tt_prefetch(&t->search->tt, position_key_after(&t->pos, move));
    enter_move(t, move, t->pos.board[move_from(move)], move_to(move), ply);
    position_make(&t->pos, move, undo);
}

void thread_unmake(SearchThread *t, Move move, const Undo *undo) {
    position_unmake(&t->pos, move, undo);
    t->key_count--;
}

void thread_make_null(SearchThread *t, int ply, Undo *undo) {
    enter_move(t, MOVE_NULL, PIECE_NONE, 0, ply);
    position_make_null(&t->pos, undo);
    tt_prefetch(&t->search->tt, t->pos.key);
}

void thread_unmake_null(SearchThread *t, const Undo *undo) {
    position_unmake_null(&t->pos, undo);
    t->key_count--;
}
