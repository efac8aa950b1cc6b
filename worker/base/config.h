/* SPDX-License-Identifier: MIT */
/* Options kept in a file: one a line, as on the command line without the dashes ("threads = 4", or
 * "noisy" alone); blank lines and those that begin with '#' are passed over. */
#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* Appends the file's options to *out as words of a command line: "--threads=4", "--noisy". The file
 * may hold a password: it is refused when it belongs to someone else, or others may read or change
 * it. An error names the file, and the line if there is one. */
bool config_read(const char *path, Words *out, Error *err);

#endif
