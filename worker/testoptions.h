/* SPDX-License-Identifier: MIT */
/* The options that describe a test, shared by the commands: rows for their option tables, and the
 * values' meanings. */
#ifndef TESTOPTIONS_H
#define TESTOPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/options.h"
#include "stats/spsa.h"
#include "stats/sprt.h"
#include "stats/tuning.h"

/* Rows of an option table. at: the offset of a string, of an OptionList, or of a RuleOptions. */
#define TC_HELP                                                                                    \
    "seconds + increment: 8+0.08 (the default); moves/seconds + increment: 40/10+0.1; nodes, "     \
    "depth or milliseconds a move: N=5000, D=8, MT=100"
#define OPTION_TC(at) TEXT_OPTION("tc", "TC", at, TC_HELP)
#define OPTION_UCI(at)                                                                             \
    LIST_OPTION("option", "NAME=VALUE", at,                                                        \
                "a UCI option for both engines, which must take it; may be repeated (Threads=1 "   \
                "and Hash=16 are set anyway)")

/* The options of a test's SPRT; NULL: not given. OPTION_MODEL is for commands whose model no server
 * chooses. */
typedef struct {
    const char *bounds;
    const char *confidence;
    const char *model;
} RuleOptions;

#define OPTION_RULE(at, bounds_help)                                                               \
    TEXT_OPTION("bounds", "ELO0,ELO1", (at) + offsetof(RuleOptions, bounds), bounds_help),         \
        TEXT_OPTION("confidence", "ALPHA,BETA", (at) + offsetof(RuleOptions, confidence),          \
                    "its error rates (default 0.05,0.05)")
#define OPTION_MODEL(at)                                                                           \
    CHOICE_OPTION("model", "normalized|logistic|bayes", (at) + offsetof(RuleOptions, model),       \
                  "the Elo that the bounds are in (default normalized)")

/* Makes the rule. Options that are not given have the defaults of the help. An error names the
 * option. */
bool rule_read(const RuleOptions *given, SprtRule *out, Error *err);

/* at: the offset of an int64_t; 0: not given. */
#define OPTION_GAMES(at, games_help) INTEGER_OPTION("games", "N", at, 2, 100000000, games_help)

/* at: the offset of an SpsaSchedule. */
#define OPTION_SCHEDULE(at, iterations_help)                                                       \
    INTEGER_OPTION("iterations", "N", (at) + offsetof(SpsaSchedule, iterations), 1,                \
                   TUNING_ITERATIONS_MAX, iterations_help),                                        \
        INTEGER_OPTION("pairs-per", "N", (at) + offsetof(SpsaSchedule, pairs_per), 1,              \
                       TUNING_PAIRS_PER_MAX, "pairs of games an iteration (default 8)"),           \
        NUMBER_OPTION("alpha", "X", (at) + offsetof(SpsaSchedule, alpha), 0, TUNING_EXPONENT_MAX,  \
                      "how fast the rate falls (default 0.602)"),                                  \
        NUMBER_OPTION("gamma", "X", (at) + offsetof(SpsaSchedule, gamma), 0, TUNING_EXPONENT_MAX,  \
                      "how fast the steps c fall (default 0.101)"),                                \
        NUMBER_OPTION("a-ratio", "X", (at) + offsetof(SpsaSchedule, a_ratio), 0,                   \
                      TUNING_A_RATIO_MAX,                                                          \
                      "A of SPSA, as a share of the iterations: a greater one makes the first "    \
                      "steps smaller (default 0.1)")

/* Refuses an odd count of games, as games are played in pairs. */
bool games_check(int64_t games, Error *err);

/* Reads the file of --params: a line for each parameter of a tuning. */
bool parameters_read(const char *path, SpsaParameters *out, Error *err);

#endif
