/* SPDX-License-Identifier: MIT */
/* The control groups of version 2 (cgroups(7)) that limit this process: its own and all above it.
 */
#ifndef BASE_LINUX_GROUPS_H
#define BASE_LINUX_GROUPS_H

#include <stdbool.h>

enum { GROUP_TEXT_MAX = 4096 };

typedef struct {
    char name[GROUP_TEXT_MAX]; /* The group at hand: "/user.slice/work"; "": the top one. */
} Groups;

/* Prepares the walk over the groups that the text of /proc/self/cgroup names. */
void groups_parse(const char *cgroup, Groups *out);

/* The same for this process. */
void groups_begin(Groups *out);

/* Goes to this process's own group, then to each above it. False: there is none (left). */
bool groups_next(Groups *groups);

/* Reads the start of a file of the group at hand, such as "memory.max"; "" when there is none. */
void groups_read(const Groups *groups, const char *file, char out[GROUP_TEXT_MAX]);

#endif
