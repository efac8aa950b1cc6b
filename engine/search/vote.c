/* SPDX-License-Identifier: MIT */
#include "search/vote.h"

#include <stdint.h>

#include "search/search.h"

/* How far below the worst score the weights begin, centipawns. */
enum { VOTE_FLOOR = 20 };

static int worst_score(const Vote *votes, int count) {
    int worst = SCORE_INFINITE;
    for (int i = 0; i < count; i++) {
        if (votes[i].move != MOVE_NONE && votes[i].score < worst)
            worst = votes[i].score;
    }
    return worst;
}

/* What all votes for the move weigh. */
static int64_t weight_of(Move move, const Vote *votes, int count, int worst) {
    int64_t weight = 0;
    for (int i = 0; i < count; i++) {
        if (votes[i].move == move)
            weight += (int64_t)(votes[i].score - worst + VOTE_FLOOR) * votes[i].depth;
    }
    return weight;
}

int vote_winner(const Vote *votes, int count) {
    int worst = worst_score(votes, count);
    int winner = 0;
    int64_t most = -1;
    for (int i = 0; i < count; i++) {
        if (votes[i].move == MOVE_NONE)
            continue;
        int64_t weight = votes[i].score >= SCORE_MATE_IN_MAX
                             ? INT64_MAX - (SCORE_MATE - votes[i].score)
                             : weight_of(votes[i].move, votes, count, worst);
        if (weight > most || (weight == most && votes[i].depth > votes[winner].depth)) {
            winner = i;
            most = weight;
        }
    }
    return winner;
}
