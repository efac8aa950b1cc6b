/* SPDX-License-Identifier: MIT */
/* What a search reports while it runs. */
#include "search/context.h"
#include "search/timeman.h"

enum { LATE_MS = 3000, US_PER_MS = 1000, US_PER_SECOND = 1000000 };

/* Only a long search tells more than its iterations. */
static bool is_late(const Search *s) {
    return timeman_elapsed_us(s->began_ns) / US_PER_MS >= LATE_MS;
}

/* The move has no score of this iteration: the last iteration's stands. */
static bool is_old(const RootMove *r) {
    return r->score == -SCORE_INFINITE;
}

/* The score that stands; -SCORE_INFINITE: none yet. */
static int score_of(const RootMove *r) {
    return is_old(r) ? r->previous : r->score;
}

/* The iteration of the score that stands. */
static int depth_of(const SearchThread *t, const RootMove *r) {
    return is_old(r) && r->depth >= t->root_depth ? t->root_depth - 1 : r->depth;
}

Vote thread_vote(const SearchThread *t) {
    const RootMove *r = &t->root[0];
    if (t->root_count == 0 || score_of(r) == -SCORE_INFINITE)
        return (Vote){.move = MOVE_NONE};
    return (Vote){.move = r->move, .score = score_of(r), .depth = depth_of(t, r)};
}

void report_line(const SearchThread *t, int index) {
    const Search *s = t->search;
    if (!s->report)
        return;
    const RootMove *r = &t->root[index];
    int64_t us = timeman_elapsed_us(s->began_ns);
    SearchInfo info = {.depth = depth_of(t, r),
                       .seldepth = r->seldepth,
                       .multipv = index + 1,
                       .score = score_of(r),
                       .bound = is_old(r) ? BOUND_EXACT : r->bound,
                       .nodes = search_nodes(s),
                       .table_hits = search_table_hits(s),
                       .hashfull = tt_hashfull(&s->tt),
                       .time_ms = us / US_PER_MS,
                       .pv = r->pv.move,
                       .pv_length = r->pv.length};
    if (info.score == -SCORE_INFINITE || info.depth < 1)
        return;
    info.nps = us > 0 ? (uint64_t)((double)info.nodes * US_PER_SECOND / (double)us) : 0;
    s->report(&info, s->user);
}

void report_bound(const SearchThread *t) {
    if (t->index == 0 && is_late(t->search))
        report_line(t, t->pv_index);
}

void report_move(const SearchThread *t, Move move, int number) {
    const Search *s = t->search;
    if (t->index != 0 || !s->report || !is_late(s))
        return;
    SearchInfo info = {.current_move = move, .current_number = number, .depth = t->root_depth};
    s->report(&info, s->user);
}
