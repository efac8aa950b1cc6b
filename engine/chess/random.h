/* SPDX-License-Identifier: MIT */
/* Random numbers: the same in every build and on every machine. Pure. */
#ifndef CHESS_RANDOM_H
#define CHESS_RANDOM_H

#include <stdint.h>

/* The next number. *state: any seed, at first. Source: SplitMix64 (Steele, Lea, Flood: Fast
 * splittable pseudorandom number generators, 2014). */
static inline uint64_t random_next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
