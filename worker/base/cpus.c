/* SPDX-License-Identifier: MIT */
#include "base/cpus.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/affinity.h"

static bool has(const CpuList *list, long cpu) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == cpu)
            return true;
    return false;
}

int cpus_online(void) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return cpus > 0 ? (int)cpus : 1;
}

void cpus_physical(CpuList *out) {
    CpuList allowed = {0};
    CpuList cores = {0};
    affinity_allowed(&allowed);
    for (size_t i = 0; i < allowed.count; i++) {
        int core = affinity_core(allowed.items[i]);
        if (has(&cores, core))
            continue;
        cpulist_add(&cores, core);
        cpulist_add(out, allowed.items[i]);
    }
    cpulist_free(&cores);
    cpulist_free(&allowed);
}

static bool parse(const char *text, const char *what, const CpuList *allowed, CpuList *out,
                  Error *err) {
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
            return error_set(err, "%s: '%s' is not a list of CPUs such as 0,2,4-7", what, text);
        for (long cpu = first; cpu <= last; cpu++) {
            if (!has(allowed, cpu))
                return error_set(err, "%s: CPU %ld cannot be used here", what, cpu);
            if (has(out, cpu))
                return error_set(err, "%s: CPU %ld is named twice", what, cpu);
            cpulist_add(out, (int)cpu);
        }
        p = *end == ',' ? end + 1 : NULL;
    } while (p != NULL);
    return true;
}

bool cpus_parse(const char *text, const char *what, CpuList *out, Error *err) {
    CpuList allowed = {0};
    affinity_allowed(&allowed);
    bool ok = parse(text, what, &allowed, out, err);
    cpulist_free(&allowed);
    return ok;
}
