/* SPDX-License-Identifier: MIT */
/* What a search is made of: one context a thread, one Search around them. For this room alone. */
#ifndef SEARCH_CONTEXT_H
#define SEARCH_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "chess/movegen.h"
#include "chess/position.h"
#include "eval/eval.h"
#include "lmr/history.h"
#include "lmr/reduction.h"
#include "lmr/statistics.h"
#include "search/history.h"
#include "search/movepick.h"
#include "search/search.h"
#include "search/timeman.h"
#include "search/tt.h"
#include "search/vote.h"

/* A line of play from some position on. */
typedef struct {
    int length;
    Move move[MAX_PLY + 1];
} Line;

enum { FRAMES_BEFORE = 4, FRAMES_AFTER = 4, KEYS_BEFORE = 256 };

/* One ply of the line being searched. */
typedef struct {
    Move move;     /* being searched; MOVE_NULL, or MOVE_NONE before the root */
    Move excluded; /* left out by a singular search */
    Move killer[KILLERS];
    PieceToHistory *continuation; /* what follows `move` */
    bool quiet;                   /* `move` is neither capture nor promotion nor null */
    int piece;                    /* that moved, PIECE_NONE for a null move */
    Square to;                    /* where `move` leads, 0 for a null move and before the root */
    int raw_eval;                 /* as evaluated; SCORE_NONE in check */
    int static_eval;              /* corrected by what searches found; SCORE_NONE in check */
    LmrEval eval;                 /* for the side to move; evaluate_node says when */
    int history;                  /* of the move searched last, probcut's too */
    int reduction;                /* of `move` in the search that is on */
    int cutoffs;                  /* beta cutoffs of this ply since the ply above began a node */
    int extensions;               /* double extensions of singular moves in this line */
    int first_key;                /* keys before this one lie across a null move */
    Line pv;
} Frame;

typedef struct {
    Move move;
    int score;    /* of this iteration; -SCORE_INFINITE: no better than the best before it */
    int previous; /* of the last iteration that gave the move a score */
    Bound bound;  /* what `score` is; BOUND_NONE before the first one */
    int depth;    /* the iteration of the last score */
    int seldepth;
    bool ever_best; /* in this search */
    uint64_t nodes;
    Line pv; /* begins with `move` */
} RootMove;

typedef struct SearchThread {
    Search *search;
    int index; /* 0 is the one that reports and watches the limits */
    Position pos;
    int root_depth;     /* of this iteration */
    int root_window;    /* beta - alpha at the root */
    int finished_depth; /* of the last whole iteration */
    int seldepth;
    int null_until;  /* below this ply no null move: one is being verified */
    int poll;        /* nodes until the clock is looked at again */
    uint64_t sum_at; /* own nodes at which a limit on all threads' nodes is looked at again */
    bool may_stop;   /* false in iteration 1 of thread 0, up to SEARCH_FIRST_NODES nodes */
    _Atomic uint64_t nodes; /* written by this thread alone, read by all */
    _Atomic uint64_t table_hits;
    int pv_index; /* root moves before this one are out of the search (MultiPV) */
    int root_count;
    bool root_whole; /* no legal move of the root is left out */
    RootMove root[MAX_MOVES];
    int key_count; /* keys before the position on the board */
    uint64_t keys[KEYS_BEFORE + MAX_PLY + 1];
    Move depth_killers[MAX_PLY + 1][KILLERS];
    Frame frames[FRAMES_BEFORE + MAX_PLY + 1 + FRAMES_AFTER];
    History history;
    LmrHistory lmr_history;
    LmrStats stats;
    EvalCache eval_cache;
} SearchThread;

struct Search {
    Tt tt;
    SearchThread **threads;
    int thread_count;
    _Atomic bool stop;
    _Atomic bool pondering;
    _Atomic bool spent; /* while pondering: the time for the move has passed */
    _Atomic bool prepared;
    _Atomic int64_t start_ns; /* from which the hard limit counts: moves on at ponderhit */
    int64_t began_ns;
    TimePlan plan;
    int table_men; /* of positions that the endgame tables are asked about; 0: none */
    SearchLimits limits;
    SearchReport report;
    void *user;
};

static inline bool search_stopped(const SearchThread *t) {
    return t->may_stop && atomic_load_explicit(&t->search->stop, memory_order_relaxed);
}

static inline uint64_t thread_nodes(const SearchThread *t) {
    return atomic_load_explicit(&t->nodes, memory_order_relaxed);
}

