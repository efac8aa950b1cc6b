/* SPDX-License-Identifier: MIT */
/* What was tuned as C: the texts of eval/weights.c and of eval/network_weights.c. */
#ifndef TUNE_WRITE_H
#define TUNE_WRITE_H

#include <stdio.h>

#include "eval/network.h"
#include "eval/weights.h"

/* The line by which a file of either text is known. */
#define WRITE_WEIGHTS_MARK "const EvalWeights eval_weights = {\n"
#define WRITE_NETWORK_MARK "const Network eval_network = {\n"

void write_weights(const EvalWeights *weights, FILE *out);
void write_network(const Network *network, FILE *out);

#endif
