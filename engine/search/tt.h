/* SPDX-License-Identifier: MIT */
/* The transposition table: shared by all threads without locks. Each slot is two 64-bit words read
 * and written with relaxed atomics; the first is key ^ data, so a slot torn between two writers
 * does not match any key and counts as a miss. */
#ifndef SEARCH_TT_H
#define SEARCH_TT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "chess/types.h"
#include "search/search.h"

enum { TT_WAYS = 4, TT_DEPTH_QS = 0 };

typedef struct {
    _Atomic uint64_t check; /* key ^ data */
    _Atomic uint64_t data;
} TtSlot;

typedef struct {
    TtSlot slot[TT_WAYS]; /* one cache line */
} TtBucket;

/* All zero is a table without buckets: tt_resize must come first. */
typedef struct {
    TtBucket *buckets;
    uint64_t count;
    uint8_t age; /* of the current search, modulo TT_AGES */
} Tt;

/* What is kept of a node. Scores are stored relative to the node (tt_score_in/out). */
typedef struct {
    Move move; /* MOVE_NONE when none; any 16 bits after a collision: check it */
    int16_t score;
    int16_t eval; /* SCORE_NONE when none */
    int8_t depth; /* 0 at least; TT_DEPTH_QS: of quiescence */
    Bound bound;
    bool pv; /* was once a node with an open window */
} TtEntry;

/* Makes room for this many MiB and empties it with so many threads. False, and the table as it was,
 * without memory. */
bool tt_resize(Tt *tt, int mebibytes, int threads);
void tt_free(Tt *tt);
/* Empties the table: `threads`, at most SEARCH_THREADS_MAX, share a large one. */
void tt_clear(Tt *tt, int threads);
void tt_new_search(Tt *tt);

/* True when the position is there: then *entry is filled. */
bool tt_probe(const Tt *tt, uint64_t key, TtEntry *entry);

/* Keeps the entry, or not when this search has stored the same position some plies deeper and the
 * new score is not exact. MOVE_NONE keeps the move that is there. */
void tt_store(Tt *tt, uint64_t key, const TtEntry *entry);

/* Asks for the bucket's cache line. */
void tt_prefetch(const Tt *tt, uint64_t key);

/* Permille of a sample of slots written by the current search. */
int tt_hashfull(const Tt *tt);

/* Mates and wins that endgame tables know are stored as distances from the node, not from the root.
 * tt_score_out gives SCORE_NONE for a mate or win that the fifty-move rule may prevent; rule50 is
 * the node's. */
int tt_score_in(int score, int ply);
int tt_score_out(int score, int ply, int rule50);

#endif
