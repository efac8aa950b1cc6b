/* SPDX-License-Identifier: MIT */
#include "base/linux/family.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum {
    PATH_SIZE = 96,
    PROCESSES_MAX = 65536, /* Further processes are not counted. */
    LIST_MAX = 1 << 20,    /* Most bytes of a list of children. */
};

static void add_process(Family *family, int pid) {
    if (family->count == PROCESSES_MAX)
        return;
    MEM_ADD(family->items, family->count, family->room, pid);
}

static void add_children(int pid, const char *thread, Family *family) {
    char path[PATH_SIZE];
    Text list = {0};
    snprintf(path, sizeof path, "/proc/%d/task/%.16s/children", pid, thread);
    if (file_read(path, LIST_MAX, &list, NULL)) {
        char *end = list.data;
        for (long child; end != NULL && (child = strtol(end, &end, 10)) > 0;)
            add_process(family, (int)child);
    }
    text_free(&list);
}

/* Adds the children of every thread of a process. Most processes have one thread, with the number
 * of the process: their folder of threads then has three links, two of its own and one of the
 * thread's folder. */
static void add_children_of_threads(int pid, Family *family) {
    enum { NAMES_OF_ONE = 3 };
    char path[PATH_SIZE], first[PATH_SIZE];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    if (stat(path, &status) != 0)
        return;
    if (status.st_nlink == NAMES_OF_ONE) {
        snprintf(first, sizeof first, "%d", pid);
        add_children(pid, first, family);
        return;
    }
    DIR *threads = opendir(path);
    struct dirent *entry;
    while (threads != NULL && (entry = readdir(threads)) != NULL)
        if (entry->d_name[0] != '.')
            add_children(pid, entry->d_name, family);
    if (threads != NULL)
        closedir(threads);
}

void family_find(int pid, Family *out) {
    *out = (Family){0};
    if (pid > 0)
        add_process(out, pid);
    for (size_t i = 0; i < out->count; i++)
        add_children_of_threads(out->items[i], out);
}

void family_free(Family *family) {
    free(family->items);
    *family = (Family){0};
}
