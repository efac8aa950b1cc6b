/* SPDX-License-Identifier: MIT */
/* Files read and written as a whole. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

/* Appends the file's bytes to *out. Refuses folders, devices and files of more than `limit` bytes.
 * An error names the path and the cause, and leaves *out as it was. */
bool file_read(const char *path, size_t limit, Text *out, Error *err);

/* Reads the beginning of a file into `out`, as text of at most size - 1 bytes: all that a kernel
 * file (proc(5), sysfs, control groups) has for one read. False with errno set, and "", when the
 * file cannot be read. */
bool file_read_start(const char *path, char *out, size_t size);

/* Hands each line of a text file, without blanks around it, to `take`, which may change the line.
 * Empty lines, lines that begin with # and a mark before UTF-8 (text_mark_length) are left out.
 * False from `take` ends the reading. An error names the path, and the line if the fault is in a
 * line. */
bool file_read_lines(const char *path, size_t limit,
                     bool (*take)(char *line, int number, void *user, Error *err), void *user,
                     Error *err);

/* Replaces the file by these bytes, or leaves the old file: the bytes go to a new file in the same
 * folder, which is synced and then renamed to `path`. mode: the permissions, e.g. 0644, whatever
 * the umask. */
bool file_write_atomic(const char *path, const void *bytes, size_t length, mode_t mode, Error *err);

/* May a new file take the place of what is at a path that the user has named: of a regular file, or
 * of nothing? A device, a pipe or a link (/dev/null, /dev/stdout) is to be written to, and stays.
 */
bool file_is_replaceable(const char *path);

/* Makes a new file beside `path`, to take its place when it is whole, and opens it for writing. The
 * file has a name that no other file has, *part, which the caller frees. It has the mode of the
 * file at `path`, without its set-user-ID bits, or `mode` less umask where there is none. -1 with
 * errno. */
int file_make_part(const char *path, mode_t mode, char **part);

/* As file_write_atomic, but writes to what is not replaceable, and the mode is that of
 * file_make_part. For paths that the user has named: elsewhere a link may be another's trap. */
bool file_write_output(const char *path, const void *bytes, size_t length, mode_t mode, Error *err);

/* Puts the bytes of a file that another program wrote on the disk. Blocking. */
bool file_sync(const char *path, Error *err);

/* Puts the entry of a new file in its folder on the disk. False with errno. Blocking. */
bool file_sync_folder(const char *path);

/* Moves a file that another program wrote, within its file system, once its bytes are on the disk.
 * Its new name is on the disk, too. Blocking. */
bool file_install(const char *from, const char *to, Error *err);

/* Locks the open file (flock) for this process. Tries for a second: a child that a killed process
 * has just forked shares that one's lock until it executes its program. False with errno, which is
 * EWOULDBLOCK when another process has the lock. Blocking. */
bool file_lock(int fd);

/* Makes the folder and those above it (mode 0755 less umask). True also when the folder exists. */
bool file_make_folders(const char *path, Error *err);

/* Adds the names in a folder but "." and "..", and sorts the list. An error names the path, and
 * leaves errno and the list. */
bool file_list(const char *folder, Words *names, Error *err);

/* Removes the files of a folder whose names match the pattern (glob(7)). False with err set when
 * the folder cannot be read. */
bool file_remove_matching(const char *folder, const char *pattern, Error *err);

/* The name of a file without its folders: the part of the path behind the last slash, within the
 * path. */
const char *file_name_of(const char *path);

/* Is there a regular file of this name? */
bool file_exists(const char *path);

/* Warns of a file with a secret (a password, a token) that others than its owner may read. */
void file_warn_of_readers(const char *path, Log *log);

/* The path's folder: "." for a bare name. Allocated. */
char *file_folder_of(const char *path);

/* The path from the root. Allocated; NULL: the current folder is gone. */
char *file_absolute(const char *path);

/* Writes all bytes. False with errno set. */
bool file_write_all(int fd, const char *bytes, size_t length);

/* The folder for temporary files: $TMPDIR where that is an absolute path, else /tmp. */
const char *file_temporary_folder(void);

/* Has the disk of the folder less than 1 GB for this user, or no room for another file? False when
 * the system does not tell. Quotas that the system does not show as free space do not count. */
bool file_disk_is_nearly_full(const char *folder);

/* Has the user's quota on the folder's disk less than a megabyte left? Tries it with a file, which
 * is removed. Blocking. */
bool file_quota_is_used_up(const char *folder);

/* Does the disk of the folder run no programs, since it is mounted so (noexec)? False when the
 * system does not tell. */
bool file_disk_runs_nothing(const char *folder);

/* The time of the last change of the contents: macOS has another name for POSIX's st_mtim. */
struct timespec file_modified(const struct stat *info);

/* A file as it is now: its mark differs when another file takes its place, or when it is written
 * to. All zero: there is no such file. */
typedef struct {
    uint64_t device, inode, size;
    int64_t modified_ns;
} FileMark;

FileMark file_mark(const char *path);
bool file_mark_is(const FileMark *mark, const char *path);

/* Do both paths name one file? Also of files that are still to be made. */
bool file_is_same(const char *path, const char *other);

#endif
