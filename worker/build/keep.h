/* SPDX-License-Identifier: MIT */
/* Engines that were built are kept under a name that says what they were built from, by which
 * compiler, for which CPU; several processes may want the same one at once. Blocking. */
#ifndef WORKER_BUILD_KEEP_H
#define WORKER_BUILD_KEEP_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "build/build.h"

/* Where one engine is or will be, and what builds it. All zero before keep_find. */
typedef struct {
    char *compiler;
    char *folder;                /* Of all kept engines, absolute. */
    char path[BUILD_PATH_MAX];   /* Of this one. */
    char making[BUILD_PATH_MAX]; /* A folder of its own to build it in, "" before keep_open. */
} Keep;

/* Finds its place. compiler: NULL: $CC, else the first of cc, gcc, clang on the PATH. folder: NULL:
 * $XDG_CACHE_HOME/obworker/engines, else ~/.cache/obworker/engines; made when missing. prefix: the
 * name's beginning; sources: whatever else tells this engine from others. */
bool keep_find(Keep *keep, const char *compiler, const char *folder, const char *prefix,
               const char *sources, Error *err);

/* Was it built before? */
bool keep_has(const Keep *keep);

/* Makes the folder to build in. */
bool keep_open(Keep *keep, Error *err);

/* Takes the finished executable over, whole or not at all. */
bool keep_take(const Keep *keep, const char *executable, Error *err);

/* Removes the folder to build in, with all that is left in it, and frees. path: where the engine's
 * own goes, BUILD_PATH_MAX bytes; NULL when there is none. */
void keep_close(Keep *keep, char *path);

#endif
