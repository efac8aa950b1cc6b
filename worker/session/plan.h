/* SPDX-License-Identifier: MIT */
/* The plan of the match for a workload: time controls, options, rules, openings. Pure: a workload
 * and the facts of this machine in, a plan out. */
#ifndef WORKER_SESSION_PLAN_H
#define WORKER_SESSION_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "match/adjudication.h"
#include "match/match.h"
#include "match/timecontrol.h"
#include "openbench/workload.h"

/* Facts of the machine that the plan depends on. */
typedef struct {
    int64_t dev_nps; /* measured nodes a second */
    int64_t base_nps;
    const char *syzygy_path; /* NULL: no tables */
    int syzygy_max;          /* largest number of men for which all WDL tables are present */
} PlanFacts;

/* Options of one side: `options` point into `names` and `values`. */
typedef struct {
    MatchOption *options;
    int count;
    Words names;
    Words values;
} PlanOptions;

typedef struct {
    char *names[SIDE_COUNT];              /* "Ethereal-dev", allocated */
    TimeControl time_control[SIDE_COUNT]; /* scaled */
    bool timed;                           /* a side has a clock */
    double scale_factor;                  /* factor of the clocks; 1: none */
    PlanOptions options[SIDE_COUNT];
    ResignRule resign;
    DrawRule draw;
    int syzygy_adj_men; /* largest number of men that tables adjudicate; 0: none */
    bool chess960;
    bool no_reverses;      /* each opening is played once (DATAGEN) */
    int64_t first_opening; /* from 0, in the shuffled book; DATAGEN's own book is not shuffled */
    int64_t pairs;
    int concurrency;
    /* SPSA: option i of runner k is spsa[side][k * spsa_count + i]; 0: none. The engine must have
     * these options. */
    size_t spsa_count;
    MatchOption *spsa[SIDE_COUNT];
    Words spsa_values;
    int64_t pairs_per_runner;
} Plan;

/* Makes the plan. False, with the cause in err, when the workload asks for something that cannot be
 * played. *out need not be initialised; the caller calls plan_free in both cases. */
bool plan_make(const Workload *workload, const PlanFacts *facts, Plan *out, Error *err);
void plan_free(Plan *plan);

/* The runner whose SPSA values are used for pair `pair`. */
int64_t plan_runner(const Plan *plan, int64_t pair);

/* Adds a pair's changes of the SPSA parameters to deltas[i], i being the parameter's place in the
 * workload. In the pair dev won `wins` and lost `losses` games: each change is r x c x (wins -
 * losses) x flip of the runner. */
void plan_spsa_add(const Workload *workload, int64_t runner, int64_t wins, int64_t losses,
                   double *deltas);

#endif
