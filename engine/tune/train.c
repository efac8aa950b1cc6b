/* SPDX-License-Identifier: MIT */
#include "tune/train.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A batch is cut into this many slices, however many threads there are, and the slices' gradients
 * are added in order: floating point sums then never depend on the threads. */
enum { SLICES = TRAIN_THREADS_MAX };

static bool held_out(size_t sample) {
    return sample / TRAIN_BLOCK % TRAIN_HELD_OUT == TRAIN_HELD_OUT - 1;
}

/* Knuth's MMIX generator; its upper half. */
static uint64_t random_next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 32;
}

/* --- slices in threads --- */

typedef struct {
    const Model *model;
    const Corpus *corpus;
    ModelTarget target;
    const uint32_t *order; /* numbers of samples */
    size_t count;
    Model *gradient; /* NULL: the loss alone */
    double loss;
} Slice;

typedef struct {
    Slice *slices;
    int first, step;
} Work;

static void *work(void *argument) {
    Work *w = argument;
    for (int s = w->first; s < SLICES; s += w->step) {
        Slice *slice = &w->slices[s];
        if (slice->gradient)
            memset(slice->gradient, 0, sizeof *slice->gradient);
        slice->loss = 0;
        for (size_t i = 0; i < slice->count; i++)
            slice->loss +=
                model_loss(slice->model, slice->corpus, &slice->corpus->samples[slice->order[i]],
                           slice->target, slice->gradient);
    }
    return NULL;
}

/* Runs all slices; the calling thread is one of the threads. */
static void run_slices(Slice slices[SLICES], int threads) {
    pthread_t thread[TRAIN_THREADS_MAX];
    bool started[TRAIN_THREADS_MAX] = {false};
    Work works[TRAIN_THREADS_MAX];
    for (int t = 0; t < threads; t++)
        works[t] = (Work){.slices = slices, .first = t, .step = threads};
    for (int t = 1; t < threads; t++)
        started[t] = pthread_create(&thread[t], NULL, work, &works[t]) == 0;
    work(&works[0]);
    for (int t = 1; t < threads; t++) {
        if (started[t])
            pthread_join(thread[t], NULL);
        else
            work(&works[t]);
    }
}

/* Sum of the losses of `count` samples in this order; `gradients` (SLICES of them, or NULL) take
 * the sum of theirs, in gradients[0]. */
static double batch_loss(const Model *model, const Corpus *corpus, ModelTarget target,
                         const uint32_t *order, size_t count, int threads, Model *gradients) {
    Slice slices[SLICES];
    for (size_t s = 0; s < SLICES; s++) {
        size_t first = count * s / SLICES;
        slices[s] = (Slice){.model = model,
                            .corpus = corpus,
                            .target = target,
                            .order = order + first,
                            .count = count * (s + 1) / SLICES - first,
                            .gradient = gradients ? &gradients[s] : NULL};
    }
    run_slices(slices, threads);
    double loss = 0;
    for (int s = 0; s < SLICES; s++) {
        loss += slices[s].loss;
        for (int i = 0; gradients && s > 0 && i < EVAL_WEIGHT_COUNT; i++)
            for (int half = 0; half < HALF_COUNT; half++)
                gradients[0].value[i][half] += gradients[s].value[i][half];
    }
    return loss;
}

/* --- losses --- */

/* The samples of one part, in their order; the caller frees. */
static uint32_t *part_of(const Corpus *corpus, bool out, size_t *count) {
    uint32_t *order = corpus_alloc(NULL, corpus->sample_count + 1, sizeof *order);
    *count = 0;
    for (size_t i = 0; i < corpus->sample_count; i++)
        if (held_out(i) == out)
            order[(*count)++] = (uint32_t)i;
    return order;
}

TrainLoss train_loss(const Model *model, const Corpus *corpus, ModelTarget target, int threads) {
    double mean[2] = {0, 0};
    for (int out = 0; out < 2; out++) {
        size_t count;
        uint32_t *order = part_of(corpus, out, &count);
        if (count > 0)
            mean[out] =
                batch_loss(model, corpus, target, order, count, threads, NULL) / (double)count;
        free(order);
    }
    return (TrainLoss){.training = mean[0], .held_out = mean[1]};
}

double train_mean_size(const Model *model, const Corpus *corpus) {
    double sum = 0;
    for (size_t i = 0; i < corpus->sample_count; i++)
        sum += fabs(model_evaluate(model, corpus, &corpus->samples[i]));
    return corpus->sample_count ? sum / (double)corpus->sample_count : 0;
}

/* --- Adam (Kingma, Ba 2014) --- */

typedef struct {
    Model first, second; /* moments */
    long steps;
} Adam;

static void adam_step(Adam *adam, Model *model, const Model *gradient, double rate) {
    const double beta1 = 0.9;
    const double beta2 = 0.999;
    const double least = 1e-12;
    adam->steps++;
    double correct1 = 1 - pow(beta1, (double)adam->steps);
    double correct2 = 1 - pow(beta2, (double)adam->steps);
    for (int i = 0; i < EVAL_WEIGHT_COUNT; i++)
        for (int half = 0; half < HALF_COUNT; half++) {
            double g = gradient->value[i][half];
            double *m = &adam->first.value[i][half];
            double *v = &adam->second.value[i][half];
            *m = beta1 * *m + (1 - beta1) * g;
            *v = beta2 * *v + (1 - beta2) * g * g;
            model->value[i][half] -= rate * (*m / correct1) / (sqrt(*v / correct2) + least);
        }
}

static void shuffle(uint32_t *order, size_t count, uint64_t *random) {
    for (size_t i = count; i > 1; i--) {
        size_t j = random_next(random) % i;
        uint32_t swapped = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swapped;
    }
}

/* The mean gradient of a batch, with the pull to the start. */
static void batch_gradient(const Model *model, const Model *start, const Corpus *corpus,
                           const TrainSettings *settings, const uint32_t *order, size_t count,
                           Model *gradients) {
    batch_loss(model, corpus, settings->target, order, count, settings->threads, gradients);
    for (int i = 0; i < EVAL_WEIGHT_COUNT; i++)
        for (int half = 0; half < HALF_COUNT; half++) {
            double *g = &gradients[0].value[i][half];
            double pull = 2 * settings->decay * (model->value[i][half] - start->value[i][half]);
            *g = settings->held[i] ? 0 : *g / (double)count + pull;
        }
}

void train(Model *model, const Corpus *corpus, const TrainSettings *settings) {
    size_t count;
    uint32_t *order = part_of(corpus, false, &count);
    Model *gradients = corpus_alloc(NULL, SLICES, sizeof *gradients);
    Adam *adam = corpus_alloc(NULL, 1, sizeof *adam);
    memset(adam, 0, sizeof *adam);
    Model start = *model;
    uint64_t random = settings->seed;
    for (int epoch = 0; epoch < settings->epochs; epoch++) {
        double rate = settings->rate * pow(0.01, (double)epoch / settings->epochs);
        shuffle(order, count, &random);
        for (size_t done = 0; done < count;) {
            size_t size =
                count - done < (size_t)settings->batch ? count - done : (size_t)settings->batch;
            batch_gradient(model, &start, corpus, settings, order + done, size, gradients);
            adam_step(adam, model, &gradients[0], rate);
            done += size;
        }
        if (settings->log) {
            TrainLoss loss = train_loss(model, corpus, settings->target, settings->threads);
            fprintf(settings->log, "epoch %d: loss %.6f, held out %.6f\n", epoch + 1, loss.training,
                    loss.held_out);
            fflush(settings->log);
        }
    }
    free(adam);
    free(gradients);
    free(order);
}
