/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/storage.h"

enum { READ_CHUNK = 1 << 16, MODE_BITS = 0777 };

static bool read_all(int fd, const char *path, size_t limit, Text *out, Error *err) {
    size_t total = 0;
    for (;;) {
        size_t room = out->capacity - out->length;
        if (room < 2) {
            text_reserve(out, READ_CHUNK);
            room = out->capacity - out->length;
        }
        ssize_t n = read(fd, out->data + out->length, room - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_set(err, "%s: %s", path, strerror(errno));
        if (n == 0)
            return true;
        total += (size_t)n;
        if (total > limit)
            return error_set(err, "%s: longer than %zu bytes", path, limit);
        out->length += (size_t)n;
    }
}

bool file_read(const char *path, size_t limit, Text *out, Error *err) {
    /* O_NONBLOCK: opening a FIFO must not wait before fstat tells that the file is a FIFO. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(err, "%s: %s", path, strerror(errno));
    struct stat info;
    size_t before = out->length;
    bool ok = false;
    if (fstat(fd, &info) != 0)
        error_set(err, "%s: %s", path, strerror(errno));
    else if (S_ISDIR(info.st_mode))
        error_set(err, "%s: is a folder", path);
    else if (!S_ISREG(info.st_mode))
        error_set(err, "%s: is not a regular file", path);
    else if ((uintmax_t)info.st_size > limit)
        error_set(err, "%s: longer than %zu bytes", path, limit);
    else {
        /* One more byte lets read_all see the end of the file without growing. */
        text_reserve(out, (size_t)info.st_size + 1);
        ok = read_all(fd, path, limit, out, err);
    }
    close(fd);
    text_reserve(out, 0);
    if (!ok)
        out->length = before;
    out->data[out->length] = '\0';
    return ok;
}

bool file_read_start(const char *path, char *out, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, out, size - 1) : -1;
    int cause = errno;
    out[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
    errno = cause;
    return n >= 0;
}

/* Returns the line without blanks around it; cuts its end in place. */
static char *trim(char *line) {
    size_t length = strlen(line);
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        line[--length] = '\0';
    return line + strspn(line, " \t");
}

bool file_read_lines(const char *path, size_t limit,
                     bool (*take)(char *line, int number, void *user, Error *err), void *user,
                     Error *err) {
    Text text = {0};
    if (!file_read(path, limit, &text, err))
        return false;
    bool ok = strlen(text_string(&text)) == text.length || error_set(err, "%s: not a text", path);
    char *at = text.data != NULL ? text.data + text_mark_length(text.data) : NULL;
    for (int number = 1; ok && at != NULL && *at != '\0'; number++) {
        size_t length = strcspn(at, "\n");
        char *next = at + length + (at[length] == '\n');
        at[length] = '\0';
        char *line = trim(at);
        ok = line[0] == '\0' || line[0] == '#' || take(line, number, user, err) ||
             error_prefix(err, "%s: line %d", path, number);
        at = next;
    }
    if (text.data != NULL)
        mem_wipe(text.data, text.length); /* It may hold a password. */
    text_free(&text);
    return ok;
}

