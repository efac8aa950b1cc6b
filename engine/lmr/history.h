/* SPDX-License-Identifier: MIT */
/* The history table H[12 pieces][to] of the reduction rules: kept beside the search's own move
 * ordering histories, and read by HIST_SOURCE piece-square. */
#ifndef LMR_HISTORY_H
#define LMR_HISTORY_H

#include <stdint.h>

enum { LMR_PIECES = 12, LMR_SQUARES = 64 };

/* One a thread; all zero is empty. */
typedef struct {
    int32_t h[LMR_PIECES][LMR_SQUARES];
} LmrHistory;

void lmr_history_clear(LmrHistory *history);

/* To be called after a non-capture `piece` to `to` was searched at `ply`, with `depth` the node's
 * remaining depth: +d^2 when it gave a better score, else -d; halved at H_LIMIT; nothing beyond
 * H_MAX_PLY. `score`, `alpha`, `best` (before the move) and `beta` are the node's, and H_BETTER
 * says which of them counts as better. */
void lmr_history_update(LmrHistory *history, int piece, int to, int depth, int ply, int score,
                        int alpha, int best, int beta);

static inline int lmr_history_get(const LmrHistory *history, int piece, int to) {
    return history->h[piece][to];
}

#endif
