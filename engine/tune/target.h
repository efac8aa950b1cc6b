/* SPDX-License-Identifier: MIT */
/* What evaluations should predict, and how far off they are. */
#ifndef TUNE_TARGET_H
#define TUNE_TARGET_H

#include "tune/corpus.h"

/* What a sample's evaluation should predict: `blend` parts of the game's result, the rest of what
 * the search's score predicts. An evaluation of v centipawns predicts 1 / (1 + exp(-k v)). */
typedef struct {
    double k;
    double blend;
} Target;

/* Cross entropy of one sample that is evaluated at `value` centipawns, White's view, less the least
 * that the target allows, so that a perfect prediction has loss 0. Unless NULL, *slope is set to
 * the loss's derivative by the value. */
double target_loss(Target target, const CorpusSample *sample, double value, double *slope);

/* Sets *k to the one with which the searches' scores predict the results of the training samples
 * best. False when that is at an edge of the range from 0.0001 to 0.03: the scores predict nothing,
 * or are in another unit. */
bool target_fit_k(const Corpus *corpus, double *k);

#endif
