/* SPDX-License-Identifier: MIT */
#include "chess/draw.h"

#include <assert.h>

bool draw_insufficient_material(const Position *pos) {
    if (pos->by_type[PAWN] | pos->by_type[ROOK] | pos->by_type[QUEEN])
        return false;
    Bitboard bishops = pos->by_type[BISHOP];
    int minors = bb_popcount(pos->by_type[KNIGHT] | bishops);
    if (minors <= 1)
        return true;
    bool one_colour = !(bishops & LIGHT_SQUARES_BB) || !(bishops & DARK_SQUARES_BB);
    return minors == 2 && bb_popcount(bishops) == 2 && one_colour;
}

int draw_repetitions(const uint64_t *keys, int count, int rule50) {
    int seen = 0;
    assert(count >= 1);
    /* The same side is to move every second ply, and two plies cannot lead back. */
    for (int back = 4; back <= rule50 && back < count; back += 2)
        seen += keys[count - 1 - back] == keys[count - 1];
    return seen;
}

bool draw_any_repetition(const uint64_t *keys, int count, int rule50) {
    for (; count > 0 && rule50 >= 0; count--, rule50--)
        if (draw_repetitions(keys, count, rule50) > 0)
            return true;
    return false;
}
