/* SPDX-License-Identifier: MIT */
/* Text files to which several programs may append at the same time, each of them whole texts. */
#ifndef BASE_APPENDFILE_H
#define BASE_APPENDFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Appends text to the file, whole or not at all, while the file is locked against other
   programs that append. Fails when another process holds a lock on the file for a second
   (file_lock). Adds a line end first when the file does not end in one. Without text, only
   checks that the file can be written. */
bool appendfile_add(const char *path, const char *text, size_t length, Error *err);

/* Cuts the file to `length` bytes if the file is still from_length long, so that nobody has
 * appended since. */
bool appendfile_cut(const char *path, size_t from_length, size_t length, Error *err);

#endif
