/* SPDX-License-Identifier: MIT */
/* A list of logical CPUs. */
#ifndef BASE_CPULIST_H
#define BASE_CPULIST_H

#include <stddef.h>

/* Logical CPU numbers. All zero is empty. */
typedef struct {
    int *items;
    size_t count;
    size_t capacity;
} CpuList;

void cpulist_add(CpuList *list, int cpu);
void cpulist_free(CpuList *list);

#endif
