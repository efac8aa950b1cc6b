/* SPDX-License-Identifier: MIT */
/* Where tuning begins, and where weights stay that no position counts. */
#ifndef TUNE_START_H
#define TUNE_START_H

#include <stdbool.h>

#include "eval/weights.h"
#include "tune/model.h"

extern const EvalWeights tune_start;

/* Sets both halves of held[weight] for the weights that stay where they begin: those of positions
 * that are decided before a game shows them. The rest is left alone. */
void tune_hold(bool held[EVAL_WEIGHT_COUNT][HALF_COUNT]);

#endif
