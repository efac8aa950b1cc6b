/* SPDX-License-Identifier: MIT */
/* Questions about one move, and UCI's notation for it. */
#ifndef CHESS_MOVE_H
#define CHESS_MOVE_H

#include "chess/position.h"

enum { MOVE_UCI_MAX = 6 };

/* Whether `move` is legal here. Any 16 bits are fine (moves from a hash table): true exactly for
 * what movegen_legal lists. */
bool move_is_legal(const Position *pos, Move move);

/* Whether a legal move attacks the enemy king, directly, by discovery, promotion, en passant or
 * castling. */
bool move_gives_check(const Position *pos, Move move);

/* Whether a legal move takes something (en passant too; castling does not). */
CHESS_INLINE bool move_is_capture(const Position *pos, Move move) {
    return move_kind(move) == MOVE_EN_PASSANT ||
           (move_kind(move) != MOVE_CASTLING && pos->board[move_to(move)] != PIECE_NONE);
}
/* Whether movegen_noisy lists the legal move: a capture or a promotion. */
CHESS_INLINE bool move_is_noisy(const Position *pos, Move move) {
    return move_kind(move) == MOVE_PROMOTION || move_is_capture(pos, move);
}
/* The type of the piece that a legal move takes; PIECE_TYPE_NONE when it takes none. */
CHESS_INLINE PieceType move_captured(const Position *pos, Move move) {
    if (move_kind(move) == MOVE_EN_PASSANT)
        return PAWN;
    return move_kind(move) == MOVE_CASTLING ? PIECE_TYPE_NONE
                                            : piece_type(pos->board[move_to(move)]);
}

/* Where a castling king (g- or c-file) and its rook (f- or d-file) come to stand. */
CHESS_INLINE Square move_castling_king_to(Move move) {
    return square_make(move_to(move) > move_from(move) ? 6 : 2, square_rank(move_from(move)));
}
CHESS_INLINE Square move_castling_rook_to(Move move) {
    return square_make(move_to(move) > move_from(move) ? 5 : 3, square_rank(move_from(move)));
}

/* Writes e2e4, e7e8q; castling as e1g1, or as king takes rook when chess960; MOVE_NONE and
 * MOVE_NULL as 0000. */
void move_to_uci(Move move, bool chess960, char out[MOVE_UCI_MAX]);

/* Reads what move_to_uci writes, and nothing else: MOVE_NONE when the whole string is not a legal
 * move here (capital letters, trailing characters, the other castling notation). */
Move move_from_uci(const Position *pos, const char *text);

#endif
