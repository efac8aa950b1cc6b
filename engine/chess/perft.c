/* SPDX-License-Identifier: MIT */
#include "chess/perft.h"

#include "chess/movegen.h"

uint64_t perft(Position *pos, int depth) {
    if (depth <= 0)
        return 1;
    if (depth == 1)
        return (uint64_t)movegen_count(pos);
    Move moves[MAX_MOVES];
    int count = movegen_legal(pos, moves);
    uint64_t leaves = 0;
    for (int i = 0; i < count; i++) {
        Undo undo;
        position_make(pos, moves[i], &undo);
        leaves += perft(pos, depth - 1);
        position_unmake(pos, moves[i], &undo);
    }
    return leaves;
}
