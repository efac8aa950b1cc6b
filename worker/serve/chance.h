/* SPDX-License-Identifier: MIT */
/* Random numbers, begun anew by the system's random bits for each request. */
#ifndef SERVE_CHANCE_H
#define SERVE_CHANCE_H

#include <stdint.h>

#include "base/mersenne.h"

typedef struct {
    Mersenne twister;
} Chance;

/* Begins with random bits of secret_bytes. */
void chance_start(Chance *chance);

/* A whole number from [0, bound), bound > 0 and far below 2^64; a number from [0, 1). */
int64_t chance_below(Chance *chance, int64_t bound);
double chance_share(Chance *chance);

#endif
