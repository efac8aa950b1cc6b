/* SPDX-License-Identifier: MIT */
/* The way of a pair from the match to the score: a finished pair is written to the journal, if the
 * match has a journal, and counts when the journal is on the disk. A thread of the loop's pool
 * waits for the disk, so that no engine's move waits. */
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

/* Events for the owner, called from the loop. */
typedef struct {
    /* The pair counts from now on. Called in the order of finishing. */
    void (*counted)(const PairResult *pair, void *user);
    /* The disk falls behind: no game may begin until crowded is false again. */
    void (*crowded)(bool crowded, void *user);
    /* The journal cannot be written: this pair and all later pairs do not count. Called once. */
    void (*failed)(const Error *err, void *user);
} PairLogEvents;

typedef struct {
    Journal journal;
    const PairLogEvents *events;
    void *user;
    JournalQueue queue;
    /* The pairs that count, earlier runs' included, by rising index. */
    int64_t *played;
    size_t played_count;
    size_t played_capacity;
    bool made;          /* The journal is new. */
    int64_t earlier_ms; /* The playing time of the journal's earlier runs. */
} PairLog;

/* Makes a log without a journal. The log must not move until pairlog_free. */
void pairlog_init(PairLog *log, uv_loop_t *loop, const PairLogEvents *events, void *user);

/* Describes the engines and the Chess960 setting of a match. The caller fills the rest of *head,
 * with allocated strings. */
bool pairlog_describe(const MatchConfig *config, RecordHead *head, Error *err);

/* Appends the options that the engine gets, as "NAME=VALUE". */
void pairlog_describe_options(const MatchEngine *engine, Words *out);

/* Does a file of this name exist? */
bool pairlog_exists(const char *path);

/* Refuses an existing journal unless `resume`. With `resume` a *seed below 0 becomes the journal's
 * seed. */
bool pairlog_find(const char *path, bool resume, int64_t *seed, Error *err);

/* The number of the first opening of an existing journal's match. */
bool pairlog_start_of(const char *path, int64_t *start, Error *err);

/* Makes a new journal. */
bool pairlog_create(PairLog *log, const char *path, const RecordHead *head, Error *err);

/* Opens an existing journal with the same settings, and hands each of its pairs to events->counted.
 */
bool pairlog_resume(PairLog *log, const char *path, const RecordHead *head, Error *err);

/* Describes the present run of a match: time and machine. The caller fills in what the run asks
 * for, and calls record_free_run afterwards. */
void pairlog_describe_run(int concurrency, RecordRun *run);

/* Notes in the journal, if the match has a journal, that this run starts here. */
bool pairlog_start(PairLog *log, const RecordRun *run, Error *err);

/* Takes ownership of a finished pair. */
void pairlog_add(PairLog *log, PairResult *pair);

/* To be called after the loop has ended. Removes a new journal that has no pair: it would only keep
 * the corrected command from beginning. */
void pairlog_free(PairLog *log);

#endif
