/* SPDX-License-Identifier: MIT */
/* The ends of other processes: what a system does for a process whose parent or child ends.
 *
 * Linux ends a process with its parent, and gives orphans to a process that asks for them. On other
 * systems a guard (base/guard.h) looks at its own parent twice a second, and knows no orphans. */
#ifndef BASE_KINSHIP_H
#define BASE_KINSHIP_H

#include <stdbool.h>

/* Asks the system to kill this process when its parent ends. An exec keeps the wish; a change of
 * the user may clear it. True also where the system knows no such wish; false with errno. */
bool kinship_die_with_parent(void);

/* Asks the system to make this process the parent of orphans among its descendants. */
void kinship_take_orphans(void);

/* Prepares kinship_wait. To be called once, when all signals of this process are blocked. */
void kinship_watch(void);

/* Blocks until a child of this process may have ended or this process may have another parent. Both
 * have to be looked at after each call and before the first. */
void kinship_wait(void);

/* Kills the children of this process that are in its group, as far as the system lists them. */
void kinship_end_children(void);

#endif
