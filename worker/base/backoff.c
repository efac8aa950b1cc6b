/* SPDX-License-Identifier: MIT */
#include "base/backoff.h"

enum { MAX_DOUBLINGS = 20, JITTER_PARTS = 4 };

int64_t backoff_next(Backoff *backoff, uint64_t random) {
    int64_t wait = backoff->first_ms;
    for (int i = 0; i < backoff->faults && wait < backoff->max_ms; i++)
        wait *= 2;
    if (wait > backoff->max_ms)
        wait = backoff->max_ms;
    if (backoff->faults < MAX_DOUBLINGS)
        backoff->faults++;
    int64_t jitter = wait / JITTER_PARTS;
    return wait - jitter + (int64_t)(random % (uint64_t)(2 * jitter + 1));
}

void backoff_reset(Backoff *backoff) {
    backoff->faults = 0;
}
