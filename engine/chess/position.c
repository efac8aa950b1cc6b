/* SPDX-License-Identifier: MIT */
#include "chess/position.h"

#include <assert.h>

#include "chess/move.h"
#include "chess/zobrist.h"

_Static_assert(sizeof(Position) == 27 * 8, "Position has no padding: memcmp compares it");

/* Sets checkers and pinned for the side to move, `us`: looks along the lines from its king to each
 * enemy slider that an empty board would let through, and counts what stands between. */
CHESS_INLINE void refresh_checks(Position *pos, const Color us) {
    Square king = position_king(pos, us);
    Bitboard occ = position_occupied(pos);
    Bitboard enemy = pos->by_color[us ^ 1];
    Bitboard queens = pos->by_type[QUEEN];
    Bitboard snipers = ((attacks_rook(king, 0) & (pos->by_type[ROOK] | queens)) |
                        (attacks_bishop(king, 0) & (pos->by_type[BISHOP] | queens))) &
                       enemy;
    Bitboard checkers = ((attacks_pawn(us, king) & pos->by_type[PAWN]) |
                         (attacks_knight(king) & pos->by_type[KNIGHT])) &
                        enemy;
    Bitboard pinned = 0;
    while (snipers) {
        Square s = bb_pop_lsb(&snipers);
        Bitboard blockers = attacks_between(king, s) & occ;
        checkers |= blockers ? 0 : bb_square(s);
        pinned |= bb_more_than_one(blockers) ? 0 : blockers;
    }
    pos->checkers = checkers;
    pos->pinned = pinned & pos->by_color[us];
}

void position_refresh_checks(Position *pos) {
    if (pos->stm == WHITE)
        refresh_checks(pos, WHITE);
    else
        refresh_checks(pos, BLACK);
}

/* Takes a piece away, keys left alone. */
CHESS_INLINE void lift_piece(Position *pos, Piece piece, Square s) {
    pos->by_type[piece_type(piece)] ^= bb_square(s);
    pos->by_color[piece_color(piece)] ^= bb_square(s);
    pos->board[s] = PIECE_NONE;
}

/* Moves a piece to an empty square, keys left alone. */
CHESS_INLINE void move_piece(Position *pos, Piece piece, Square from, Square to) {
    Bitboard step = bb_square(from) | bb_square(to);
    pos->by_type[piece_type(piece)] ^= step;
    pos->by_color[piece_color(piece)] ^= step;
    pos->board[from] = PIECE_NONE;
    pos->board[to] = (uint8_t)piece;
}

/* The rights that end when the king of `us` moves, or when something leaves or enters `touched`. */
static int lost_rights(const Position *pos, Color us, bool king_moves, Bitboard touched) {
    int lost = king_moves ? 3 << castle_index(us, CASTLE_KING_SIDE) : 0;
    for (int i = 0; i < CASTLE_COUNT; i++)
        if (pos->castle_rook[i] != SQUARE_NONE && bb_has(touched, pos->castle_rook[i]))
            lost |= 1 << i;
    return lost;
}

/* The rights left after a move of `us` between two squares. Most moves touch no castling square. */
CHESS_INLINE int rights_after(const Position *pos, Color us, Piece piece, Bitboard touched) {
    if (!pos->castling || !(touched & pos->castle_squares))
        return pos->castling;
    return pos->castling & ~lost_rights(pos, us, piece_type(piece) == KING, touched);
}

/* King and rook change places by castling: lifted both before either is put, as their squares may
 * overlap in Chess960. Returns the change of the key. */
CHESS_INLINE uint64_t castle(Position *pos, Move move, const Color us) {
    Piece king = piece_make(us, KING);
    Piece rook = piece_make(us, ROOK);
    Square king_to = move_castling_king_to(move);
    Square rook_to = move_castling_rook_to(move);
    lift_piece(pos, king, move_from(move));
    lift_piece(pos, rook, move_to(move));
    position_put(pos, king, king_to);
    position_put(pos, rook, rook_to);
    return zobrist_piece[king][move_from(move)] ^ zobrist_piece[king][king_to] ^
           zobrist_piece[rook][move_to(move)] ^ zobrist_piece[rook][rook_to];
}