bool file_write_all(int fd, const char *bytes, size_t length) {
    while (length) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

/* Closes a file whose writing went well or not. False with errno set to the first failure. */
static bool close_written(int fd, bool ok) {
    int cause = errno;
    if (close(fd) != 0 && ok)
        return false;
    errno = cause;
    return ok;
}

/* Sets the mode of a new file, or removes the file. Returns fd, or -1 with errno. */
static int give_mode(int fd, const char *path, mode_t mode) {
    if (fd < 0 || fchmod(fd, mode) == 0)
        return fd;
    close_written(fd, false);
    unlink(path);
    return -1;
}

/* Writes the bytes to the new file `part`, which then becomes the file `path`. fd < 0: there is no
 * new file, and errno says why. */
static bool replace(const char *path, int fd, const char *part, const void *bytes, size_t length,
                    Error *err) {
    bool ok = fd >= 0 && close_written(fd, file_write_all(fd, bytes, length) && storage_sync(fd)) &&
              rename(part, path) == 0;
    if (ok)
        return true;
    int cause = errno;
    if (fd >= 0)
        unlink(part);
    return error_set(err, "%s: cannot be written: %s", path, strerror(cause));
}

bool file_write_atomic(const char *path, const void *bytes, size_t length, mode_t mode,
                       Error *err) {
    char *part = text_format("%s.XXXXXX", path);
    int fd = give_mode(mkostemp(part, O_CLOEXEC), part, mode);
    bool ok = replace(path, fd, part, bytes, length, err);
    free(part);
    return ok;
}

int file_make_part(const char *path, mode_t mode, char **part) {
    enum { PRIVATE = 0600 }; /* Until it has the old file's mode. */
    struct stat old;
    bool exists = stat(path, &old) == 0;
    int fd = -1;
    *part = NULL;
    for (int i = 0; fd < 0 && (i == 0 || errno == EEXIST); i++) {
        free(*part);
        *part = text_format("%s.%d-%d", path, (int)getpid(), i);
        fd = open(*part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? PRIVATE : mode);
    }
    if (fd >= 0 && exists)
        fd = give_mode(fd, *part, old.st_mode & MODE_BITS);
    return fd;
}

bool file_is_replaceable(const char *path) {
    struct stat info;
    return lstat(path, &info) != 0 || S_ISREG(info.st_mode);
}

/* Makes the file that a link names, where it is missing. */
static bool write_through(const char *path, const void *bytes, size_t length, mode_t mode,
                          Error *err) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    bool ok = fd >= 0 && close_written(fd, file_write_all(fd, bytes, length));
    return ok || error_set(err, "%s: cannot be written: %s", path, strerror(errno));
}

bool file_write_output(const char *path, const void *bytes, size_t length, mode_t mode,
                       Error *err) {
    if (!file_is_replaceable(path))
        return write_through(path, bytes, length, mode, err);
    char *part;
    int fd = file_make_part(path, mode, &part);
    bool ok = replace(path, fd, part, bytes, length, err);
    free(part);
    return ok;
}

bool file_sync(const char *path, Error *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && storage_sync(fd);
    if (!ok)
        error_set(err, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return ok;
}

bool file_sync_folder(const char *path) {
    char *folder = file_folder_of(path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && (storage_sync(fd) || errno == EINVAL);
    int cause = errno;
    if (fd >= 0)
        close(fd);
    free(folder);
    errno = cause;
    return ok;
}

bool file_install(const char *from, const char *to, Error *err) {
    return file_sync(from, err) &&
           (rename(from, to) == 0 || error_set(err, "%s: %s", to, strerror(errno))) &&
           (file_sync_folder(to) || error_set(err, "%s: its folder: %s", to, strerror(errno)));
}

bool file_lock(int fd) {
    enum { TRIES = 200, NAP_MS = 5 };
    for (int tries = 1; flock(fd, LOCK_EX | LOCK_NB) != 0; tries++) {
        if (errno != EWOULDBLOCK || tries == TRIES)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = NAP_MS * CLOCK_NS_PER_MS}, NULL);
    }
    return true;
}

bool file_make_folders(const char *path, Error *err) {
    if (path[0] == '\0')
        return error_set(err, "the name of a folder is empty");
    char *part = mem_strdup(path);
    bool ok = true;
    for (char *s = part + 1; ok; s++) {
        if (*s && *s != '/')
            continue;
        char kept = *s;
        *s = '\0';
        if (mkdir(part, 0755) != 0 && errno != EEXIST)
            ok = error_set(err, "%s: %s", part, strerror(errno));
        *s = kept;
        if (!kept)
            break;
    }
    struct stat info;
    if (ok && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)))
        ok = error_set(err, "%s: is not a folder", path);
    free(part);
    return ok;
}

bool file_list(const char *folder, Words *names, Error *err) {
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        int cause = errno;
        error_set(err, "%s: %s", folder, strerror(cause));
        errno = cause;
        return false;
    }
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            words_add(names, entry->d_name);
    closedir(dir);
    words_sort(names);
    return true;
}

