/* SPDX-License-Identifier: MIT */
/* The network over real weights, on top of the terms as they are. */
#ifndef TUNE_NETMODEL_H
#define TUNE_NETMODEL_H

#include <stdint.h>

#include "eval/network.h"
#include "tune/corpus.h"
#include "tune/train.h"

/* As in Network, where 1 is NETWORK_ONE or NETWORK_WEIGHT_ONE. A gradient has the same form. */
typedef struct {
    double input[NETWORK_INPUTS][NETWORK_HIDDEN];
    double bias[NETWORK_HIDDEN];
    double output[NETWORK_OUTPUTS][COLOR_COUNT][NETWORK_HIDDEN];
    double output_bias[NETWORK_OUTPUTS];
    double share[NETWORK_OUTPUTS];
} NetModel;

/* Small weights by chance, where training begins. */
void netmodel_start(NetModel *model, uint64_t seed);

void netmodel_from(const Network *network, NetModel *model);
/* Rounded to whole numbers. */
void netmodel_to(const NetModel *model, Network *network);

/* White's view, centipawns: what the evaluation answers but for rounding. */
double netmodel_evaluate(const NetModel *model, const CorpusSample *sample);

/* The model as what training improves; it stays within what a Network can hold. */
Learner netmodel_learner(NetModel *model);

#endif
