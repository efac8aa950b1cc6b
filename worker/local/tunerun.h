/* SPDX-License-Identifier: MIT */
/* A tuning (stats/tuning.h) that is played on this machine: the UCI options of each pair, and the
 * display of the tuning's progress. */
#ifndef LOCAL_TUNERUN_H
#define LOCAL_TUNERUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "local/settings.h"
#include "match/engine.h"
#include "results/pair.h"
#include "results/record.h"
#include "stats/tuning.h"

/* All zero before tunerun_init. */
typedef struct {
    Tuning tuning;
    MatchOption *options; /* Of both sides for each iteration in play; allocated values. */
    int64_t *filled;      /* For each place in `options`: the iteration; -1: none. */
    Words limits;         /* Each parameter's least value, then its greatest. */
    int64_t announced;    /* Finished iterations when the last plain line was written. */
} TuneRun;

/* Describes the tuning that the user asked for, as the journal's head has it. *out is all zero. */
void tunerun_describe(const TuneSettings *given, RecordTuning *out);

/* Begins the tuning that the head describes. Call tunerun_free in either case. */
bool tunerun_init(TuneRun *run, const RecordHead *head, Error *err);

/* Gives the options that this side plays this pair with; the pair may begin now. For
 * MatchCallbacks' pair_options. The options are valid until the pair's result is taken. */
int tunerun_options(TuneRun *run, int64_t pair, Side side, const MatchOption **options);

/* Takes the result of a pair. */
bool tunerun_take(TuneRun *run, const PairResult *pair, Error *err);

/* Shows the tuning's progress: a live view on a terminal, elsewhere a line now and then. seconds:
 * the playing time so far. */
void tunerun_show(TuneRun *run, double seconds, Log *log);

void tunerun_free(TuneRun *run);

#endif
