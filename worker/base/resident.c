/* SPDX-License-Identifier: MIT */
#include "base/resident.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* Of a status file some 1500 bytes are written, of a list of children what there is: a process that
 * has started hundreds is seen by its first. */
enum { FILE_MAX = 4096, DEPTH_MAX = 8, KB = 1024 };

static void read_of(int pid, const char *name, char text[FILE_MAX]) {
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    file_read_start(path, text, FILE_MAX);
}

static uint64_t kilobytes(const char *status, const char *field) {
    const char *line = strstr(status, field);
    return line != NULL ? strtoull(line + strlen(field), NULL, 10) * KB : 0;
}

uint64_t resident_parse(const char *status) {
    return kilobytes(status, "\nRssAnon:") + kilobytes(status, "\nRssShmem:");
}

static uint64_t resident_below(int pid, int depth) {
    char text[FILE_MAX];
    char name[64];
    read_of(pid, "status", text);
    uint64_t bytes = resident_parse(text);
    if (depth == DEPTH_MAX)
        return bytes;
    snprintf(name, sizeof name, "task/%d/children", pid);
    read_of(pid, name, text);
    char *end = text;
    for (long child; (child = strtol(end, &end, 10)) > 0;)
        bytes += resident_below((int)child, depth + 1);
    return bytes;
}

uint64_t resident_of(int pid) {
    return resident_below(pid, 0);
}
