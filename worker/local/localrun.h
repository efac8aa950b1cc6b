/* SPDX-License-Identifier: MIT */
/* A match without a server: its engines, its journal, its score and its page. It is opened once,
 * and played at once or in slices. In this order: localrun_init, check, build, open, play as often
 * as wanted, finish, report, localrun_close. Blocking. */
#ifndef LOCAL_LOCALRUN_H
#define LOCAL_LOCALRUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/contention.h"
#include "base/error.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "local/pairlog.h"
#include "local/scorebook.h"
#include "local/spec.h"
#include "local/tunerun.h"
#include "local/venue.h"
#include "match/match.h"
#include "report/block.h"
#include "report/result.h"

typedef struct {
    Venue *venue;
    LocalSettings given;
    const char *label; /* Its name among several, for messages; NULL: it is the only one. */
    MatchConfig config;
    SandboxPolicy policies[SIDE_COUNT];
    Words argv[SIDE_COUNT];
    SpecCommit commits[SIDE_COUNT];
    PairLog pairs;
    Scorebook score;
    TuneRun tune;           /* Of a tuning. */
    ResultBuilder *builder; /* Of a result without a journal. */
    Contention contention;
    Match *match; /* While games are played. */
    bool playing; /* So is the journal written then. */
    bool failed;
    Error error; /* Why it has failed. */
    Text setup;
    Text described; /* The settings as a report's JSON has them. */
} LocalRun;

/* given: the venue's settings, or these with another engine, journal and PGN file. Their strings,
 * the label and the venue must outlive the run. */
void localrun_init(LocalRun *run, Venue *venue, const LocalSettings *given, const char *label);

/* Finds what can be wrong with the engines' SPECs before any of them is built. */
bool localrun_check(LocalRun *run, Error *err);

/* Builds the engines that are sources. */
bool localrun_build(LocalRun *run, Error *err);

/* Begins the journal, or takes up what it has; makes the PGN file whole, and begins the page.
 * Warns of engines that are equal. The venue is open. */
bool localrun_open(LocalRun *run, Error *err);

/* Plays until the match is over or the user interrupts it; pairs > 0: so many more at most. False:
 * the match has failed; what was played is kept. */
bool localrun_play(LocalRun *run, int64_t pairs, Error *err);

/* Is nothing left to play? */
bool localrun_is_over(const LocalRun *run);

/* No more is played: judges and writes the pairs that waited for one before them. */
bool localrun_finish(LocalRun *run, Error *err);

/* What has come of it so far. Its setup line lives as long as the run. */
Report localrun_report(LocalRun *run);

/* Says in the log how the games ended, whether the engines had their CPUs, what the match cost, and
 * how to go on with it. */
void localrun_tell(LocalRun *run);

/* All that is known of what was played. *result is all zero; result_free it in either case. For a
 * run with a journal, or whose settings ask for a page, or a tuning. */
bool localrun_result(const LocalRun *run, Result *result, Error *err);

/* Writes the page that was asked for, if one was. */
bool localrun_write_page(const LocalRun *run, Error *err);

void localrun_close(LocalRun *run);

#endif
