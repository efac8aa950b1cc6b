/* SPDX-License-Identifier: MIT */
/* Where pieces attack. Sliding pieces look their attacks up by the blockers on their lines: indexed
 * with PEXT where the compiler may use it and it is fast, by magic multiplication elsewhere, and
 * all files of a program the same way. Everything here needs chess_init() first. */
#ifndef CHESS_ATTACKS_H
#define CHESS_ATTACKS_H

#include <stddef.h>

#include "chess/bitboard.h"
#include "chess/types.h"

/* PEXT is microcode, and slower than a multiplication, on AMD's first two Zen generations. A
 * program of 32 bits has no PEXT of 64 bits, also on a CPU with BMI2. */
#if defined(__BMI2__) && defined(__x86_64__) && !defined(__znver1__) && !defined(__znver2__) &&    \
    !defined(RD_NO_PEXT)
#define CHESS_USE_PEXT 1
#include <immintrin.h>
#else
#define CHESS_USE_PEXT 0
#endif

/* Fills every table of the rules (attacks, lines, Zobrist keys). Call it once at the start of the
 * program, before any other thread exists; calling it again does nothing. */
void chess_init(void);

/* How one square's slider attacks are found. Immutable after chess_init(). */
typedef struct {
    Bitboard mask;  /* the squares whose occupation matters */
    Bitboard magic; /* the products of different attacks differ above the shift */
    int shift;
    const Bitboard *attacks;
} SliderLookup;

/* Immutable after chess_init(). */
extern SliderLookup attacks_bishop_lookup[SQUARE_COUNT];
extern SliderLookup attacks_rook_lookup[SQUARE_COUNT];
extern Bitboard attacks_pawn_table[COLOR_COUNT][SQUARE_COUNT];
extern Bitboard attacks_knight_table[SQUARE_COUNT];
extern Bitboard attacks_king_table[SQUARE_COUNT];
extern Bitboard attacks_between_table[SQUARE_COUNT][SQUARE_COUNT];
extern Bitboard attacks_line_table[SQUARE_COUNT][SQUARE_COUNT];

/* The index into `attacks`. By PEXT each subset of the mask has a place of its own; by magic
 * multiplication subsets with the same attacks may share a place. */
CHESS_INLINE size_t attacks_magic_index(const SliderLookup *l, Bitboard occ) {
    return (size_t)(((occ & l->mask) * l->magic) >> l->shift);
}
CHESS_INLINE size_t attacks_index(const SliderLookup *l, Bitboard occ) {
#if CHESS_USE_PEXT
    return _pext_u64(occ, l->mask);
#else
    return attacks_magic_index(l, occ);
#endif
}
CHESS_INLINE Bitboard attacks_lookup(const SliderLookup *l, Bitboard occ) {
    return l->attacks[attacks_index(l, occ)];
}

/* Squares attacked from s; sliders stop at, and include, the first square of occ on each line. */
CHESS_INLINE Bitboard attacks_pawn(Color c, Square s) {
    return attacks_pawn_table[c][s];
}
CHESS_INLINE Bitboard attacks_knight(Square s) {
    return attacks_knight_table[s];
}
CHESS_INLINE Bitboard attacks_king(Square s) {
    return attacks_king_table[s];
}
CHESS_INLINE Bitboard attacks_bishop(Square s, Bitboard occ) {
    return attacks_lookup(&attacks_bishop_lookup[s], occ);
}
CHESS_INLINE Bitboard attacks_rook(Square s, Bitboard occ) {
    return attacks_lookup(&attacks_rook_lookup[s], occ);
}
CHESS_INLINE Bitboard attacks_queen(Square s, Bitboard occ) {
    return attacks_bishop(s, occ) | attacks_rook(s, occ);
}

/* The same for a type known only at run time, KNIGHT to KING (pawns need a colour). */
CHESS_INLINE Bitboard attacks_from(PieceType t, Square s, Bitboard occ) {
    switch (t) {
    case KNIGHT:
        return attacks_knight(s);
    case BISHOP:
        return attacks_bishop(s, occ);
    case ROOK:
        return attacks_rook(s, occ);
    case QUEEN:
        return attacks_queen(s, occ);
    default:
        return attacks_king(s);
    }
}

/* The squares strictly between a and b when they share a rank, file or diagonal; else none. */
CHESS_INLINE Bitboard attacks_between(Square a, Square b) {
    return attacks_between_table[a][b];
}
/* The whole rank, file or diagonal through a and b, both included; none when they share no line or
 * are the same square. */
CHESS_INLINE Bitboard attacks_line(Square a, Square b) {
    return attacks_line_table[a][b];
}

#endif
