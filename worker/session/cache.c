/* SPDX-License-Identifier: MIT */
#include "session/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

typedef struct {
    char *path;
    struct timespec used;
    uint64_t bytes;
} Kept;

typedef struct {
    Kept *items;
    size_t count;
    size_t capacity;
    uint64_t bytes;
} KeptList;

void cache_use(const char *path) {
    if (path)
        utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

/* Adds the files of the folder. Entries that vanish meanwhile and entries that are no files are
 * passed over. */
static bool list_folder(const char *folder, KeptList *list, Error *err) {
    DIR *dir = opendir(folder);
    if (!dir)
        return errno == ENOENT || error_set(err, "%s: %s", folder, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(dir));) {
        struct stat status;
        if (fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        MEM_ADD(list->items, list->count, list->capacity,
                (Kept){.path = text_format("%s/%s", folder, entry->d_name),
                       .used = file_modified(&status),
                       .bytes = (uint64_t)status.st_size});
        list->bytes += (uint64_t)status.st_size;
    }
    closedir(dir);
    return true;
}

static int by_use(const void *a, const void *b) {
    const Kept *x = a;
    const Kept *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

static bool is_kept(const char *path, const char *const *keep, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (keep[i] && strcmp(keep[i], path) == 0)
            return true;
    return false;
}

bool cache_trim(const char *const *folders, size_t folder_count, uint64_t limit,
                const char *const *keep, size_t keep_count, int *removed, Error *err) {
    KeptList list = {0};
    bool ok = true;
    *removed = 0;
    for (size_t i = 0; ok && i < folder_count; i++)
        ok = list_folder(folders[i], &list, err);
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, by_use);
    for (size_t i = 0; ok && i < list.count && list.bytes > limit; i++) {
        if (is_kept(list.items[i].path, keep, keep_count))
            continue;
        ok = unlink(list.items[i].path) == 0 || errno == ENOENT ||
             error_set(err, "%s: %s", list.items[i].path, strerror(errno));
        list.bytes -= ok ? list.items[i].bytes : 0;
        *removed += ok;
    }
    for (size_t i = 0; i < list.count; i++)
        free(list.items[i].path);
    free(list.items);
    return ok;
}
