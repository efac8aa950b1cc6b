/* SPDX-License-Identifier: MIT */
/* A limit of the time in which something is to happen on an event loop: a child is to end, or to
 * say its next line. The time in which this process stood still does not count (base/freeze.h).
 * What happened in time is heard before the limit is over, even where the loop is late. */
#ifndef BASE_TIMELIMIT_H
#define BASE_TIMELIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/freeze.h"

/* Only timelimit.c uses the fields. */
typedef struct {
    uv_timer_t timer; /* Runs out at the next look for a pause, or at the end. */
    FreezeWatch freeze;
    uint64_t length_ns;
    uint64_t end;   /* The time (uv_hrtime) at which the limit is over. */
    bool last_call; /* The limit is over, and the loop hears once more of what came in time. */
    void (*over)(void *user);
    void (*closed)(void *user);
    void *user;
} TimeLimit;

/* `over` will be called from the loop, with `user`, when the limit is over. */
void timelimit_init(TimeLimit *limit, uv_loop_t *loop, void (*over)(void *user), void *user);

/* The limit is over in `ms` milliseconds from now. */
void timelimit_start(TimeLimit *limit, int ms);

/* A limit that was started and is neither over nor stopped begins once more. */
void timelimit_again(TimeLimit *limit);

/* `over` is not called any more. */
void timelimit_stop(TimeLimit *limit);

/* Stops the limit, and calls `closed` from the loop when the memory of the limit may be freed. */
void timelimit_close(TimeLimit *limit, void (*closed)(void *user));

#endif
