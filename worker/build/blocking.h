/* SPDX-License-Identifier: MIT */
/* One command or build to its end, in an event loop of its own: blocking. SIGINT and SIGTERM end it
 * early; their handlers are as they were afterwards. */
#ifndef WORKER_BUILD_BLOCKING_H
#define WORKER_BUILD_BLOCKING_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "build/bench.h"
#include "build/build.h"
#include "build/run.h"

/* What came of it. All zero before; free it with blocking_free. */
typedef struct {
    bool interrupted;
    Text output; /* The tail of what it said. */
    Error error; /* Why it failed: "exited with status 2". */
} BlockingResult;

/* True: it ran and exited with status 0 (and, of a build, the executable is there). */
bool run_blocking(const RunSpec *spec, BlockingResult *result);
bool build_blocking(const BuildSpec *spec, BlockingResult *result);

/* What the binary's copies agree on, whatever spec->expected says. False: result->error says what
 * was wrong. */
bool bench_blocking(const BenchSpec *spec, int64_t *nodes, BlockingResult *result);

void blocking_free(BlockingResult *result);

#endif
