/* SPDX-License-Identifier: MIT */
/* Plays a suite: the match of each variant against the common base, with a journal for each
 * variant, in slices or one variant after the other. Blocking. */
#ifndef LOCAL_SUITERUN_H
#define LOCAL_SUITERUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "local/localrun.h"
#include "local/settings.h"
#include "local/suite.h"
#include "local/venue.h"
#include "report/compare.h"

/* All zero but for the first six fields, which the caller sets. */
typedef struct {
    MatchSuite *suite;
    const char *file; /* The suite's file, for messages. */
    LocalSettings given;
    Log *log;
    int64_t slice; /* In pairs; 0: each variant is played to its end before the next one begins. */
    const char *after; /* A lab's results, whose games are not played again; NULL: none. */
    Venue venue;
    char *folder; /* The folder of the journals. */
    char **journals;
    LocalRun *runs; /* One run for each variant. */
} SuiteRun;

/* Opens the journals (in the folder given.journal, or beside the suite's file), builds all engines
 * and plays the variants' games. False after a failure, which the log tells: at once when a variant
 * cannot be prepared, else after the other variants were played. *table: the suite has results to
 * report. */
bool suiterun_play(SuiteRun *run, bool *table);

/* Fills one row for each variant, in the order of the file. The rows' strings live as long as the
 * run. */
void suiterun_report(SuiteRun *run, CompareRow *rows);

void suiterun_close(SuiteRun *run);

#endif
