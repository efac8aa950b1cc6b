/* SPDX-License-Identifier: MIT */
/* A tuning (stats/tuning.h) that is played on this machine: the UCI options of each pair, and how
 * the tuning stands, for people. */
#ifndef LOCAL_TUNERUN_H
#define LOCAL_TUNERUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "local/settings.h"
#include "match/engine.h"
#include "results/pair.h"
#include "results/record.h"
#include "stats/tuning.h"

/* All zero before tunerun_init. */
typedef struct {
    Tuning tuning;
    MatchOption *options; /* Of both sides in each iteration in play. Values are allocated. */
    int64_t *filled;      /* The iteration whose values the options are, for each in play; -1. */
    int64_t announced;    /* Iterations when the last plain line was written. */
    int64_t played;       /* Pairs of this run of the program. */
} TuneRun;

/* What the journal's head says of the tuning that was asked for. *out is all zero. */
void tunerun_describe(const TuneSettings *given, RecordTuning *out);

/* Begins the tuning that the head describes. tunerun_free it in either case. */
bool tunerun_init(TuneRun *run, const RecordHead *head, Error *err);

/* The options with which this side plays this pair, which may begin now: MatchCallbacks'
 * pair_options. They are valid until the pair's result is taken. */
int tunerun_options(TuneRun *run, int64_t pair, Side side, const MatchOption **options);

/* Takes the result of a pair. */
bool tunerun_take(TuneRun *run, const PairResult *pair, Error *err);

/* Shows how the tuning stands: a live view on a terminal, elsewhere a line now and then. seconds:
 * that playing has taken. */
void tunerun_show(TuneRun *run, double seconds, Log *log);

void tunerun_free(TuneRun *run);

#endif
