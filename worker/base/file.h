/* SPDX-License-Identifier: MIT */
/* Files read whole and written whole. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"

/* Appends the file's bytes to *out. Refuses folders, devices and what is longer than limit bytes;
   an error names the path and the cause. On failure *out is as it was. */
bool file_read(const char *path, size_t limit, Text *out, Error *err);

/* Reads what a file of the kernel's (proc(5), sysfs, control groups) begins with into `out`, as
   text of at most size - 1 bytes; "" when it cannot be read. */
void file_read_start(const char *path, char *out, size_t size);

/* Hands each line of a text file, without blanks around it, to `take`, which may change it. Empty
   lines and those that begin with # are left out. An error names the path, and the line where it is
   in one; false ends it. */
bool file_read_lines(const char *path, size_t limit,
                     bool (*take)(char *line, int number, void *user, Error *err), void *user,
                     Error *err);

/* Replaces the file by these bytes, or leaves what was there: written to a new file in the same
   folder, synced, then renamed over path. mode: the permissions, e.g. 0644. */
bool file_write_atomic(const char *path, const void *bytes, size_t length, mode_t mode, Error *err);

/* Moves a file that others wrote, within its file system, when all of it is on the disk. Blocking.
 */
bool file_install(const char *from, const char *to, Error *err);

/* Makes the folder and those above it (mode 0755 less umask); true when it is there already. */
bool file_make_folders(const char *path, Error *err);

/* Is there a regular file of this name? */
bool file_exists(const char *path);

#endif
