/* SPDX-License-Identifier: MIT */
#include "base/resident.h"

#include <stdio.h>

#include "base/file.h"
#include "base/linux/family.h"
#include "base/linux/proc.h"

enum { FILE_MAX = 4096, PATH_SIZE = 96, KB = 1024 };

uint64_t resident_parse(const char *status) {
    return (proc_number(status, "RssAnon:") + proc_number(status, "RssShmem:")) * KB;
}

uint64_t resident_parse_share(const char *rollup) {
    return (proc_number(rollup, "Pss_Anon:") + proc_number(rollup, "Pss_Shmem:")) * KB;
}

static uint64_t read_field(int pid, const char *name, uint64_t (*parse)(const char *text)) {
    char path[PATH_SIZE];
    char text[FILE_MAX];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    file_read_start(path, text, sizeof text);
    return parse(text);
}

uint64_t resident_of(int pid, uint64_t limit) {
    Family family;
    uint64_t plain = 0;
    uint64_t shared = 0;
    family_find(pid, &family);
    for (size_t i = 0; i < family.count; i++)
        plain += read_field(family.items[i], "status", resident_parse);
    for (size_t i = 0; plain > limit && i < family.count; i++) {
        uint64_t share = read_field(family.items[i], "smaps_rollup", resident_parse_share);
        shared += share > 0 ? share : read_field(family.items[i], "status", resident_parse);
    }
    family_free(&family);
    return plain > limit ? shared : plain;
}
