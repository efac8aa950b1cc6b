/* SPDX-License-Identifier: MIT */
/* Sets of squares: counting, walking, shifting. Pure, nothing to initialise. */
#ifndef CHESS_BITBOARD_H
#define CHESS_BITBOARD_H

#include <assert.h>

#include "chess/types.h"

#define FILE_A_BB UINT64_C(0x0101010101010101)
#define FILE_H_BB (FILE_A_BB << 7)
#define RANK_1_BB UINT64_C(0xff)
#define LIGHT_SQUARES_BB UINT64_C(0x55aa55aa55aa55aa)
#define DARK_SQUARES_BB (~LIGHT_SQUARES_BB)

CHESS_INLINE Bitboard bb_square(Square s) {
    return UINT64_C(1) << s;
}
CHESS_INLINE Bitboard bb_file(int file) {
    return FILE_A_BB << file;
}
CHESS_INLINE Bitboard bb_rank(int rank) {
    return RANK_1_BB << (8 * rank);
}
/* The rank that colour c calls its `rank`-th, counted from 0. */
CHESS_INLINE Bitboard bb_relative_rank(Color c, int rank) {
    return bb_rank(rank ^ (c * 7));
}

CHESS_INLINE int bb_popcount(Bitboard b) {
    return __builtin_popcountll(b);
}
CHESS_INLINE bool bb_has(Bitboard b, Square s) {
    return (b >> s) & 1;
}
CHESS_INLINE bool bb_more_than_one(Bitboard b) {
    return (b & (b - 1)) != 0;
}

/* The lowest square of a set that is not empty. */
CHESS_INLINE Square bb_lsb(Bitboard b) {
    assert(b != 0);
    return __builtin_ctzll(b);
}
/* The highest square of a set that is not empty. */
CHESS_INLINE Square bb_msb(Bitboard b) {
    assert(b != 0);
    return 63 - __builtin_clzll(b);
}
/* Takes the lowest square out of a set that is not empty, and returns it. */
CHESS_INLINE Square bb_pop_lsb(Bitboard *b) {
    Square s = bb_lsb(*b);
    *b &= *b - 1;
    return s;
}

CHESS_INLINE Bitboard bb_north(Bitboard b) {
    return b << 8;
}
CHESS_INLINE Bitboard bb_south(Bitboard b) {
    return b >> 8;
}
CHESS_INLINE Bitboard bb_east(Bitboard b) {
    return (b & ~FILE_H_BB) << 1;
}
CHESS_INLINE Bitboard bb_west(Bitboard b) {
    return (b & ~FILE_A_BB) >> 1;
}

/* One rank forward as colour c sees it; what leaves the board is lost. */
CHESS_INLINE Bitboard bb_forward(Color c, Bitboard b) {
    return c == WHITE ? bb_north(b) : bb_south(b);
}
/* Forward and towards the a-file, forward and towards the h-file: what pawns attack. */
CHESS_INLINE Bitboard bb_forward_west(Color c, Bitboard b) {
    return c == WHITE ? (b & ~FILE_A_BB) << 7 : (b & ~FILE_A_BB) >> 9;
}
CHESS_INLINE Bitboard bb_forward_east(Color c, Bitboard b) {
    return c == WHITE ? (b & ~FILE_H_BB) << 9 : (b & ~FILE_H_BB) >> 7;
}
/* All squares that pawns of colour c on b attack. */
CHESS_INLINE Bitboard bb_pawn_attacks(Color c, Bitboard b) {
    return bb_forward_west(c, b) | bb_forward_east(c, b);
}

#endif
