/* SPDX-License-Identifier: MIT */
/* From the match to the score: a finished pair goes to the journal, if there is one, and counts
 * when the journal is on the disk. A thread of the loop's pool waits for the disk, so that no
 * engine's move waits. */
#ifndef LOCAL_PAIRLOG_H
#define LOCAL_PAIRLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/error.h"
#include "base/journalqueue.h"
#include "match/match.h"
#include "results/record.h"

/* What the owner learns, from the loop. */
typedef struct {
    /* The pair counts from now on. Called in the order of finishing. */
    void (*counted)(const PairResult *pair, void *user);
    /* More pairs come than the disk takes: no game may begin until crowded is false again. */
    void (*crowded)(bool crowded, void *user);
    /* The journal cannot be written: this pair and those after it do not count. Called once. */
    void (*failed)(const Error *err, void *user);
} PairLogEvents;

typedef struct {
    Journal journal;
    const PairLogEvents *events;
    void *user;
    JournalQueue queue;
    /* The pairs that count, of earlier runs too, by rising index. */
    int64_t *played;
    size_t played_count;
    size_t played_capacity;
    int64_t earlier_ms; /* How long the journal's earlier runs took. */
} PairLog;

/* A log without a journal. It stays where it is until pairlog_free. */
void pairlog_init(PairLog *log, uv_loop_t *loop, const PairLogEvents *events, void *user);

/* The settings of a match as far as its configuration tells them: engines and Chess960. The
 * rest of *head is the caller's to fill, with allocated strings. */
bool pairlog_describe(const MatchConfig *config, RecordHead *head, Error *err);

/* Is there a file of this name? */
bool pairlog_exists(const char *path);

/* Refuses a journal that exists, unless `resume`: then a *seed below 0 becomes the journal's. */
bool pairlog_find(const char *path, bool resume, int64_t *seed, Error *err);

/* Makes a new journal. */
bool pairlog_create(PairLog *log, const char *path, const RecordHead *head, Error *err);

/* Goes on with one, when its settings are those: hands each pair in it to events->counted. */
bool pairlog_resume(PairLog *log, const char *path, const RecordHead *head, Error *err);

/* This run of a match: now, on this machine. record_free_run it. */
void pairlog_describe_run(int concurrency, RecordRun *run);

/* Notes in the journal, if there is one, that the match starts (again) here. */
bool pairlog_start(PairLog *log, int concurrency, Error *err);

/* Takes a finished pair over. */
void pairlog_add(PairLog *log, PairResult *pair);

/* After the loop has ended. */
void pairlog_free(PairLog *log);

#endif
