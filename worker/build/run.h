/* SPDX-License-Identifier: MIT */
/* A command that runs to its end on an event loop, with a time limit; the tail of its output is
 * kept. Builds, benches and compiler probes are such commands. */
#ifndef WORKER_BUILD_RUN_H
#define WORKER_BUILD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "base/child.h"
#include "base/error.h"

typedef struct Run Run;

/* A command. The struct need not outlive run_start. */
typedef struct {
    const char *const *argv; /* NULL-terminated; a name without a slash is searched for on PATH. */
    const char *dir;         /* The working folder; NULL: the worker's own. */
    const char *const *env;  /* More "NAME=value" entries, NULL-terminated; NULL: none. */
    int timeout_ms;          /* The command's process group is killed after so long, without
                                pauses of this process (base/timelimit.h); 0: no limit. */
    size_t keep;             /* Bytes of output kept, from the end; 0: RUN_KEEP. */
    /* Bytes of output are kept from the start instead, by whole lines. The command is ended when no
     * more are kept, and counts as ok. */
    bool keep_start;
    bool errors_apart;           /* Only stdout is the output. */
    int nice;                    /* Added to the niceness. */
    const SandboxPolicy *policy; /* The command's rights; NULL: the same as the worker's. */
} RunSpec;

enum { RUN_KEEP = 64 * 1024 };

typedef struct {
    bool ok; /* The command ran and ended with status 0, or was ended by keep_start. */
    bool timed_out;
    int signal;                    /* The signal that ended the command, or 0. */
    char reason[CHILD_REASON_MAX]; /* "exited with status 2", "took more than 60 s", … */
    const char *output;            /* The tail of stdout and stderr together, in whole lines. */
    const char *errors;            /* With errors_apart: the tail of stderr. Else "". */
} RunResult;

/* Called once, from the loop. The result is valid during the call; the Run is freed after it. */
typedef void (*RunDone)(const RunResult *result, void *user);

/* Starts the command. NULL with err set when the command cannot be started. */
Run *run_start(uv_loop_t *loop, const RunSpec *spec, RunDone done, void *user, Error *err);

/* The process id of the command. */
int run_pid(const Run *run);

/* Kills the command's process group and frees the Run without calling `done`. NULL is allowed. */
void run_cancel(Run *run);

#endif
