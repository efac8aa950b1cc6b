/* SPDX-License-Identifier: MIT */
#include "base/cpulist.h"

#include <stdlib.h>

#include "base/memory.h"

void cpulist_add(CpuList *list, int cpu) {
    MEM_ADD(list->items, list->count, list->capacity, cpu);
}

void cpulist_free(CpuList *list) {
    free(list->items);
    *list = (CpuList){0};
}
