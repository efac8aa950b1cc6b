/* Every weight of the evaluation, in one table. All are packed pairs of centipawns. */
#ifndef EVAL_WEIGHTS_H
#define EVAL_WEIGHTS_H

#include <stdint.h>

#include "chess/types.h"

/* A middlegame and an endgame value in one integer: sums and small multiples of such pairs are
 * right in both halves as long as neither leaves 16 bits. */
typedef int32_t EvalScore;
#define EVAL_PAIR(mg, eg) ((EvalScore)((eg)*65536 + (mg)))

static inline int eval_mg(EvalScore s) {
    return (int16_t)(uint16_t)(uint32_t)s;
}
static inline int eval_eg(EvalScore s) {
    return (int16_t)(uint16_t)((uint32_t)(s + 0x8000) >> 16);
}

enum {
    EVAL_KNIGHT_MOBILITY = 9,
    EVAL_BISHOP_MOBILITY = 14,
    EVAL_ROOK_MOBILITY = 15,
    EVAL_QUEEN_MOBILITY = 28,
    EVAL_DANGER_MAX = 64,
    EVAL_KING_PAWN_DISTANCES = 8
};

/* Arrays [8] by rank are by relative rank; squares are White's. */
typedef struct {
    EvalScore material[PIECE_TYPE_COUNT];
    EvalScore placement[PIECE_TYPE_COUNT][SQUARE_COUNT];
    EvalScore mobility[PIECE_TYPE_COUNT][EVAL_QUEEN_MOBILITY];
    EvalScore isolated, doubled, backward;
    EvalScore isolated_open, backward_open; /* on top, no enemy pawn before it */
    EvalScore connected[8];                 /* phalanx or defended */
    EvalScore passed[8];
    EvalScore passed_own_king[EVAL_KING_PAWN_DISTANCES]; /* distance to the square before it */
    EvalScore passed_enemy_king[EVAL_KING_PAWN_DISTANCES];
    EvalScore passed_blocked[8];
    EvalScore passed_free[8]; /* no enemy piece attacks the square before it */
    EvalScore bishop_pair, bishop_own_pawns;
    EvalScore knight_outpost, bishop_outpost;
    EvalScore rook_open, rook_half_open;
    EvalScore shelter[8]; /* nearest own pawn of a file at the king; 0: none */
    EvalScore storm[8];   /* enemy pawn likewise, by its rank from the king's side */
    EvalScore king_open_file;
    EvalScore king_danger[EVAL_DANGER_MAX]; /* by attack units */
    EvalScore threat_by_pawn, threat_by_minor[PIECE_TYPE_COUNT], threat_by_rook[PIECE_TYPE_COUNT];
    EvalScore hanging, pawn_push_threat;
    EvalScore drive_edge,
        drive_near; /* a bare king: steps from the centre, steps that kings are near */
    EvalScore tempo;
} EvalWeights;

/* Attack units of the king's danger; not linear, so no part of the table above. */
enum {
    DANGER_KNIGHT = 3,
    DANGER_BISHOP = 3,
    DANGER_ROOK = 4,
    DANGER_QUEEN = 5,
    DANGER_RING_SQUARE = 1,
    DANGER_WEAK_SQUARE = 2,
    DANGER_SAFE_CHECK_MINOR = 5,
    DANGER_SAFE_CHECK_ROOK = 7,
    DANGER_SAFE_CHECK_QUEEN = 6,
    DANGER_NO_QUEEN = 14
};

extern const EvalWeights eval_weights;

#endif
