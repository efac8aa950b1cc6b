/* SPDX-License-Identifier: MIT */
#include "base/mersenne.h"

#include <float.h>

/* The parameters that the generator's authors published: the recurrence x[k + n] = x[k + m] ^
 * (upper bits of x[k], lower bits of x[k + 1]) A, and the tempering of its output. */
enum { MIDDLE = 156, LOWER_BITS = 31 };
static const uint64_t LOWER_MASK = (UINT64_C(1) << LOWER_BITS) - 1;
static const uint64_t TWIST = UINT64_C(0xB5026F5AA96619E9);
static const uint64_t SEEDING = UINT64_C(6364136223846793005);

void mersenne_seed(Mersenne *m, uint64_t seed) {
    m->words[0] = seed;
    for (unsigned i = 1; i < MERSENNE_WORDS; i++) {
        uint64_t last = m->words[i - 1];
        m->words[i] = SEEDING * (last ^ (last >> 62)) + i;
    }
    m->next = MERSENNE_WORDS;
}

static void twist_all(Mersenne *m) {
    for (int i = 0; i < MERSENNE_WORDS; i++) {
        uint64_t joined =
            (m->words[i] & ~LOWER_MASK) | (m->words[(i + 1) % MERSENNE_WORDS] & LOWER_MASK);
        uint64_t twisted = (joined >> 1) ^ ((joined & 1) ? TWIST : 0);
        m->words[i] = m->words[(i + MIDDLE) % MERSENNE_WORDS] ^ twisted;
    }
    m->next = 0;
}

uint64_t mersenne_next(Mersenne *m) {
    if (m->next == MERSENNE_WORDS)
        twist_all(m);
    uint64_t x = m->words[m->next++];
    x ^= (x >> 29) & UINT64_C(0x5555555555555555);
    x ^= (x << 17) & UINT64_C(0x71D67FFFEDA60000);
    x ^= (x << 37) & UINT64_C(0xFFF7EEE000000000);
    return x ^ (x >> 43);
}

double mersenne_share(Mersenne *m) {
    return (double)(mersenne_next(m) >> (64 - DBL_MANT_DIG)) /
           (double)(UINT64_C(1) << DBL_MANT_DIG);
}
