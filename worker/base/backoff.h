/* SPDX-License-Identifier: MIT */
/* How long to wait before another try: longer each time, never quite the same. Pure. */
#ifndef BASE_BACKOFF_H
#define BASE_BACKOFF_H

#include <stdint.h>

typedef struct {
    int64_t first_ms; /* after the first fault */
    int64_t max_ms;
    int faults; /* in a row */
} Backoff;

/* Notes another fault and returns the wait in milliseconds: first x 2^(faults - 1), at most `most`,
 * then shortened or lengthened by up to a quarter as `random` (any number) says, so that many
 * workers do not come back to a restarted server in the same moment. */
int64_t backoff_next(Backoff *backoff, uint64_t random);

/* Notes a success. */
void backoff_reset(Backoff *backoff);

#endif
