/* SPDX-License-Identifier: MIT */
/* Openings made by an engine: `<binary> "genfens N seed S book <None|path> <args>" quit` prints N
 * lines `info string genfens <FEN>`. Each seed has its own process, and at most at_once processes
 * run at a time. */
#ifndef WORKER_BUILD_GENFENS_H
#define WORKER_BUILD_GENFENS_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/error.h"
#include "base/sandbox.h"
#include "base/text.h"

enum { GENFENS_SILENCE_MS = 15000 };

/* All pointers must outlive the run. */
typedef struct {
    const char *binary;  /* absolute path */
    const char *dir;     /* working folder */
    const char *network; /* path of a network for the engine, or NULL */
    const char *book;    /* path of the engine's book to start from; NULL: none */
    const char *args;    /* words of the test, or "" */
    const int64_t *seeds;
    size_t seed_count;
    int64_t openings;       /* in all: each seed makes an equal share, rounded up */
    int at_once;            /* most processes at a time */
    int silence_ms;         /* longest wait for a line of any process, without pauses of this
                               process (base/timelimit.h); 0: GENFENS_SILENCE_MS */
    const Sandbox *sandbox; /* NULL: the engine is not confined */
} GenfensSpec;

typedef struct Genfens Genfens;

/* Called once, from the loop; the Genfens is freed after it. `fens` has `openings` lines in the
 * order of the seeds, which does not depend on the speed of the processes; NULL with err set on a
 * fault. unstarted: a process could not be made, which is this machine's fault. */
typedef void (*GenfensDone)(const Text *fens, const Error *err, bool unstarted, void *user);

Genfens *genfens_start(uv_loop_t *loop, const GenfensSpec *spec, GenfensDone done, void *user);

/* Kills the processes and frees the Genfens without calling `done`. NULL is allowed. */
void genfens_cancel(Genfens *genfens);

#endif
