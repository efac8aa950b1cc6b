/* SPDX-License-Identifier: MIT */
#include "chess/zobrist.h"

uint64_t zobrist_piece[PIECE_COUNT][SQUARE_COUNT];
uint64_t zobrist_castling[1 << CASTLE_COUNT];
uint64_t zobrist_en_passant[SQUARE_COUNT + 1];
uint64_t zobrist_black_to_move;

/* "Reductio" in ASCII: any fixed number would do. */
static const uint64_t SEED = UINT64_C(0x5265647563746f69);

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void zobrist_init(void) {
    uint64_t state = SEED;
    for (Piece p = 0; p < PIECE_COUNT; p++)
        for (Square s = 0; s < SQUARE_COUNT; s++)
            zobrist_piece[p][s] = next_random(&state);
    for (int rights = 0; rights < 1 << CASTLE_COUNT; rights++)
        zobrist_castling[rights] = next_random(&state);
    zobrist_castling[0] = 0;
    uint64_t by_file[8];
    for (int file = 0; file < 8; file++)
        by_file[file] = next_random(&state);
    for (Square s = 0; s < SQUARE_COUNT; s++)
        zobrist_en_passant[s] = by_file[square_file(s)];
    zobrist_en_passant[SQUARE_NONE] = 0;
    zobrist_black_to_move = next_random(&state);
}
