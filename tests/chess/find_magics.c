/* SPDX-License-Identifier: MIT */
/* Finds the factors in engine/chess/attacks.c and prints them: run it, paste what it prints. Kept
 * so that the numbers have an origin; takes less than a second.
 *     cc -O2 -o find_magics tests/chess/find_magics.c && ./find_magics */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

enum { SQUARES = 64, SUBSETS_MAX = 4096 };

static const int DIAGONAL[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
static const int STRAIGHT[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

/* Xorshift64* (Vigna: An experimental exploration of Marsaglia's xorshift generators, 2016). */
static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t slide(int square, const int steps[4][2], uint64_t occ) {
    uint64_t reached = 0;
    for (int i = 0; i < 4; i++) {
        int file = square % 8 + steps[i][0];
        int rank = square / 8 + steps[i][1];
        while (file >= 0 && file < 8 && rank >= 0 && rank < 8) {
            uint64_t to = UINT64_C(1) << (rank * 8 + file);
            reached |= to;
            if (occ & to)
                break;
            file += steps[i][0];
            rank += steps[i][1];
        }
    }
    return reached;
}

static uint64_t mask_of(int square, const int steps[4][2]) {
    uint64_t ranks = UINT64_C(0xff000000000000ff) & ~(UINT64_C(0xff) << (square / 8 * 8));
    uint64_t files = UINT64_C(0x8181818181818181) & ~(UINT64_C(0x0101010101010101) << (square % 8));
    return slide(square, steps, 0) & ~ranks & ~files;
}

/* Whether two blocker sets with different attacks fall on one index. */
static bool collides(uint64_t magic, int shift, int count, const uint64_t occ[SUBSETS_MAX],
                     const uint64_t attacks[SUBSETS_MAX]) {
    uint64_t table[SUBSETS_MAX] = {0}; /* no slider attacks nothing: 0 is an empty place */
    for (int i = 0; i < count; i++) {
        uint64_t *place = &table[(occ[i] * magic) >> shift];
        if (*place && *place != attacks[i])
            return true;
        *place = attacks[i];
    }
    return false;
}

static uint64_t find(int square, const int steps[4][2], uint64_t *state) {
    uint64_t occ[SUBSETS_MAX];
    uint64_t attacks[SUBSETS_MAX];
    uint64_t mask = mask_of(square, steps);
    uint64_t subset = 0;
    int count = 0;
    do {
        occ[count] = subset;
        attacks[count++] = slide(square, steps, subset);
        subset = (subset - mask) & mask;
    } while (subset);
    int shift = 64 - __builtin_popcountll(mask);
    for (;;) {
        /* Good factors have few bits, and spread the mask over the high byte. */
        uint64_t magic = next_random(state) & next_random(state) & next_random(state);
        if (__builtin_popcountll((mask * magic) >> 56) >= 6 &&
            !collides(magic, shift, count, occ, attacks))
            return magic;
    }
}

static void print_all(const char *name, const int steps[4][2], uint64_t *state) {
    printf("%s\n", name);
    for (int square = 0; square < SQUARES; square++)
        printf("0x%016" PRIx64 ",%c", find(square, steps, state), square % 4 == 3 ? '\n' : ' ');
}

int main(void) {
    uint64_t state = UINT64_C(0x5265647563746975);
    print_all("BISHOP_MAGICS", DIAGONAL, &state);
    print_all("ROOK_MAGICS", STRAIGHT, &state);
    return 0;
}
