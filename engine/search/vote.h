/* SPDX-License-Identifier: MIT */
/* Which thread's move is played when several have searched: a vote, as is usual where threads share
 * nothing but the table (lazy SMP). Threads that found the same move vote for it together. */
#ifndef SEARCH_VOTE_H
#define SEARCH_VOTE_H

#include "chess/types.h"

/* What one thread found. */
typedef struct {
    Move move; /* MOVE_NONE: the thread found none and has no vote */
    int score; /* of the move, as in SearchInfo; a bound counts as a score */
    int depth; /* the iteration that the score is of */
} Vote;

/* The index of the vote that wins. A vote weighs its depth times the height of its score above a
 * point just below the worst score. The move with the most weight wins, by its deepest vote, and
 * the first of equals. But a mate wins whatever the weights are, the shortest first. `count` is at
 * least 1. */
int vote_winner(const Vote *votes, int count);

#endif
