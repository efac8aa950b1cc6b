/* SPDX-License-Identifier: MIT */
/* An engine ready to play one side of a match. */
#ifndef WORKER_BUILD_ENGINE_H
#define WORKER_BUILD_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"

/* Owns its strings. All zero: no engine yet. */
typedef struct {
    char *title;                 /* The name for people. */
    char *binary;                /* The absolute path of the executable. */
    char *network;               /* The path of the engine's network; NULL: none. */
    char *record;                /* The path of the engine's bench record (build/benchbook.h). */
    char sha256[DIGEST_HEX_MAX]; /* The digest of the executable. */
    int64_t bench;               /* The node count expected of the engine's bench. */
    int64_t nps;                 /* The engine's speed in nodes per second; 0: not known. */
    /* A bench of exactly this executable had the node count `bench`. Until then the results of its
     * games may not be reported. */
    bool proved;
} PreparedEngine;

/* Copies the engine with its strings. *to is overwritten, not freed. */
void prepared_engine_copy(const PreparedEngine *from, PreparedEngine *to);

void prepared_engine_free(PreparedEngine *engine);

#endif
