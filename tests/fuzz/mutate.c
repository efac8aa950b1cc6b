/* SPDX-License-Identifier: MIT */
/* A fuzzer's harness without a fuzzer: every file of a corpus as it is, and then mutations of them,
 * the same ones in every run.
 *     fuzz_NAME MUTATIONS FILE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

/* HANG_SECONDS without an end of one input ends the program: far beyond any load. */
enum { INPUT_MAX = 4096, INPUTS_MAX = 256, CHANGES_MAX = 8, HANG_SECONDS = 300 };

typedef struct {
    size_t size;
    uint8_t bytes[INPUT_MAX];
} Input;

/* SplitMix64. */
static uint64_t random_below(uint64_t *state, uint64_t count) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % count;
}

/* Puts `count` bytes in the place of `removed` ones at `at`, as far as they fit. */
static void replace(Input *input, size_t at, size_t removed, const uint8_t *bytes, size_t count) {
    size_t behind = input->size - at - removed;
    if (at + count + behind > INPUT_MAX)
        return;
    memmove(input->bytes + at + count, input->bytes + at + removed, behind);
    memmove(input->bytes + at, bytes, count);
    input->size = at + count + behind;
}

/* One change: bytes of another input (or of this one) in the place of some. */
static void change(Input *input, const Input *other, uint64_t *random) {
    enum { PIECE_MAX = 16 };
    uint8_t piece[PIECE_MAX];
    size_t at = random_below(random, input->size + 1);
    size_t most = input->size - at < PIECE_MAX ? input->size - at : PIECE_MAX;
    size_t removed = random_below(random, 3) == 0 ? random_below(random, most + 1) : most > 0;
    size_t count = random_below(random, PIECE_MAX);
    if (random_below(random, 2) == 0) {
        piece[0] = (uint8_t)random_below(random, 256);
        count = 1;
    } else if (other->size > count) {
        memcpy(piece, other->bytes + random_below(random, other->size - count), count);
    } else {
        count = 0;
    }
    replace(input, at, removed, piece, count);
}

static void try_input(const Input *input) {
    alarm(HANG_SECONDS);
    LLVMFuzzerTestOneInput(input->bytes, input->size);
}

static void read_input(const char *path, Input *input) {
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    input->size = fread(input->bytes, 1, sizeof input->bytes, file);
    fclose(file);
}

int main(int argc, char **argv) {
    static Input inputs[INPUTS_MAX];
    int mutations = argc > 2 ? atoi(argv[1]) : 0, count = argc - 2;
    if (mutations <= 0 || count > INPUTS_MAX) {
        fprintf(stderr, "usage: %s MUTATIONS FILE... (at most %d)\n", argv[0], INPUTS_MAX);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        read_input(argv[i + 2], &inputs[i]);
        try_input(&inputs[i]);
    }
    uint64_t random = 1;
    for (int i = 0; i < mutations; i++) {
        Input input = inputs[random_below(&random, (uint64_t)count)];
        int changes = 1 + (int)random_below(&random, CHANGES_MAX);
        for (int j = 0; j < changes; j++)
            change(&input, &inputs[random_below(&random, (uint64_t)count)], &random);
        try_input(&input);
    }
    printf("%d inputs and %d mutations of them\n", count, mutations);
    return EXIT_SUCCESS;
}
