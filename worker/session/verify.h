/* SPDX-License-Identifier: MIT */
/* Benches beside the games: engines that play a fixed number of nodes need no speed, only the proof
 * that they are the ones meant, before anything of their games is told. */
#ifndef WORKER_SESSION_VERIFY_H
#define WORKER_SESSION_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/digest.h"
#include "base/log.h"
#include "base/sandbox.h"
#include "match/engine.h"

typedef struct {
    bool wanted;
    const char *binary;          /* absolute path */
    const char *network;         /* path, or NULL */
    const char *record;          /* path of its bench record */
    char sha256[DIGEST_HEX_MAX]; /* of the binary */
    int64_t bench;               /* the node count that it must have */
} VerifySide;

/* Copied as far as it is needed later. */
typedef struct {
    VerifySide sides[SIDE_COUNT];
    const char *dir; /* where the benches run */
    int timeout_ms;  /* of one that has a CPU for itself */
    const Sandbox *sandbox;
    Log *log;
} VerifySpec;

typedef struct Verify Verify;

/* Called once, from the loop; the Verify is gone after it. `fault`: NULL when all are proved, else
 * why one is not. nps: of the sides that were wanted. */
typedef void (*VerifyDone)(const char *fault, const int64_t nps[SIDE_COUNT], void *user);

/* Runs one bench after the other at low priority, and writes down what they told. At least one side
 * is wanted. */
Verify *verify_start(uv_loop_t *loop, const VerifySpec *spec, VerifyDone done, void *user);

/* No `done` comes any more. NULL is allowed. */
void verify_cancel(Verify *verify);

#endif
