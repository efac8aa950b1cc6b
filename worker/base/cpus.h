/* SPDX-License-Identifier: MIT */
/* The machine's CPUs: which of them this process may use, and which share a core. */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Logical CPU numbers. All zero is empty. */
typedef struct {
    int *items;
    size_t count;
    size_t capacity;
} CpuList;

void cpulist_free(CpuList *list);

/* Appends one CPU of each physical core that this process may run on, in ascending order; at least
 * one. Where the system does not tell cores apart, every CPU is one. */
void cpus_physical(CpuList *out);

/* Appends the CPUs of "0,2,4-7". The error names `what` and the fault, also for a CPU that this
 * process may not run on. */
bool cpus_parse(const char *text, const char *what, CpuList *out, Error *err);

/* How promptly the kernel lets this thread run when something arrives for it. Prompt, it asks for a
 * short time slice, which lets it in sooner where all CPUs are busy (Linux 6.12 and later; else the
 * normal way). In batches, it does not interrupt a process that is busy writing, and so wakes up
 * for a whole answer instead of for each of its lines: for work that is not timed. Children start
 * out the normal way. */
void cpus_set_prompt(bool prompt);

#endif
