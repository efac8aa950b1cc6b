/* SPDX-License-Identifier: MIT */
/* Everything between a workload's arrival and its first game: the book, networks, sources, builds,
 * benches, and a book that the engine makes. Runs on the event loop; what blocks goes to the thread
 * pool. Books, networks, sources and binaries are kept below the state folder, under names made of
 * hashes: nothing that a server says becomes a path. So is what benches told of the binaries. */
#ifndef WORKER_SESSION_PREPARE_H
#define WORKER_SESSION_PREPARE_H

#include <stdint.h>
#include <uv.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/log.h"
#include "base/sandbox.h"
#include "build/engine.h"
#include "build/toolchain.h"
#include "match/book.h"
#include "match/match.h"
#include "openbench/api.h"
#include "openbench/workload.h"
#include "base/backoff.h"

/* What else keeps the machine busy while a workload is prepared. Nothing is built beside ticking
 * clocks. Nothing is measured, and no openings are made, beside any games. */
typedef enum { LOAD_NONE, LOAD_GAMES, LOAD_CLOCKS } MachineLoad;

/* The means of a preparation; all pointers must outlive the preparation. */
typedef struct {
    uv_loop_t *loop;
    Log *log;
    const char *state_dir; /* absolute */
    Toolchain *toolchain;
    const ApiAccount *account;
    const Words *cpu_flags; /* as servers name them */
    int copies;             /* benches at once: as many as games later */
    MachineLoad load;       /* At the start. */
    bool timed;             /* the games have clocks, which the speed scales */
    bool strict;            /* nothing is played before its bench is right */
    int64_t rebench_s;      /* how long a speed counts */
    int64_t speeds_since;   /* none that was measured earlier counts: seconds since 1970 */
    int build_timeout_ms;
    int bench_timeout_ms;
    int genfens_timeout_ms; /* of silence */
    uint64_t cache_limit;   /* bytes of books, networks and engines that are kept */
    const Words *in_use;    /* paths that stay for other workloads */
    Backoff retry;          /* of downloads */
    const Sandbox *sandbox; /* of builds, benches and genfens */
    bool build_network;
} PrepareContext;

typedef enum {
    PREPARE_READY,
    PREPARE_FAULT,        /* For clientSubmitError: no build, or no openings from genfens. */
    PREPARE_BENCH_FAILED, /* For clientBenchError. */
    PREPARE_BENCH_UNRUN,  /* For clientSubmitError: its failing may be the sandbox's doing. */
    PREPARE_IMPOSSIBLE,   /* The test cannot be worked on here: blacklist it. */
    PREPARE_LATER,        /* A download fails for now, or the disk is full. */
    PREPARE_CANCELLED
} PrepareOutcome;

/* Owns all it holds. */
typedef struct {
    PrepareOutcome outcome;
    Error error; /* One line unless READY; in the protocol's words where the server is told. */
    Text logs;   /* With what is for clientSubmitError: the tail of the compiler's output, or the
                    cause. */
    /* With READY: */
    char *book;     /* Path of the book's text. */
    bool book_made; /* The book was made for this workload: remove the file after the workload. */
    Book openings;  /* Of the book, in the order of play. */
    PreparedEngine engines[SIDE_COUNT];
} Prepared;

void prepared_free(Prepared *prepared);

typedef struct Prepare Prepare;

/* Called exactly once, from the loop, also after prepare_cancel; the Prepare is gone after the
 * call. A receiver that keeps *prepared copies the struct and leaves an all-zero one. */
typedef void (*PrepareDone)(Prepared *prepared, void *user);

Prepare *prepare_start(const PrepareContext *context, const Workload *workload, PrepareDone done,
                       void *user);

/* Tells a preparation that the machine's load has changed: it goes on with what had to wait. NULL
 * is allowed. */
void prepare_load(Prepare *prepare, MachineLoad load);

/* Ends the preparation soon. NULL is allowed. */
void prepare_cancel(Prepare *prepare);

/* Hides from engines what the state folder holds: of the folder of engines each reads itself alone,
 * since others may be private. */
void prepare_hide(const char *state_dir, Sandbox *sandbox);

/* Makes the folders of the state folder that preparations use, and removes what an earlier run left
 * half-done; with `clean` also what was kept. A folder that cannot be removed is moved aside, and
 * the log names it. Blocking; at the start, before any preparation. */
bool prepare_folders(const char *state_dir, bool clean, Log *log, Error *err);

#endif
