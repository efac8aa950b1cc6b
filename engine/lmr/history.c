/* SPDX-License-Identifier: MIT */
#include "lmr/history.h"

#include <assert.h>
#include <string.h>

#include "lmr/flags.h"

void lmr_history_clear(LmrHistory *history) {
    memset(history, 0, sizeof *history);
}

static bool better(int score, int alpha, int best, int beta) {
    switch (LMR_H_BETTER) {
    case LMR_H_BETTER_BEST:
        return score > best;
    case LMR_H_BETTER_BETA:
        return score >= beta;
    default:
        return score > alpha;
    }
}

void lmr_history_update(LmrHistory *history, int piece, int to, int depth, int ply, int score,
                        int alpha, int best, int beta) {
    assert(piece >= 0 && piece < LMR_PIECES && to >= 0 && to < LMR_SQUARES && depth >= 1);
    if (ply > LMR_H_MAX_PLY)
        return;
    int32_t *h = &history->h[piece][to];
    *h += better(score, alpha, best, beta) ? depth * depth : -depth;
    while (*h >= LMR_H_LIMIT || *h <= -LMR_H_LIMIT)
        *h /= 2;
}
