/* SPDX-License-Identifier: MIT */
/* The wait before another try after a fault: longer each time, and never quite the same. Pure. */
#ifndef BASE_BACKOFF_H
#define BASE_BACKOFF_H

#include <stdint.h>

typedef struct {
    int64_t first_ms; /* The wait after the first fault. */
    int64_t max_ms;
    int faults; /* The number of faults since the last success. */
} Backoff;

/* Notes another fault and returns the wait in milliseconds: first_ms x 2^(faults - 1), at most
 * max_ms, then shortened or lengthened by up to a quarter as `random` (any number) says. The random
 * part keeps many workers from coming back to a restarted server in the same moment. */
int64_t backoff_next(Backoff *backoff, uint64_t random);

/* Notes a success. */
void backoff_reset(Backoff *backoff);

#endif
