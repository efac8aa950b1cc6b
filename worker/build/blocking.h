/* SPDX-License-Identifier: MIT */
/* Commands, builds and benches that the caller waits for, each in an event loop of its own. SIGINT
 * and SIGTERM end them early; afterwards both signals have the handlers of other event loops, or
 * else the default action. */
#ifndef WORKER_BUILD_BLOCKING_H
#define WORKER_BUILD_BLOCKING_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "build/bench.h"
#include "build/build.h"
#include "build/run.h"

/* The outcome. All zero before the call; freed with blocking_free. */
typedef struct {
    bool interrupted;
    Text output; /* The tail of the output. */
    Text errors; /* With errors_apart: the tail of stderr. */
    Error error; /* Why the command failed: "exited with status 2". */
} BlockingResult;

/* True when the command ended with status 0 and, for a build, the executable exists. */
bool run_blocking(const RunSpec *spec, BlockingResult *result);
bool build_blocking(const BuildSpec *spec, BlockingResult *result);

/* Writes the node count on which the copies of the binary agree to *nodes; spec->expected does not
 * matter. False: result->error says why. */
bool bench_blocking(const BenchSpec *spec, int64_t *nodes, BlockingResult *result);

void blocking_free(BlockingResult *result);

#endif
