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

void train_bound(double *value, size_t count, double most) {
    for (size_t i = 0; i < count; i++)
        value[i] = value[i] < -most ? -most : value[i] > most ? most : value[i];
}

/* Knuth's MMIX generator; its upper half. */
uint64_t train_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 32;
}

/* --- slices in threads --- */

typedef struct {
    const Learner *learner;
    const Corpus *corpus;
    Target target;
    const uint32_t *order; /* numbers of samples */
    size_t count;
    double *gradient; /* NULL: the loss alone */
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
            memset(slice->gradient, 0, slice->learner->size * sizeof(double));
        slice->loss = 0;
        for (size_t i = 0; i < slice->count; i++)
            slice->loss += slice->learner->loss(slice->learner->value, slice->corpus,
                                                &slice->corpus->samples[slice->order[i]],
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
 * the sum of theirs, in the first one. */
static double batch_loss(const Learner *learner, const Corpus *corpus, Target target,
                         const uint32_t *order, size_t count, int threads, double *gradients) {
    Slice slices[SLICES];
    for (size_t s = 0; s < SLICES; s++) {
        size_t first = count * s / SLICES;
        slices[s] = (Slice){.learner = learner,
                            .corpus = corpus,
                            .target = target,
                            .order = order + first,
                            .count = count * (s + 1) / SLICES - first,
                            .gradient = gradients ? gradients + s * learner->size : NULL};
    }
    run_slices(slices, threads);
    double loss = 0;
    for (int s = 0; s < SLICES; s++) {
        loss += slices[s].loss;
        for (size_t i = 0; gradients && s > 0 && i < learner->size; i++)
            gradients[i] += slices[s].gradient[i];
    }
    return loss;
}

/* --- losses --- */

/* The samples of one part, in their order; the caller frees. */
static uint32_t *part_of(const Corpus *corpus, bool out, size_t *count) {
    uint32_t *order = corpus_alloc(NULL, corpus->sample_count + 1, sizeof *order);
    *count = 0;
    for (size_t i = 0; i < corpus->sample_count; i++)
        if (corpus_holds_out(corpus, i) == out)
            order[(*count)++] = (uint32_t)i;
    return order;
}

TrainLoss train_loss(const Learner *learner, const Corpus *corpus, Target target, int threads) {
    double mean[2] = {0, 0};
    for (int out = 0; out < 2; out++) {
        size_t count;
        uint32_t *order = part_of(corpus, out, &count);
        if (count > 0)
            mean[out] =
                batch_loss(learner, corpus, target, order, count, threads, NULL) / (double)count;
        free(order);
    }
    return (TrainLoss){.training = mean[0], .held_out = mean[1]};
}

/* --- Adam (Kingma, Ba 2014) --- */

typedef struct {
    double *start;          /* the numbers at first */
    double *first, *second; /* moments */
    double *gradients;      /* SLICES of them */
    long steps;
} Adam;

static double *numbers(size_t count) {
    double *zeros = corpus_alloc(NULL, count, sizeof *zeros);
    memset(zeros, 0, count * sizeof *zeros);
    return zeros;
}

static void adam_open(Adam *adam, const Learner *learner) {
    size_t size = learner->size;
    *adam = (Adam){.start = numbers(size),
                   .first = numbers(size),
                   .second = numbers(size),
                   .gradients = numbers(SLICES * size)};
    memcpy(adam->start, learner->value, size * sizeof *adam->start);
}

static void adam_close(Adam *adam) {
    free(adam->start);
    free(adam->first);
    free(adam->second);
    free(adam->gradients);
}

/* The mean gradient of a batch of `count`, with the pull to the start; in the first gradient. */
static void mean_gradient(Adam *adam, const Learner *learner, const TrainSettings *settings,
                          size_t count) {
    for (size_t i = 0; i < learner->size; i++) {
        double pull = 2 * settings->decay * (learner->value[i] - adam->start[i]);
        bool held = settings->held && settings->held[i];
        adam->gradients[i] = held ? 0 : adam->gradients[i] / (double)count + pull;
    }
}

static void adam_step(Adam *adam, const Learner *learner, double rate) {
    const double beta1 = 0.9;
    const double beta2 = 0.999;
    const double least = 1e-12;
    adam->steps++;
    double correct1 = 1 - pow(beta1, (double)adam->steps);
    double correct2 = 1 - pow(beta2, (double)adam->steps);
    for (size_t i = 0; i < learner->size; i++) {
        double g = adam->gradients[i];
        double *m = &adam->first[i];
        double *v = &adam->second[i];
        *m = beta1 * *m + (1 - beta1) * g;
        *v = beta2 * *v + (1 - beta2) * g * g;
        learner->value[i] -= rate * (*m / correct1) / (sqrt(*v / correct2) + least);
    }
    if (learner->bound)
        learner->bound(learner->value);
}

static void shuffle(uint32_t *order, size_t count, uint64_t *random) {
    for (size_t i = count; i > 1; i--) {
        size_t j = train_random(random) % i;
        uint32_t swapped = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swapped;
    }
}

void train(const Learner *learner, const Corpus *corpus, const TrainSettings *settings) {
    size_t count;
    uint32_t *order = part_of(corpus, false, &count);
    Adam adam;
    adam_open(&adam, learner);
    uint64_t random = settings->seed;
    for (int epoch = 0; epoch < settings->epochs; epoch++) {
        shuffle(order, count, &random);
        for (size_t done = 0; done < count;) {
            size_t size =
                count - done < (size_t)settings->batch ? count - done : (size_t)settings->batch;
            double passed = (epoch + (double)done / (double)count) / settings->epochs;
            batch_loss(learner, corpus, settings->target, order + done, size, settings->threads,
                       adam.gradients);
            mean_gradient(&adam, learner, settings, size);
            adam_step(&adam, learner, settings->rate * pow(0.01, passed));
            done += size;
        }
        if (settings->log) {
            TrainLoss loss = train_loss(learner, corpus, settings->target, settings->threads);
            fprintf(settings->log, "epoch %d: loss %.6f, held out %.6f\n", epoch + 1, loss.training,
                    loss.held_out);
            fflush(settings->log);
        }
    }
    adam_close(&adam);
    free(order);
}
