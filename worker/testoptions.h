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
#include "stats/stats.h"

/* A string and a list. */
#define OPTION_TC(Type, field)                                                                     \
    {                                                                                              \
        .name = "tc", .kind = OPTION_STRING, .offset = offsetof(Type, field), .value = "TC",       \
        .help = "seconds + increment: 8+0.08 (the default); moves/seconds + increment: "           \
                "40/10+0.1; nodes, depth or milliseconds a move: N=5000, D=8, MT=100"              \
    }

#define OPTION_UCI(Type, field)                                                                    \
    {                                                                                              \
        .name = "option", .kind = OPTION_LIST, .offset = offsetof(Type, field),                    \
        .value = "NAME=VALUE",                                                                     \
        .help = "a UCI option for both engines, which must take it; may be repeated (Threads=1 "   \
                "and Hash=16 are set anyway)"                                                      \
    }

/* By which SPRT it is judged: embed one and put OPTION_RULE(Type, field, help of --bounds) in the
 * table, and OPTION_MODEL(Type, field) where no server chooses the model. NULL: not given. */
typedef struct {
    const char *bounds;
    const char *confidence;
    const char *model;
} RuleOptions;

#define OPTION_RULE(Type, field, bounds_help)                                                      \
    {.name = "bounds",                                                                             \
     .kind = OPTION_STRING,                                                                        \
     .offset = offsetof(Type, field) + offsetof(RuleOptions, bounds),                              \
     .value = "ELO0,ELO1",                                                                         \
     .help = (bounds_help)},                                                                       \
    {                                                                                              \
        .name = "confidence", .kind = OPTION_STRING,                                               \
        .offset = offsetof(Type, field) + offsetof(RuleOptions, confidence),                       \
        .value = "ALPHA,BETA", .help = "its error rates (default 0.05,0.05)"                       \
    }

#define OPTION_MODEL(Type, field)                                                                  \
    {                                                                                              \
        .name = "model", .kind = OPTION_CHOICE,                                                    \
        .offset = offsetof(Type, field) + offsetof(RuleOptions, model),                            \
        .value = "normalized|logistic|bayes",                                                      \
        .help = "the Elo that the bounds are in (default normalized)"                              \
    }

/* The rule, with what is not given as the help says. A fault names its option. */
bool rule_read(const RuleOptions *given, SprtRule *out, Error *err);

/* An int64_t; 0: not given. */
#define OPTION_GAMES(Type, field, games_help)                                                      \
    {                                                                                              \
        .name = "games", .kind = OPTION_INTEGER, .offset = offsetof(Type, field), .value = "N",    \
        .help = (games_help), .min = 2, .max = 100000000                                           \
    }

/* Games are played in pairs. */
bool games_check(int64_t games, Error *err);

#endif
