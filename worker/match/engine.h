/* SPDX-License-Identifier: MIT */
/* The two engines of a match: how to start them, which options to set, how long to wait for them.
 */
#ifndef MATCH_ENGINE_H
#define MATCH_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/sandbox.h"
#include "match/timecontrol.h"

/* A UCI option; for a button the value may be NULL. */
typedef struct {
    const char *name;
    const char *value;
    bool optional; /* An engine without this option is played all the same, with a warning. */
    /* The least and the greatest value that later games may give it, or NULL. An engine has to take
     * these too: better a match that does not begin than one that breaks off after days. */
    const char *least, *most;
} MatchOption;

/* What an engine's program was when its match began. sha256 "": it was not noted, and any program
 * is taken. */
typedef struct {
    FileMark mark; /* While this stays, the content is not read again. */
    char sha256[DIGEST_HEX_MAX];
} EngineProgram;

/* One of the two engines. */
typedef struct {
    const char *name; /* The name in messages: "dev", "base", or the user's name for the engine. */
    const char *const *argv; /* The program and its arguments, NULL-terminated. */
    const char *dir;         /* Its working folder; NULL: the worker's own. */
    EngineProgram program;
    /* The options are set in this order, but Threads first. An option that the engine lacks, or
     * whose value is out of range, is skipped with one warning. With strict_options such an option
     * ends the match, unless the engine lacks the option and the option is optional. */
    const MatchOption *options;
    int option_count;
    bool strict_options;
    /* The user chose neither the options nor `dir`: their paths open nothing in the sandbox. */
    bool foreign_options;
    TimeControl time_control; /* Already scaled to the machine's speed. */
    int64_t margin_ms;        /* A move that leaves less than −margin on the clock is late. */
    /* The sandbox's policy, made by engine_confine; NULL: the engine may do whatever the worker
     * may. */
    const SandboxPolicy *policy;
} MatchEngine;

/* Notes what argv[0] is. Blocking. */
bool engine_note_program(MatchEngine *engine, Error *err);

/* Is argv[0] what was noted? Also true when it cannot be read: its start says why. Blocking. */
bool engine_is_noted_program(const MatchEngine *engine);

/* The threads that the engine's options set; 1 by default. Pure. */
int engine_threads(const MatchEngine *engine);

/* The hash table that the engine's options set, in MB; 16 by default. Pure. */
int64_t engine_hash_mb(const MatchEngine *engine);

/* The approximate memory of one process of the engine, in bytes: its hash table, and an allowance
 * for network, tables and stacks. Pure. */
uint64_t engine_memory(const MatchEngine *engine);

/* Makes the policy of an engine whose command and options are set, and has the engine start under
 * the policy. sandbox NULL: the engine may do whatever the worker may. The policy must outlive the
 * engine; the caller frees the policy. */
void engine_confine(MatchEngine *engine, const Sandbox *sandbox, SandboxPolicy *policy);

/* How long an engine may take, in milliseconds; 0 is the default in brackets. */
typedef struct {
    int64_t uciok;   /* From the start to `uciok` [10 s]. */
    int64_t readyok; /* From `isready` to `readyok` [60 s]. */
    /* The least time for a fixed number of nodes [60 s]. An engine gets at least 20 × N / its nps.
     */
    int64_t nodes;
    int64_t depth; /* For a fixed depth [10 min]. */
    int64_t quit;  /* From `quit` to the kill [1 s]. */
} MatchDeadlines;

#endif
