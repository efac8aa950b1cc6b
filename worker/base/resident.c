/* SPDX-License-Identifier: MIT */
#include "base/resident.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum {
    FILE_MAX = 4096,
    PATH_SIZE = 96,
    KB = 1024,
    PROCESSES_MAX = 65536, /* What is found beyond is not counted. */
    LIST_MAX = 1 << 20,    /* Bytes of a list of children. */
};

/* Processes that were found, in that order: each one's children follow somewhere behind. */
typedef struct {
    int *items;
    size_t count, room;
} Processes;

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

static void add_process(Processes *found, int pid) {
    if (found->count == PROCESSES_MAX)
        return;
    found->items = mem_grow(found->items, &found->room, found->count + 1, sizeof *found->items);
    found->items[found->count++] = pid;
}

static void add_children(int pid, const char *thread, Processes *found) {
    char path[PATH_SIZE];
    Text list = {0};
    snprintf(path, sizeof path, "/proc/%d/task/%.16s/children", pid, thread);
    if (file_read(path, LIST_MAX, &list, NULL)) {
        char *end = list.data;
        for (long child; end != NULL && (child = strtol(end, &end, 10)) > 0;)
            add_process(found, (int)child);
    }
    text_free(&list);
}

/* Each thread has children of its own. */
static void add_children_of_threads(int pid, Processes *found) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    struct dirent *entry;
    while (threads != NULL && (entry = readdir(threads)) != NULL)
        if (entry->d_name[0] != '.')
            add_children(pid, entry->d_name, found);
    if (threads != NULL)
        closedir(threads);
}

static uint64_t read_field(int pid, const char *name, uint64_t (*parse)(const char *text)) {
    char path[PATH_SIZE];
    char text[FILE_MAX];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    file_read_start(path, text, sizeof text);
    return parse(text);
}

uint64_t resident_of(int pid, uint64_t limit) {
    Processes found = {0};
    uint64_t plain = 0;
    uint64_t shared = 0;
    if (pid > 0)
        add_process(&found, pid);
    for (size_t i = 0; i < found.count; i++)
        add_children_of_threads(found.items[i], &found);
    for (size_t i = 0; i < found.count; i++)
        plain += read_field(found.items[i], "status", resident_parse);
    for (size_t i = 0; plain > limit && i < found.count; i++) {
        uint64_t share = read_field(found.items[i], "smaps_rollup", resident_parse_share);
        shared += share > 0 ? share : read_field(found.items[i], "status", resident_parse);
    }
    free(found.items);
    return plain > limit ? shared : plain;
}
