/* SPDX-License-Identifier: MIT */
/* Pieces: material, placement, mobility, and the terms of each kind of piece. */
#ifndef EVAL_PIECES_H
#define EVAL_PIECES_H

#include <assert.h>

#include "eval/parts.h"

#define CENTRE_SQUARES_BB UINT64_C(0x0000001818000000)

/* Pieces of c that shield their king from a slider. */
CHESS_INLINE Bitboard pinned_pieces(const Eval *e, Color c) {
    const Position *pos = e->pos;
    if (pos->stm == c)
        return pos->pinned;
    Square king = position_king(pos, c);
    Bitboard queens = position_pieces(pos, c ^ 1, QUEEN);
    Bitboard snipers = (attacks_rook(king, 0) & (position_pieces(pos, c ^ 1, ROOK) | queens)) |
                       (attacks_bishop(king, 0) & (position_pieces(pos, c ^ 1, BISHOP) | queens));
    Bitboard pinned = 0;
    while (snipers) {
        Bitboard between = attacks_between(king, bb_pop_lsb(&snipers)) & e->occupied;
        if (between && !bb_more_than_one(between))
            pinned |= between & pos->by_color[c];
    }
    return pinned;
}

/* The king and its neighbours; from an edge of the board, as if it stood one step inside. */
CHESS_INLINE Bitboard king_ring(Square king) {
    int file = square_file(king);
    int rank = square_rank(king);
    file = file < 1 ? 1 : file > 6 ? 6 : file;
    rank = rank < 1 ? 1 : rank > 6 ? 6 : rank;
    Square centre = square_make(file, rank);
    return attacks_king(centre) | bb_square(centre);
}

CHESS_INLINE void prepare(Eval *e, Color c) {
    const Position *pos = e->pos;
    Square king = position_king(pos, c);
    Bitboard pawns = position_pieces(pos, c, PAWN);
    Bitboard blocked = pawns & bb_forward(c ^ 1, e->occupied);
    Bitboard low = bb_relative_rank(c, 1) | bb_relative_rank(c, 2);
    e->ring[c] = king_ring(king);
    e->pinned[c] = pinned_pieces(e, c);
    e->mobility_area[c] = ~(e->pawn_attacks[c ^ 1] | blocked | (pawns & low) | bb_square(king) |
                            position_pieces(pos, c, QUEEN));
    e->by_type[c][PAWN] = e->pawn_attacks[c];
    e->by_type[c][KING] = attacks_king(king);
    e->attacks[c] = e->pawn_attacks[c] | attacks_king(king);
    e->twice[c] = (e->pawn_attacks[c] & attacks_king(king)) |
                  (bb_forward_west(c, pawns) & bb_forward_east(c, pawns));
}

CHESS_INLINE Bitboard piece_attacks(const Eval *e, Color c, PieceType t, Square s) {
    const Position *pos = e->pos;
    /* Sliders look through their own kind: a battery attacks what its rear piece attacks. */
    Bitboard own_queens = position_pieces(pos, c, QUEEN);
    Bitboard line = bb_has(e->pinned[c], s) ? attacks_line(position_king(pos, c), s) : ~UINT64_C(0);
    switch (t) {
    case KNIGHT:
        return attacks_knight(s) & line;
    case BISHOP:
        return attacks_bishop(s, e->occupied ^ own_queens) & line;
    case ROOK:
        return attacks_rook(s, e->occupied ^ own_queens ^ position_pieces(pos, c, ROOK)) & line;
    default:
        return attacks_queen(s, e->occupied) & line;
    }
}

CHESS_INLINE void place(Eval *e, Color c, PieceType t, Square s) {
    const Position *pos = e->pos;
    Square own = placed(c, s, position_king(pos, c));
    Square other = placed(c, s, position_king(pos, c ^ 1));
    add_weight(e, EVAL_PLACEMENT, c, &W.placement[t][own], 1);
    add_weight(e, EVAL_PLACEMENT, c, &W.placement_enemy[t][other], 1);
}

CHESS_INLINE void bishop_extras(Eval *e, Color c, Square s) {
    const Position *pos = e->pos;
    Bitboard pawns = position_pieces(pos, c, PAWN);
    Bitboard blocked = pawns & bb_forward(c ^ 1, e->occupied) & CENTRE_FILES_BB;
    int same = bb_popcount(pawns & same_colour(s));
    add_weight(e, EVAL_PIECES, c, &W.bishop_own_pawns, same);
    add_weight(e, EVAL_PIECES, c, &W.bishop_own_pawns_blocked, same * bb_popcount(blocked));
    add_weight(e, EVAL_PIECES, c, &W.bishop_enemy_pawns,
               bb_popcount(attacks_bishop(s, 0) & position_pieces(pos, c ^ 1, PAWN)));
    if (bb_more_than_one(attacks_bishop(s, pos->by_type[PAWN]) & CENTRE_SQUARES_BB))
        add_weight(e, EVAL_PIECES, c, &W.bishop_long_diagonal, 1);
}

