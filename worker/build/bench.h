/* SPDX-License-Identifier: MIT */
/* Benches: the node count that proves a binary to be the one meant, and its speed under load. */
#ifndef WORKER_BUILD_BENCH_H
#define WORKER_BUILD_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/error.h"
#include "base/sandbox.h"

enum { BENCH_TIMEOUT_MS = 60000 };

/* Finds nodes and speed in what `<binary> bench` printed, from the last line up, as the protocol
 * says. Writes what it finds; false when either is missing. Pure. */
bool bench_parse(const char *output, int64_t *nodes, int64_t *nps);

typedef enum {
    BENCH_OK,
    BENCH_WRONG,            /* All copies agree, but not with what was expected. */
    BENCH_NONDETERMINISTIC, /* The copies do not agree. */
    BENCH_FAILED,           /* A copy cannot be run, ends badly, or prints no count. */
    BENCH_TIMEOUT
} BenchVerdict;

typedef struct {
    const char *binary;  /* absolute path */
    const char *dir;     /* working folder; NULL: the worker's own */
    const char *network; /* which it may read: path, or NULL */
    int copies;          /* that run at once: as many as games later */
    int nice;            /* More: it runs beside games, and time that it waits for a CPU is no part
                            of its speed. */
    int64_t expected;    /* node count */
    int timeout_ms;      /* 0: BENCH_TIMEOUT_MS */
    const Sandbox *sandbox; /* NULL: it is not confined */
} BenchSpec;

typedef struct {
    BenchVerdict verdict;
    int64_t nodes;      /* of the first copy that told */
    int64_t nps;        /* mean over the copies; meaningful when they all told */
    const char *reason; /* of BENCH_FAILED, for the log */
} BenchResult;

typedef struct Bench Bench;
typedef void (*BenchDone)(const BenchResult *result, void *user);

/* Starts it; `done` comes from the loop, once, and the Bench is gone after it. */
Bench *bench_start(uv_loop_t *loop, const BenchSpec *spec, BenchDone done, void *user);

/* Kills its copies; no `done`. NULL is allowed. */
void bench_cancel(Bench *bench);

#endif
