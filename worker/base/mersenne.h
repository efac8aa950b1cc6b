/* SPDX-License-Identifier: MIT */
/* The 64-bit Mersenne twister MT19937-64 (Nishimura and Matsumoto), which orders books and tunings.
 */
#ifndef BASE_MERSENNE_H
#define BASE_MERSENNE_H

#include <stdint.h>

enum { MERSENNE_WORDS = 312 };

typedef struct {
    uint64_t words[MERSENNE_WORDS];
    int next; /* the index of the next word; MERSENNE_WORDS: all words are used */
} Mersenne;

void mersenne_seed(Mersenne *m, uint64_t seed);
uint64_t mersenne_next(Mersenne *m);

/* A number from [0, 1) with all the bits that a double holds. */
double mersenne_share(Mersenne *m);

#endif
