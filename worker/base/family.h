/* SPDX-License-Identifier: MIT */
/* A process and what it has started: the processes that a limit on a child counts together. */
#ifndef BASE_FAMILY_H
#define BASE_FAMILY_H

#include <stddef.h>

/* Each process comes before its children. All zero: none. */
typedef struct {
    int *items;
    size_t count, room;
} Family;

/* Finds `pid` and its descendants: the children of all threads, as far as the kernel lists them
 * (CONFIG_PROC_CHILDREN). Below a guard (base/guard.h) that is all that the guarded program has
 * started, since orphans come back to the guard. To be freed. */
void family_find(int pid, Family *out);
void family_free(Family *family);

#endif
