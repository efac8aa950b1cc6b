/* SPDX-License-Identifier: MIT */
/* Benches beside the games. Engines that play a fixed number of nodes need no known speed: their
 * games begin at once, and the benches meanwhile prove that the engines are the expected ones. */
#ifndef WORKER_BUILD_VERIFY_H
#define WORKER_BUILD_VERIFY_H

#include <stdint.h>
#include <uv.h>

#include "base/log.h"
#include "base/sandbox.h"
#include "base/side.h"
#include "build/engine.h"

/* Engines and strings are copied; sandbox and log must outlive the Verify. */
typedef struct {
    const PreparedEngine *engines; /* SIDE_COUNT engines, of which at least one is not proved. */
    const char *dir;               /* The working folder of the benches. */
    int timeout_ms;                /* The time limit of a bench with a CPU for itself. */
    const Sandbox *sandbox;
    Log *log;
} VerifySpec;

typedef struct Verify Verify;

typedef enum {
    VERIFY_PROVED,
    VERIFY_WRONG,    /* A bench failed, or is not the expected one. */
    VERIFY_UNSTARTED /* No process of a bench can be made: a fault of this machine. */
} VerifyOutcome;

/* Called once, from the loop; the Verify is freed after it. `fault`: why an engine is not proved;
 * NULL with VERIFY_PROVED. nps: the speeds of the engines that were not proved before. */
typedef void (*VerifyDone)(VerifyOutcome outcome, const char *fault, const int64_t nps[SIDE_COUNT],
                           void *user);

/* Runs the benches of the unproved engines, one after the other at low priority, and writes their
 * bench records. */
Verify *verify_start(uv_loop_t *loop, const VerifySpec *spec, VerifyDone done, void *user);

/* Cancels the benches; `done` is not called any more. NULL is allowed. */
void verify_cancel(Verify *verify);

#endif
