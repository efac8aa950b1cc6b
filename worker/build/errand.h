/* SPDX-License-Identifier: MIT */
/* One command or build to its end, in an event loop of its own: blocking. SIGINT and SIGTERM end it
 * early; their handlers are as they were afterwards. */
#ifndef WORKER_BUILD_ERRAND_H
#define WORKER_BUILD_ERRAND_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "build/bench.h"
#include "build/build.h"
#include "build/run.h"

/* What came of it. All zero before; free it with errand_free. */
typedef struct {
    bool interrupted;
    Text output; /* The tail of what it said. */
    Error error; /* Why it failed: "exited with status 2". */
} Errand;

/* True: it ran and exited with status 0 (and, of a build, the executable is there). */
bool errand_command(const RunSpec *spec, Errand *errand);
bool errand_build(const BuildSpec *spec, Errand *errand);

/* What the binary's copies agree on, whatever spec->expected says. False: errand->error says what
 * was wrong. */
bool errand_bench(const BenchSpec *spec, int64_t *nodes, Errand *errand);

void errand_free(Errand *errand);

#endif