static inline Frame *frame_at(SearchThread *t, int ply) {
    return &t->frames[FRAMES_BEFORE + ply];
}

/* Writes the line that begins with `move` and goes on with `rest`. */
static inline void line_set(Line *line, Move move, const Line *rest) {
    line->move[0] = move;
    line->length = 1 + rest->length;
    for (int i = 0; i < rest->length; i++)
        line->move[i + 1] = rest->move[i];
}

/* Does the table's score answer a search with this window? Late in the fifty moves it knows too
 * little of them; SCORE_NONE answers nothing. */
static inline bool table_cuts(const SearchThread *t, int score, Bound bound, int alpha, int beta) {
    enum { RULE50_MAX = 90 };
    if (score == SCORE_NONE || t->pos.rule50 >= RULE50_MAX)
        return false;
    return (bound & BOUND_LOWER && score >= beta) || (bound & BOUND_UPPER && score <= alpha);
}

/* The evaluation, or the table's score where its bound says that the evaluation is too low or too
 * high. A mate is no evaluation; SCORE_NONE is no score of the table. */
static inline int search_improved_eval(int eval, int table_score, Bound bound) {
    if (table_score == SCORE_NONE || search_is_mate(table_score))
        return eval;
    bool better = bound & BOUND_LOWER && table_score > eval;
    bool worse = bound & BOUND_UPPER && table_score < eval;
    return better || worse ? table_score : eval;
}

/* The threads' memory, zeroed and aligned to cache lines. Without memory search_try_alloc answers
 * NULL, and search_alloc ends the program. Free with free(). */
void *search_try_alloc(size_t size);
void *search_alloc(size_t size);

/* Tells how many bytes were not there, and ends the program. */
_Noreturn void search_end_without_memory(size_t size);

/* Nodes that a thread counts before it adds all threads' nodes again, when `left` of the limit are
 * left: from 1 to a few hundred, and not past the limit when all threads are equally fast. */
int thread_nodes_until_sum(uint64_t left, int threads);

/* Counts a node, and looks at the limits when it is time to. False: stop now, the node does not
 * count. */
bool thread_count_node(SearchThread *t);

/* Fifty moves, material, repetition: is the position on the board, `ply` plies from the root, to be
 * taken for a draw? One repetition inside the search is enough, before the root it takes two. A
 * null move is no move of the game, so a position before one is no repetition. */
bool thread_is_draw(const SearchThread *t, int ply);

/* Sets the frame's raw_eval, from the table's entry when it has one (NULL: none), and static_eval.
 * Not in check. */
void thread_evaluate(SearchThread *t, int ply, const TtEntry *entry);

/* The continuations of the moves before a frame. */
Continuations frame_continuations(const Frame *f);
/* All that the histories depend on in the position on the board, which is at `ply`. */
HistoryContext thread_history_context(const SearchThread *t, int ply);

/* Makes and takes back a move at `ply`, with its frame and key. */
void thread_make(SearchThread *t, Move move, int ply, Undo *undo);
void thread_unmake(SearchThread *t, Move move, const Undo *undo);
void thread_make_null(SearchThread *t, int ply, Undo *undo);
void thread_unmake_null(SearchThread *t, const Undo *undo);

/* Score of the position on the board with remaining depth 0 or less: captures and promotions that
 * lose no material. In check all evasions, but once one has raised alpha no quiet one that loses
 * material. */
int qsearch(SearchThread *t, int alpha, int beta, int ply);

/* Score with `depth` plies to go; `cut`: a null-window node expected to fail high. After
 * search_stopped() what comes back means nothing. */
int search_node(SearchThread *t, int alpha, int beta, int depth, int ply, bool cut);

/* Deepens until a limit ends it. Thread 0 reports. */
void iterate(SearchThread *t);

/* Reports line `index` of the thread's iteration as it stands. Thread 0 alone reports besides,
 * after three seconds, the line of a window that failed, and the root move that it begins to
 * search, the number-th of its iteration. */
void report_line(const SearchThread *t, int index);
void report_bound(const SearchThread *t);
void report_move(const SearchThread *t, Move move, int number);

/* What the thread found: its first root move as it stands; all zero when it has no score yet. */
Vote thread_vote(const SearchThread *t);

/* Sets up thread `t` for a search of `root`, with the game's keys before it. */
void iterate_prepare(SearchThread *t, const Position *root, const uint64_t *keys, int key_count);

/* All threads' nodes, and the positions that the endgame tables knew. */
uint64_t search_nodes(const Search *search);
uint64_t search_table_hits(const Search *search);

#endif
