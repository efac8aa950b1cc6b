/* SPDX-License-Identifier: MIT */
#include "base/cpulist.h"

#include <stdlib.h>

#include "base/memory.h"

void cpulist_add(CpuList *list, int cpu) {
    list->items = mem_grow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = cpu;
}

void cpulist_free(CpuList *list) {
    free(list->items);
    *list = (CpuList){0};
}
