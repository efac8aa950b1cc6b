/* SPDX-License-Identifier: MIT */
/* The options that describe a test, the same in every command that has them: rows for its table,
 * and what their values mean. */
#ifndef TESTOPTIONS_H
#define TESTOPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/options.h"
#include "stats/spsa.h"
#include "stats/sprt.h"

/* Rows of a table. at: the offset of a string, of an OptionList, of a RuleOptions. */
#define OPTION_TC(at)                                                                              \
    TEXT_OPTION("tc", "TC", at,                                                                    \
                "seconds + increment: 8+0.08 (the default); moves/seconds + increment: "           \
                "40/10+0.1; nodes, depth or milliseconds a move: N=5000, D=8, MT=100")
#define OPTION_UCI(at)                                                                             \
    LIST_OPTION("option", "NAME=VALUE", at,                                                        \
                "a UCI option for both engines, which must take it; may be repeated (Threads=1 "   \
                "and Hash=16 are set anyway)")

/* By which SPRT a test is judged. NULL: not given. OPTION_MODEL is for commands in which no server
 * chooses the model. */
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

/* The rule, with what is not given as the help says. A fault names its option. */
bool rule_read(const RuleOptions *given, SprtRule *out, Error *err);

/* An int64_t; 0: not given. */
#define OPTION_GAMES(at, games_help) INTEGER_OPTION("games", "N", at, 2, 100000000, games_help)

/* Games are played in pairs. */
bool games_check(int64_t games, Error *err);

/* Reads the file that --params names: a line for each parameter of a tuning. */
bool parameters_read(const char *path, SpsaParameters *out, Error *err);

#endif
