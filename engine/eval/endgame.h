/* SPDX-License-Identifier: MIT */
/* Endgames: the scale of the advantage, and the leader's chances to win. */
#ifndef EVAL_ENDGAME_H
#define EVAL_ENDGAME_H

#include "eval/parts.h"

/* Pieces of one side in points: minor 3, rook 5, queen 10. */
static int piece_points(const Position *pos, Color c) {
    return 3 * bb_popcount(pos->by_color[c] & (pos->by_type[KNIGHT] | pos->by_type[BISHOP])) +
           5 * bb_popcount(position_pieces(pos, c, ROOK)) +
           10 * bb_popcount(position_pieces(pos, c, QUEEN));
}

/* One bishop each, on squares of different colours. */
static bool opposite_bishops(const Position *pos) {
    Bitboard bishops = pos->by_type[BISHOP];
    return bb_popcount(bishops) == 2 && bb_popcount(bishops & LIGHT_SQUARES_BB) == 1 &&
           bb_popcount(bishops & pos->by_color[WHITE]) == 1;
}

/* Rook pawns alone, whose corner the bishop, if any, does not control and the enemy king reaches.
 */
static bool wrong_corner(const Position *pos, Color strong) {
    Bitboard pawns = position_pieces(pos, strong, PAWN);
    Bitboard bishops = position_pieces(pos, strong, BISHOP);
    bool a_file = !(pawns & ~FILE_A_BB);
    if ((!a_file && (pawns & ~FILE_H_BB)) || bb_more_than_one(bishops))
        return false;
    if (pos->by_color[strong] & ~(pos->by_type[PAWN] | pos->by_type[KING] | bishops))
        return false;
    Square corner = square_relative(strong, a_file ? SQUARE_A8 : SQUARE_H8);
    if (bishops && (same_colour(corner) & bishops))
        return false;
    return distance(position_king(pos, strong ^ 1), corner) <= 1;
}

/* Of EVAL_SCALE_FULL, for the side that is ahead. */
static int endgame_scale(const Position *pos, Color strong, Bitboard passers) {
    enum {
        NEARLY_DRAWN = 6,
        OPPOSITE_ALONE = 20,
        PER_PASSER = 5,
        OPPOSITE_WITH = 40,
        PER_PIECE = 2,
        PAWNS_BASE = 44,
        PER_PAWN = 5
    };
    int pawns = bb_popcount(position_pieces(pos, strong, PAWN));
    int own = piece_points(pos, strong);
    int lead = own - piece_points(pos, strong ^ 1);
    /* Without pawns a lead of a minor piece wins nothing, nor do two lone knights. */
    if (pawns == 0 && lead <= 3)
        return own < 5 ? 0 : NEARLY_DRAWN;
    if (pawns == 0)
        return own == 6 && lead == 6 && !position_pieces(pos, strong, BISHOP) ? 0 : EVAL_SCALE_FULL;
    if (wrong_corner(pos, strong))
        return 0;
    if (opposite_bishops(pos)) {
        Bitboard others = pos->by_type[KNIGHT] | pos->by_type[ROOK] | pos->by_type[QUEEN];
        if (!others)
            return OPPOSITE_ALONE + PER_PASSER * bb_popcount(passers & pos->by_color[strong]);
        return OPPOSITE_WITH + PER_PIECE * bb_popcount(others & pos->by_color[strong]);
    }
    int scale = PAWNS_BASE + PER_PAWN * pawns;
    return scale < EVAL_SCALE_FULL ? scale : EVAL_SCALE_FULL;
}

CHESS_INLINE int add_winnable(Eval *e, const EvalScore *weight, int times) {
    if (e->counts)
        e->counts->winnable[eval_weight_index(weight)] += (int16_t)times;
    return eval_eg(*weight) * times;
}

/* How much better or worse the leader's chances are than the other terms say: passed pawns, pawns
 * on both sides of the board and active kings win; few pawns on one side do not. Never turns the
 * sign of the endgame half. */
CHESS_INLINE void eval_winnable(Eval *e) {
    const Position *pos = e->pos;
    Bitboard pawns = pos->by_type[PAWN];
    Square white = position_king(pos, WHITE);
    Square black = position_king(pos, BLACK);
    int outflanking =
        abs(square_file(white) - square_file(black)) - abs(square_rank(white) - square_rank(black));
    bool infiltrated = square_rank(white) > 3 || square_rank(black) < 4;
    bool both = (pawns & QUEEN_SIDE_BB) && (pawns & ~QUEEN_SIDE_BB);
    int value = add_winnable(e, &W.winnable_base, 1);
    value += add_winnable(e, &W.winnable_pawns, bb_popcount(pawns));
    value += add_winnable(e, &W.winnable_passed, bb_popcount(e->passers));
    value += add_winnable(e, &W.winnable_both_flanks, both);
    value += add_winnable(e, &W.winnable_outflanking, outflanking);
    value += add_winnable(e, &W.winnable_infiltration, infiltrated);
    value += add_winnable(
        e, &W.winnable_pawns_alone,
        !(pos->by_type[KNIGHT] | pos->by_type[BISHOP] | pos->by_type[ROOK] | pos->by_type[QUEEN]));
    int eg = eval_eg(e->sum);
    if (eg == 0)
        return;
    Color strong = eg > 0 ? WHITE : BLACK;
    value = value > -abs(eg) ? value : -abs(eg);
    add(e, EVAL_WINNABLE, strong, EVAL_PAIR(0, value));
}

#endif
