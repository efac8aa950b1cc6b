/* Building engines from source: `make -j EXE= CC= [EVALFILE=] [LMR=]` in a child process with a
 * scrubbed environment, a time limit and captured output. Nothing here knows a server. */
#ifndef WORKER_BUILD_BUILD_H
#define WORKER_BUILD_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { BUILD_PATH_MAX = 4096 };

/* What build_variant needs to know. An all-zero struct is the default everywhere. */
typedef struct {
    /* The folder that holds the engine's Makefile; NULL: "engine" of the data directory. */
    const char *source_dir;
    /* The compiler; NULL: $CC if that is set, else the first of cc, gcc, clang on the PATH. */
    const char *compiler;
    /* Where built engines are kept; NULL: $XDG_CACHE_HOME/obworker/engines, else
     * ~/.cache/obworker/engines. Created when missing. */
    const char *cache_dir;
    /* Give up after so many milliseconds; 0: five minutes. */
    int timeout_ms;
} VariantOptions;

/* Builds this project's own engine with the flags of an `lmr:` SPEC and writes the absolute path of
 * the executable to `path`. `flags` is what follows "lmr:": "" or NULL (the default build),
 * "KILLER=0,W_PV=0" or "KILLER=0 W_PV=0"; the order of the flags does not matter.
 * Binaries are kept by the SHA-256 of sources, flags and compiler, are written under a temporary
 * name and renamed when they are whole, so that several processes may ask for the same one at once.
 * Blocks: runs the build in a private event loop of its own. SIGINT and SIGTERM keep their handlers.
 * On failure nothing is left behind and `err` is one line: for an unknown flag or a value out of
 * its range, the line of the flag table's own generator. */
bool build_variant(const char *flags, const VariantOptions *options, char path[BUILD_PATH_MAX],
                   Error *err);

#endif
