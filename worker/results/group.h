/* SPDX-License-Identifier: MIT */
/* Parts of a test's games, told apart by where or when the games were played. */
#ifndef RESULTS_GROUP_H
#define RESULTS_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/stats.h"

/* The games of a machine, of a user, of a kind of CPU, of a time. */
typedef struct {
    const char *kind; /* "machine", "user", "CPU", "instruction set", "time": a constant. */
    char *name;       /* Owned by the list. */
    Tally tally;
    bool faults_known;
} ResultGroup;

/* Groups of one kind stand together. All zero is empty. */
typedef struct {
    ResultGroup *items;
    size_t count, capacity;
} ResultGroups;

/* Appends a copy of the group. */
void groups_add(ResultGroups *groups, const ResultGroup *group);

/* Drops the groups behind the first `count`. */
void groups_cut(ResultGroups *groups, size_t count);
void groups_free(ResultGroups *groups);

#endif
