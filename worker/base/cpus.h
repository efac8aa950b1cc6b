/* SPDX-License-Identifier: MIT */
/* The machine's CPUs: those available to this process, and the cores they share. */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <stdbool.h>

#include "base/cpulist.h"
#include "base/error.h"

/* Appends one CPU of each physical core that this process may run on, in ascending order; at least
 * one CPU. Where the system does not tell cores apart, every CPU counts as a core. */
void cpus_physical(CpuList *out);

/* The number of the machine's CPUs; 1 where the system does not tell. */
int cpus_online(void);

/* Appends the CPUs of "0,2,4-7" to an empty list. An error names `what`, the option or variable
 * that the text came from, and the fault. A CPU that this process may not run on is a fault, and so
 * is a CPU that is named twice. */
bool cpus_parse(const char *text, const char *what, CpuList *out, Error *err);

/* Says how promptly the kernel lets this thread run when input arrives for it. Prompt: the thread
 * asks for a short time slice and so runs sooner where all CPUs are busy (Linux 6.12 and later).
 * Not prompt, for work that is not timed: the thread does not interrupt a process that is busy
 * writing, and wakes up once for a whole answer instead of once a line. Children start with the
 * kernel's normal scheduling. A program that the user started under another policy (`chrt -i 0`)
 * keeps it, and so do its children. Systems other than Linux know no such wish. */
void cpus_set_prompt(bool prompt);

#endif
