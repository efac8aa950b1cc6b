/* SPDX-License-Identifier: MIT */
/* An engine's checkup: what a match runner and a server's worker will ask of the engine is tried,
 * and each check ends with a verdict and a sentence. An engine that hangs or dies is killed, and
 * the next check begins with a new process. Blocking. */
#ifndef CHECK_CHECKUP_H
#define CHECK_CHECKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "match/engine.h"
#include "match/uci.h"

/* What is checked and how. */
typedef struct {
    MatchEngine engine;     /* Its policy is made by the checkup. */
    const Sandbox *sandbox; /* NULL: the engine is not confined. */
    int64_t patience_ms;    /* For an answer that has no limit of its own. */
    int64_t margin_ms;      /* How late a move may be. */
    Log *log;
} CheckupSpec;

/* Later ones are worse. */
typedef enum { CHECK_OK, CHECK_LEFT_OUT, CHECK_WARNS, CHECK_FAILS, CHECK_OUTCOMES } CheckOutcome;

/* "ok", "left out", "warning", "FAILS". */
const char *check_outcome_word(CheckOutcome outcome);

typedef struct {
    const char *name;
    CheckOutcome outcome;
    bool costs_games;  /* A failure loses games in a match. */
    bool server_needs; /* With this failure OpenBench cannot use the engine. */
    char *text;        /* A sentence. */
} CheckResult;

typedef struct {
    char id[UCI_NAME_MAX]; /* What the engine calls itself; "" where it did not say. */
    CheckResult *results;
    size_t count;
} CheckupResult;

void checkup_run(const CheckupSpec *spec, CheckupResult *out);
void checkup_free(CheckupResult *result);

/* Would the engine lose games in a match? Can OpenBench use the engine? */
bool checkup_loses_games(const CheckupResult *result);
bool checkup_serves(const CheckupResult *result);

/* The table and the two verdicts, for people; one JSON object without a line end. */
void checkup_text(const CheckupResult *result, Text *out);
void checkup_json(const CheckupResult *result, Text *out);

#endif
