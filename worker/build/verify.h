/* SPDX-License-Identifier: MIT */
/* Benches beside the games. Engines that play a fixed number of nodes need no speed: their games
 * begin at once, and the benches prove meanwhile that the engines are the ones meant. */
#ifndef WORKER_BUILD_VERIFY_H
#define WORKER_BUILD_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/log.h"
#include "base/sandbox.h"
#include "base/side.h"
#include "build/engine.h"

/* Copied as far as it is needed later. */
typedef struct {
    const PreparedEngine *engines; /* SIDE_COUNT of them; at least one is not proved. */
    const char *dir;               /* Where the benches run. */
    int timeout_ms;                /* Of a bench that has a CPU for itself. */
    const Sandbox *sandbox;
    Log *log;
} VerifySpec;

typedef struct Verify Verify;

/* Called once, from the loop; the Verify is gone after it. `fault`: NULL when all engines are
 * proved, else why one is not. nps: the speeds of the engines that were not proved before. */
typedef void (*VerifyDone)(const char *fault, const int64_t nps[SIDE_COUNT], void *user);

/* Runs the benches of engines that are not proved, one after the other at low priority, and writes
 * their records. */
Verify *verify_start(uv_loop_t *loop, const VerifySpec *spec, VerifyDone done, void *user);

/* No `done` comes any more. NULL is allowed. */
void verify_cancel(Verify *verify);

#endif
