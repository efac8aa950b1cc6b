/* SPDX-License-Identifier: MIT */
#include "base/diskwatch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/deleted.h"
#include "base/memory.h"

enum {
    LOOK_MS = 1000,
    BLOCK = 512,
    ENTRY_MIN = 4096,
    DELETED_LOOKS = 10, /* Deleted files are counted after so many looks in any case, ... */
    DELETED_PART = 8,   /* ... and earlier when the disk has filled by this part of the limit. */
};

/* ---- Counting ---- */

static uint64_t bytes_of(const struct stat *status) {
    uint64_t bytes = (uint64_t)status->st_blocks * BLOCK;
    if (S_ISREG(status->st_mode) && status->st_nlink > 1)
        bytes /= status->st_nlink;
    return bytes > ENTRY_MIN ? bytes : ENTRY_MIN;
}

/* Opens a folder, and first gives its owner the right to read back where the right is missing. NULL
 * with errno. */
static DIR *open_to_read(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 && errno == EACCES &&
        fchmodat(AT_FDCWD, path, S_IRWXU, AT_SYMLINK_NOFOLLOW) == 0)
        folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return folder >= 0 ? fdopendir(folder) : NULL;
}

/* Counts the entries of one folder; adds its subfolders to *pending. */
static void count_folder(const char *path, uint64_t limit, Words *pending, uint64_t *bytes) {
    DIR *folder = open_to_read(path);
    if (folder == NULL) {
        if (errno != ENOENT && errno != ENOTDIR)
            *bytes = UINT64_MAX; /* An unreadable folder could hold any number of bytes. */
        return;
    }
    for (const struct dirent *entry; *bytes <= limit && (entry = readdir(folder)) != NULL;) {
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        *bytes += bytes_of(&status);
        if (S_ISDIR(status.st_mode)) {
            words_addf(pending, "%s/%s", path, entry->d_name);
        }
    }
    closedir(folder);
}

void diskwatch_count(const char *folder, uint64_t limit, uint64_t *bytes) {
    Words pending = {0};
    words_add(&pending, folder);
    while (pending.count > 0 && *bytes <= limit) {
        char *path = pending.items[--pending.count];
        count_folder(path, limit, &pending, bytes);
        free(path);
    }
    words_free(&pending);
}

/* ---- Watching ---- */

struct DiskWatch {
    uv_timer_t timer;
    uv_work_t work;
    int pid;
    Words folders; /* Canonical. */
    uint64_t limit;
    uint64_t bytes;   /* The result of the last look. */
    uint64_t room;    /* The most free bytes on the disk since deleted files were counted. */
    int folders_only; /* Looks since then that counted folders only. */
    bool looking;
    bool stopped;
    DiskWatchOver over;
    void *user;
};

static void free_watch(uv_handle_t *handle) {
    DiskWatch *watch = handle->data;
    words_free(&watch->folders);
    free(watch);
}

static uint64_t free_bytes(const Words *folders) {
    uint64_t bytes = 0;
    struct statvfs disk;
    for (size_t i = 0; i < folders->count; i++)
        if (statvfs(folders->items[i], &disk) == 0)
            bytes += (uint64_t)disk.f_bfree * disk.f_frsize;
    return bytes;
}

/* A count of deleted files looks into every process and takes much longer than a count of folders.
 * Deleted files cannot grow unless the disk fills, but another program may free space at the same
 * time, so they are also counted at intervals. */
static bool deleted_are_due(DiskWatch *watch) {
    uint64_t room = free_bytes(&watch->folders);
    bool filled = watch->room > room && watch->room - room >= watch->limit / DELETED_PART;
    bool due = filled || ++watch->folders_only >= DELETED_LOOKS;
    if (due || room > watch->room)
        watch->room = room;
    if (due)
        watch->folders_only = 0;
    return due;
}

static void look(uv_work_t *work) {
    DiskWatch *watch = work->data;
    watch->bytes = 0;
    for (size_t i = 0; i < watch->folders.count && watch->bytes <= watch->limit; i++)
        diskwatch_count(watch->folders.items[i], watch->limit, &watch->bytes);
    if (watch->bytes <= watch->limit && deleted_are_due(watch))
        deleted_count(watch->pid, &watch->folders, &watch->bytes);
}

static void looked(uv_work_t *work, int status) {
    DiskWatch *watch = work->data;
    watch->looking = false;
    if (watch->stopped) {
        uv_close((uv_handle_t *)&watch->timer, free_watch);
    } else if (status == 0 && watch->bytes > watch->limit) {
        uv_timer_stop(&watch->timer);
        watch->over(watch->bytes, watch->user);
    }
}

/* Starts a look, unless the last one still runs. */
static void on_timer(uv_timer_t *timer) {
    DiskWatch *watch = timer->data;
    if (!watch->looking)
        watch->looking = uv_queue_work(timer->loop, &watch->work, look, looked) == 0;
}

DiskWatch *diskwatch_start(uv_loop_t *loop, int pid, const Words *folders, uint64_t limit,
                           DiskWatchOver over, void *user) {
    DiskWatch *watch = mem_calloc(1, sizeof *watch);
    for (size_t i = 0; i < folders->count; i++) {
        char *real = realpath(folders->items[i], NULL);
        words_add(&watch->folders, real != NULL ? real : folders->items[i]);
        free(real);
    }
    watch->pid = pid;
    watch->limit = limit;
    watch->room = free_bytes(&watch->folders);
    watch->over = over;
    watch->user = user;
    watch->timer.data = watch->work.data = watch;
    uv_timer_init(loop, &watch->timer);
    uv_timer_start(&watch->timer, on_timer, LOOK_MS, LOOK_MS);
    uv_unref((uv_handle_t *)&watch->timer);
    return watch;
}

void diskwatch_stop(DiskWatch *watch) {
    if (watch == NULL || watch->stopped)
        return;
    watch->stopped = true;
    uv_timer_stop(&watch->timer);
    if (!watch->looking)
        uv_close((uv_handle_t *)&watch->timer, free_watch);
}