bool file_remove_matching(const char *folder, const char *pattern, Error *err) {
    Words names = {0};
    bool ok = file_list(folder, &names, err);
    for (size_t i = 0; i < names.count; i++) {
        if (fnmatch(pattern, names.items[i], 0) != 0)
            continue;
        char *path = text_format("%s/%s", folder, names.items[i]);
        unlink(path);
        free(path);
    }
    words_free(&names);
    return ok;
}

const char *file_name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

char *file_folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? mem_strdup(".")
                         : mem_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

char *file_absolute(const char *path) {
    char *here = path[0] != '/' ? getcwd(NULL, 0) : NULL;
    char *whole = path[0] == '/' ? mem_strdup(path)
                  : here != NULL ? text_format("%s/%s", here, path)
                                 : NULL;
    free(here);
    return whole;
}

static bool stat_folder(const char *path, struct stat *info) {
    char *folder = file_folder_of(path);
    bool ok = stat(folder, info) == 0;
    free(folder);
    return ok;
}

struct timespec file_modified(const struct stat *info) {
#ifdef __APPLE__
    return info->st_mtimespec;
#else
    return info->st_mtim;
#endif
}

FileMark file_mark(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0)
        return (FileMark){0};
    struct timespec modified = file_modified(&info);
    return (FileMark){.device = (uint64_t)info.st_dev,
                      .inode = (uint64_t)info.st_ino,
                      .size = (uint64_t)info.st_size,
                      .modified_ns =
                          (int64_t)modified.tv_sec * CLOCK_NS_PER_SECOND + modified.tv_nsec};
}

bool file_mark_is(const FileMark *mark, const char *path) {
    FileMark now = file_mark(path);
    return now.device == mark->device && now.inode == mark->inode && now.size == mark->size &&
           now.modified_ns == mark->modified_ns;
}

bool file_is_same(const char *path, const char *other) {
    struct stat info;
    struct stat others;
    if (strcmp(path, other) == 0)
        return true;
    bool exists = stat(path, &info) == 0;
    if (exists != (stat(other, &others) == 0))
        return false;
    /* Of files that are still to be made, the folders are compared. */
    if (!exists && strcmp(file_name_of(path), file_name_of(other)) != 0)
        return false;
    return (exists || (stat_folder(path, &info) && stat_folder(other, &others))) &&
           info.st_dev == others.st_dev && info.st_ino == others.st_ino;
}

bool file_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

void file_warn_of_readers(const char *path, Log *log) {
    struct stat info;
    if (stat(path, &info) == 0 && (info.st_mode & (S_IRWXG | S_IRWXO)))
        log_warn(log, "others may read %s (chmod 600 it)", path);
}

const char *file_temporary_folder(void) {
    const char *folder = getenv("TMPDIR");
    return folder != NULL && folder[0] == '/' ? folder : "/tmp";
}

bool file_disk_is_nearly_full(const char *folder) {
    static const uint64_t little = UINT64_C(1) << 30;
    struct statvfs disk;
    return statvfs(folder, &disk) == 0 && ((uint64_t)disk.f_bavail * disk.f_frsize < little ||
                                           (disk.f_files > 0 && disk.f_favail == 0));
}

bool file_quota_is_used_up(const char *folder) {
    enum { TRIAL = 1 << 20 };
    char *path = text_format("%s/obworker-quota-XXXXXX", folder);
    char *bytes = mem_calloc(1, TRIAL);
    int fd = mkostemp(path, O_CLOEXEC);
    bool ok = fd >= 0 && close_written(fd, file_write_all(fd, bytes, TRIAL) && storage_sync(fd));
    bool used_up = !ok && errno == EDQUOT;
    if (fd >= 0)
        unlink(path);
    free(bytes);
    free(path);
    return used_up;
}

bool file_disk_runs_nothing(const char *folder) {
#ifdef ST_NOEXEC
    struct statvfs disk;
    return statvfs(folder, &disk) == 0 && (disk.f_flag & ST_NOEXEC) != 0;
#else
    (void)folder;
    return false;
#endif
}
