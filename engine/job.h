/* SPDX-License-Identifier: MIT */
/* The one thing at a time that takes long: a search, perft, bench, lmr stats, genfens or datagen. A
 * job runs on a thread of its own and prints its answers there, so that the caller's thread can
 * hear `isready`, `stop`, `ponderhit` and `quit`. All functions are for one thread, the caller's.
 */
#ifndef JOB_H
#define JOB_H

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
    JOB_SEARCH, /* of `game` with `limits` */
    JOB_PERFT,  /* of `game` to `depth` */
    JOB_BENCH,  /* to `depth` */
    JOB_LMR_STATS,
    JOB_GENFENS,
    JOB_DATAGEN
} JobKind;

/* What a job does. */
typedef struct {
    JobKind kind;
    Game game;
    SearchLimits limits;
    int depth;
    bool chess960; /* how moves are written */
    bool show_wdl; /* lines of analysis show the chances of win, draw and loss */
    GenfensRequest genfens;
    DatagenRequest datagen;
    char *words; /* what genfens and datagen point into: the job frees it */
} JobRequest;

typedef struct Job Job;

/* A place for jobs that answer on `output`; `search`, which stays the caller's, serves JOB_SEARCH
 * alone. NULL without memory. job_free ends a job that runs. */
Job *job_new(Output *output, Search *search);
void job_free(Job *job);

/* Waits for the job that runs, if any, and starts this one. Without a thread to be had the job runs
 * before job_start returns, and an endless search goes to depth 1 only. */
void job_start(Job *job, const JobRequest *request);

/* Does a search run that ends on `stop` (or `ponderhit`) only? */
bool job_is_endless(const Job *job);

/* Waits for the end of the job. */
void job_wait(Job *job);

/* Cuts the job short, and waits for its answer. */
void job_stop(Job *job);

/* Lets a job that ends by itself finish, and cuts an endless one short. */
void job_finish(Job *job);

/* The move that a search ponders on was played. */
void job_ponderhit(Job *job);

#endif
