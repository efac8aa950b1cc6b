/* SPDX-License-Identifier: MIT */
/* Adam over mini-batches: the same weights for the same samples, settings and seed, whatever the
 * number of threads. */
#ifndef TUNE_TRAIN_H
#define TUNE_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tune/corpus.h"
#include "tune/target.h"

enum { TRAIN_THREADS_MAX = 8 };

/* What is trained: `size` numbers, which the caller owns, and what a sample says of them. */
typedef struct {
    double *value;
    size_t size;
    /* The sample's loss with these numbers; its gradient is added to *gradient unless NULL. */
    double (*loss)(const double *value, const Corpus *corpus, const CorpusSample *sample,
                   Target target, double *gradient);
    void (*bound)(double *value); /* brings numbers back to what is allowed; NULL: all is */
} Learner;

typedef struct {
    Target target;
    int epochs;
    int batch;        /* samples */
    double rate;      /* of a step at first; falls to a hundredth of it at the end */
    double decay;     /* times the squared distance of each number from its start: added to the
                         loss of a sample */
    const bool *held; /* numbers that are not changed, one a number; NULL: none */
    uint64_t seed;
    int threads;
    FILE *log; /* a line an epoch; NULL: none */
} TrainSettings;

/* Mean loss of the training and of the held out samples. */
typedef struct {
    double training, held_out;
} TrainLoss;

TrainLoss train_loss(const Learner *learner, const Corpus *corpus, Target target, int threads);

/* Improves the learner's numbers; decay pulls to those that they are at first. */
void train(const Learner *learner, const Corpus *corpus, const TrainSettings *settings);

/* Brings numbers back to -most..most. */
void train_bound(double *value, size_t count, double most);

/* The next of a series of random numbers, below 2^32. */
uint64_t train_random(uint64_t *state);

#endif
