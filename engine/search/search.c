/* SPDX-License-Identifier: MIT */
/* The Search object: memory, threads, stopping, and the result. */
#include "search/search.h"

#include <stdlib.h>
#include <string.h>

#include "chess/attacks.h"
#include "chess/draw.h"
#include "chess/move.h"
#include "lmr/reduction.h"
#include "search/context.h"
#include "search/tablebase.h"
#include "search/timeman.h"
#include "search/vote.h"

static void free_threads(SearchThread **threads, int count) {
    for (int i = 0; i < count; i++)
        free(threads[i]);
    free(threads);
}

bool search_set_threads(Search *search, int threads) {
    int count = threads < 1 ? 1 : threads > SEARCH_THREADS_MAX ? SEARCH_THREADS_MAX : threads;
    if (count == search->thread_count)
        return true;
    SearchThread **made = search_try_alloc((size_t)count * sizeof *made);
    for (int i = 0; made && i < count; i++) {
        made[i] = search_try_alloc(sizeof(SearchThread));
        if (!made[i]) {
            free_threads(made, i);
            return false;
        }
        made[i]->search = search;
        made[i]->index = i;
    }
    if (!made)
        return false;
    free_threads(search->threads, search->thread_count);
    search->threads = made;
    search->thread_count = count;
    return true;
}

bool search_set_hash(Search *search, int mebibytes) {
    int size = mebibytes < SEARCH_HASH_MIN   ? SEARCH_HASH_MIN
               : mebibytes > SEARCH_HASH_MAX ? SEARCH_HASH_MAX
                                             : mebibytes;
    return tt_resize(&search->tt, size, search->thread_count);
}

void search_set_table_men(Search *search, int men) {
    search->table_men = men;
}

Search *search_new(int mebibytes) {
    chess_init();
    lmr_init();
    Search *search = search_alloc(sizeof *search);
    if (!search_set_threads(search, 1))
        search_end_without_memory(sizeof(SearchThread));
    if (!search_set_hash(search, mebibytes))
        search_end_without_memory((size_t)mebibytes << 20);
    return search;
}

void search_free(Search *search) {
    if (!search)
        return;
    free_threads(search->threads, search->thread_count);
    tt_free(&search->tt);
    free(search);
}

void search_clear(Search *search) {
    tt_clear(&search->tt, search->thread_count);
    for (int i = 0; i < search->thread_count; i++) {
        SearchThread *t = search->threads[i];
        memset(&t->history, 0, sizeof t->history);
        lmr_history_clear(&t->lmr_history);
    }
}

/* Forgets `stop` and `ponderhit`. */
static void forget_orders(Search *search) {
    atomic_store(&search->stop, false);
    atomic_store(&search->spent, false);
    atomic_store(&search->pondering, true); /* until search_run knows better, or ponderhit */
}

void search_prepare(Search *search) {
    forget_orders(search);
    atomic_store(&search->prepared, true);
}

void search_stop(Search *search) {
    atomic_store(&search->stop, true);
}

void search_ponderhit(Search *search) {
    atomic_store(&search->start_ns, timeman_now_ns());
    atomic_store(&search->pondering, false);
    if (atomic_load(&search->spent))
        atomic_store(&search->stop, true);
}

void search_lmr_stats(const Search *search, LmrStats *out) {
    *out = (LmrStats){0};
    for (int i = 0; i < search->thread_count; i++)
        lmr_stats_add(out, &search->threads[i]->stats);
}

static void *run_helper(void *argument) {
    iterate(argument);
    return NULL;
}

/* A search that may not return yet waits here for `stop` or `ponderhit`. */
static void wait_for_leave(Search *search) {
    const struct timespec pause = {.tv_nsec = 1000000};
    while (!atomic_load(&search->stop) &&
           (search->limits.infinite || atomic_load(&search->pondering)))
        nanosleep(&pause, NULL);
}

/* Runs the search on all threads and returns when all have ended. The search goes on without a
 * thread that cannot be started. */
