/* SPDX-License-Identifier: MIT */
/* Which CPUs a process may use, and how soon it gets one: the part of base/cpus.h that systems do
 * in ways of their own. */
#ifndef BASE_AFFINITY_H
#define BASE_AFFINITY_H

#include <stdbool.h>

#include "base/cpulist.h"

/* Can a process be bound to CPUs here? */
bool affinity_exists(void);

/* Appends the CPUs that this process may use, in ascending order; at least one. */
void affinity_allowed(CpuList *out);

/* The time that the system grants this process and its group on all CPUs together, in whole CPUs,
 * at least 1; INT_MAX: no limit. A service or a container may have such a limit. */
int affinity_quota(void);

/* The lowest CPU of the core that `cpu` belongs to; `cpu` where the system does not tell. */
int affinity_core(int cpu);

/* Binds this process and its later children to the CPUs. False with errno. */
bool affinity_bind(const CpuList *cpus);

#endif
