/* SPDX-License-Identifier: MIT */
/* Threats and space: what attacks, pushes and restrictions are worth. */
#ifndef EVAL_THREATS_H
#define EVAL_THREATS_H

#include "eval/parts.h"

/* A weight for each target, by what stands there. */
CHESS_INLINE void add_threats(Eval *e, Color c, Bitboard targets, const EvalScore *by_victim) {
    while (targets) {
        Square s = bb_pop_lsb(&targets);
        add_weight(e, EVAL_THREATS, c, &by_victim[piece_type(e->pos->board[s])], 1);
    }
}

CHESS_INLINE void pawn_threats(Eval *e, Color c, Bitboard pieces) {
    const Position *pos = e->pos;
    Color enemy = c ^ 1;
    Bitboard pawns = position_pieces(pos, c, PAWN);
    Bitboard sound = bb_pawn_attacks(c, pawns & (~e->attacks[enemy] | e->attacks[c]));
    add_threats(e, c, pieces & sound, W.threat_by_pawn);
    add_threats(e, c, pieces & e->pawn_attacks[c] & ~sound, W.threat_by_weak_pawn);
    Bitboard pushes = bb_forward(c, pawns) & ~e->occupied;
    pushes |= bb_forward(c, pushes & bb_relative_rank(c, 2)) & ~e->occupied;
    pushes &= ~e->pawn_attacks[enemy] & (e->attacks[c] | ~e->attacks[enemy]);
    Bitboard threatened = bb_pawn_attacks(c, pushes) & pieces & ~e->pawn_attacks[c];
    add_weight(e, EVAL_THREATS, c, &W.pawn_push_threat, bb_popcount(threatened));
}

/* Squares from which a knight or a slider will attack the lone enemy queen. */
CHESS_INLINE void queen_threats(Eval *e, Color c, Bitboard guarded) {
    const Position *pos = e->pos;
    Bitboard queens = position_pieces(pos, c ^ 1, QUEEN);
    if (!queens || bb_more_than_one(queens))
        return;
    Square s = bb_lsb(queens);
    Bitboard safe = e->mobility_area[c] & ~guarded;
    Bitboard knights = e->by_type[c][KNIGHT] & attacks_knight(s) & safe;
    Bitboard sliders = (e->by_type[c][BISHOP] & attacks_bishop(s, e->occupied)) |
                       (e->by_type[c][ROOK] & attacks_rook(s, e->occupied));
    add_weight(e, EVAL_THREATS, c, &W.knight_on_queen, bb_popcount(knights));
    add_weight(e, EVAL_THREATS, c, &W.slider_on_queen, bb_popcount(sliders & safe & e->twice[c]));
}

CHESS_INLINE void eval_threats(Eval *e, Color c) {
    const Position *pos = e->pos;
    Color enemy = c ^ 1;
    Bitboard others = pos->by_color[enemy] & ~pos->by_type[KING];
    Bitboard pieces = others & ~pos->by_type[PAWN];
    Bitboard guarded = e->pawn_attacks[enemy] | (e->twice[enemy] & ~e->twice[c]);
    Bitboard weak = others & ~guarded & e->attacks[c];
    Bitboard minors = e->by_type[c][KNIGHT] | e->by_type[c][BISHOP];
    Bitboard rooks = e->by_type[c][ROOK];
    pawn_threats(e, c, pieces);
    add_threats(e, c, weak & minors, W.threat_by_minor[0]);
    add_threats(e, c, pieces & guarded & minors, W.threat_by_minor[1]);
    add_threats(e, c, weak & rooks, W.threat_by_rook[0]);
    add_threats(e, c, pieces & guarded & rooks, W.threat_by_rook[1]);
    add_threats(e, c, weak & e->by_type[c][KING], W.threat_by_king);
    add_threats(e, c, weak & (~e->attacks[enemy] | (pieces & e->twice[c])), W.hanging);
    add_weight(e, EVAL_THREATS, c, &W.queen_defends, bb_popcount(weak & e->by_type[enemy][QUEEN]));
    add_weight(e, EVAL_THREATS, c, &W.restricted,
               bb_popcount(e->attacks[enemy] & ~guarded & e->attacks[c]));
    queen_threats(e, c, guarded);
}

/* Safe central squares on the own side; those behind the own pawns count twice. */
CHESS_INLINE void eval_space(Eval *e, Color c) {
    const Position *pos = e->pos;
    Bitboard zone = CENTRE_FILES_BB &
                    (bb_relative_rank(c, 1) | bb_relative_rank(c, 2) | bb_relative_rank(c, 3));
    Bitboard pawns = position_pieces(pos, c, PAWN);
    Bitboard safe = zone & ~pawns & ~e->pawn_attacks[c ^ 1];
    Bitboard behind = fill_forward(c ^ 1, bb_forward(c ^ 1, pawns));
    int squares = bb_popcount(safe) + bb_popcount(safe & behind & ~e->attacks[c ^ 1]);
    int pieces = bb_popcount(pos->by_color[c] & ~pos->by_type[PAWN]);
    add_weight(e, EVAL_SPACE, c, &W.space[pieces < EVAL_PAWNS_MAX ? pieces : EVAL_PAWNS_MAX - 1],
               squares);
}

#endif