/* Takes an enemy piece off the board, whose absence resets the count to fifty moves. */
CHESS_INLINE void capture(Position *pos, Piece captured, Square s, uint64_t *key) {
    assert(piece_type(captured) != KING);
    lift_piece(pos, captured, s);
    *key ^= zobrist_piece[captured][s];
    if (piece_type(captured) == PAWN)
        pos->pawn_key ^= zobrist_piece[captured][s];
    pos->rule50 = 0;
}

/* A pawn has arrived on `to`: promotion, and the square it may have become capturable on. */
CHESS_INLINE void arrive_pawn(Position *pos, Move move, const Color us, uint64_t *key) {
    const Piece pawn = piece_make(us, PAWN);
    Square from = move_from(move);
    Square to = move_to(move);
    pos->rule50 = 0;
    pos->pawn_key ^= zobrist_piece[pawn][from];
    if (move_kind(move) == MOVE_PROMOTION) {
        Piece promoted = piece_make(us, move_promotion(move));
        pos->by_type[PAWN] ^= bb_square(to);
        pos->by_type[piece_type(promoted)] |= bb_square(to);
        pos->board[to] = (uint8_t)promoted;
        *key ^= zobrist_piece[pawn][to] ^ zobrist_piece[promoted][to];
        return;
    }
    pos->pawn_key ^= zobrist_piece[pawn][to];
    if ((from ^ to) == 16) {
        Square ep = (from + to) / 2;
        /* The side to move is not switched yet, so that the test is told whose pawns it asks. */
        if ((attacks_pawn(us, ep) & position_pieces(pos, us ^ 1, PAWN)) &&
            position_can_capture_en_passant(pos, us ^ 1, ep)) {
            pos->ep = (uint8_t)ep;
            *key ^= zobrist_en_passant[ep];
        }
    }
}

/* Saves the state that position_unmake cannot compute from the move; no capture so far. */
CHESS_INLINE void remember(const Position *pos, Undo *undo) {
    undo->key = pos->key;
    undo->pawn_key = pos->pawn_key;
    undo->checkers = pos->checkers;
    undo->pinned = pos->pinned;
    undo->rule50 = pos->rule50;
    undo->ep = pos->ep;
    undo->castling = pos->castling;
    undo->captured = PIECE_NONE;
}

CHESS_INLINE void make(Position *pos, Move move, Undo *undo, const Color us) {
    Square from = move_from(move);
    Square to = move_to(move);
    Piece piece = pos->board[from];
    assert(piece != PIECE_NONE && piece_color(piece) == us);
    remember(pos, undo);

    uint64_t key = pos->key ^ zobrist_black_to_move ^ zobrist_en_passant[pos->ep];
    int rights = rights_after(pos, us, piece, bb_square(from) | bb_square(to));
    key ^= zobrist_castling[pos->castling] ^ zobrist_castling[rights];
    pos->castling = (uint8_t)rights;
    pos->ep = SQUARE_NONE;
    pos->rule50++;

    if (move_kind(move) == MOVE_CASTLING) {
        key ^= castle(pos, move, us);
    } else {
        Square victim = move_kind(move) == MOVE_EN_PASSANT ? to ^ 8 : to;
        Piece captured = pos->board[victim];
        assert(captured == PIECE_NONE || piece_color(captured) != us);
        undo->captured = (uint8_t)captured;
        if (captured != PIECE_NONE)
            capture(pos, captured, victim, &key);
        move_piece(pos, piece, from, to);
        key ^= zobrist_piece[piece][from] ^ zobrist_piece[piece][to];
        if (piece_type(piece) == PAWN)
            arrive_pawn(pos, move, us, &key);
    }
    pos->key = key;
    pos->fullmove = (uint16_t)(pos->fullmove + us);
    pos->stm = (uint8_t)(us ^ 1);
    refresh_checks(pos, us ^ 1);
}

