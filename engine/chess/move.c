/* SPDX-License-Identifier: MIT */
#include "chess/move.h"

#include <string.h>

#include "chess/movegen.h"

/* The squares that the piece on `from`, no pawn, could move to if its king did not matter. */
static Bitboard piece_reach(const Position *pos, Square from, Bitboard occ) {
    return attacks_from(piece_type(pos->board[from]), from, occ) & ~pos->by_color[pos->stm];
}

/* The same for a pawn, en passant left out. */
static Bitboard pawn_reach(const Position *pos, Square from, Bitboard occ) {
    Color us = pos->stm;
    Bitboard once = bb_forward(us, bb_square(from)) & ~occ;
    Bitboard twice = bb_forward(us, once & bb_relative_rank(us, 2)) & ~occ;
    return once | twice | (attacks_pawn(us, from) & pos->by_color[us ^ 1]);
}

static bool castling_is_legal(const Position *pos, Square from, Square to) {
    if (from != position_king(pos, pos->stm))
        return false;
    for (int side = CASTLE_KING_SIDE; side <= CASTLE_QUEEN_SIDE; side++)
        if (to == pos->castle_rook[castle_index(pos->stm, side)] && position_can_castle(pos, side))
            return true;
    return false;
}

/* Whether a piece other than the king may leave `from` for `to`: pins, and an answer to check. */
static bool king_stays_safe(const Position *pos, Square from, Square to) {
    Square king = position_king(pos, pos->stm);
    if (bb_has(pos->pinned, from) && !bb_has(attacks_line(king, from), to))
        return false;
    if (!pos->checkers)
        return true;
    if (bb_more_than_one(pos->checkers))
        return false;
    return bb_has(pos->checkers | attacks_between(king, bb_lsb(pos->checkers)), to);
}

bool move_is_legal(const Position *pos, Move move) {
    Square from = move_from(move);
    Square to = move_to(move);
    int kind = move_kind(move);
    Color us = pos->stm;
    if (!bb_has(pos->by_color[us], from) || (kind != MOVE_PROMOTION && move >> 14))
        return false;
    if (kind == MOVE_CASTLING)
        return castling_is_legal(pos, from, to);
    PieceType type = piece_type(pos->board[from]);
    Bitboard occ = position_occupied(pos);
    if (kind == MOVE_EN_PASSANT)
        return type == PAWN && to == pos->ep && bb_has(attacks_pawn(us, from), to) &&
               position_en_passant_is_safe(pos, from, to);
    if (type == PAWN) {
        bool promotes = bb_has(bb_relative_rank(us, 7), to);
        return promotes == (kind == MOVE_PROMOTION) && bb_has(pawn_reach(pos, from, occ), to) &&
               king_stays_safe(pos, from, to);
    }
    if (kind != MOVE_NORMAL || !bb_has(piece_reach(pos, from, occ), to))
        return false;
    if (type == KING)
        return !position_attacked(pos, to, us ^ 1, occ ^ bb_square(from));
    return king_stays_safe(pos, from, to);
}

/* Whether any slider among `own` attacks `king` when occ is occupied. */
static bool sliders_check(const Position *pos, Bitboard own, Square king, Bitboard occ) {
    Bitboard queens = pos->by_type[QUEEN];
    return (attacks_bishop(king, occ) & own & (pos->by_type[BISHOP] | queens)) ||
           (attacks_rook(king, occ) & own & (pos->by_type[ROOK] | queens));
}

static bool castling_gives_check(const Position *pos, Move move, Square king) {
    Bitboard movers = bb_square(move_from(move)) | bb_square(move_to(move));
    Square rook_to = move_castling_rook_to(move);
    Bitboard occ = (position_occupied(pos) & ~movers) | bb_square(rook_to) |
                   bb_square(move_castling_king_to(move));
    return bb_has(attacks_rook(rook_to, occ), king) ||
           sliders_check(pos, pos->by_color[pos->stm] & ~movers, king, occ);
}

bool move_gives_check(const Position *pos, Move move) {
    Square from = move_from(move);
    Square to = move_to(move);
    Color us = pos->stm;
    Square king = position_king(pos, us ^ 1);
    if (move_kind(move) == MOVE_CASTLING)
        return castling_gives_check(pos, move, king);
    PieceType type =
        move_kind(move) == MOVE_PROMOTION ? move_promotion(move) : piece_type(pos->board[from]);
    Bitboard others = pos->by_color[us] & ~bb_square(from);
    Bitboard occ = (position_occupied(pos) ^ bb_square(from)) | bb_square(to);
    Bitboard direct = type == PAWN ? attacks_pawn(us, to) : attacks_from(type, to, occ);
    if (bb_has(direct, king))
        return true;
    /* En passant opens two squares at once. */
    if (move_kind(move) == MOVE_EN_PASSANT)
        return sliders_check(pos, others, king, occ ^ bb_square(to ^ 8));
    /* Discovered: only by leaving a line to the king, not by moving along it. */
    Bitboard line = attacks_line(king, from);
    return line && !bb_has(line, to) && sliders_check(pos, others, king, occ);
}

void move_to_uci(Move move, bool chess960, char out[MOVE_UCI_MAX]) {
    if (move == MOVE_NONE || move == MOVE_NULL) {
        for (int i = 0; i < 4; i++)
            out[i] = '0';
        out[4] = '\0';
        return;
    }
    Square from = move_from(move);
    Square to =
        move_kind(move) == MOVE_CASTLING && !chess960 ? move_castling_king_to(move) : move_to(move);
    out[0] = (char)('a' + square_file(from));
    out[1] = (char)('1' + square_rank(from));
    out[2] = (char)('a' + square_file(to));
    out[3] = (char)('1' + square_rank(to));
    out[4] = move_kind(move) == MOVE_PROMOTION ? "nbrq"[move_promotion(move) - KNIGHT] : '\0';
    out[5] = '\0';
}

Move move_from_uci(const Position *pos, const char *text) {
    Move moves[MAX_MOVES];
    int count = movegen_legal(pos, moves);
    for (int i = 0; i < count; i++) {
        char uci[MOVE_UCI_MAX];
        move_to_uci(moves[i], pos->chess960, uci);
        if (strcmp(uci, text) == 0)
            return moves[i];
    }
    return MOVE_NONE;
}
