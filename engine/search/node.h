/* SPDX-License-Identifier: MIT */
/* One node of the main search, as its files share it: node.c tells the steps in their order,
 * prune.c holds what saves a search, candidate.c gathers what is known of a move. For these alone.
 */
#ifndef SEARCH_NODE_H
#define SEARCH_NODE_H

#include <stdbool.h>

#include "lmr/reduction.h"
#include "search/context.h"

/* A node while it is searched. */
typedef struct {
    SearchThread *t;
    Frame *f;
    int alpha, beta, depth, ply;
    int old_alpha; /* when the node began: moves, and a win of the endgame tables, raise alpha */
    bool root;
    bool pv;  /* the window is open: beta - alpha > 1 */
    bool cut; /* a null-window node expected to fail high */
    bool in_check;
    bool improving; /* as the row W_IMPROVING of lmr/flags.def says; false in check */
    bool hit;       /* the table knows the position: `entry` is filled */
    bool tt_pv;     /* this node is PV, or the table's entry was */
    bool hash_noisy;
    TtEntry entry;
    int table_score; /* SCORE_NONE where the table does not know it */
    Move hash;       /* legal, or MOVE_NONE */
    int eval;        /* the static one, improved by the table; SCORE_NONE in check */
    int low, high;   /* what the endgame tables leave the score */
    int best;
    Move best_move;
    int best_number;
    int number;             /* of the move in turn, 1-based */
    HistoryContext context; /* of the move loop */
    Move *killer; /* of the move loop, KILLERS of them: kept per ply, or per remaining depth */
} Node;

/* The move in turn. */
typedef struct {
    Move move;
    Piece piece; /* that moves */
    bool noisy;  /* capture or promotion */
    int history; /* of a quiet move: all histories together */
    int reduction;
    LmrMove facts;
} Candidate;

/* --- prune.c: a node that needs no move loop --- */

/* May a score be trusted here that no search of the node's moves has found? Null-window nodes
 * that are not in check, outside singular searches, away from mates, and that the endgame tables do
 * not bound. */
bool node_may_prune(const Node *n);

/* Each is true with *score when the node is decided. They ask for node_may_prune(). The search may
 * have been stopped meanwhile: then *score means nothing. */
bool reverse_futility(const Node *n, int *score);
bool razoring(const Node *n, int *score);
bool null_move_pruning(const Node *n, int *score);
bool probcut(Node *n, int *score);

/* --- prune.c: a move that needs no search --- */

/* True when the move in turn is left out. May also tell the picker to leave out all quiet moves
 * that are to come. */
bool move_is_pruned(const Node *n, Picker *picker, const Candidate *c);

/* --- candidate.c --- */

/* Finds out about the legal move in turn all that pruning and reduction ask, and its reduction.
 * `root` is its entry in the root's list, NULL elsewhere. */
void gather_facts(Node *n, const Picker *picker, Move move, const RootMove *root, Candidate *c);

/* --- node.c --- */

/* Writes the node's best score and move into the table, as a search of that depth found them. */
void store_node(const Node *n, int depth, Bound bound);

#endif
