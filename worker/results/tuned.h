/* SPDX-License-Identifier: MIT */
/* Where a tuning by SPSA has moved its parameters. */
#ifndef RESULTS_TUNED_H
#define RESULTS_TUNED_H

#include <stddef.h>

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
void tuned_free(TunedParameters *parameters);

#endif
