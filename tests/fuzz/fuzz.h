/* SPDX-License-Identifier: MIT */
/* The entry point that libFuzzer calls, and that mutate.c calls where there is no libFuzzer. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Tries one input; ends the process when something is wrong. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
