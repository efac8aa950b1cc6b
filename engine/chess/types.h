/* SPDX-License-Identifier: MIT */
/* The words of chess: colours, pieces, squares and moves as small integers. */
#ifndef CHESS_TYPES_H
#define CHESS_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* A set of squares: bit s is square s. */
typedef uint64_t Bitboard;

/* Values in flight are plain ints, so that arithmetic on them needs no casts; structs store them as
 * uint8_t. */
typedef int Color;     /* WHITE or BLACK; the other one is c ^ 1 */
typedef int PieceType; /* PAWN ... KING; PIECE_TYPE_NONE for an empty square */
typedef int Piece;     /* type * 2 + colour, 0..11; PIECE_NONE for an empty square */
typedef int Square;    /* a1 = 0, b1 = 1 ... h8 = 63; SQUARE_NONE */

enum { WHITE, BLACK, COLOR_COUNT };
enum { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, PIECE_TYPE_COUNT, PIECE_TYPE_NONE = 6 };
enum { PIECE_COUNT = 12, PIECE_NONE = 12 };
enum { SQUARE_COUNT = 64, SQUARE_NONE = 64 };

/* The squares that castling leads to, and the corners of rook pawns. */
enum { SQUARE_C1 = 2, SQUARE_D1 = 3, SQUARE_F1 = 5, SQUARE_G1 = 6, SQUARE_A8 = 56, SQUARE_H8 = 63 };

/* Always inlined: colour and kind arguments must become constants. Checked builds leave it to the
 * compiler, which takes minutes over the checks of functions that grow so big. */
#ifdef RD_SANITIZED
#define CHESS_INLINE static inline
#else
#define CHESS_INLINE static inline __attribute__((always_inline))
#endif

CHESS_INLINE Piece piece_make(Color c, PieceType t) {
    return t * 2 + c;
}
CHESS_INLINE PieceType piece_type(Piece p) {
    return p >> 1;
} /* PIECE_NONE: PIECE_TYPE_NONE */
CHESS_INLINE Color piece_color(Piece p) {
    return p & 1;
} /* undefined for PIECE_NONE */

CHESS_INLINE Square square_make(int file, int rank) {
    return rank * 8 + file;
}
CHESS_INLINE int square_file(Square s) {
    return s & 7;
}
CHESS_INLINE int square_rank(Square s) {
    return s >> 3;
}
/* The same square seen by colour c: unchanged for White, mirrored in rank for Black. */
CHESS_INLINE Square square_relative(Color c, Square s) {
    return s ^ (c * 56);
}

/* A move in 16 bits: from, to << 6, kind << 12, (promotion - KNIGHT) << 14. Castling is written as
 * the king taking its own rook, in standard chess too. The promotion bits are zero in other kinds.
 * No legal move equals MOVE_NONE or MOVE_NULL. */
typedef uint16_t Move;

enum { MOVE_NORMAL, MOVE_PROMOTION, MOVE_EN_PASSANT, MOVE_CASTLING };
enum { MOVE_NONE = 0, MOVE_NULL = 65 }; /* a1a1, b1b1 */
/* No position that fen_parse accepts has more legal moves (218 is the most known). */
enum { MAX_MOVES = 256 };

CHESS_INLINE Square move_from(Move m) {
    return m & 63;
}
CHESS_INLINE Square move_to(Move m) {
    return (m >> 6) & 63;
}
CHESS_INLINE int move_kind(Move m) {
    return (m >> 12) & 3;
}
/* The piece a pawn becomes; only meaningful for MOVE_PROMOTION. */
CHESS_INLINE PieceType move_promotion(Move m) {
    return KNIGHT + (m >> 14);
}

CHESS_INLINE Move move_make(Square from, Square to, int kind) {
    return (Move)(from | to << 6 | kind << 12);
}
CHESS_INLINE Move move_make_promotion(Square from, Square to, PieceType promoted) {
    return (Move)(from | to << 6 | MOVE_PROMOTION << 12 | (promoted - KNIGHT) << 14);
}

/* Castling rights: bit castle_index(colour, side), side 0 towards the h-file, 1 towards the a-file.
 */
enum { CASTLE_KING_SIDE, CASTLE_QUEEN_SIDE, CASTLE_COUNT = 4 };
CHESS_INLINE int castle_index(Color c, int side) {
    return c * 2 + side;
}

#endif
