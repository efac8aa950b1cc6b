/* SPDX-License-Identifier: MIT */
/* Notices that this process stood still: a paused container or virtual machine, or SIGSTOP. The
 * owner looks at short intervals. A look that comes more than a second too late tells of such a
 * pause, unless the owner's thread ran meanwhile or waited for a CPU. A busy thread and crowded
 * CPUs are no pause: engines may have used that time. A thread that was held up otherwise, as by a
 * terminal that takes no output, could not hear the engines either: that is a pause too. Pure. */
#ifndef BASE_FREEZE_H
#define BASE_FREEZE_H

#include <stdbool.h>
#include <stdint.h>

/* A pause is noticed when a look is late by more than FREEZE_LEAST_MS. What is noticed may be
 * shorter than the pause by FREEZE_LOOK_MS, and never is longer. */
enum { FREEZE_LOOK_MS = 100, FREEZE_LEAST_MS = 1000 };

/* Set by freeze_look_ahead. Times in nanoseconds: of any clock that only goes forward, and of
 * cpu_time_busy (base/cputime.h; 0: not known, and then no pause is noticed). */
typedef struct {
    uint64_t due;  /* When the next look is due. */
    uint64_t busy; /* cpu_time_busy at the last look. */
} FreezeWatch;

/* After a look: the next one is due FREEZE_LOOK_MS from now. */
void freeze_look_ahead(FreezeWatch *watch, uint64_t now, uint64_t busy);

/* Whether freeze_length may be more than 0: it is worth reading cpu_time_busy. */
bool freeze_is_late(const FreezeWatch *watch, uint64_t now);

/* The nanoseconds in which this process stood still since the last look; 0: no pause. */
uint64_t freeze_length(const FreezeWatch *watch, uint64_t now, uint64_t busy);

/* Leaves out a pause that the owner knows from elsewhere. */
void freeze_skip(FreezeWatch *watch, uint64_t ns);

#endif
