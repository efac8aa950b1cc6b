/* SPDX-License-Identifier: MIT */
/* A process with all its descendants: the processes counted together for a limit on a child. */
#ifndef BASE_FAMILY_H
#define BASE_FAMILY_H

#include <stddef.h>

/* Process ids; each process comes before its children. All zero: empty. */
typedef struct {
    int *items;
    size_t count, room;
} Family;

/* Finds `pid` and its descendants: the children of all threads, as far as the kernel lists them
 * (CONFIG_PROC_CHILDREN). Below a guard (base/guard.h) all processes that the guarded program has
 * started are found, because orphans come back to the guard. The caller frees *out with
 * family_free. */
void family_find(int pid, Family *out);
void family_free(Family *family);

#endif
