/* SPDX-License-Identifier: MIT */
/* A local match (a match without a server): its engines, journal, score and page. A run is opened
 * once and played at once or in slices. Call in this order: localrun_init, check, build, open, play
 * as often as wanted, finish, report, localrun_close. Blocking. */
#ifndef LOCAL_LOCALRUN_H
#define LOCAL_LOCALRUN_H

#include <stdbool.h>
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
    const char *label; /* The match's name in messages; NULL: the only match. */
    MatchConfig config;
    SandboxPolicy policies[SIDE_COUNT];
    Words argv[SIDE_COUNT];
    SpecCommit commits[SIDE_COUNT];
    PairLog pairs;
    Scorebook score;
    TuneRun tune;           /* Used by a tuning alone. */
    ResultBuilder *builder; /* Collects a result when the match has no journal. */
    Contention contention;  /* Of all slices, without the time between them. */
    MachineTime left;       /* At the end of the last slice; all zero before. */
    int64_t earlier_plies;  /* Plies of the games that a resumed journal had. */
    Match *match;           /* NULL unless games are being played. */
    bool playing;           /* localrun_play is under way. */
    bool repeats_told;      /* The user knows that openings are played again. */
    bool failed;
    Error error; /* The reason, when `failed`. */
    Text setup;
    Text described; /* The settings in the JSON of a report. */
} LocalRun;

/* given: the venue's settings, or a copy with another engine, journal and PGN file. The strings of
 * *given, the label and the venue must outlive the run. */
void localrun_init(LocalRun *run, Venue *venue, const LocalSettings *given, const char *label);

/* Finds mistakes in the engines' SPECs before any engine is built. */
bool localrun_check(LocalRun *run, Error *err);

/* Tells in the log which sources lmr: is built from. False: neither SPEC is lmr:. */
bool localrun_tell_sources(const LocalRun *run);

/* Builds the engines whose SPECs name sources. Tells their sources when the run has no label. */
bool localrun_build(LocalRun *run, Error *err);

/* Begins the journal or takes its pairs over, makes the PGN file whole, and begins the page. Warns
 * of equal engines. The venue is open. */
bool localrun_open(LocalRun *run, Error *err);

/* Makes the run the only one of the venue, which is opened here: all of the steps above. Says so
 * when --resume finds no journal. */
bool localrun_start(LocalRun *run, Venue *venue, Error *err);

/* Plays until the match is over or the user interrupts. pairs > 0: plays at most this many more
 * pairs. False: the match has failed; the pairs played so far are kept. */
bool localrun_play(LocalRun *run, int64_t pairs, Error *err);

/* Is the match decided, or are all its pairs played? */
bool localrun_is_over(const LocalRun *run);

/* Ends the match: judges and writes the pairs that waited for an earlier pair. */
bool localrun_finish(LocalRun *run, Error *err);

/* The match's report so far. Its setup line lives as long as the run. */
Report localrun_report(LocalRun *run);

/* Tells in the log how the games ended, whether the engines had their CPUs, the cost of the match,
 * and how to resume it. */
void localrun_tell(LocalRun *run);

/* The result of all pairs played. *result is all zero before; call result_free in either case. For
 * a run with a journal, with a page, or of a tuning. */
bool localrun_result(const LocalRun *run, Result *result, Error *err);

/* Writes the page, if the user asked for a page. */
bool localrun_write_page(const LocalRun *run, Error *err);

void localrun_close(LocalRun *run);

#endif
