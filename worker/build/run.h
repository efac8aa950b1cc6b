/* SPDX-License-Identifier: MIT */
/* A command run to its end on an event loop: its output's tail is kept, and a time limit holds.
 * Builds, benches and compiler probes are such commands. */
#ifndef WORKER_BUILD_RUN_H
#define WORKER_BUILD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/child.h"
#include "base/error.h"
#include "base/text.h"

typedef struct Run Run;

/* What to run; copied as far as it is needed later. */
typedef struct {
    const char *const *argv; /* NULL-terminated; a name without a slash is looked for on PATH. */
    const char *dir;         /* Working folder; NULL: the worker's own. */
    const char *const *env;  /* "NAME=value" added to the scrubbed environment; NULL: none. */
    int timeout_ms;          /* Then its whole process group is killed; 0: no limit. */
    size_t keep;             /* Bytes of output kept, from the end; 0: RUN_KEEP. */
    int nice;
    uint64_t memory_limit; /* Bytes; 0: none. */
    uint64_t file_limit;
    const SandboxPolicy *policy; /* What it may do; NULL: whatever the worker may. */
} RunSpec;

enum { RUN_KEEP = 64 * 1024 };

typedef struct {
    bool ok; /* It ran and exited with status 0. */
    bool timed_out;
    int exit_status;               /* -1: it did not exit by itself. */
    char reason[CHILD_REASON_MAX]; /* "exited with status 2", "took more than 60 s", … */
    const char *output;            /* The tail of stdout and stderr together, whole lines. */
} RunResult;

/* Called once, from the loop; the result is valid during the call, the Run is gone after it. */
typedef void (*RunDone)(const RunResult *result, void *user);

/* Starts it. NULL with err set when there is no such program. */
Run *run_start(uv_loop_t *loop, const RunSpec *spec, RunDone done, void *user, Error *err);

/* Its process id. */
int run_pid(const Run *run);

/* Kills its process group; `done` does not come any more. NULL is allowed. */
void run_cancel(Run *run);

#endif
