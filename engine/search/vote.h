/* SPDX-License-Identifier: MIT */
/* Which thread's move is played when several have searched: a vote. Threads that found the same
 * move vote for it together. */
#ifndef SEARCH_VOTE_H
#define SEARCH_VOTE_H

#include "chess/types.h"

/* What one thread found: the move, its score (SearchInfo's) and the iteration that gave it. */
typedef struct {
    Move move; /* MOVE_NONE: the thread found none and has no vote */
    int score;
    int depth;
} Vote;

/* The index of the vote that wins: of those for the move with the most weight the one of the
 * deepest iteration, and the first of equals. A vote weighs its depth times what its score is above
 * the worst score. A mate found by any thread wins at once, the shortest first. `count` is at
 * least 1. */
int vote_winner(const Vote *votes, int count);

#endif
