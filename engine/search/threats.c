/* SPDX-License-Identifier: MIT */
#include "search/threats.h"

#include "chess/attacks.h"

/* The squares that pieces of one kind attack. */
static Bitboard attacked_by(PieceType type, Bitboard pieces, Bitboard occ) {
    Bitboard all = 0;
    while (pieces)
        all |= attacks_from(type, bb_pop_lsb(&pieces), occ);
    return all;
}

Threats threats_find(const Position *pos) {
    Color enemy = pos->stm ^ 1;
    Bitboard occ = position_occupied(pos);
    Bitboard pawns = bb_pawn_attacks(enemy, position_pieces(pos, enemy, PAWN));
    Bitboard minors = pawns | attacked_by(KNIGHT, position_pieces(pos, enemy, KNIGHT), occ) |
                      attacked_by(BISHOP, position_pieces(pos, enemy, BISHOP), occ);
    Bitboard rooks = minors | attacked_by(ROOK, position_pieces(pos, enemy, ROOK), occ);
    return (Threats){
        .by_any = rooks | attacked_by(QUEEN, position_pieces(pos, enemy, QUEEN), occ) |
                  attacks_from(KING, position_king(pos, enemy), occ),
        .by_lesser = {[KNIGHT] = pawns, [BISHOP] = pawns, [ROOK] = minors, [QUEEN] = rooks}};
}
