/* SPDX-License-Identifier: MIT */
#include "base/deleted.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/linux/family.h"
#include "base/memory.h"

enum { BLOCK = 512, PROC_PATH_SIZE = 64 };

/* A deleted file as one process has it. Only the inode number tells files apart: some file systems
 * name another device in the maps than in the status of a file. */
typedef struct {
    uint64_t number;
    uint64_t bytes;
    bool open; /* `bytes` are the file's blocks; else the mapped bytes. */
} Deleted;

typedef struct {
    Deleted *items;
    size_t count, room;
    const Words *folders;
} Found;

static void add_file(Found *found, Deleted file) {
    MEM_ADD(found->items, found->count, found->room, file);
}

static bool is_below_a_folder(const Words *folders, const char *path) {
    for (size_t i = 0; i < folders->count; i++) {
        size_t length = strlen(folders->items[i]);
        if (strncmp(path, folders->items[i], length) == 0 && path[length] == '/')
            return true;
    }
    return false;
}

/* ---- Open files (proc(5), /proc/PID/fd) ---- */

static void look_at_descriptor(int folder, const char *name, Found *found) {
    char path[PATH_MAX];
    struct stat status;
    if (fstatat(folder, name, &status, 0) != 0 || !S_ISREG(status.st_mode) || status.st_nlink > 0)
        return;
    ssize_t length = readlinkat(folder, name, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    if (is_below_a_folder(found->folders, path))
        add_file(found, (Deleted){.number = status.st_ino,
                                  .bytes = (uint64_t)status.st_blocks * BLOCK,
                                  .open = true});
}

static void look_at_descriptors(int pid, Found *found) {
    char path[PROC_PATH_SIZE];
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.')
            look_at_descriptor(dirfd(folder), entry->d_name, found);
    if (folder != NULL)
        closedir(folder);
}

/* ---- Mapped files (proc(5), /proc/PID/maps) ---- */

/* Reads a line "start-end rights offset device number path (deleted)". */
static void look_at_mapping(const char *line, Found *found) {
    static const char MARK[] = " (deleted)\n";
    uint64_t start, end, offset, number;
    size_t length = strlen(line);
    const char *path = strchr(line, '/');
    if (path == NULL || length < sizeof MARK || strcmp(line + length - (sizeof MARK - 1), MARK) ||
        sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64, &start, &end, &offset,
               &number) != 4 ||
        !is_below_a_folder(found->folders, path))
        return;
    add_file(found, (Deleted){.number = number, .bytes = offset + (end - start)});
}

static void look_at_mappings(int pid, Found *found) {
    char path[PROC_PATH_SIZE];
    char *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "re");
    while (maps != NULL && getline(&line, &room, maps) > 0)
        look_at_mapping(line, found);
    free(line);
    if (maps != NULL)
        fclose(maps);
}

/* ---- Each file once ---- */

/* Sorts by number. The largest count of a file comes first: its blocks, else its longest
 * mapping. */
static int compare(const void *a, const void *b) {
    const Deleted *x = a;
    const Deleted *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    if (x->open != y->open)
        return x->open ? -1 : 1;
    return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

void deleted_count(int pid, const Words *folders, uint64_t *bytes) {
    Family family;
    Found found = {.folders = folders};
    family_find(pid, &family);
    for (size_t i = 0; i < family.count; i++) {
        look_at_descriptors(family.items[i], &found);
        look_at_mappings(family.items[i], &found);
    }
    if (found.count > 0)
        qsort(found.items, found.count, sizeof *found.items, compare);
    for (size_t i = 0; i < found.count; i++)
        if (i == 0 || found.items[i].number != found.items[i - 1].number)
            *bytes += found.items[i].bytes;
    free(found.items);
    family_free(&family);
}
