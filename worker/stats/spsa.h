/* SPDX-License-Identifier: MIT */
/* SPSA (J. C. Spall, "An Overview of the Simultaneous Perturbation Method", 1998) as an OpenBench
 * server computes it: the parameters, the schedule of the steps, the values of both engines in an
 * iteration, and the change that their games make. The formulas are those of the protocol's section
 * "SPSA on the server". Pure. */
#ifndef STATS_SPSA_H
#define STATS_SPSA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* The schedule by which the steps shrink. */
typedef struct {
    double alpha;       /* Exponent of the rate r. */
    double gamma;       /* Exponent of the step c. */
    double a_ratio;     /* A as a share of the iterations: keeps the first rates small. */
    int64_t iterations; /* At least 1. */
    int64_t pairs_per;  /* Pairs of games an iteration, at least 1. */
} SpsaSchedule;

/* A tuned parameter, which is an option of the engine. */
typedef struct {
    char *name;    /* The option's name; owned. */
    bool is_float; /* The engine takes fractions; false: whole numbers only. */
    double start;
    double min, max;
    double c_end; /* The step of the last iteration, in units of the option. */
    double r_end; /* The rate of the last iteration. */
} SpsaParameter;

enum { SPSA_PARAMETERS_MAX = 1000 };

/* The parameters of a tuning. All zero is empty. */
typedef struct {
    SpsaParameter *items;
    size_t count, capacity;
} SpsaParameters;

/* c and r of one parameter in one iteration. */
typedef struct {
    double c; /* dev plays with value + flip x c, base with value - flip x c. */
    double r;
} SpsaStep;

/* Reads "name, int|float, start, min, max, c_end, r_end", the form of OpenBench's SPSA inputs, into
 * *out. The error names the field. The caller frees a parameter that was read with
 * spsa_free_parameter. */
bool spsa_read_parameter(const char *line, SpsaParameter *out, Error *err);
void spsa_free_parameter(SpsaParameter *parameter);

/* Reads a line as spsa_read_parameter does, and appends the parameter to the list. A name already
 * in the list is an error. */
bool spsa_add_parameter(SpsaParameters *parameters, const char *line, Error *err);

/* Reads each line of a text as spsa_add_parameter does. */
bool spsa_add_parameters(SpsaParameters *parameters, const char *lines, Error *err);
void spsa_free_parameters(SpsaParameters *parameters);

/* Appends the parameter in the form that spsa_read_parameter reads. */
void spsa_write_parameter(const SpsaParameter *parameter, Text *out);

/* The step after this number of games of the tuning. Games of an unfinished iteration count as a
 * fraction of an iteration. */
SpsaStep spsa_step(const SpsaSchedule *schedule, const SpsaParameter *parameter, int64_t games);

/* The values of both sides. An integer is rounded down or up at random: `rounding`, from [0, 1), is
 * the same for both sides, so that their values stay apart. `flip` is 1 or -1. */
void spsa_perturb(const SpsaParameter *parameter, double value, double c, int flip, double rounding,
                  double *dev, double *base);

/* The change of the parameter's value by the games that dev won and lost. Draws change nothing. */
double spsa_delta(SpsaStep step, int flip, int64_t wins, int64_t losses);

/* The value with the delta added, kept within the parameter's bounds. */
double spsa_moved(const SpsaParameter *parameter, double value, double delta);

/* How far a parameter has moved, beside how far chance alone moves a parameter. If the games do not
 * depend on the parameter, each iteration's delta is as likely with the other sign, and the sum is
 * a random walk whose steps have the sizes seen. A bound reflects the walk: small steps then end at
 * distances from the start that are no larger than those of a free walk (the reflection principle),
 * and a walk that starts at its bound ends at the same distances. All zero at the beginning. */
typedef struct {
    double sum;     /* The sum of the iterations' moves: the deltas, less what bounds take away. */
    double squares; /* The sum of their squares. */
} SpsaDrift;

void spsa_drift_add(SpsaDrift *drift, double move);

/* The standard deviation of the random walk, in units of the parameter. */
double spsa_drift_chance(const SpsaDrift *drift);

/* The probability that chance alone moves all these parameters together as far as they have moved,
 * or further: chi-squared, with a degree of freedom for each parameter that has moved. 1 when no
 * parameter has. */
double spsa_drift_probability(const SpsaDrift *drifts, size_t count);

/* Whether a drift of this probability is called progress. Chance alone produces such a drift once
 * in a thousand tunings. */
bool spsa_drift_is_progress(double probability);

#endif
