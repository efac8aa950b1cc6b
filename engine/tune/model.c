/* SPDX-License-Identifier: MIT */
#include "tune/model.h"

#include <math.h>

Model model_from(const EvalWeights *weights) {
    const EvalScore *packed = (const EvalScore *)weights;
    Model model;
    for (int i = 0; i < EVAL_WEIGHT_COUNT; i++) {
        model.value[i][HALF_MG] = eval_mg(packed[i]);
        model.value[i][HALF_EG] = eval_eg(packed[i]);
    }
    return model;
}

void model_to(const Model *model, EvalWeights *weights) {
    EvalScore *packed = (EvalScore *)weights;
    for (int i = 0; i < EVAL_WEIGHT_COUNT; i++)
        packed[i] =
            EVAL_PAIR((int)lround(model->value[i][HALF_MG]), (int)lround(model->value[i][HALF_EG]));
}

/* --- one sample, forwards and backwards --- */

/* What the forward way leaves for the way back. */
typedef struct {
    double sum[COUNT_KINDS][HALF_COUNT];
    double mg, eg; /* with the kings' danger */
    double winnable;
    double total;
} Pass;

static const CorpusCount *counts_of(const Corpus *corpus, const CorpusSample *sample,
                                    CorpusCountKind kind) {
    const CorpusCount *counts = corpus->counts + sample->first;
    for (int before = 0; before < (int)kind; before++)
        counts += sample->length[before];
    return counts;
}

static double within(double units) {
    return units < 0 ? 0 : units > (double)EVAL_DANGER_MAX ? (double)EVAL_DANGER_MAX : units;
}

/* How fast a unit changes what `within` answers. */
static double within_slope(double units) {
    return units > 0 && units < (double)EVAL_DANGER_MAX ? 1 : 0;
}

/* The share of the endgame half that counts. */
static double endgame_share(const CorpusSample *sample, double eg) {
    int scale = sample->scale[eg >= 0 ? WHITE : BLACK];
    return (double)(EVAL_PHASE_MAX - sample->phase) / (double)EVAL_PHASE_MAX * scale /
           (double)EVAL_SCALE_FULL;
}

static Pass pass_forward(const Model *model, const Corpus *corpus, const CorpusSample *sample) {
    Pass pass = {0};
    const CorpusCount *count = corpus->counts + sample->first;
    for (int kind = 0; kind < COUNT_KINDS; kind++)
        for (int i = 0; i < sample->length[kind]; i++, count++)
            for (int half = 0; half < HALF_COUNT; half++)
                pass.sum[kind][half] += count->times * model->value[count->weight][half];
    pass.mg = pass.sum[COUNT_LINEAR][HALF_MG];
    pass.eg = pass.sum[COUNT_LINEAR][HALF_EG];
    for (Color c = WHITE; c <= BLACK; c++) {
        const double *units = pass.sum[COUNT_DANGER_WHITE + c];
        double mg = within(units[HALF_MG]);
        double sign = c == WHITE ? -1 : 1;
        pass.mg += sign * mg * mg / (double)EVAL_DANGER_SQUARE;
        pass.eg += sign * within(units[HALF_EG]) / (double)EVAL_DANGER_LINE;
    }
    pass.winnable = fmax(pass.sum[COUNT_WINNABLE][HALF_EG], -fabs(pass.eg));
    double eg = pass.eg == 0 ? 0 : pass.eg + (pass.eg > 0 ? pass.winnable : -pass.winnable);
    pass.total =
        pass.mg * sample->phase / (double)EVAL_PHASE_MAX + eg * endgame_share(sample, pass.eg);
    return pass;
}

static void add_gradient(const CorpusCount *counts, int length, double mg, double eg,
                         Model *gradient) {
    for (int i = 0; i < length; i++) {
        gradient->value[counts[i].weight][HALF_MG] += mg * counts[i].times;
        gradient->value[counts[i].weight][HALF_EG] += eg * counts[i].times;
    }
}

/* `slope`: how the loss changes with a centipawn of the total. */
static void pass_backward(const Pass *pass, const Corpus *corpus, const CorpusSample *sample,
                          double slope, Model *gradient) {
    double mg = slope * sample->phase / (double)EVAL_PHASE_MAX;
    double eg = slope * endgame_share(sample, pass->eg);
    /* An endgame half that is written down to nothing depends on no weight. */
    bool written_off = pass->winnable > pass->sum[COUNT_WINNABLE][HALF_EG];
    double eg_in = written_off ? 0 : eg;
    add_gradient(counts_of(corpus, sample, COUNT_LINEAR), sample->length[COUNT_LINEAR], mg, eg_in,
                 gradient);
    for (Color c = WHITE; c <= BLACK; c++) {
        CorpusCountKind kind = COUNT_DANGER_WHITE + (CorpusCountKind)c;
        const double *units = pass->sum[kind];
        double sign = c == WHITE ? -1 : 1;
        add_gradient(counts_of(corpus, sample, kind), sample->length[kind],
                     sign * mg * 2 * units[HALF_MG] / (double)EVAL_DANGER_SQUARE *
                         within_slope(units[HALF_MG]),
                     sign * eg_in / (double)EVAL_DANGER_LINE * within_slope(units[HALF_EG]),
                     gradient);
    }
    add_gradient(counts_of(corpus, sample, COUNT_WINNABLE), sample->length[COUNT_WINNABLE], 0,
                 pass->eg > 0   ? eg_in
                 : pass->eg < 0 ? -eg_in
                                : 0,
                 gradient);
}

double model_evaluate(const Model *model, const Corpus *corpus, const CorpusSample *sample) {
    return pass_forward(model, corpus, sample).total;
}

double model_loss(const Model *model, const Corpus *corpus, const CorpusSample *sample,
                  Target target, Model *gradient) {
    Pass pass = pass_forward(model, corpus, sample);
    double slope;
    double loss = target_loss(target, sample, pass.total, &slope);
    if (gradient)
        pass_backward(&pass, corpus, sample, slope, gradient);
    return loss;
}

static double loss_of(const double *value, const Corpus *corpus, const CorpusSample *sample,
                      Target target, double *gradient) {
    return model_loss((const Model *)value, corpus, sample, target, (Model *)gradient);
}

enum { MODEL_SIZE = sizeof(Model) / sizeof(double) };

static void bound_weights(double *value) {
    train_bound(value, MODEL_SIZE, (double)EVAL_HALF_MAX);
}

Learner model_learner(Model *model) {
    return (Learner){
        .value = &model->value[0][0], .size = MODEL_SIZE, .loss = loss_of, .bound = bound_weights};
}
