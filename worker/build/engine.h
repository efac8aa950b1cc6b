/* SPDX-License-Identifier: MIT */
/* An engine that is ready to play one side of a match. */
#ifndef WORKER_BUILD_ENGINE_H
#define WORKER_BUILD_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"

/* Owns its strings. All zero is no engine yet. */
typedef struct {
    char *title;                 /* The name that people know it by. */
    char *binary;                /* Absolute path. */
    char *network;               /* Path of the network that it reads; NULL: none. */
    char *record;                /* Path of its bench record (build/benchbook.h). */
    char sha256[DIGEST_HEX_MAX]; /* Of the binary. */
    int64_t bench;               /* The node count that its bench must have. */
    int64_t nps;                 /* Its speed in nodes per second; 0: not known. */
    /* A bench of these very bytes had the node count `bench`. Before that nothing may be told of
     * its games. */
    bool proved;
} PreparedEngine;

/* Copies the strings too. *to held nothing before. */
void prepared_engine_copy(const PreparedEngine *from, PreparedEngine *to);

void prepared_engine_free(PreparedEngine *engine);

#endif
