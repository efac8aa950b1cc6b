/* SPDX-License-Identifier: MIT */
/* A position of standard chess or Chess960, and how moves change it. */
#ifndef CHESS_POSITION_H
#define CHESS_POSITION_H

#include "chess/attacks.h"
#include "chess/bitboard.h"
#include "chess/types.h"

/* Plain data: copy it with `=`. It has no padding, so memcmp compares two. Made by fen_parse; after
 * that only the functions below write to it. */
typedef struct {
    Bitboard by_type[PIECE_TYPE_COUNT]; /* both colours */
    Bitboard by_color[COLOR_COUNT];
    uint64_t key;      /* pieces, side to move, castling rights, capturable en passant file */
    uint64_t pawn_key; /* the pawns of both colours alone */
    Bitboard checkers; /* enemy pieces that attack the king of the side to move */
    Bitboard pinned;   /* pieces of the side to move that may only move on the line to their king */
    /* Set with the first position, the same to the end of the game: */
    Bitboard castle_squares;             /* kings and rooks that had castling rights */
    Bitboard castle_empty[CASTLE_COUNT]; /* what must be empty to castle; by castle_index */
    uint8_t castle_rook[CASTLE_COUNT];   /* by castle_index; SQUARE_NONE: never had the right */
    uint8_t chess960;                    /* notation only: the rules are the same */
    uint8_t stm;                         /* side to move */
    uint8_t castling;                    /* rights left: bit set of castle_index */
    /* Set only when an en passant capture is legal now, else SQUARE_NONE. */
    uint8_t ep;
    uint16_t rule50;   /* plies since the last capture or pawn move */
    uint16_t fullmove; /* 1 before White's first move */
    uint8_t reserved[4];
    uint8_t board[SQUARE_COUNT]; /* Piece or PIECE_NONE */
} Position;

/* What position_make cannot compute back, one for each ply. The contents are the module's own. */
typedef struct {
    uint64_t key;
    uint64_t pawn_key;
    Bitboard checkers;
    Bitboard pinned;
    uint16_t rule50;
    uint8_t ep;
    uint8_t castling;
    uint8_t captured; /* Piece or PIECE_NONE */
} Undo;

CHESS_INLINE Bitboard position_occupied(const Position *pos) {
    return pos->by_color[WHITE] | pos->by_color[BLACK];
}
CHESS_INLINE Bitboard position_pieces(const Position *pos, Color c, PieceType t) {
    return pos->by_color[c] & pos->by_type[t];
}
CHESS_INLINE Square position_king(const Position *pos, Color c) {
    return bb_lsb(position_pieces(pos, c, KING));
}
CHESS_INLINE bool position_in_check(const Position *pos) {
    return pos->checkers != 0;
}
/* What c has besides king and pawns, and whether that is anything. */
CHESS_INLINE Bitboard position_non_pawns(const Position *pos, Color c) {
    return pos->by_color[c] & ~(pos->by_type[PAWN] | pos->by_type[KING]);
}
CHESS_INLINE bool position_has_pieces(const Position *pos, Color c) {
    return position_non_pawns(pos, c) != 0;
}

/* Puts a piece on an empty square, keys left alone. */
CHESS_INLINE void position_put(Position *pos, Piece piece, Square s) {
    pos->by_type[piece_type(piece)] |= bb_square(s);
    pos->by_color[piece_color(piece)] |= bb_square(s);
    pos->board[s] = (uint8_t)piece;
}

/* Plays a move, which must be legal here (move_is_legal), and fills *undo. Adds 1 to fullmove after
 * Black's move. */
void position_make(Position *pos, Move move, Undo *undo);
/* Takes back the last position_make; every byte of *pos is then as it was. */
void position_unmake(Position *pos, Move move, const Undo *undo);

/* Gives the turn away. The side to move must not be in check. rule50 goes on counting. */
void position_make_null(Position *pos, Undo *undo);
void position_unmake_null(Position *pos, const Undo *undo);

/* The key after a legal move, for prefetching: exact but for en passant squares that the move makes
 * capturable. */
uint64_t position_key_after(const Position *pos, Move move);

/* Pieces of both colours that attack s when occ is the set of occupied squares. */
Bitboard position_attackers(const Position *pos, Square s, Bitboard occ);
/* Whether any piece of colour c attacks s. occ only says where sliders stop: a piece of c counts
 * even when its own square is not in occ. */
bool position_attacked(const Position *pos, Square s, Color c, Bitboard occ);

/* Keys computed from nothing, for tests and for fen_parse. */
uint64_t position_compute_key(const Position *pos);
uint64_t position_compute_pawn_key(const Position *pos);

/* Sets checkers and pinned from the pieces and the side to move. For fen_parse. */
void position_refresh_checks(Position *pos);

/* Whether one may play the en passant capture from `from` to `to`, a pawn's diagonal step onto the
 * square behind the pawn that has just moved two squares: does the own king stay unattacked? */
bool position_en_passant_is_safe(const Position *pos, Square from, Square to);

/* Whether any pawn of `us` may capture en passant on `ep`, which a pawn has just passed. */
bool position_can_capture_en_passant(const Position *pos, Color us, Square ep);

/* Whether the side to move may castle with the right castle_index(stm, side) now. */
bool position_can_castle(const Position *pos, int side);

#endif
