/* SPDX-License-Identifier: MIT */
/* Every weight of the evaluation, in one table. All are packed pairs of centipawns, but for those
 * of the king's danger, whose sum goes through a curve. Tuned: weights.c is written by the tuner.
 */
#ifndef EVAL_WEIGHTS_H
#define EVAL_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include "chess/types.h"

/* A middlegame and an endgame value in one integer: sums and small multiples of such pairs are
 * right in both halves as long as neither leaves 16 bits. */
typedef int32_t EvalScore;
#define EVAL_PAIR(mg, eg) ((EvalScore)((eg)*65536 + (mg)))
enum { EVAL_HALF_MAX = INT16_MAX }; /* of a pair, either way */

static inline int eval_mg(EvalScore s) {
    return (int16_t)(uint16_t)(uint32_t)s;
}
static inline int eval_eg(EvalScore s) {
    return (int16_t)(uint16_t)((uint32_t)(s + 0x8000) >> 16);
}

enum { EVAL_RANKS = 8, EVAL_DISTANCES = 8, EVAL_MOBILITY_MAX = 28, EVAL_PAWNS_MAX = 9 };

/* The fields: ONE(name), ROW(name, length) and GRID(name, rows, length), in the order of the terms.
 * Ranks are relative, distances in king's steps; squares are White's, seen with the own king on the
 * files e to h. */
/* clang-format off */
#define EVAL_WEIGHT_FIELDS(ONE, ROW, GRID) \
    ROW(material, PIECE_TYPE_COUNT) \
    GRID(among_pawns, PIECE_TYPE_COUNT, EVAL_PAWNS_MAX) /* a piece, by the number of own pawns */ \
    GRID(among_rams, PIECE_TYPE_COUNT, EVAL_PAWNS_MAX)  /* a piece, by pawns that block each other */ \
    ROW(bishop_pair, EVAL_PAWNS_MAX)                    /* by the number of own pawns */ \
    ROW(pair, PIECE_TYPE_COUNT)                         /* two of a kind or more */ \
    GRID(placement, PIECE_TYPE_COUNT, SQUARE_COUNT) \
    GRID(placement_enemy, PIECE_TYPE_COUNT, SQUARE_COUNT) /* mirrored by the enemy king's file */ \
    GRID(mobility, PIECE_TYPE_COUNT, EVAL_MOBILITY_MAX) /* safe squares within reach */ \
    /* pawns; [1]: no enemy pawn before it on its file */ \
    ROW(isolated, 2) \
    ROW(backward, 2) \
    ONE(doubled)          /* another own pawn somewhere before it */ \
    ONE(doubled_close)    /* on the next square */ \
    ONE(doubled_isolated) \
    GRID(phalanx, 2, EVAL_RANKS) \
    GRID(supported, 2, EVAL_RANKS) \
    ONE(supported_twice) \
    ROW(lever, EVAL_RANKS) /* attacks an enemy pawn */ \
    ROW(candidate, EVAL_RANKS) \
    ROW(islands, EVAL_RANKS) \
    /* passed pawns; "stop" is the square before the pawn */ \
    ROW(passed, EVAL_RANKS) \
    ROW(passed_file, 4) /* from the edge */ \
    ROW(passed_connected, EVAL_RANKS) \
    GRID(passed_own_king, EVAL_RANKS, EVAL_DISTANCES) /* to the stop */ \
    GRID(passed_enemy_king, EVAL_RANKS, EVAL_DISTANCES) \
    ROW(passed_blocked_own, EVAL_RANKS) \
    ROW(passed_blocked, EVAL_RANKS) \
    ROW(passed_stop_attacked, EVAL_RANKS) \
    ROW(passed_stop_defended, EVAL_RANKS) \
    ROW(passed_path_safe, EVAL_RANKS) /* no enemy attacks any square before it */ \
    ONE(passed_rook_behind) \
    ONE(passed_enemy_rook_behind) \
    ROW(passed_unstoppable, EVAL_RANKS) /* pawn endings: the king is too late */ \
    /* pieces */ \
    GRID(outpost, PIECE_TYPE_COUNT, 2) /* [1]: defended by a pawn */ \
    ONE(outpost_reachable) \
    ROW(behind_pawn, PIECE_TYPE_COUNT) \
    GRID(minor_king_distance, PIECE_TYPE_COUNT, EVAL_DISTANCES) \
    ONE(bishop_own_pawns)         /* each on its colour */ \
    ONE(bishop_own_pawns_blocked) /* times blocked pawns on the central files */ \
    ONE(bishop_enemy_pawns)       /* on its empty-board diagonals */ \
    ONE(bishop_long_diagonal) \
    ROW(rook_file, 3) /* closed by a blocked own pawn, half open, open */ \
    ONE(rook_seventh) \
    ONE(rook_trapped) \
    ONE(queen_exposed) /* one piece between it and a rook or bishop */ \
    /* king */ \
    GRID(shelter, 4, EVAL_RANKS) /* by the file from the edge; rank 0: no pawn */ \
    GRID(storm, 4, EVAL_RANKS) \
    ROW(storm_blocked, EVAL_RANKS) \
    ROW(king_file, 2) /* half open, open */ \
    ROW(king_pawn_distance, EVAL_DISTANCES) \
    ONE(king_bare_flank) \
    ONE(drive_edge) /* a bare king: steps from the centre */ \
    ONE(drive_near) /* and steps that the kings are near */ \
    ONE(drive_corner) /* and steps towards a corner of the lone bishop's colour */ \
    /* the king's danger: units */ \
    ONE(danger_base) \
    ROW(danger_attacker, PIECE_TYPE_COUNT) \
    ROW(danger_ring, PIECE_TYPE_COUNT) /* attacked squares at the king */ \
    ONE(danger_weak) \
    GRID(danger_safe_check, PIECE_TYPE_COUNT, 2) /* one square to give it from, more */ \
    ROW(danger_unsafe_check, PIECE_TYPE_COUNT) \
    ONE(danger_flank_attack) \
    ONE(danger_flank_twice) \
    ONE(danger_flank_defence) \
    ONE(danger_pinned) \
    ONE(danger_no_queen) \
    ONE(danger_knight_defends) \
    GRID(danger_shelter, 4, EVAL_RANKS) /* as the shelter */ \
    GRID(danger_storm, 4, EVAL_RANKS) \
    ROW(danger_storm_blocked, EVAL_RANKS) \
    /* threats; [1]: the victim is defended well */ \
    ROW(threat_by_pawn, PIECE_TYPE_COUNT) \
    ROW(threat_by_weak_pawn, PIECE_TYPE_COUNT) \
    GRID(threat_by_minor, 2, PIECE_TYPE_COUNT) \
    GRID(threat_by_rook, 2, PIECE_TYPE_COUNT) \
    ROW(threat_by_king, PIECE_TYPE_COUNT) \
    ROW(hanging, PIECE_TYPE_COUNT) \
    ONE(queen_defends) \
    ONE(restricted) \
    ONE(pawn_push_threat) \
    ONE(knight_on_queen) \
    ONE(slider_on_queen) \
    /* the whole board */ \
    ROW(space, EVAL_PAWNS_MAX) /* a safe square behind the pawns, by the number of own pieces */ \
    ONE(tempo) \
    /* how winnable an endgame is, for the side that is ahead: endgame halves only */ \
    ONE(winnable_base) \
    ONE(winnable_pawns) \
    ONE(winnable_passed) \
    ONE(winnable_both_flanks) \
    ONE(winnable_outflanking) \
    ONE(winnable_infiltration) \
    ONE(winnable_pawns_alone)
