/* SPDX-License-Identifier: MIT */
/* The games of a prepared workload: its plan as a match, and the match's news. */
#ifndef WORKER_SESSION_PLAY_H
#define WORKER_SESSION_PLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/contention.h"
#include "base/error.h"
#include "match/match.h"
#include "match/syzygy.h"
#include "openbench/workload.h"
#include "session/host.h"
#include "session/plan.h"
#include "session/prepare.h"

/* What to play. The targets of the pointers must outlive the play. */
typedef struct {
    const Host *host;
    const Workload *workload;
    const Prepared *prepared;
    Plan *plan;     /* The plan. Its concurrency is lowered when the memory is too small. */
    Syzygy *tables; /* For adjudication. The first play that needs tables opens them for all. */
    int at_once;    /* Games that may be in play together at first. */
    uint64_t memory_soon; /* Bytes that other games hold, and will soon free. */
} PlaySpec;

/* The news, from the loop; none may be NULL. */
typedef struct {
    /* A pair is finished. The receiver may take the pair's strings. */
    void (*on_pair)(PairResult *pair, void *user);
    /* A game ended by a fault of an engine. `fault` is the server's name of the ending, `logs` the
     * game's PGN, and the transcript of the engine as escaped lines of PGN ("% ..."). At most
     * PLAY_FAULT_REPORTS of a play. Or an engine could not be used, and on_end follows: then
     * `fault` is a sentence, and `logs` the transcript of an engine that could not be started, or
     * "". */
    void (*on_fault)(const char *fault, const char *logs, void *user);
    /* Engines waited for a CPU for long. */
    void (*on_contention)(void *user);
    /* Fewer games are in play than may be. */
    void (*on_fewer)(void *user);
    /* The match is over and freed. `fault`, for this machine's log, is NULL unless the match could
     * not go on. unstarted: this machine could not start a process, of which on_fault is not told.
     */
    void (*on_end)(const Error *fault, bool unstarted, void *user);
} PlayEvents;

enum { PLAY_FAULT_REPORTS = 8 /* The server keeps all reports. */ };

/* A play that has not begun is all zero. Only play.c writes the fields. */
typedef struct {
    PlaySpec spec;
    const PlayEvents *events;
    void *user;
    Match *match;         /* NULL before the start and after the end. */
    uint64_t game_memory; /* Bytes of one game's engines. */
    int64_t games_over;
    int64_t started; /* Start by the monotonic clock; 0: not yet. */
    int faults;      /* Faults told to on_fault. */
    Contention contention;
    Syzygy syzygy; /* The tables, limited to the plan's number of men. */
    const char *argv[SIDE_COUNT][2];
    SandboxPolicy policies[SIDE_COUNT];
} Play;

/* Begins the match; false with err set when the workload cannot be played. `events` must outlive
 * the play. The caller calls play_free in both cases. */
bool play_start(Play *play, const PlaySpec *spec, const PlayEvents *events, void *user, Error *err);

/* The match that play_start begins, except its concurrency, which depends on the machine's memory.
 * Needs the play's spec. The play and the targets of its spec must outlive the result. */
MatchConfig play_configure(Play *play);

/* Games in play. */
int play_in_play(const Play *play);
/* Whether games are still to begin. */
bool play_has_more(const Play *play);

/* Ends the match and makes the play all zero. A match that still runs is freed without on_end. */
void play_free(Play *play);

#endif
