/* SPDX-License-Identifier: MIT */
/* A small network that corrects the terms' sum: efficiently updatable (NNUE; Nasu 2018). Its inputs
 * are the pieces on their squares, once as White sees the board and once as Black does.
 *
 *     768 inputs -> NETWORK_HIDDEN sums, for either view -> 1 output, chosen by the number of men
 *
 * A sum is clamped to 0..1 and squared before the output weighs it. All arithmetic is in integers,
 * so every build of the engine finds the same score. README.md says from what the weights were
 * trained. */
#ifndef EVAL_NETWORK_H
#define EVAL_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "chess/position.h"
#include "chess/types.h"

enum {
    NETWORK_INPUTS = PIECE_COUNT * SQUARE_COUNT,
    NETWORK_HIDDEN = 64,
    NETWORK_OUTPUTS = 8,     /* one for every four men */
    NETWORK_ONE = 255,       /* 1 in the weights of the inputs and in the sums */
    NETWORK_WEIGHT_ONE = 64, /* 1 in the weights of the output */
    NETWORK_SCALE = 160      /* centipawns of an output of 1 */
};

/* Bounds of the weights. No sum of 32 inputs and a bias then leaves 16 bits, and no output with its
 * bias 32. */
enum {
    NETWORK_INPUT_MAX = 505,
    NETWORK_WEIGHT_MAX = 127,
    NETWORK_OUTPUT_BIAS_MAX = 1 << 30,
    NETWORK_SHARE_MAX = INT16_MAX
};

typedef struct {
    int16_t input[NETWORK_INPUTS][NETWORK_HIDDEN];
    int16_t bias[NETWORK_HIDDEN];
    /* [0] the side to move's view, [1] the other's. */
    int16_t output[NETWORK_OUTPUTS][COLOR_COUNT][NETWORK_HIDDEN];
    int32_t output_bias[NETWORK_OUTPUTS]; /* in 1/(NETWORK_ONE * NETWORK_WEIGHT_ONE) */
    int16_t share[NETWORK_OUTPUTS];       /* of the terms, in 1/NETWORK_ONE, that is added */
} Network;

/* Written by the tuner. */
extern const Network eval_network;

/* `view` sees the board with its own side below and its own king on the files e to h. The exclusive
 * or of a square and this number is the square as `view` sees it. */
CHESS_INLINE int network_turn(Color view, Square king) {
    return (view * 56) ^ (square_file(king) < 4 ? 7 : 0);
}

/* The input of a piece on a square; `turn` is network_turn of the view. */
CHESS_INLINE int network_input(Color view, int turn, Piece piece, Square square) {
    return (piece ^ view) * SQUARE_COUNT + (square ^ turn);
}

/* The output that a position with so many men, 1 to 32, asks for. */
CHESS_INLINE int network_output(int men) {
    return (men - 1) * NETWORK_OUTPUTS / 32;
}

/* Sums as they were last asked for, without the bias, and the pieces that they are of. The next
 * position's sums are made from them by the few pieces that differ. All zero is an empty board. */
typedef struct {
    Bitboard pieces[PIECE_COUNT];
    int16_t sum[COLOR_COUNT][NETWORK_HIDDEN];
} NetworkSums;

/* By whether White's king, and Black's, stands on the files a to d. All zero when new. */
typedef struct {
    NetworkSums sums[2][2];
} NetworkCache;

/* False where a king stands alone, and the network adds nothing: the terms know how to mate it,
 * which no game of the training shows to its end. */
CHESS_INLINE bool network_speaks(const Position *pos) {
    return bb_more_than_one(pos->by_color[WHITE]) && bb_more_than_one(pos->by_color[BLACK]);
}

/* What is added to `terms`, their sum; centipawns for the side to move, not bounded. The cache only
 * saves time. */
int network_evaluate(const Position *pos, int terms, NetworkCache *cache);

#endif
