/* SPDX-License-Identifier: MIT */
/* Everything between a workload's arrival and its first game: the book, networks, sources, builds,
 * benches, and a book that the engine makes. Runs on the event loop; blocking work runs in the
 * thread pool. Books, networks, sources and binaries are kept below the state folder, under names
 * made of hashes, so no word of a server becomes a path. The results of benches are kept there too.
 * A preparation that finds the disk full removes the kept files that no workload uses, and goes on.
 */
#ifndef WORKER_SESSION_PREPARE_H
#define WORKER_SESSION_PREPARE_H

#include <stdint.h>
#include <uv.h>

#include "base/backoff.h"
#include "base/error.h"
#include "base/log.h"
#include "base/sandbox.h"
#include "build/engine.h"
#include "build/toolchain.h"
#include "match/book.h"
#include "openbench/api.h"
#include "openbench/workload.h"

/* The other load of the machine while a workload is prepared. Nothing is built beside running
 * clocks. Nothing is measured, and no openings are made, beside any games. */
typedef enum { LOAD_NONE, LOAD_GAMES, LOAD_CLOCKS } MachineLoad;

/* The means of a preparation. The targets of all pointers must outlive the preparation. */
typedef struct {
    uv_loop_t *loop;
    Log *log;
    const char *state_dir; /* absolute */
    Toolchain *toolchain;
    const ApiAccount *account;
    const Words *cpu_flags; /* in the servers' names */
    int copies;             /* benches at once: as many as games at a time */
    MachineLoad load;       /* the load at the start */
    bool timed;             /* the games have clocks, which the speed scales */
    bool strict;            /* nothing is played before its bench is right */
    int64_t rebench_s;      /* seconds for which a measured speed counts */
    int64_t speeds_since;   /* speeds measured earlier do not count: seconds since 1970 */
    int build_timeout_ms;
    int bench_timeout_ms;
    int genfens_timeout_ms; /* milliseconds of silence */
    uint64_t cache_limit;   /* largest size of the kept books, networks and engines, in bytes */
    const Words *in_use;    /* paths that other workloads use, and that must stay */
    Backoff retry;          /* waits between downloads */
    const Sandbox *sandbox; /* for builds, benches and genfens */
    bool build_network;
} PrepareContext;

typedef enum {
    PREPARE_READY,
    PREPARE_FAULT,        /* For clientSubmitError: no build, no speed, no openings of genfens. */
    PREPARE_BENCH_FAILED, /* For clientBenchError. */
    PREPARE_BENCH_UNRUN,  /* For clientSubmitError: no bench ran, perhaps due to this machine. */
    PREPARE_IMPOSSIBLE,   /* The test cannot be played on this machine: blacklist the test. */
    PREPARE_LATER,        /* A download fails for now, the disk is full, or no process starts. */
    PREPARE_CANCELLED
} PrepareOutcome;

/* The result of a preparation. Owns its content. */
typedef struct {
    PrepareOutcome outcome;
    Error error;     /* One line unless READY; in the protocol's words where the server is told. */
    int64_t held_ms; /* The time of waiting for a lower load of the machine. */
    Text logs;       /* For clientSubmitError: the tail of the compiler's output, or the cause. */
    /* With READY: */
    char *book;     /* Path of the book's text. */
    bool book_made; /* The book was made for this workload: remove the file after the workload. */
    Book openings;  /* The openings of the book, in the order of play. */
    PreparedEngine engines[SIDE_COUNT];
} Prepared;

void prepared_free(Prepared *prepared);

typedef struct Prepare Prepare;

/* Called exactly once, from the loop, also after prepare_cancel; the Prepare is freed after the
 * call. A receiver that keeps *prepared copies the struct and leaves an all-zero struct. */
typedef void (*PrepareDone)(Prepared *prepared, void *user);

/* Starts to prepare a workload: fetches the book, fetches and builds the engines, measures them.
 * The workload stays the caller's, and has to live until `done` is called; *context is copied. */
Prepare *prepare_start(const PrepareContext *context, const Workload *workload, PrepareDone done,
                       void *user);

/* Tells a preparation the machine's new load: steps that waited for this load go on. NULL is
 * allowed. */
void prepare_load(Prepare *prepare, MachineLoad load);

/* Ends the preparation soon. NULL is allowed. */
void prepare_cancel(Prepare *prepare);

/* Hides the state folder's content and the tokens of the working folder from builds and engines.
 * Each engine can read only its own file in the folder of engines, since others may be private. */
void prepare_hide(const char *state_dir, Sandbox *sandbox);

/* Makes the folders of the state folder that preparations use, and removes half-done work of an
 * earlier run; with `clean` also the kept files. A folder that cannot be removed is moved aside,
 * and the log names it. Blocking; to be called at the start, before any preparation. */
bool prepare_folders(const char *state_dir, bool clean, Log *log, Error *err);

#endif
