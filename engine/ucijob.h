/* SPDX-License-Identifier: MIT */
/* The one thing at a time that takes long: a search, perft, bench, lmr stats, genfens or datagen. A
 * job runs on a thread of its own and prints its answers there, so that the caller's thread can
 * hear `isready`, `stop`, `ponderhit` and `quit`. All functions are for one thread, the caller's.
 */
#ifndef UCIJOB_H
#define UCIJOB_H

#include <stdbool.h>
#include <stdint.h>

#include "chess/position.h"
#include "datagen.h"
#include "genfens.h"
#include "output.h"
#include "search/search.h"

/* More positions than the fifty-move rule lets a repetition look back. */
enum { GAME_KEYS_MAX = 1024 };

/* A position with the keys of the positions before it, oldest first. */
typedef struct {
    Position position;
    uint64_t keys[GAME_KEYS_MAX];
    int key_count;
} Game;

typedef enum {
    UCIJOB_SEARCH, /* of `game` with `limits` */
    UCIJOB_PERFT,  /* of `game` to `depth` */
    UCIJOB_BENCH,  /* to `depth` */
    UCIJOB_LMR_STATS,
    UCIJOB_GENFENS,
    UCIJOB_DATAGEN
} UciJobKind;

/* What a job does. */
typedef struct {
    UciJobKind kind;
    Game game;
    SearchLimits limits;
    int depth;
    bool json;     /* lmr stats prints an object for programs */
    bool show_wdl; /* lines of analysis show the chances of win, draw and loss */
    GenfensRequest genfens;
    DatagenRequest datagen;
    char *words; /* what genfens and datagen point into: the job frees it */
} UciJobRequest;

typedef struct UciJob UciJob;

/* A place for jobs that answer on `output`; `search`, which stays the caller's, serves
 * UCIJOB_SEARCH alone. NULL without memory. ucijob_free ends a job that runs. */
UciJob *ucijob_new(Output *output, Search *search);
void ucijob_free(UciJob *job);

/* Waits for the job that runs, if any, and starts this one. Without a thread to be had the job runs
 * before ucijob_start returns, and an endless search goes to depth 1 only. */
void ucijob_start(UciJob *job, const UciJobRequest *request);

/* Does a job run? One that has given its answer does not. */
bool ucijob_is_running(const UciJob *job);

/* Does `lmr stats` run, which changes a row? */
bool ucijob_is_measuring(const UciJob *job);

/* Does a search run that ends on `stop` (or `ponderhit`) only? */
bool ucijob_is_endless(const UciJob *job);

/* Does a search run that ends by a clock or by `movetime` alone, not by a depth or by nodes? */
bool ucijob_is_timed(const UciJob *job);

/* Waits for the end of the job. */
void ucijob_wait(UciJob *job);

/* Cuts the job short, and waits for its answer. */
void ucijob_stop(UciJob *job);

/* Lets a job that ends by itself finish, and cuts an endless one short. */
void ucijob_finish(UciJob *job);

/* The move that a search ponders on was played. */
void ucijob_ponderhit(UciJob *job);

#endif