void position_make(Position *pos, Move move, Undo *undo) {
    if (pos->stm == WHITE)
        make(pos, move, undo, WHITE);
    else
        make(pos, move, undo, BLACK);
}

/* Restores the state that make and make_null save alike. */
CHESS_INLINE void restore(Position *pos, const Undo *undo) {
    pos->key = undo->key;
    pos->pawn_key = undo->pawn_key;
    pos->checkers = undo->checkers;
    pos->pinned = undo->pinned;
    pos->rule50 = undo->rule50;
    pos->ep = undo->ep;
    pos->castling = undo->castling;
    pos->stm ^= 1;
    pos->fullmove = (uint16_t)(pos->fullmove - pos->stm);
}

void position_unmake(Position *pos, Move move, const Undo *undo) {
    restore(pos, undo);
    Color us = pos->stm;
    Square from = move_from(move);
    Square to = move_to(move);
    /* The move was the last one made: its origin is empty, unless castling put something there. */
    assert(move_kind(move) == MOVE_CASTLING || pos->board[from] == PIECE_NONE);
    if (move_kind(move) == MOVE_CASTLING) {
        lift_piece(pos, piece_make(us, KING), move_castling_king_to(move));
        lift_piece(pos, piece_make(us, ROOK), move_castling_rook_to(move));
        position_put(pos, piece_make(us, KING), from);
        position_put(pos, piece_make(us, ROOK), to);
        return;
    }
    Piece piece = pos->board[to];
    if (move_kind(move) == MOVE_PROMOTION) {
        pos->by_type[piece_type(piece)] ^= bb_square(to);
        pos->by_type[PAWN] ^= bb_square(to);
        piece = piece_make(us, PAWN);
    }
    move_piece(pos, piece, to, from);
    if (undo->captured != PIECE_NONE)
        position_put(pos, undo->captured, move_kind(move) == MOVE_EN_PASSANT ? to ^ 8 : to);
}

void position_make_null(Position *pos, Undo *undo) {
    assert(!pos->checkers);
    remember(pos, undo);
    pos->key ^= zobrist_black_to_move ^ zobrist_en_passant[pos->ep];
    pos->ep = SQUARE_NONE;
    pos->rule50++;
    pos->fullmove = (uint16_t)(pos->fullmove + pos->stm);
    pos->stm ^= 1;
    position_refresh_checks(pos);
}

void position_unmake_null(Position *pos, const Undo *undo) {
    restore(pos, undo);
}

uint64_t position_key_after(const Position *pos, Move move) {
    Square from = move_from(move);
    Square to = move_to(move);
    Piece piece = pos->board[from];
    Color us = pos->stm;
    int rights = rights_after(pos, us, piece, bb_square(from) | bb_square(to));
    uint64_t key = pos->key ^ zobrist_black_to_move ^ zobrist_en_passant[pos->ep] ^
                   zobrist_castling[pos->castling] ^ zobrist_castling[rights] ^
                   zobrist_piece[piece][from];
    if (move_kind(move) == MOVE_CASTLING) {
        Piece rook = pos->board[to];
        return key ^ zobrist_piece[piece][move_castling_king_to(move)] ^ zobrist_piece[rook][to] ^
               zobrist_piece[rook][move_castling_rook_to(move)];
    }
    Square victim = move_kind(move) == MOVE_EN_PASSANT ? to ^ 8 : to;
    if (pos->board[victim] != PIECE_NONE)
        key ^= zobrist_piece[pos->board[victim]][victim];
    Piece arrives =
        move_kind(move) == MOVE_PROMOTION ? piece_make(us, move_promotion(move)) : piece;
    return key ^ zobrist_piece[arrives][to];
}

