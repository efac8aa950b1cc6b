/* SPDX-License-Identifier: MIT */
/* The king: the pawns around it, and how much the enemy's pieces endanger it. */
#ifndef EVAL_KING_H
#define EVAL_KING_H

#include "eval/parts.h"

/* --- pawns around it: kept with the pawn entry --- */

/* One file's own and enemy pawn, none nearer to the edge of the owner than the king: what they are
 * worth, and what they add to the danger from pieces. */
CHESS_INLINE void shelter_file(EvalPawnEntry *entry, Color c, int file, Bitboard own,
                               Bitboard enemy, EvalCounts *n) {
    int edge = edge_distance(file);
    int own_rank = own ? relative_rank(c, rearmost(c, own)) : 0;
    entry->king[c] += weigh(n, c, &W.shelter[edge][own_rank], 1);
    entry->danger[c] += weigh_danger(n, c, &W.danger_shelter[edge][own_rank], 1);
    if (!enemy)
        return;
    int rank = relative_rank(c, rearmost(c, enemy));
    bool blocked = own && own_rank == rank - 1;
    const EvalScore *storm = blocked ? &W.storm_blocked[rank] : &W.storm[edge][rank];
    const EvalScore *danger = blocked ? &W.danger_storm_blocked[rank] : &W.danger_storm[edge][rank];
    entry->king[c] += weigh(n, c, storm, 1);
    entry->danger[c] += weigh_danger(n, c, danger, 1);
}

CHESS_INLINE int nearest_pawn(Square king, Bitboard pawns) {
    int nearest = EVAL_DISTANCES - 1;
    while (pawns) {
        int d = distance(king, bb_pop_lsb(&pawns));
        nearest = d < nearest ? d : nearest;
    }
    return nearest;
}

/* The pawns of `c` on the squares of a table that is turned by this king. */
CHESS_INLINE EvalScore pawns_placed(const Position *pos, Color c, Square king,
                                    const EvalScore *table, EvalCounts *n) {
    Bitboard pawns = position_pieces(pos, c, PAWN);
    EvalScore score = 0;
    while (pawns)
        score += weigh(n, c, &table[placed(c, bb_pop_lsb(&pawns), king)], 1);
    return score;
}

CHESS_INLINE void king_pawns_fill(EvalPawnEntry *entry, const Position *pos, Color c,
                                  EvalCounts *n) {
    Square king = position_king(pos, c);
    int file = square_file(king);
    int centre = file < 1 ? 1 : file > 6 ? 6 : file;
    Bitboard ahead = fill_forward(c, bb_rank(square_rank(king)));
    Bitboard own = position_pieces(pos, c, PAWN) & ahead;
    Bitboard enemy = position_pieces(pos, c ^ 1, PAWN) & ahead;
    entry->king[c] = 0;
    entry->danger[c] = 0;
    for (int f = centre - 1; f <= centre + 1; f++)
        shelter_file(entry, c, f, own & bb_file(f), enemy & bb_file(f), n);
    if (!(position_pieces(pos, c, PAWN) & bb_file(file)))
        entry->king[c] += weigh(n, c, &W.king_file[!(pos->by_type[PAWN] & bb_file(file))], 1);
    int nearest = nearest_pawn(king, pos->by_type[PAWN]);
    entry->king[c] += weigh(n, c, &W.king_pawn_distance[nearest], 1);
    Bitboard flank = bb_file(centre - 1) | bb_file(centre) | bb_file(centre + 1);
    if (!(pos->by_type[PAWN] & flank))
        entry->king[c] += weigh(n, c, &W.king_bare_flank, 1);
    entry->own_placed[c] = pawns_placed(pos, c, king, W.placement[PAWN], n);
    entry->enemy_placed[c] = pawns_placed(pos, c ^ 1, king, W.placement_enemy[PAWN], n);
    entry->king_square[c] = (uint8_t)king;
    entry->king_known[c] = true;
}

static __attribute__((noinline)) void king_pawns_fill_fast(EvalPawnEntry *entry,
                                                           const Position *pos, Color c) {
    king_pawns_fill(entry, pos, c, NULL);
}

CHESS_INLINE void eval_king_pawns(Eval *e, EvalPawnEntry *entry, Color c) {
    if (e->counts)
        king_pawns_fill(entry, e->pos, c, e->counts);
    else if (!entry->king_known[c] || entry->king_square[c] != position_king(e->pos, c))
        king_pawns_fill_fast(entry, e->pos, c);
    e->danger[c] = entry->danger[c];
    add(e, EVAL_KING, c, entry->king[c]);
    add(e, EVAL_PLACEMENT, c, entry->own_placed[c]);
    add(e, EVAL_PLACEMENT, c ^ 1, entry->enemy_placed[c]);
}

/* --- danger --- */

