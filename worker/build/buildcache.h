/* SPDX-License-Identifier: MIT */
/* The cache of built engines. A kept engine's name is a digest of its sources, compiler and CPU.
 * Several processes may need the same engine at once. Blocking. */
#ifndef WORKER_BUILD_BUILDCACHE_H
#define WORKER_BUILD_BUILDCACHE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "build/blocking.h"
#include "build/build.h"

/* The place of one engine in the cache, and its compiler. All zero before build_cache_find. */
typedef struct {
    char *compiler;
    char *folder;                /* The folder of all kept engines, absolute. */
    char path[BUILD_PATH_MAX];   /* The path of this engine. */
    char making[BUILD_PATH_MAX]; /* The folder to build in; "" before build_cache_open. */
    int lock;                    /* An open file that locks it, or -1. */
} BuildCache;

/* Finds the engine's place. folder NULL: $XDG_CACHE_HOME/obworker/engines, else
 * ~/.cache/obworker/engines; made when missing. prefix: the beginning of the engine's name.
 * sources: a text that identifies the engine's sources and settings. Release the cache with
 * build_cache_close, after a failure too. */
bool build_cache_find(BuildCache *cache, const char *folder, const char *prefix,
                      const char *sources, Error *err);

/* Is the engine in the cache? An empty file, which a power cut may leave, is no engine. */
bool build_cache_has(const BuildCache *cache);

/* Logs whether the engine is taken from the cache or is built now: "LABEL: building PREFIXspec".
 * label NULL: nothing is logged. */
void build_cache_tell(const BuildCache *cache, Log *log, const char *label, const char *prefix,
                      const char *spec);

/* Explains a failed build in one line: err has the output's most telling line, and names the file
 * beside the kept engines with the whole output. Logs more lines. Returns false. */
bool build_cache_explain(const BuildCache *cache, const BuildOptions *options,
                         const BlockingResult *result, Error *err);

/* Makes the folder to build in. Removes those that killed builders left. */
bool build_cache_open(BuildCache *cache, Error *err);

/* Moves the finished executable to its place in the cache, whole or not at all, after a power cut
 * too. */
bool build_cache_take(const BuildCache *cache, const char *executable, Error *err);

/* Removes the folder to build in, with its files, and frees *cache. `path`, of BUILD_PATH_MAX
 * bytes, receives the path of the engine; may be NULL. */
void build_cache_close(BuildCache *cache, char *path);

#endif