CHESS_INLINE void minor_extras(Eval *e, Color c, PieceType t, Square s, Bitboard reach) {
    const Position *pos = e->pos;
    Bitboard me = bb_square(s);
    Bitboard zone = bb_relative_rank(c, 3) | bb_relative_rank(c, 4) | bb_relative_rank(c, 5);
    Bitboard outposts = zone & ~e->attack_span[c ^ 1];
    if (me & outposts)
        add_weight(e, EVAL_PIECES, c, &W.outpost[t][(me & e->pawn_attacks[c]) != 0], 1);
    else if (t == KNIGHT && (reach & outposts & e->pawn_attacks[c] & ~pos->by_color[c]))
        add_weight(e, EVAL_PIECES, c, &W.outpost_reachable, 1);
    if (bb_forward(c, me) & pos->by_type[PAWN])
        add_weight(e, EVAL_PIECES, c, &W.behind_pawn[t], 1);
    add_weight(e, EVAL_PIECES, c, &W.minor_king_distance[t][distance(s, position_king(pos, c))], 1);
    if (t == BISHOP)
        bishop_extras(e, c, s);
}

CHESS_INLINE void rook_extras(Eval *e, Color c, Square s, int mobility) {
    const Position *pos = e->pos;
    enum { TRAPPED_MOBILITY = 3 };
    Bitboard file = bb_file(square_file(s));
    Bitboard own = file & position_pieces(pos, c, PAWN);
    Square king = position_king(pos, c);
    if (!(file & pos->by_type[PAWN]))
        add_weight(e, EVAL_PIECES, c, &W.rook_file[2], 1);
    else if (!own)
        add_weight(e, EVAL_PIECES, c, &W.rook_file[1], 1);
    else if (own & bb_forward(c ^ 1, e->occupied))
        add_weight(e, EVAL_PIECES, c, &W.rook_file[0], 1);
    if (relative_rank(c, s) == 6 && ((bb_relative_rank(c, 6) & position_pieces(pos, c ^ 1, PAWN)) ||
                                     relative_rank(c, position_king(pos, c ^ 1)) == 7))
        add_weight(e, EVAL_PIECES, c, &W.rook_seventh, 1);
    /* The king stands between the rook and the centre. */
    bool shut_in = square_file(king) < 4 ? square_file(s) < square_file(king)
                                         : square_file(s) > square_file(king);
    if (own && mobility <= TRAPPED_MOBILITY && shut_in)
        add_weight(e, EVAL_PIECES, c, &W.rook_trapped, 1);
}

CHESS_INLINE void queen_extras(Eval *e, Color c, Square s) {
    const Position *pos = e->pos;
    Bitboard snipers = (attacks_rook(s, 0) & position_pieces(pos, c ^ 1, ROOK)) |
                       (attacks_bishop(s, 0) & position_pieces(pos, c ^ 1, BISHOP));
    while (snipers) {
        Bitboard between = attacks_between(s, bb_pop_lsb(&snipers)) & e->occupied;
        if (between && !bb_more_than_one(between)) {
            add_weight(e, EVAL_PIECES, c, &W.queen_exposed, 1);
            return;
        }
    }
}

CHESS_INLINE void eval_piece_type(Eval *e, Color c, PieceType t) {
    const Position *pos = e->pos;
    Bitboard pieces = position_pieces(pos, c, t);
    int count = bb_popcount(pieces);
    add_weight(e, EVAL_MATERIAL, c, &W.material[t], count);
    add_weight(e, EVAL_MATERIAL, c, &W.among_pawns[t][e->pawns[c]], count);
    add_weight(e, EVAL_MATERIAL, c, &W.among_rams[t][e->rams], count);
    if (count > 1)
        add_weight(e, EVAL_MATERIAL, c, &W.pair[t], 1);
    while (pieces) {
        Square s = bb_pop_lsb(&pieces);
        place(e, c, t, s);
        Bitboard reach = piece_attacks(e, c, t, s);
        e->twice[c] |= e->attacks[c] & reach;
        e->attacks[c] |= reach;
        e->by_type[c][t] |= reach;
        int mobility = bb_popcount(reach & e->mobility_area[c]);
        assert(mobility < EVAL_MOBILITY_MAX);
        add_weight(e, EVAL_MOBILITY, c, &W.mobility[t][mobility], 1);
        Bitboard near = reach & e->ring[c ^ 1];
        if (near) {
            e->attackers[c ^ 1]++;
            add_danger(e, c ^ 1, &W.danger_attacker[t], 1);
            add_danger(e, c ^ 1, &W.danger_ring[t], bb_popcount(near));
        }
        if (t == KNIGHT || t == BISHOP)
            minor_extras(e, c, t, s, reach);
        else if (t == ROOK)
            rook_extras(e, c, s, mobility);
        else
            queen_extras(e, c, s);
    }
}

CHESS_INLINE void eval_pieces(Eval *e, Color c) {
    const Position *pos = e->pos;
    add_weight(e, EVAL_MATERIAL, c, &W.material[PAWN], e->pawns[c]);
    eval_piece_type(e, c, KNIGHT);
    eval_piece_type(e, c, BISHOP);
    eval_piece_type(e, c, ROOK);
    eval_piece_type(e, c, QUEEN);
    place(e, c, KING, position_king(pos, c));
    Bitboard bishops = position_pieces(pos, c, BISHOP);
    if ((bishops & LIGHT_SQUARES_BB) && (bishops & DARK_SQUARES_BB))
        add_weight(e, EVAL_MATERIAL, c, &W.bishop_pair[e->pawns[c]], 1);
}

#endif
