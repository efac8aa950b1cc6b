/* SPDX-License-Identifier: MIT */
/* What a failed build said, for the person who asked for the build. */
#ifndef WORKER_BUILD_BUILDLOG_H
#define WORKER_BUILD_BUILDLOG_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

/* Shows the lines of `output` that tell most, as lines: from the compiler's first error on, else
 * the last ones; a dozen at most. */
void buildlog_show(Log *log, const char *output);

/* Appends the one line of `output` that tells most: the compiler's first error, else the last line.
 */
void buildlog_line(const char *output, Text *out);

/* Writes the whole output to the file `path`, and makes its folder when that is missing. Blocking.
 */
bool buildlog_write(const char *path, const char *output, Error *err);

#endif
