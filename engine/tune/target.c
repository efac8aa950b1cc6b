/* SPDX-License-Identifier: MIT */
#include "tune/target.h"

#include <math.h>

static double predicted(double k, double centipawns) {
    return 1 / (1 + exp(-k * centipawns));
}

static double cross_entropy(double target, double prediction) {
    double loss = 0;
    if (target > 0)
        loss -= target * log(fmax(prediction, 1e-300));
    if (target < 1)
        loss -= (1 - target) * log(fmax(1 - prediction, 1e-300));
    return loss;
}

double target_loss(Target target, const CorpusSample *sample, double value, double *slope) {
    double wanted =
        target.blend * sample->result + (1 - target.blend) * predicted(target.k, sample->score);
    double prediction = predicted(target.k, value);
    if (slope)
        *slope = target.k * (prediction - wanted);
    return cross_entropy(wanted, prediction) - cross_entropy(wanted, wanted);
}

static double loss_of_k(const Corpus *corpus, double k) {
    double sum = 0;
    for (size_t i = 0; i < corpus->sample_count; i++)
        if (!corpus_holds_out(corpus, i))
            sum += cross_entropy(corpus->samples[i].result, predicted(k, corpus->samples[i].score));
    return sum;
}

bool target_fit_k(const Corpus *corpus, double *k) {
    /* Golden sections: the loss is convex in k. */
    const double ratio = (sqrt(5) - 1) / 2;
    enum { STEPS = 24 };
    const double least = 1e-4;
    const double most = 3e-2;
    double low = least;
    double high = most;
    for (int step = 0; step < STEPS; step++) {
        double a = high - ratio * (high - low);
        double b = low + ratio * (high - low);
        if (loss_of_k(corpus, a) < loss_of_k(corpus, b))
            high = b;
        else
            low = a;
    }
    *k = (low + high) / 2;
    return low > least && high < most;
}
