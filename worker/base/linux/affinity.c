/* SPDX-License-Identifier: MIT */
#include "base/affinity.h"

#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/linux/groups.h"
#include "base/linux/proc.h"

/* A cpu_set_t holds CPU_SETSIZE CPUs. No kernel knows more than 8,192 (NR_CPUS), and it tells
 * nothing to a program whose set is too small for the machine's possible CPUs. */
enum { CPUS_MAX = 8192 };
typedef cpu_set_t CpuSet[CPUS_MAX / CPU_SETSIZE];

bool affinity_exists(void) {
    return true;
}

void affinity_allowed(CpuList *out) {
    CpuSet set = {0};
    if (sched_getaffinity(0, sizeof set, set) != 0)
        CPU_SET_S(0, sizeof set, set);
    for (size_t cpu = 0; cpu < CPUS_MAX; cpu++)
        if (CPU_ISSET_S(cpu, sizeof set, set))
            cpulist_add(out, (int)cpu);
}

int affinity_core(int cpu) {
    char path[96];
    int first = cpu;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return cpu;
    if (fscanf(f, "%d", &first) != 1)
        first = cpu;
    fclose(f);
    return first;
}

bool affinity_bind(const CpuList *cpus) {
    CpuSet set = {0};
    for (size_t i = 0; i < cpus->count; i++)
        if (cpus->items[i] >= 0 && cpus->items[i] < CPUS_MAX)
            CPU_SET_S((size_t)cpus->items[i], sizeof set, set);
    return sched_setaffinity(0, sizeof set, set) == 0;
}

int cpus_parse_group(const char *most) {
    int64_t quota;
    int64_t period;
    if (sscanf(most, "%" SCNd64 " %" SCNd64, &quota, &period) != 2 || quota <= 0 || period <= 0)
        return INT_MAX;
    int64_t cpus = quota / period;
    return cpus < 1 ? 1 : cpus < INT_MAX ? (int)cpus : INT_MAX;
}

int affinity_quota(void) {
    Groups groups;
    char most[GROUP_TEXT_MAX];
    int least = INT_MAX;
    groups_begin(&groups);
    while (groups_next(&groups)) {
        groups_read(&groups, "cpu.max", most);
        int cpus = cpus_parse_group(most);
        least = cpus < least ? cpus : least;
    }
    return least;
}

/* The first version of the kernel's struct sched_attr, which some C libraries do not declare. */
typedef struct {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime; /* A time slice, since Linux 6.12; 0: the default. */
    uint64_t deadline;
    uint64_t period;
} SchedulingAttributes;

/* Whether this thread runs as the kernel's normal programs do. The user may have started it as an
 * idle or a real-time one, and every child inherits that. */
static bool is_normal(void) {
    long policy = syscall(SYS_sched_getscheduler, 0); /* The function of musl always fails. */
    long class = policy & ~(long)SCHED_RESET_ON_FORK;
    return policy < 0 || class == SCHED_OTHER || class == SCHED_BATCH;
}

void cpus_set_prompt(bool prompt) {
    enum { SLICE_NS = 100000, RESET_ON_FORK = 1 };
    SchedulingAttributes attributes = {.size = sizeof attributes,
                                       .policy = prompt ? SCHED_OTHER : SCHED_BATCH,
                                       .flags = RESET_ON_FORK,
                                       .nice = getpriority(PRIO_PROCESS, 0),
                                       .runtime = prompt ? SLICE_NS : 0};
    /* The kernel may refuse: only speed depends on this call. */
    if (is_normal())
        syscall(SYS_sched_setattr, 0, &attributes, 0);
}
