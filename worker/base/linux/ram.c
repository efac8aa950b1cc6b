/* SPDX-License-Identifier: MIT */
#include "base/ram.h"

#include <inttypes.h>
#include <stdio.h>
#include <uv.h>

#include "base/file.h"
#include "base/linux/groups.h"
#include "base/linux/proc.h"

enum { FILE_MAX = 4096, KB = 1024 };

uint64_t ram_total(void) {
    return uv_get_total_memory();
}

uint64_t ram_parse(const char *meminfo) {
    return proc_number(meminfo, "MemAvailable:") * KB;
}

uint64_t ram_parse_group(const char *most, const char *current, const char *stat) {
    uint64_t limit;
    uint64_t used;
    if (sscanf(most, "%" SCNu64, &limit) != 1 || sscanf(current, "%" SCNu64, &used) != 1)
        return UINT64_MAX;
    uint64_t cache = proc_number(stat, "active_file ") + proc_number(stat, "inactive_file ");
    used = used > cache ? used - cache : 0;
    return limit > used ? limit - used : 0;
}

/* The least that this process's control groups leave. */
static uint64_t groups_available(void) {
    Groups groups;
    char most[GROUP_TEXT_MAX];
    char current[GROUP_TEXT_MAX];
    char stat[GROUP_TEXT_MAX];
    uint64_t least = UINT64_MAX;
    groups_begin(&groups);
    while (groups_next(&groups)) {
        groups_read(&groups, "memory.max", most);
        groups_read(&groups, "memory.current", current);
        groups_read(&groups, "memory.stat", stat);
        uint64_t left = ram_parse_group(most, current, stat);
        least = left < least ? left : least;
    }
    return least;
}

uint64_t ram_available(void) {
    char meminfo[FILE_MAX];
    file_read_start("/proc/meminfo", meminfo, sizeof meminfo);
    uint64_t machine = ram_parse(meminfo);
    uint64_t group = groups_available();
    return machine < group ? machine : group;
}