/* Checks with one kind of piece from `squares`: safe ones, else any. */
CHESS_INLINE void add_checks(Eval *e, Color c, PieceType t, Bitboard squares, Bitboard safe) {
    Bitboard checks = squares & e->by_type[c ^ 1][t] & ~e->pos->by_color[c ^ 1];
    if (checks & safe)
        add_danger(e, c, &W.danger_safe_check[t][bb_more_than_one(checks & safe)], 1);
    else if (checks)
        add_danger(e, c, &W.danger_unsafe_check[t], 1);
}

CHESS_INLINE void add_all_checks(Eval *e, Color c, Bitboard weak) {
    const Position *pos = e->pos;
    Color enemy = c ^ 1;
    Square king = position_king(pos, c);
    Bitboard through = e->occupied ^ position_pieces(pos, c, QUEEN);
    Bitboard straight = attacks_rook(king, through);
    Bitboard diagonal = attacks_bishop(king, through);
    Bitboard safe = ~e->attacks[c] | (weak & e->twice[enemy]);
    add_checks(e, c, KNIGHT, attacks_knight(king), safe);
    add_checks(e, c, BISHOP, diagonal, safe);
    add_checks(e, c, ROOK, straight, safe);
    add_checks(e, c, QUEEN, straight | diagonal, safe & ~e->by_type[c][QUEEN]);
}

/* The files at the king and the five ranks on its side of the board. */
CHESS_INLINE Bitboard king_flank(Color c, Square king) {
    int file = square_file(king);
    Bitboard files = file < 3 ? QUEEN_SIDE_BB : file > 4 ? ~QUEEN_SIDE_BB : CENTRE_FILES_BB;
    return files & ~(bb_relative_rank(c, 5) | bb_relative_rank(c, 6) | bb_relative_rank(c, 7));
}

CHESS_INLINE void eval_danger(Eval *e, Color c) {
    const Position *pos = e->pos;
    Color enemy = c ^ 1;
    if (!e->attackers[c]) {
        /* Pawns alone endanger nobody. */
        if (e->counts)
            memset(e->counts->danger[c], 0, sizeof e->counts->danger[c]);
        return;
    }
    Bitboard weak = e->attacks[enemy] & ~e->twice[c] &
                    (~e->attacks[c] | e->by_type[c][KING] | e->by_type[c][QUEEN]);
    Bitboard flank = king_flank(c, position_king(pos, c));
    add_danger(e, c, &W.danger_base, 1);
    add_danger(e, c, &W.danger_weak, bb_popcount(e->ring[c] & weak));
    add_danger(e, c, &W.danger_ring[PAWN], bb_popcount(e->ring[c] & e->pawn_attacks[enemy]));
    add_all_checks(e, c, weak);
    add_danger(e, c, &W.danger_flank_attack, bb_popcount(flank & e->attacks[enemy]));
    add_danger(e, c, &W.danger_flank_twice, bb_popcount(flank & e->twice[enemy]));
    add_danger(e, c, &W.danger_flank_defence, bb_popcount(flank & e->attacks[c]));
    add_danger(e, c, &W.danger_pinned, bb_popcount(e->pinned[c]));
    if (!position_pieces(pos, enemy, QUEEN))
        add_danger(e, c, &W.danger_no_queen, 1);
    if (e->by_type[c][KNIGHT] & e->by_type[c][KING])
        add_danger(e, c, &W.danger_knight_defends, 1);
    add(e, EVAL_KING, c, -eval_danger_cost(e->danger[c]));
}

/* Bishop and knight with their king, and nothing else. */
CHESS_INLINE bool bishop_and_knight(const Position *pos, Color c) {
    return bb_popcount(pos->by_color[c]) == 3 && position_pieces(pos, c, BISHOP) &&
           position_pieces(pos, c, KNIGHT);
}

/* Against a bare king: to the edge with it, and the own king near; for bishop and knight to a
 * corner that the bishop controls. */
CHESS_INLINE void drive_bare_king(Eval *e, Color c) {
    const Position *pos = e->pos;
    Color strong = c ^ 1;
    Square king = position_king(pos, c);
    int near = 7 - distance(king, position_king(pos, strong));
    add_weight(e, EVAL_KING, strong, &W.drive_near, near);
    if (bishop_and_knight(pos, strong)) {
        bool light = (position_pieces(pos, strong, BISHOP) & LIGHT_SQUARES_BB) != 0;
        int file = light ? 7 - square_file(king) : square_file(king);
        add_weight(e, EVAL_KING, strong, &W.drive_corner, abs(7 - file - square_rank(king)));
        return;
    }
    int file = 3 - edge_distance(square_file(king));
    int rank = 3 - edge_distance(square_rank(king));
    add_weight(e, EVAL_KING, strong, &W.drive_edge,
               file > rank ? 2 * file + rank : 2 * rank + file);
}

CHESS_INLINE void eval_king(Eval *e, Color c) {
    if (!bb_more_than_one(e->pos->by_color[c]))
        drive_bare_king(e, c);
    eval_danger(e, c);
}

#endif
