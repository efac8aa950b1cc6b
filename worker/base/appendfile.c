/* SPDX-License-Identifier: MIT */
#include "base/appendfile.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the file, which is open for reading too, ends without a line end. */
static bool lacks_line_end(int fd, off_t size) {
    char last = '\n';
    return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

static bool append_locked(int fd, const char *text, size_t length) {
    struct stat info;
    if (length == 0)
        return true;
    if (fstat(fd, &info) != 0)
        return false;
    bool whole = !lacks_line_end(fd, info.st_size) || write(fd, "\n", 1) == 1;
    if (whole && file_write_all(fd, text, length))
        return true;
    /* Half a text would spoil the texts appended later. */
    int cause = errno;
    if (S_ISREG(info.st_mode) && ftruncate(fd, info.st_size) != 0)
        cause = errno;
    errno = cause;
    return false;
}

static bool cut_locked(int fd, size_t from_length, size_t length) {
    struct stat info;
    if (fstat(fd, &info) != 0)
        return false;
    return (size_t)info.st_size != from_length || ftruncate(fd, (off_t)length) == 0;
}

/* Opens the file and locks out other programs that append. -1 with err set on failure. */
static int open_locked(const char *path, Error *err) {
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd >= 0 && file_lock(fd))
        return fd;
    if (fd >= 0 && errno == EWOULDBLOCK)
        error_set(err, "%s: another process has locked it; end that process or name another file",
                  path);
    else
        error_set(err, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Unlocks and closes the file. done: the work on the file succeeded; else errno says why not. */
static bool close_locked(int fd, const char *path, bool done, Error *err) {
    int cause = errno;
    if (close(fd) != 0 && done) {
        done = false;
        cause = errno;
    }
    return done || error_set(err, "%s: %s", path, strerror(cause));
}

bool appendfile_add(const char *path, const char *text, size_t length, Error *err) {
    int fd = open_locked(path, err);
    return fd >= 0 && close_locked(fd, path, append_locked(fd, text, length), err);
}

bool appendfile_cut(const char *path, size_t from_length, size_t length, Error *err) {
    int fd = open_locked(path, err);
    return fd >= 0 && close_locked(fd, path, cut_locked(fd, from_length, length), err);
}