/* clang-format on */

#define EVAL_FIELD_ONE(name) EvalScore name;
#define EVAL_FIELD_ROW(name, length) EvalScore name[length];
#define EVAL_FIELD_GRID(name, rows, length) EvalScore name[rows][length];
typedef struct {
    EVAL_WEIGHT_FIELDS(EVAL_FIELD_ONE, EVAL_FIELD_ROW, EVAL_FIELD_GRID)
} EvalWeights;

enum { EVAL_WEIGHT_COUNT = (int)(sizeof(EvalWeights) / sizeof(EvalScore)) };

extern const EvalWeights eval_weights;

/* The number of a weight in the table. */
static inline size_t eval_weight_index(const EvalScore *weight) {
    return (size_t)((const char *)weight - (const char *)&eval_weights) / sizeof(EvalScore);
}

/* The cost of units of danger: a square in the middlegame, a line in the endgame, nothing
 * below zero. */
enum { EVAL_DANGER_MAX = 2400, EVAL_DANGER_SQUARE = 4096, EVAL_DANGER_LINE = 16 };
static inline int eval_danger_within(int units) {
    return units < 0 ? 0 : units > EVAL_DANGER_MAX ? EVAL_DANGER_MAX : units;
}
static inline EvalScore eval_danger_cost(EvalScore units) {
    int mg = eval_danger_within(eval_mg(units));
    int eg = eval_danger_within(eval_eg(units));
    return EVAL_PAIR(mg * mg / EVAL_DANGER_SQUARE, eg / EVAL_DANGER_LINE);
}

#endif
