/* SPDX-License-Identifier: MIT */
/* Benches: the node count that proves a binary to be the expected engine, and its speed under
 * load. */
#ifndef WORKER_BUILD_BENCH_H
#define WORKER_BUILD_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/sandbox.h"

enum { BENCH_TIMEOUT_MS = 60000 };

/* Finds nodes and speed in the output of `<binary> bench`, from the last line up, as the protocol
 * says. Numbers above 10^15 do not count. False when either is missing; the other may have been
 * written. Pure. */
bool bench_parse(const char *output, int64_t *nodes, int64_t *nps);

typedef enum {
    BENCH_OK,
    BENCH_WRONG,            /* All copies agree, but not with the expected count. */
    BENCH_NONDETERMINISTIC, /* The copies do not agree. */
    /* A copy cannot be run, prints no count, or fails without the expected one. Where no count is
     * expected, a copy may exit with any status after its count. */
    BENCH_FAILED,
    BENCH_UNSTARTED, /* No process of a copy can be made: a fault of this machine. */
    BENCH_TIMEOUT
} BenchVerdict;

typedef struct {
    const char *binary;  /* absolute path */
    const char *dir;     /* working folder; NULL: the worker's own */
    const char *network; /* path of a network for the engine, or NULL */
    int copies;          /* processes at once: as many as games later */
    /* Added to the niceness. More than 0: the bench runs beside games, and its speed leaves out its
     * waits for a CPU. */
    int nice;
    int64_t expected;       /* the node count expected of the engine; -1: none is */
    int timeout_ms;         /* 0: BENCH_TIMEOUT_MS */
    const Sandbox *sandbox; /* NULL: the bench is not confined */
} BenchSpec;

typedef struct {
    BenchVerdict verdict;
    int64_t nodes; /* of the first copy; 0: none */
    int64_t nps;   /* mean over the copies; meaningful when all of them told a speed */
    /* For the log: why BENCH_FAILED, BENCH_UNSTARTED or BENCH_TIMEOUT. With another verdict, how a
     * copy ended that failed after its count; "": none has. */
    const char *reason;
    bool killed; /* BENCH_FAILED by SIGKILL, as where the machine's memory runs out */
} BenchResult;

enum { BENCH_WORDS_MAX = 64 };

/* What is wrong with a bench, as servers are told (the stock client's words): one of some
 * sentences, or one written into the buffer. */
const char *bench_words(const BenchResult *result, char buffer[BENCH_WORDS_MAX]);

typedef struct Bench Bench;
typedef void (*BenchDone)(const BenchResult *result, void *user);

/* Starts the copies. `done` is called once, from the loop; the Bench is freed after it. */
Bench *bench_start(uv_loop_t *loop, const BenchSpec *spec, BenchDone done, void *user);

/* Kills the copies and frees the Bench without calling `done`. NULL is allowed. */
void bench_cancel(Bench *bench);

#endif
