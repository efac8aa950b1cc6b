/* SPDX-License-Identifier: MIT */
#include "base/resident.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/family.h"
#include "base/file.h"
#include "base/ram.h"

enum {
    FILE_MAX = 4096,
    PATH_SIZE = 96,
    KB = 1024,
    LEFT_OUT_MAX = 9,  /* Looks that are left out in a row. */
    ESTIMATE_MS = 250, /* How long all watches use one reading of the machine's memory. */
};

static uint64_t kilobytes(const char *text, const char *field) {
    const char *line = strstr(text, field);
    return line != NULL ? strtoull(line + strlen(field), NULL, 10) * KB : 0;
}

uint64_t resident_parse(const char *status) {
    return kilobytes(status, "\nRssAnon:") + kilobytes(status, "\nRssShmem:");
}

uint64_t resident_parse_share(const char *rollup) {
    return kilobytes(rollup, "\nPss_Anon:") + kilobytes(rollup, "\nPss_Shmem:");
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

/* ---- A watch ---- */

/* The machine's available memory, read again when the last reading is too old. */
static uint64_t recently_available(void) {
    static _Thread_local uint64_t bytes;
    static _Thread_local int64_t read_ns;
    int64_t now_ns = clock_now_ns();
    if (read_ns == 0 || clock_elapsed_ms(read_ns, now_ns) >= ESTIMATE_MS) {
        bytes = ram_available();
        read_ns = now_ns;
    }
    return bytes;
}

bool resident_is_due(const ResidentWatch *watch, uint64_t available) {
    uint64_t room = watch->limit > watch->occupied ? watch->limit - watch->occupied : 0;
    bool fell = available < watch->available && watch->available - available >= room / 2;
    return watch->available == 0 || available == 0 || watch->left_out >= LEFT_OUT_MAX || fell;
}

bool resident_is_over(ResidentWatch *watch, int pid) {
    uint64_t available = recently_available();
    if (!resident_is_due(watch, available)) {
        watch->left_out++;
        return false;
    }
    watch->available = available;
    watch->occupied = resident_of(pid, watch->limit);
    watch->left_out = 0;
    return watch->occupied > watch->limit;
}
