/* SPDX-License-Identifier: MIT */
/* Where a tuning by SPSA has moved its parameters. */
#ifndef RESULTS_TUNED_H
#define RESULTS_TUNED_H

#include <stddef.h>
#include <stdint.h>

#include "stats/spsa.h"

/* A parameter, its numbers in the order of a server's digest: the value now and at the start, its
 * bounds, the step c now and of the last iteration, the rate r now and of the last iteration. */
enum { TUNED_NUMBERS = 8 };
typedef struct {
    char *name; /* Owned by the list. */
    double numbers[TUNED_NUMBERS];
} TunedParameter;

/* All zero is empty. */
typedef struct {
    TunedParameter *items;
    size_t count, capacity;
} TunedParameters;

/* Appends a copy of the parameter. */
void tuned_add(TunedParameters *parameters, const TunedParameter *parameter);

/* Appends a parameter that has this value after so many games of the tuning. Its steps are those of
 * the iteration under way, or of the last one. */
void tuned_add_spsa(TunedParameters *parameters, const SpsaSchedule *schedule,
                    const SpsaParameter *parameter, double value, int64_t games);
void tuned_free(TunedParameters *parameters);

#endif
