/* SPDX-License-Identifier: MIT */
#include "chess/zobrist.h"

#include "chess/random.h"

uint64_t zobrist_piece[PIECE_COUNT][SQUARE_COUNT];
uint64_t zobrist_castling[1 << CASTLE_COUNT];
uint64_t zobrist_en_passant[SQUARE_COUNT + 1];
uint64_t zobrist_black_to_move;

/* "Reductio" in ASCII: any fixed number would do. */
static const uint64_t SEED = UINT64_C(0x5265647563746f69);

void zobrist_init(void) {
    uint64_t state = SEED;
    for (Piece p = 0; p < PIECE_COUNT; p++)
        for (Square s = 0; s < SQUARE_COUNT; s++)
            zobrist_piece[p][s] = random_next(&state);
    for (int rights = 0; rights < 1 << CASTLE_COUNT; rights++)
        zobrist_castling[rights] = random_next(&state);
    zobrist_castling[0] = 0;
    uint64_t by_file[8];
    for (int file = 0; file < 8; file++)
        by_file[file] = random_next(&state);
    for (Square s = 0; s < SQUARE_COUNT; s++)
        zobrist_en_passant[s] = by_file[square_file(s)];
    zobrist_en_passant[SQUARE_NONE] = 0;
    zobrist_black_to_move = random_next(&state);
}