static void run_threads(Search *search) {
    pthread_t *handles = search_alloc((size_t)search->thread_count * sizeof *handles);
    pthread_attr_t attributes;
    int started = 1;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SEARCH_STACK_BYTES);
    while (started < search->thread_count &&
           pthread_create(&handles[started], &attributes, run_helper, search->threads[started]) ==
               0)
        started++;
    pthread_attr_destroy(&attributes);
    iterate(search->threads[0]);
    wait_for_leave(search);
    atomic_store(&search->stop, true);
    for (int i = 1; i < started; i++)
        pthread_join(handles[i], NULL);
    free(handles);
}

/* The reply to `best` in the table, for a principal variation of one move. */
static Move guess_ponder(Search *search, const Position *root, Move best) {
    Position pos = *root;
    Undo undo;
    TtEntry entry;
    position_make(&pos, best, &undo);
    if (LMR_TT && tt_probe(&search->tt, pos.key, &entry) && entry.move != MOVE_NONE &&
        move_is_legal(&pos, entry.move))
        return entry.move;
    return MOVE_NONE;
}

/* The thread whose move is played. A depth, a mate and several lines are thread 0's to answer. A
 * thread that has finished no iteration has not compared its moves, and has no vote. */
static const SearchThread *best_thread(const Search *search) {
    const SearchLimits *limits = &search->limits;
    if (search->thread_count == 1 || limits->depth > 0 || limits->mate > 0 || limits->multipv > 1)
        return search->threads[0];
    Vote votes[SEARCH_THREADS_MAX] = {{0}};
    for (int i = 0; i < search->thread_count; i++)
        if (search->threads[i]->finished_depth > 0)
            votes[i] = thread_vote(search->threads[i]);
    return search->threads[vote_winner(votes, search->thread_count)];
}

static void fill_result(Search *search, const Position *root, SearchResult *result) {
    const SearchThread *t = best_thread(search);
    if (t->index != 0)
        report_line(t, 0);
    *result = (SearchResult){.nodes = search_nodes(search), .depth = t->finished_depth};
    if (t->root_count == 0)
        return;
    const RootMove *best = &t->root[0];
    result->best = best->move;
    result->ponder =
        best->pv.length > 1 ? best->pv.move[1] : guess_ponder(search, root, best->move);
    result->score = thread_vote(t).score;
}

static void begin(Search *search, const Position *root, const SearchLimits *limits,
                  SearchReport report, void *user) {
    if (!atomic_exchange(&search->prepared, false))
        forget_orders(search);
    search->limits = *limits;
    search->report = report;
    search->user = user;
    search->began_ns = limits->start_ns ? limits->start_ns : timeman_now_ns();
    search->plan = timeman_plan(limits, root->stm);
    if (limits->ponder)
        return; /* a ponderhit may have come already: its time stands */
    atomic_store(&search->start_ns, search->began_ns);
    atomic_store(&search->pondering, false);
}

/* Did a position since the last capture or pawn move stand twice, the root's too? */
static bool game_repeats(const Position *root, const uint64_t *keys, int key_count) {
    uint64_t line[DRAW_RULE50_PLIES + 1];
    int kept = key_count < DRAW_RULE50_PLIES ? key_count : DRAW_RULE50_PLIES;
    for (int i = 0; i < kept; i++)
        line[i] = keys[key_count - kept + i];
    line[kept] = root->key;
    return draw_any_repetition(line, kept + 1, root->rule50);
}

/* For a search of one line: restricts the root to the moves that keep the result of the endgame
 * tables. */
static void ask_tables(Search *search, const Position *root, const uint64_t *keys, int key_count) {
    SearchLimits *limits = &search->limits;
    if (bb_popcount(position_occupied(root)) > search->table_men || limits->multipv > 1)
        return;
    if (limits->searchmoves_count == 0)
        limits->searchmoves_count = movegen_legal(root, limits->searchmoves);
    limits->searchmoves_count = tablebase_keep_best(root, game_repeats(root, keys, key_count),
                                                    limits->searchmoves, limits->searchmoves_count);
}

void search_run(Search *search, const Position *root, const uint64_t *keys, int key_count,
                const SearchLimits *limits, SearchReport report, void *user, SearchResult *result) {
    begin(search, root, limits, report, user);
    tt_new_search(&search->tt);
    ask_tables(search, root, keys, key_count);
    for (int i = 0; i < search->thread_count; i++)
        iterate_prepare(search->threads[i], root, keys, key_count);
    run_threads(search);
    fill_result(search, root, result);
}
