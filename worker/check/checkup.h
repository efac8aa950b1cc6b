/* SPDX-License-Identifier: MIT */
/* An engine's checkup: tries the requests that a match runner and a server's worker make of an
 * engine. Each check ends with a verdict and a sentence. An engine that hangs or dies is killed,
 * and the next check starts a new process. Blocking. */
#ifndef CHECK_CHECKUP_H
#define CHECK_CHECKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "match/engine.h"
#include "match/uci.h"

/* The engine to check, and the limits of the checks. */
typedef struct {
    MatchEngine engine;     /* The checkup sets its policy. */
    const Sandbox *sandbox; /* NULL: the engine is not confined. */
    int64_t patience_ms;    /* The time limit of answers without a limit of their own. */
    /* How long a match waits; 0: its defaults. `uciok` and `readyok` have longer where patience_ms
     * is more. */
    MatchDeadlines deadlines;
    int64_t margin_ms; /* The allowed lateness of a move, and of the end. */
    Log *log;
} CheckupSpec;

/* From best to worst. */
typedef enum { CHECK_OK, CHECK_LEFT_OUT, CHECK_WARNS, CHECK_FAILS, CHECK_OUTCOMES } CheckOutcome;

typedef struct {
    const char *name;
    CheckOutcome outcome;
    bool costs_games;  /* A failure of this check loses games in a match. */
    bool server_needs; /* OpenBench cannot use an engine that fails this check. */
    char *text;        /* The verdict's reason, a sentence. Owned. */
} CheckResult;

typedef struct {
    char id[UCI_NAME_MAX]; /* The engine's `id name`; "" when the engine sent none. */
    CheckResult *results;
    size_t count;
} CheckupResult;

/* False with err set when no check can be tried: there is then no result. */
bool checkup_run(const CheckupSpec *spec, CheckupResult *out, Error *err);
void checkup_free(CheckupResult *result);

/* Would the engine lose games in a match? */
bool checkup_loses_games(const CheckupResult *result);

/* Append the checks and the two verdicts: as a table for people, or as one JSON object without a
 * line end. */
void checkup_text(const CheckupResult *result, Text *out);
void checkup_json(const CheckupResult *result, Text *out);

#endif
