/* SPDX-License-Identifier: MIT */
#include "tune/start.h"

#define S(mg, eg) EVAL_PAIR(mg, eg)

/* The worth of pieces as beginners learn it. Danger must not begin at zero, where its curve is
 * flat. The last three are for mating a bare king. */
const EvalWeights tune_start = {
    .material = {S(80, 100), S(320, 320), S(330, 330), S(480, 540), S(960, 1000), S(0, 0)},
    .danger_attacker = {S(0, 0), S(80, 20), S(80, 20), S(80, 20), S(80, 20), S(0, 0)},
    .danger_ring = {S(20, 5), S(20, 5), S(20, 5), S(20, 5), S(20, 5), S(0, 0)},
    .danger_weak = S(40, 10),
    .danger_safe_check = {[KNIGHT] = {S(150, 40), S(150, 40)},
                          [BISHOP] = {S(100, 30), S(100, 30)},
                          [ROOK] = {S(150, 40), S(150, 40)},
                          [QUEEN] = {S(150, 40), S(150, 40)}},
    .danger_no_queen = S(-300, -80),
    .drive_edge = S(0, 22),
    .drive_near = S(0, 12),
    .drive_corner = S(0, 80),
};

static void hold(bool held[][HALF_COUNT], size_t offset) {
    for (int half = 0; half < HALF_COUNT; half++)
        held[offset / sizeof(EvalScore)][half] = true;
}

void tune_hold(bool held[EVAL_WEIGHT_COUNT][HALF_COUNT]) {
    hold(held, offsetof(EvalWeights, drive_edge));
    hold(held, offsetof(EvalWeights, drive_near));
    hold(held, offsetof(EvalWeights, drive_corner));
}
