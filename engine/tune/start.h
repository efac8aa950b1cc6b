/* SPDX-License-Identifier: MIT */
/* Where tuning begins, and where weights stay that no position counts. */
#ifndef TUNE_START_H
#define TUNE_START_H

#include <stdbool.h>

#include "eval/weights.h"

extern const EvalWeights tune_start;

/* Sets held[weight] for the weights that stay where they begin: those of positions that are decided
 * before a game shows them. The rest of held, EVAL_WEIGHT_COUNT long, is left alone. */
void tune_hold(bool *held);

#endif
