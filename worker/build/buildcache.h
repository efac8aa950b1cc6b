/* SPDX-License-Identifier: MIT */
/* Engines that were built are kept under a name that says what they were built from, by which
 * compiler, for which CPU; several processes may want the same one at once. Blocking. */
#ifndef WORKER_BUILD_BUILDCACHE_H
#define WORKER_BUILD_BUILDCACHE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "build/blocking.h"
#include "build/build.h"

/* Where one engine is or will be, and what builds it. All zero before build_cache_find. */
typedef struct {
    char *compiler;
    char *folder;                /* Of all kept engines, absolute. */
    char path[BUILD_PATH_MAX];   /* Of this one. */
    char making[BUILD_PATH_MAX]; /* A folder of its own to build it in, "" before build_cache_open.
                                  */
} BuildCache;

/* Finds its place. compiler: NULL: $CC, else the first of cc, gcc, clang on the PATH. folder: NULL:
 * $XDG_CACHE_HOME/obworker/engines, else ~/.cache/obworker/engines; made when missing. prefix: the
 * name's beginning; sources: whatever else tells this engine from others. */
bool build_cache_find(BuildCache *cache, const char *compiler, const char *folder,
                      const char *prefix, const char *sources, Error *err);

/* Was it built before? */
bool build_cache_has(const BuildCache *cache);

/* Says in the log whether an engine is taken from the cache or is built now: "LABEL: building
 * PREFIXspec". label NULL: nothing is said. */
void build_cache_tell(const BuildCache *cache, Log *log, const char *label, const char *prefix,
                      const char *spec);

/* Explains a failed build in one line: err has the line that tells most of the output, and the file
 * beside the kept engines that holds all of it. The log shows more lines. Returns false. */
bool build_cache_explain(const BuildCache *cache, Log *log, const BlockingResult *result,
                         Error *err);

/* Makes the folder to build in. */
bool build_cache_open(BuildCache *cache, Error *err);

/* Takes the finished executable over, whole or not at all. */
bool build_cache_take(const BuildCache *cache, const char *executable, Error *err);

/* Removes the folder to build in, with all that is left in it, and frees. path: where the engine's
 * own goes, BUILD_PATH_MAX bytes; NULL when there is none. */
void build_cache_close(BuildCache *cache, char *path);

#endif
