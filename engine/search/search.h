/* SPDX-License-Identifier: MIT */
/* The search as its callers see it: one object that holds the table, the threads' memory and the
 * clock. It prints nothing and reads nothing; what it finds goes to a callback and a result. */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "chess/movegen.h"
#include "chess/position.h"
#include "chess/types.h"
#include "lmr/statistics.h"

/* Scores are centipawns for the side to move; a mate in n plies is SCORE_MATE - n. */
enum {
    MAX_PLY = 127, /* deepest ply that is ever searched, and the greatest depth */
    SCORE_MATE = 32000,
    SCORE_INFINITE = 32001,
    SCORE_NONE = 32002,                   /* no score at all */
    SCORE_MATE_IN_MAX = SCORE_MATE - 255, /* from here on up a score is a mate */
    /* A win that the endgame tables know, n plies from the root, scores SCORE_TABLES - n. */
    SCORE_TABLES = SCORE_MATE_IN_MAX - 256,
    /* From here on up a score is a win that is known. A stored one may be as far from its node as
     * that is from the root. */
    SCORE_WIN = SCORE_TABLES - 2 * MAX_PLY
};

/* Hash sizes that search_set_hash takes, MiB, and thread counts that search_set_threads takes. */
enum {
    SEARCH_HASH_MIN = 1,
    SEARCH_HASH_MAX = SIZE_MAX > UINT32_MAX ? 65536 : 1024, /* 32 bits address a few times that. */
    SEARCH_HASH_DEFAULT = 16,
};
enum { SEARCH_THREADS_MAX = 256, SEARCH_MULTIPV_MAX = 256 };

/* The stack of a thread that searches: some C libraries give new threads 128 KB, which MAX_PLY
 * nodes do not fit in. */
enum { SEARCH_STACK_BYTES = 16 << 20 };

/* Iteration 1 is not cut short before so many nodes. In a game it takes a few dozen. With many
 * queens on the board its captures would take seconds. */
enum { SEARCH_FIRST_NODES = 65536 };

typedef struct Search Search;

/* What one `go` asks for. Zero (or false) means "not given" everywhere, so {0} searches until
 * search_stop. Several limits may be given: the first that is met ends the search. */
typedef struct {
    int depth;                    /* iterations */
    uint64_t nodes;               /* all threads together; kept exactly with one thread, but
                                     see SEARCH_FIRST_NODES */
    int64_t movetime_ms;          /* spend about this less the overhead, at least 0.5 ms */
    bool has_clock;               /* the side to move has a clock: the numbers below count */
    int64_t time_ms[COLOR_COUNT]; /* zero and less: half a millisecond is taken to be left */
    int64_t inc_ms[COLOR_COUNT];  /* increment a move */
    int movestogo;                /* moves to the next time control */
    int64_t move_overhead_ms;     /* taken off every clock: what the way to the GUI costs */
    int64_t start_ns;             /* the clock runs from here, timeman_now_ns(); 0: when run
                                     starts */
    int mate;                     /* stop when a mate in this many moves was found */
    bool infinite;                /* do not return before search_stop */
    bool ponder;                  /* do not return before search_ponderhit or search_stop */
    int multipv;                  /* lines to report; 0 counts as 1 */
    Move searchmoves[MAX_MOVES];  /* legal moves to which the root is restricted */
    int searchmoves_count;        /* 0: all moves */
} SearchLimits;

/* Does a search with these limits come to an end by itself, once it does not ponder? `mate` is no
 * end: there may be no such mate. */
static inline bool search_limits_end(const SearchLimits *limits) {
    return !limits->infinite &&
           (limits->depth > 0 || limits->nodes > 0 || limits->movetime_ms > 0 || limits->has_clock);
}

typedef enum { BOUND_NONE, BOUND_UPPER, BOUND_LOWER, BOUND_EXACT } Bound;

