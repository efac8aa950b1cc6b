/* SPDX-License-Identifier: MIT */
/* Openings made by an engine: `<binary> "genfens N seed S book <None|path> <args>" quit` prints N
 * lines `info string genfens <FEN>`. One process a seed, as many at a time as are allowed. */
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
    const char *network; /* which it may read: path, or NULL */
    const char *book;    /* path of the book that the engine starts from; NULL: none */
    const char *args;    /* the test's own words, or "" */
    const int64_t *seeds;
    size_t seed_count;
    int64_t openings;       /* in all: each seed makes its share, rounded up */
    int at_once;            /* processes */
    int silence_ms;         /* more without a line is a fault; 0: GENFENS_SILENCE_MS */
    const Sandbox *sandbox; /* NULL: it is not confined */
} GenfensSpec;

typedef struct Genfens Genfens;

/* Called once, from the loop; the Genfens is gone after it. `fens`: `openings` lines, seed after
 * seed, so that they do not depend on who was faster; NULL with err set on a fault. */
typedef void (*GenfensDone)(const Text *fens, const Error *err, void *user);

Genfens *genfens_start(uv_loop_t *loop, const GenfensSpec *spec, GenfensDone done, void *user);

/* Kills its processes; no `done`. NULL is allowed. */
void genfens_cancel(Genfens *genfens);

#endif
