/* SPDX-License-Identifier: MIT */
/* The evaluation over real weights: its value, its loss against games, the loss's gradient. */
#ifndef TUNE_MODEL_H
#define TUNE_MODEL_H

#include <stddef.h>

#include "eval/weights.h"
#include "tune/corpus.h"

/* The two halves of a weight. */
enum { HALF_MG, HALF_EG, HALF_COUNT };

/* Centipawns (or units of danger) by the weight's number; a gradient has the same form. */
typedef struct {
    double value[EVAL_WEIGHT_COUNT][HALF_COUNT];
} Model;

Model model_from(const EvalWeights *weights);
/* Rounded to whole numbers. */
void model_to(const Model *model, EvalWeights *weights);

/* White's view, centipawns: what the evaluation answers but for rounding. */
double model_evaluate(const Model *model, const Corpus *corpus, const CorpusSample *sample);

/* What a sample's evaluation should predict: `blend` parts of the game's result, the rest of what
 * the search's score predicts. An evaluation of v centipawns predicts 1 / (1 + exp(-k v)). */
typedef struct {
    double k;
    double blend;
} ModelTarget;

/* Cross entropy of one sample, less the least that its target allows, so that a perfect prediction
 * has loss 0; its gradient is added to *gradient unless that is NULL. */
double model_loss(const Model *model, const Corpus *corpus, const CorpusSample *sample,
                  ModelTarget target, Model *gradient);

/* The k with which the searches' scores predict the results best. */
double model_fit_k(const Corpus *corpus);

#endif
