/* SPDX-License-Identifier: MIT */
/* The weights as C: the text of eval/weights.c. */
#ifndef TUNE_WRITE_H
#define TUNE_WRITE_H

#include <stdio.h>

#include "eval/weights.h"

void write_weights(const EvalWeights *weights, FILE *out);

#endif
