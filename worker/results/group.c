/* SPDX-License-Identifier: MIT */
#include "results/group.h"

#include <stdlib.h>

#include "base/memory.h"

void groups_add(ResultGroups *groups, const ResultGroup *group) {
    MEM_ADD(groups->items, groups->count, groups->capacity, *group);
    groups->items[groups->count - 1].name = mem_strdup(group->name);
}

void groups_cut(ResultGroups *groups, size_t count) {
    while (groups->count > count)
        free(groups->items[--groups->count].name);
}

void groups_free(ResultGroups *groups) {
    groups_cut(groups, 0);
    free(groups->items);
    *groups = (ResultGroups){0};
}
