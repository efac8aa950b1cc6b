/* SPDX-License-Identifier: MIT */
#include "base/ram.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "base/file.h"
#include "base/linux/groups.h"
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

/* The number on the line of this name in a memory.stat file; 0: there is none. */
static uint64_t stat_of(const char *stat, const char *name) {
    uint64_t value = 0;
    size_t length = strlen(name);
    for (const char *line = stat; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            sscanf(line + length, " %" SCNu64, &value);
    }
    return value;
}

uint64_t ram_parse_group(const char *most, const char *current, const char *stat) {
    uint64_t limit;
    uint64_t used;
    if (sscanf(most, "%" SCNu64, &limit) != 1 || sscanf(current, "%" SCNu64, &used) != 1)
        return UINT64_MAX;
    uint64_t cache = stat_of(stat, "active_file") + stat_of(stat, "inactive_file");
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
