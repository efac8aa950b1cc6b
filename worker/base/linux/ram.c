/* SPDX-License-Identifier: MIT */
#include "base/ram.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "base/file.h"
#include "base/linux/proc.h"

enum { FILE_MAX = 4096, KB = 1024 };

uint64_t ram_total(void) {
    return uv_get_total_memory();
}

uint64_t ram_parse(const char *meminfo) {
    uint64_t kilobytes;
    const char *line = strstr(meminfo, "MemAvailable:");
    return line != NULL && sscanf(line, "MemAvailable: %" SCNu64 " kB", &kilobytes) == 1
               ? kilobytes * KB
               : 0;
}

uint64_t ram_parse_group(const char *most, const char *current) {
    uint64_t limit;
    uint64_t used;
    if (sscanf(most, "%" SCNu64, &limit) != 1 || sscanf(current, "%" SCNu64, &used) != 1)
        return UINT64_MAX;
    return limit > used ? limit - used : 0;
}

/* "0::/path" names the group in the single hierarchy of version 2 (cgroups(7)). */
const char *group_parse(const char *cgroup, int *length) {
    const char *line = strstr(cgroup, "0::/");
    if (line == NULL)
        return NULL;
    *length = (int)strcspn(line + 3, "\n");
    return line + 3;
}

static uint64_t group_available(void) {
    char group[FILE_MAX];
    char path[2 * FILE_MAX];
    char most[FILE_MAX];
    char current[FILE_MAX];
    file_read_start("/proc/self/cgroup", group, sizeof group);
    int length;
    const char *name = group_parse(group, &length);
    if (name == NULL)
        return UINT64_MAX;
    snprintf(path, sizeof path, "/sys/fs/cgroup%.*s/memory.max", length, name);
    file_read_start(path, most, sizeof most);
    snprintf(path, sizeof path, "/sys/fs/cgroup%.*s/memory.current", length, name);
    file_read_start(path, current, sizeof current);
    return ram_parse_group(most, current);
}

uint64_t ram_available(void) {
    char meminfo[FILE_MAX];
    file_read_start("/proc/meminfo", meminfo, sizeof meminfo);
    uint64_t machine = ram_parse(meminfo);
    uint64_t group = group_available();
    return machine < group ? machine : group;
}
