/* SPDX-License-Identifier: MIT */
/* Plays a suite: each variant's match against the one base, with a journal of its own, in slices or
 * in turn. Blocking. */
#ifndef LOCAL_SUITERUN_H
#define LOCAL_SUITERUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "local/localrun.h"
#include "local/settings.h"
#include "local/suite.h"
#include "local/venue.h"
#include "report/compare.h"

/* Begins as zero but for the first five. */
typedef struct {
    MatchSuite *suite;
    const char *file; /* The suite's, for messages. */
    LocalSettings given;
    Log *log;
    int64_t slice; /* Pairs; 0: a variant is played to its end before the next. */
    Venue venue;
    char *folder; /* Of the journals. */
    char **journals;
    LocalRun *runs; /* A variant each. */
} SuiteRun;

/* Opens the journals (in the folder given.journal, or beside the suite's file), builds all engines
 * and plays what is to be played. False when something failed, which was told in the log: at once
 * when a variant cannot be prepared, else after the others were played. *table: there is something
 * to report. */
bool suiterun_play(SuiteRun *run, bool *table);

/* What has come of the variants, in the order of the file: a row each. The rows' strings live as
 * long as the run. */
void suiterun_report(SuiteRun *run, CompareRow *rows);

void suiterun_close(SuiteRun *run);

#endif
