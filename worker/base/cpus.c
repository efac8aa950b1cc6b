/* SPDX-License-Identifier: MIT */
#include "base/cpus.h"

#include <sched.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

static void add(CpuList *list, int cpu) {
    list->items = mem_grow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = cpu;
}

void cpulist_free(CpuList *list) {
    free(list->items);
    *list = (CpuList){0};
}

/* The CPUs on which this process may run. */
static cpu_set_t allowed_cpus(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        CPU_ZERO(&set);
        CPU_SET(0, &set);
    }
    return set;
}

/* The lowest CPU of the core that `cpu` belongs to; `cpu` where the system does not tell. */
static int first_sibling(int cpu) {
    char path[96];
    int first = cpu;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return cpu;
    if (fscanf(f, "%d", &first) != 1)
        first = cpu;
    fclose(f);
    return first;
}

void cpus_physical(CpuList *out) {
    cpu_set_t allowed = allowed_cpus();
    cpu_set_t seen;
    CPU_ZERO(&seen);
    size_t before = out->count;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET((size_t)cpu, &allowed))
            continue;
        int core = first_sibling(cpu);
        if (core >= 0 && core < CPU_SETSIZE) {
            if (CPU_ISSET((size_t)core, &seen))
                continue;
            CPU_SET((size_t)core, &seen);
        }
        add(out, cpu);
    }
    if (out->count == before)
        add(out, 0);
}

bool cpus_parse(const char *text, const char *what, CpuList *out, Error *err) {
    cpu_set_t allowed = allowed_cpus();
    const char *p = text;
    do {
        char *end;
        long first = strtol(p, &end, 10);
        long last = first;
        bool good = end != p && *p != '-' && *p != '+' && *p != ' ';
        if (good && *end == '-') {
            p = end + 1;
            last = strtol(p, &end, 10);
            good = end != p;
        }
        if (!good || last < first || (*end != '\0' && *end != ','))
            return error_set(err, "%s: '%s' is no list of CPUs such as 0,2,4-7", what, text);
        for (long cpu = first; cpu <= last; cpu++) {
            if (cpu >= CPU_SETSIZE || !CPU_ISSET((size_t)cpu, &allowed))
                return error_set(err, "%s: CPU %ld cannot be used here", what, cpu);
            add(out, (int)cpu);
        }
        p = *end == ',' ? end + 1 : NULL;
    } while (p != NULL);
    return true;
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

void cpus_set_prompt(bool prompt) {
    enum { SLICE_NS = 100000, RESET_ON_FORK = 1 };
    SchedulingAttributes attributes = {.size = sizeof attributes,
                                       .policy = prompt ? SCHED_OTHER : SCHED_BATCH,
                                       .flags = RESET_ON_FORK,
                                       .nice = getpriority(PRIO_PROCESS, 0),
                                       .runtime = prompt ? SLICE_NS : 0};
    /* The kernel may refuse: only speed depends on this call. */
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}