/* One line of analysis, or news of a root move: valid during the callback only. */
typedef struct {
    /* A root move whose search begins now, and its 1-based number. Only `depth` counts beside them.
     * MOVE_NONE: a line of analysis. Root moves are reported after three seconds. */
    Move current_move;
    int current_number;
    int depth, seldepth; /* of a line: the iteration that its score is of */
    int multipv;         /* 1-based */
    int score;           /* see above; search_mate_moves() says whether it is a mate */
    Bound bound;    /* exact, but when an aspiration window failed (reported after three seconds)
                       or the search ended in one */
    uint64_t nodes; /* all threads */
    uint64_t nps;
    uint64_t table_hits; /* positions that the endgame tables knew, all threads */
    int hashfull;        /* permille */
    int64_t time_ms;
    const Move *pv; /* legal moves from the root */
    int pv_length;  /* at least 1: a root without a legal move has no line */
} SearchInfo;

/* Called on the thread that runs search_run. */
typedef void (*SearchReport)(const SearchInfo *info, void *user);

typedef struct {
    Move best;   /* MOVE_NONE only when the root has no legal move (or none in searchmoves) */
    Move ponder; /* MOVE_NONE when unknown */
    int score;   /* of `best`, as last reported: it may be a bound; 0 when nothing was finished */
    int depth;   /* last finished iteration of the thread whose move `best` is */
    uint64_t nodes; /* all threads */
} SearchResult;

/* A search with one thread and a table of so many MiB, SEARCH_HASH_MIN at least; calls chess_init
 * and what else wants initialising. Ends the program through the one allocation failure path when
 * memory is short: a smaller table would search another number of nodes. The caller frees it with
 * search_free. */
Search *search_new(int mebibytes);
void search_free(Search *search);

/* Neither may be called while search_run runs. search_set_hash empties the table, and another
 * number of threads forgets the histories; false, and the old table or threads kept, when the
 * memory is not there. Values out of range are clamped. */
bool search_set_hash(Search *search, int mebibytes);
bool search_set_threads(Search *search, int threads);

/* Positions of at most so many men are looked up in the endgame tables that tablebase_open opened;
 * 0 at first: none. Not while search_run runs. */
void search_set_table_men(Search *search, int men);

/* Forgets everything: table, histories. Two equal searches, each after search_clear, are equal node
 * for node with one thread. */
void search_clear(Search *search);

/* Searches `root` and blocks until done. `keys` are the keys of the game's positions before the
 * root, oldest first (those since the last capture or pawn move are enough); `report` may be NULL.
 * Always answers a legal move when there is one. Neither a limit nor search_stop cuts iteration 1
 * short before SEARCH_FIRST_NODES, so that the move was searched. */
void search_run(Search *search, const Position *root, const uint64_t *keys, int key_count,
                const SearchLimits *limits, SearchReport report, void *user, SearchResult *result);

/* From any thread (or a signal handler), at any time. search_run forgets both when it begins unless
 * search_prepare was called for it: a UCI loop calls search_prepare on its own thread before it
 * starts the thread that calls search_run, and no `stop` can fall between the two. */
void search_prepare(Search *search);
void search_stop(Search *search);
void search_ponderhit(Search *search);

/* What the last search_run counted about reductions, all threads added; zeros unless LMR_STATS. */
void search_lmr_stats(const Search *search, LmrStats *out);

/* Whether a score announces a mate, and the moves (not plies) to that mate: positive when the side
 * to move mates, negative when it is mated, 0 when the score is no mate. Mated on the spot is 0
 * too. */
static inline bool search_is_mate(int score) {
    return score >= SCORE_MATE_IN_MAX || score <= -SCORE_MATE_IN_MAX;
}
static inline int search_mate_moves(int score) {
    if (!search_is_mate(score))
        return 0;
    return score > 0 ? (SCORE_MATE - score + 1) / 2 : -(SCORE_MATE + score) / 2;
}

/* Whether a score is a mate, or a win or a loss that the endgame tables know: no evaluation. */
static inline bool search_is_known(int score) {
    return score >= SCORE_WIN || score <= -SCORE_WIN;
}

#endif
