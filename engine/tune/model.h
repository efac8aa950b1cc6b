/* SPDX-License-Identifier: MIT */
/* The terms over real weights: their value, its loss against games, the loss's gradient. */
#ifndef TUNE_MODEL_H
#define TUNE_MODEL_H

#include "eval/weights.h"
#include "tune/corpus.h"
#include "tune/train.h"

/* The two halves of a weight. */
enum { HALF_MG, HALF_EG, HALF_COUNT };

/* Centipawns (or units of danger) by the weight's number; a gradient has the same form. */
typedef struct {
    double value[EVAL_WEIGHT_COUNT][HALF_COUNT];
} Model;

Model model_from(const EvalWeights *weights);
/* Rounded to whole numbers. */
void model_to(const Model *model, EvalWeights *weights);

/* White's view, centipawns: the sum of the terms but for rounding. */
double model_evaluate(const Model *model, const Corpus *corpus, const CorpusSample *sample);

/* target_loss of one sample; its gradient is added to *gradient unless that is NULL. */
double model_loss(const Model *model, const Corpus *corpus, const CorpusSample *sample,
                  Target target, Model *gradient);

/* The model as what training improves; it stays within what EvalWeights can hold. */
Learner model_learner(Model *model);

#endif
