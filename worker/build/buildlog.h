/* SPDX-License-Identifier: MIT */
/* The output of a failed build or bench, for the person who asked for it. */
#ifndef WORKER_BUILD_BUILDLOG_H
#define WORKER_BUILD_BUILDLOG_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

/* Logs up to a dozen lines of `output`: from the first line with a compiler's error on, else the
 * last lines. */
void buildlog_show(Log *log, const char *output);

/* Appends the most telling line of `output`: the first line with a compiler's error, else the last
 * line. */
void buildlog_line(const char *output, Text *out);

/* Writes the whole output to the file `path`. Makes the file's folder when it is missing.
 * Blocking. */
bool buildlog_write(const char *path, const char *output, Error *err);

#endif
