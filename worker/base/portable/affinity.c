/* SPDX-License-Identifier: MIT */
#include "base/affinity.h"

#include <errno.h>
#include <limits.h>
#include <uv.h>

#include "base/cpus.h"

bool affinity_exists(void) {
    return false;
}

void affinity_allowed(CpuList *out) {
    uv_cpu_info_t *cpus = NULL;
    int count = 0;
    if (uv_cpu_info(&cpus, &count) == 0)
        uv_free_cpu_info(cpus, count);
    for (int cpu = 0; cpu == 0 || cpu < count; cpu++)
        cpulist_add(out, cpu);
}

int affinity_quota(void) {
    return INT_MAX;
}

int affinity_core(int cpu) {
    return cpu;
}

bool affinity_bind(const CpuList *cpus) {
    (void)cpus;
    errno = ENOSYS;
    return false;
}

void cpus_set_prompt(bool prompt) {
    (void)prompt;
}
