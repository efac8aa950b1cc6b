/* SPDX-License-Identifier: MIT */
/* SPSA (J. C. Spall, "An Overview of the Simultaneous Perturbation Method", 1998) as an OpenBench
 * server computes it: its parameters, the schedule of its steps, the two engines of an iteration,
 * and what their pairs of games say. The formulas are the protocol's, "SPSA on the server". Pure.
 */
#ifndef STATS_SPSA_H
#define STATS_SPSA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* How fast the steps shrink. */
typedef struct {
    double alpha;       /* Exponent of the rate r. */
    double gamma;       /* Exponent of the step c. */
    double a_ratio;     /* Of the iterations: keeps the first rates from being too large. */
    int64_t iterations; /* At least 1. */
    int64_t pairs_per;  /* Pairs of games an iteration, at least 1. */
} SpsaSchedule;

/* A parameter that is tuned: an engine's option. */
typedef struct {
    char *name;    /* Of the option; owned. */
    bool is_float; /* The engine takes the value as it is; else whole numbers only. */
    double start;
    double min, max;
    double c_end; /* The step of the last iteration, in units of the option. */
    double r_end; /* The rate of the last iteration. */
} SpsaParameter;

/* c and r of one parameter in one iteration. */
typedef struct {
    double c; /* dev plays with value + flip x c, base with value - flip x c. */
    double r;
} SpsaStep;

/* Reads "name, int|float, start, min, max, c_end, r_end", the form of OpenBench's SPSA inputs, into
 * *out. The error names the field. spsa_free_parameter it after a success. */
bool spsa_read_parameter(const char *line, SpsaParameter *out, Error *err);
void spsa_free_parameter(SpsaParameter *parameter);

/* Appends the parameter as spsa_read_parameter reads it. */
void spsa_write_parameter(const SpsaParameter *parameter, Text *out);

/* The step after so many games of the tuning; the stage between two iterations counts in part. */
SpsaStep spsa_step(const SpsaSchedule *schedule, const SpsaParameter *parameter, int64_t games);

/* The values of both sides. An integer is rounded down or up at random: `rounding`, from [0, 1), is
 * one number for both sides, so that they stay apart. `flip` is 1 or -1. */
void spsa_perturb(const SpsaParameter *parameter, double value, double c, int flip, double rounding,
                  double *dev, double *base);

/* What games that dev won and lost add to the parameter's value. Draws say nothing. */
double spsa_delta(SpsaStep step, int flip, int64_t wins, int64_t losses);

/* The value with the delta added, kept within the parameter's bounds. */
double spsa_moved(const SpsaParameter *parameter, double value, double delta);

/* How far one parameter has come, beside how far chance alone goes. If the games do not depend on
 * the parameter, each iteration's delta is as likely with the other sign: the sum is then a random
 * walk whose steps have the sizes that were seen. All zero to begin with. */
typedef struct {
    double sum;     /* Of the iterations' deltas. */
    double squares; /* Of the same. */
} SpsaDrift;

void spsa_drift_add(SpsaDrift *drift, double delta);

/* The standard deviation of the random walk, in units of the parameter. */
double spsa_drift_chance(const SpsaDrift *drift);

/* The probability that chance alone takes all these parameters together as far as they have come,
 * or further: chi-squared, with a degree of freedom for each parameter that has moved. 1 when none
 * has. */
double spsa_drift_probability(const SpsaDrift *drifts, size_t count);

/* Is a drift of this probability called progress? Chance has one in a thousand called so. */
bool spsa_drift_is_progress(double probability);

#endif
