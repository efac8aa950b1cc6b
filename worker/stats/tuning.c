/* SPDX-License-Identifier: MIT */
#include "stats/tuning.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mersenne.h"

/* ---- Iterations ---- */

static TuningIteration *iteration_at(const Tuning *t, int64_t k) {
    assert(k >= t->done && k < t->done + t->overlap);
    return &t->open[k % t->overlap];
}

/* Perturbs iteration k around the present values. Its random numbers depend on the seed and on k
 * alone, so an interrupted tuning resumes with the same numbers. */
static void begin_iteration(Tuning *t, int64_t k) {
    const uint64_t spread = UINT64_C(0x9E3779B97F4A7C15); /* 2^64 over the golden ratio */
    TuningIteration *iteration = &t->open[k % t->overlap];
    int64_t games = k * 2 * t->schedule.pairs_per;
    Mersenne random;
    mersenne_seed(&random, t->seed + (uint64_t)k * spread);
    iteration->pairs = 0;
    iteration->tally = (Tally){0};
    for (size_t i = 0; i < t->count; i++) {
        SpsaStep step = spsa_step(&t->schedule, &t->parameters[i], games);
        int flip = mersenne_next(&random) % 2 == 0 ? 1 : -1;
        iteration->steps[i] = step;
        iteration->flips[i] = flip;
        spsa_perturb(&t->parameters[i], t->values[i], step.c, flip, mersenne_share(&random),
                     &iteration->values[SIDE_DEV][i], &iteration->values[SIDE_BASE][i]);
    }
}

/* Moves the values by the results of the first open iteration. */
static void end_iteration(Tuning *t) {
    const TuningIteration *iteration = iteration_at(t, t->done);
    for (size_t i = 0; i < t->count; i++) {
        double delta = spsa_delta(iteration->steps[i], iteration->flips[i], iteration->tally.wins,
                                  iteration->tally.losses);
        double before = t->values[i];
        t->values[i] = spsa_moved(&t->parameters[i], before, delta);
        spsa_drift_add(&t->drifts[i], t->values[i] - before);
    }
    size_t first = (size_t)t->done * t->count;
    t->path = mem_grow(t->path, &t->path_capacity, first + t->count, sizeof *t->path);
    memcpy(t->path + first, t->values, t->count * sizeof *t->path);
    t->done++;
    begin_iteration(t, t->done + t->overlap - 1);
}

/* ---- The tuning ---- */

void tuning_init(Tuning *tuning, const SpsaSchedule *schedule, int64_t overlap, uint64_t seed,
                 SpsaParameter *parameters, size_t count) {
    assert(overlap >= 1 && count >= 1);
    *tuning = (Tuning){.schedule = *schedule,
                       .seed = seed,
                       .overlap = overlap,
                       .parameters = parameters,
                       .values = mem_calloc(count, sizeof *tuning->values),
                       .drifts = mem_calloc(count, sizeof *tuning->drifts),
                       .count = count,
                       .open = mem_calloc((size_t)overlap, sizeof *tuning->open)};
    for (size_t i = 0; i < count; i++)
        tuning->values[i] = parameters[i].start;
    for (int64_t k = 0; k < overlap; k++) {
        TuningIteration *iteration = &tuning->open[k];
        iteration->steps = mem_calloc(count, sizeof *iteration->steps);
        iteration->flips = mem_calloc(count, sizeof *iteration->flips);
        for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
            iteration->values[side] = mem_calloc(count, sizeof *iteration->values[side]);
        begin_iteration(tuning, k);
    }
}

void tuning_free(Tuning *tuning) {
    for (int64_t k = 0; k < tuning->overlap; k++) {
        free(tuning->open[k].steps);
        free(tuning->open[k].flips);
        for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
            free(tuning->open[k].values[side]);
    }
    for (size_t i = 0; i < tuning->count; i++)
        spsa_free_parameter(&tuning->parameters[i]);
    free(tuning->parameters);
    free(tuning->values);
    free(tuning->drifts);
    free(tuning->open);
    free(tuning->path);
    *tuning = (Tuning){0};
}

int64_t tuning_pairs(const Tuning *tuning) {
    return tuning->schedule.iterations * tuning->schedule.pairs_per;
}

int64_t tuning_open_pairs(const Tuning *tuning) {
    int64_t open = (tuning->done + tuning->overlap) * tuning->schedule.pairs_per;
    int64_t all = tuning_pairs(tuning);
    return open < all ? open : all;
}

double tuning_value(const Tuning *tuning, int64_t pair, Side side, size_t parameter) {
    return iteration_at(tuning, pair / tuning->schedule.pairs_per)->values[side][parameter];
}

bool tuning_take(Tuning *tuning, int64_t pair, const Tally *result, Error *err) {
    int64_t pairs_per = tuning->schedule.pairs_per;
    if (pair < tuning->done * pairs_per || pair >= tuning_open_pairs(tuning))
        return error_set(err,
                         "pair %" PRId64 " cannot have been played after %" PRId64 " iterations",
                         pair, tuning->done);
    TuningIteration *iteration = iteration_at(tuning, pair / pairs_per);
    if (iteration->pairs == pairs_per)
        return error_set(err, "pair %" PRId64 " is one too many of its iteration", pair);
    iteration->pairs++;
    tally_add(&iteration->tally, result);
    tally_add(&tuning->tally, result);
    while (tuning->done < tuning->schedule.iterations &&
           iteration_at(tuning, tuning->done)->pairs == pairs_per)
        end_iteration(tuning);
    return true;
}
