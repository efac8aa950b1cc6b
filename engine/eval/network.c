/* SPDX-License-Identifier: MIT */
#include "eval/network.h"

/* The loops over the hidden sums are plain, so that compilers turn them into vector code. */

static void add_input(int16_t sum[NETWORK_HIDDEN], int come) {
    const int16_t *in = eval_network.input[come];
    for (int i = 0; i < NETWORK_HIDDEN; i++)
        sum[i] = (int16_t)(sum[i] + in[i]);
}

static void take_input(int16_t sum[NETWORK_HIDDEN], int gone) {
    const int16_t *out = eval_network.input[gone];
    for (int i = 0; i < NETWORK_HIDDEN; i++)
        sum[i] = (int16_t)(sum[i] - out[i]);
}

/* A piece that has moved: one input in the place of another. */
static void swap_inputs(int16_t sum[NETWORK_HIDDEN], int come, int gone) {
    const int16_t *in = eval_network.input[come];
    const int16_t *out = eval_network.input[gone];
    for (int i = 0; i < NETWORK_HIDDEN; i++)
        sum[i] = (int16_t)(sum[i] + in[i] - out[i]);
}

/* The pieces of one kind that have come, and those that are gone, in one view's sums. */
static void change_inputs(int16_t sum[NETWORK_HIDDEN], Color view, int turn, Piece piece,
                          Bitboard come, Bitboard gone) {
    while (come && gone)
        swap_inputs(sum, network_input(view, turn, piece, bb_pop_lsb(&come)),
                    network_input(view, turn, piece, bb_pop_lsb(&gone)));
    while (come)
        add_input(sum, network_input(view, turn, piece, bb_pop_lsb(&come)));
    while (gone)
        take_input(sum, network_input(view, turn, piece, bb_pop_lsb(&gone)));
}

/* Makes the sums those of the position. */
static void bring_up_to_date(NetworkSums *sums, const Position *pos, const int turn[COLOR_COUNT]) {
    for (Piece p = 0; p < PIECE_COUNT; p++) {
        Bitboard now = position_pieces(pos, piece_color(p), piece_type(p));
        Bitboard before = sums->pieces[p];
        if (now == before)
            continue;
        sums->pieces[p] = now;
        for (Color view = WHITE; view <= BLACK; view++)
            change_inputs(sums->sum[view], view, turn[view], p, now & ~before, before & ~now);
    }
}

/* The squares of the clamped sums, weighed; in 1/(NETWORK_ONE^2 * NETWORK_WEIGHT_ONE). A clamped
 * sum times a weight fits 16 bits. */
static int32_t weigh_sums(const int16_t sum[NETWORK_HIDDEN], const int16_t weight[NETWORK_HIDDEN]) {
    int32_t total = 0;
    for (int i = 0; i < NETWORK_HIDDEN; i++) {
        int16_t s = (int16_t)(sum[i] + eval_network.bias[i]);
        s = s < 0 ? 0 : s > NETWORK_ONE ? NETWORK_ONE : s;
        int16_t weighed = (int16_t)(s * weight[i]);
        total += weighed * s;
    }
    return total;
}

static bool on_queen_side(Square s) {
    return square_file(s) < 4;
}

int network_evaluate(const Position *pos, int terms, NetworkCache *cache) {
    Square white = position_king(pos, WHITE);
    Square black = position_king(pos, BLACK);
    const int turn[COLOR_COUNT] = {network_turn(WHITE, white), network_turn(BLACK, black)};
    NetworkSums *sums = &cache->sums[on_queen_side(white)][on_queen_side(black)];
    bring_up_to_date(sums, pos, turn);
    int output = network_output(bb_popcount(position_occupied(pos)));
    const int16_t(*weight)[NETWORK_HIDDEN] = eval_network.output[output];
    int32_t total =
        weigh_sums(sums->sum[pos->stm], weight[0]) + weigh_sums(sums->sum[pos->stm ^ 1], weight[1]);
    total = total / NETWORK_ONE + eval_network.output_bias[output];
    int64_t added = (int64_t)total * NETWORK_SCALE +
                    (int64_t)terms * eval_network.share[output] * NETWORK_WEIGHT_ONE;
    return (int)(added / (NETWORK_ONE * NETWORK_WEIGHT_ONE));
}