Bitboard position_attackers(const Position *pos, Square s, Bitboard occ) {
    Bitboard queens = pos->by_type[QUEEN];
    return (attacks_pawn(BLACK, s) & position_pieces(pos, WHITE, PAWN)) |
           (attacks_pawn(WHITE, s) & position_pieces(pos, BLACK, PAWN)) |
           (attacks_knight(s) & pos->by_type[KNIGHT]) | (attacks_king(s) & pos->by_type[KING]) |
           (attacks_bishop(s, occ) & (pos->by_type[BISHOP] | queens)) |
           (attacks_rook(s, occ) & (pos->by_type[ROOK] | queens));
}

bool position_attacked(const Position *pos, Square s, Color c, Bitboard occ) {
    Bitboard queens = pos->by_type[QUEEN];
    Bitboard attackers = (attacks_pawn(c ^ 1, s) & pos->by_type[PAWN]) |
                         (attacks_knight(s) & pos->by_type[KNIGHT]) |
                         (attacks_king(s) & pos->by_type[KING]) |
                         (attacks_bishop(s, occ) & (pos->by_type[BISHOP] | queens)) |
                         (attacks_rook(s, occ) & (pos->by_type[ROOK] | queens));
    return (attackers & pos->by_color[c]) != 0;
}

bool position_en_passant_is_safe(const Position *pos, Square from, Square to) {
    assert(piece_type(pos->board[from]) == PAWN && piece_type(pos->board[to ^ 8]) == PAWN);
    Color us = piece_color(pos->board[from]);
    Bitboard taken = bb_square(to ^ 8);
    Bitboard occ = (position_occupied(pos) ^ bb_square(from) ^ taken) | bb_square(to);
    Bitboard attackers = position_attackers(pos, position_king(pos, us), occ);
    return (attackers & pos->by_color[us ^ 1] & ~taken) == 0;
}

bool position_can_capture_en_passant(const Position *pos, Color us, Square ep) {
    Bitboard pawns = attacks_pawn(us ^ 1, ep) & position_pieces(pos, us, PAWN);
    while (pawns)
        if (position_en_passant_is_safe(pos, bb_pop_lsb(&pawns), ep))
            return true;
    return false;
}

bool position_can_castle(const Position *pos, int side) {
    Color us = pos->stm;
    int right = castle_index(us, side);
    if (!((pos->castling >> right) & 1) || pos->checkers ||
        (pos->castle_empty[right] & position_occupied(pos)))
        return false;
    Square king = position_king(pos, us);
    Square rook = pos->castle_rook[right];
    Square king_to = square_relative(us, side == CASTLE_KING_SIDE ? SQUARE_G1 : SQUARE_C1);
    Bitboard occ = position_occupied(pos);
    for (Bitboard passed = attacks_between(king, king_to); passed;)
        if (position_attacked(pos, bb_pop_lsb(&passed), us ^ 1, occ))
            return false;
    /* The rook may have shielded the king's new square, which only Chess960 can show. What the king
     * or the rook's new square would stop on the rank gives check already. */
    return !position_attacked(pos, king_to, us ^ 1, occ & ~bb_square(rook));
}

uint64_t position_compute_key(const Position *pos) {
    uint64_t key = zobrist_castling[pos->castling] ^ zobrist_en_passant[pos->ep];
    for (Square s = 0; s < SQUARE_COUNT; s++)
        if (pos->board[s] != PIECE_NONE)
            key ^= zobrist_piece[pos->board[s]][s];
    return pos->stm == BLACK ? key ^ zobrist_black_to_move : key;
}

uint64_t position_compute_pawn_key(const Position *pos) {
    uint64_t key = 0;
    Bitboard pawns = pos->by_type[PAWN];
    while (pawns) {
        Square s = bb_pop_lsb(&pawns);
        key ^= zobrist_piece[pos->board[s]][s];
    }
    return key;
}
