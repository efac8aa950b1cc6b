/* SPDX-License-Identifier: MIT */
/* Options from a file, one a line, as on the command line without the dashes ("threads = 4", or
 * "noisy" alone). Blank lines and lines beginning with '#' are skipped. */
#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* Appends the file's options to *out as words of a command line: "--threads=4", "--noisy". `check`
 * says whether a word is an option with a valid value, or sets the error. The file may hold a
 * password: a file that belongs to somebody other than this user or root, or that others may read
 * or change, is refused. A credential of systemd's may be readable to a group. An error names the
 * file, and the line if the fault is in a line. */
bool config_read(const char *path, bool (*check)(char *word, Error *err), Words *out, Error *err);

#endif
