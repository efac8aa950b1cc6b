/* SPDX-License-Identifier: MIT */
#include "search/see.h"

#include "chess/move.h"

const int see_value[PIECE_TYPE_COUNT + 1] = {
    [PAWN] = 100, [KNIGHT] = 320, [BISHOP] = 330, [ROOK] = 500, [QUEEN] = 950, [KING] = 0};

/* What the move itself gains before anything is recaptured, and what then stands on the square. */
static int first_gain(const Position *pos, Move move, PieceType *on_square) {
    PieceType captured = move_captured(pos, move);
    int gain = see_value[captured];
    *on_square = piece_type(pos->board[move_from(move)]);
    if (move_kind(move) == MOVE_PROMOTION) {
        *on_square = move_promotion(move);
        gain += see_value[*on_square] - see_value[PAWN];
    }
    return gain;
}

/* The squares that are occupied after the move. */
static Bitboard occupied_after(const Position *pos, Move move) {
    Bitboard occ = position_occupied(pos) ^ bb_square(move_from(move));
    if (move_kind(move) == MOVE_EN_PASSANT)
        occ ^= bb_square(move_to(move) ^ 8);
    return occ | bb_square(move_to(move));
}

/* Pieces of a colour that stand pinned before their king, whoever is to move. What stood on `to`
 * was captured, and pins nothing any more. */
static Bitboard pinned_pieces(const Position *pos, Color c, Bitboard occ, Square to) {
    Square king = position_king(pos, c);
    Bitboard diagonal = pos->by_type[BISHOP] | pos->by_type[QUEEN];
    Bitboard straight = pos->by_type[ROOK] | pos->by_type[QUEEN];
    Bitboard snipers = ((attacks_bishop(king, 0) & diagonal) | (attacks_rook(king, 0) & straight)) &
                       pos->by_color[c ^ 1] & occ & ~bb_square(to);
    Bitboard pinned = 0;
    while (snipers) {
        Bitboard between = attacks_between(king, bb_pop_lsb(&snipers)) & occ;
        if (between && !bb_more_than_one(between))
            pinned |= between & pos->by_color[c];
    }
    return pinned;
}

/* New attackers that stood behind the piece of this type that has just left its line. */
static Bitboard uncovered(const Position *pos, Square to, PieceType left, Bitboard occ) {
    Bitboard found = 0;
    if (left == PAWN || left == BISHOP || left == QUEEN)
        found |= attacks_bishop(to, occ) & (pos->by_type[BISHOP] | pos->by_type[QUEEN]);
    if (left == ROOK || left == QUEEN)
        found |= attacks_rook(to, occ) & (pos->by_type[ROOK] | pos->by_type[QUEEN]);
    return found;
}

/* Plays the exchange on `to` out. `balance`, above 0: by how much the first mover misses the
 * threshold when its piece is taken and nothing takes back. True when it holds the threshold all
 * the same. */
static bool play_out(const Position *pos, Square to, Bitboard occ, Color mover, int balance) {
    Bitboard attackers = position_attackers(pos, to, occ) & occ;
    Bitboard pins[COLOR_COUNT] = {pinned_pieces(pos, WHITE, occ, to),
                                  pinned_pieces(pos, BLACK, occ, to)};
    Color side = mover ^ 1;
    bool holds = true;
    for (;;) {
        Bitboard own = attackers & pos->by_color[side] & ~pins[side];
        if (!own)
            break;
        PieceType t = PAWN;
        while (!(own & pos->by_type[t]))
            t++;
        if (t == KING && (attackers & pos->by_color[side ^ 1]))
            break;
        holds = !holds;
        /* What taking this capturer back is worth to the other side. Where that is not enough, the
         * exchange is over. */
        balance = see_value[t] - balance;
        if (balance < holds)
            break;
        occ ^= bb_square(bb_lsb(own & pos->by_type[t]));
        attackers = (attackers | uncovered(pos, to, t, occ)) & occ;
        side ^= 1;
    }
    return holds;
}

bool see_at_least(const Position *pos, Move move, int threshold) {
    if (move_kind(move) == MOVE_CASTLING)
        return threshold <= 0;
    PieceType on_square;
    int balance = first_gain(pos, move, &on_square) - threshold;
    if (balance < 0)
        return false;
    balance = see_value[on_square] - balance;
    if (balance <= 0)
        return true;
    return play_out(pos, move_to(move), occupied_after(pos, move), pos->stm, balance);
}
