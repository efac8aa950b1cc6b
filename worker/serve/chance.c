/* SPDX-License-Identifier: MIT */
#include "serve/chance.h"

#include "serve/secrets.h"

enum { SHARE_BITS = 53 };

void chance_start(Chance *chance) {
    uint64_t seed = 0;
    secret_bytes((unsigned char *)&seed, sizeof seed);
    mersenne_seed(&chance->twister, seed);
}

int64_t chance_below(Chance *chance, int64_t bound) {
    return (int64_t)(mersenne_next(&chance->twister) % (uint64_t)bound);
}

double chance_share(Chance *chance) {
    return (double)(mersenne_next(&chance->twister) >> (64 - SHARE_BITS)) /
           (double)(UINT64_C(1) << SHARE_BITS);
}
