/* SPDX-License-Identifier: MIT */
/* Random numbers of the tests' own: the same ones everywhere. */
#ifndef TESTS_TOOLS_RANDOM_H
#define TESTS_TOOLS_RANDOM_H

#include <stdint.h>
#include <stdlib.h>

/* xorshift; any state but 0. */
static inline uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A number below `most` (xorshift*); any state but 0. */
static inline int roll(uint64_t *state, int most) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (int)((*state * 2685821657736338717u >> 33) % (uint64_t)most);
}

/* $RD_SEED; unset, `usual`. */
static inline uint64_t seed_or(uint64_t usual) {
    const char *given = getenv("RD_SEED");
    return given && *given ? strtoull(given, NULL, 10) : usual;
}

#endif
