/* SPDX-License-Identifier: MIT */
/* Adam over mini-batches: the same weights for the same samples, settings and seed, whatever the
 * number of threads. */
#ifndef TUNE_TRAIN_H
#define TUNE_TRAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "tune/corpus.h"
#include "tune/model.h"

enum { TRAIN_THREADS_MAX = 8 };

typedef struct {
    ModelTarget target;
    int epochs;
    int batch;    /* samples */
    double rate;  /* centipawns a step at first; falls to a hundredth of it at the end */
    double decay; /* of the loss, a sample of a weight's distance from its start, squared */
    uint64_t seed;
    int threads;
    bool held[EVAL_WEIGHT_COUNT]; /* weights that are not changed */
    FILE *log;                    /* a line an epoch; NULL: none */
} TrainSettings;

/* One block of lines in this many is held out, so that no game is in both parts but at the seams.
 */
enum { TRAIN_BLOCK = 1000, TRAIN_HELD_OUT = 20 };

/* Mean loss of the training and of the held out samples. */
typedef struct {
    double training, held_out;
} TrainLoss;

TrainLoss train_loss(const Model *model, const Corpus *corpus, ModelTarget target, int threads);

/* Mean absolute evaluation of all samples, centipawns. */
double train_mean_size(const Model *model, const Corpus *corpus);

/* Improves *model, whose first values are those that decay pulls to. */
void train(Model *model, const Corpus *corpus, const TrainSettings *settings);

#endif
