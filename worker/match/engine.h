/* SPDX-License-Identifier: MIT */
/* What the two engines of a match are: how to start them, what to set, how long to wait for them.
 */
#ifndef MATCH_ENGINE_H
#define MATCH_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sandbox.h"
#include "base/side.h"
#include "match/timecontrol.h"

/* A UCI option; for a button the value is NULL. */
typedef struct {
    const char *name;
    const char *value;
    bool optional; /* An engine without this option is played all the same, with a warning. */
} MatchOption;

/* One of the two engines. */
typedef struct {
    const char *name;        /* In messages: "dev", "base", or what the user calls it. */
    const char *const *argv; /* The program and its arguments, NULL-terminated. */
    const char *dir;         /* Its working folder; NULL: the worker's own. */
    /* Set in this order, but Threads first. An option that the engine does not have, or whose value
     * is out of its range, is warned about once and skipped. With strict_options such an option ends
     * the match, unless the option is optional and the engine does not have it. */
    const MatchOption *options;
    int option_count;
    bool strict_options;
    bool foreign_options; /* Nobody here chose them: paths in their values open nothing to it. */
    TimeControl time_control; /* Already scaled. */
    /* What it may do: engine_confine; NULL: whatever the worker may. */
    const SandboxPolicy *policy;
} MatchEngine;

/* The threads that its options give it. Pure. */
int engine_threads(const MatchEngine *engine);

/* About what one of its processes will occupy, in bytes: its hash table, and what engines have
 * besides. Pure. */
uint64_t engine_memory(const MatchEngine *engine);

/* Makes the policy of an engine whose command and options are set (sandbox NULL: it may do whatever
 * the worker may), and has the engine start under it. The policy must outlive the engine; to be
 * freed. */
void engine_confine(MatchEngine *engine, const Sandbox *sandbox, SandboxPolicy *policy);

/* How long an engine may take, in milliseconds; 0 is the default in brackets. */
typedef struct {
    int64_t uciok;   /* From its start to `uciok` [10 s]. */
    int64_t readyok; /* From `isready` to `readyok` [60 s]. */
    int64_t
        nodes; /* The least time for a fixed number of nodes [60 s]; at least 20 × N / its nps. */
    int64_t depth; /* For a fixed depth [10 min]. */
    int64_t quit;  /* From `quit` to the kill [1 s]. */
} MatchDeadlines;

#endif
