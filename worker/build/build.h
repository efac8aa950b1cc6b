/* SPDX-License-Identifier: MIT */
/* Building engines from source: `make -j EXE= CC= [EVALFILE=] [LMR=]` in a child process with a
 * scrubbed environment, English messages, a time limit and captured output. This file knows no
 * server. */
#ifndef WORKER_BUILD_BUILD_H
#define WORKER_BUILD_BUILD_H

#include <stdbool.h>
#include <uv.h>

#include "base/error.h"
#include "base/log.h"
#include "base/sandbox.h"
#include "base/text.h"

enum {
    BUILD_PATH_MAX = 4096,
    BUILD_TIMEOUT_MS = 900000,        /* For a stranger's engine. */
    BUILD_VARIANT_TIMEOUT_MS = 300000 /* For this project's engine. */
};

/* A build. The strings belong to the caller and need not outlive build_start. */
typedef struct {
    const char *dir; /* The folder of the Makefile, absolute. */
    const char *exe; /* EXE=: a bare name of a file made in `dir`, or an absolute path. */
    /* The value of CXX= when it contains "++", else of CC=. For cargo and rustc, which choose by
     * themselves, and for NULL neither is set. */
    const char *compiler;
    const char *evalfile;   /* EVALFILE=: absolute path of a network, or NULL. */
    const char *lmr;        /* LMR=: rows of this project's flag table, or NULL. */
    bool tune;              /* TUNE=1: all rows of this project's tables are UCI options. */
    const char *objects;    /* BUILD=: the folder for objects of this project's engine, or NULL. */
    int jobs;               /* make's -j; 0: the number of CPUs. */
    int timeout_ms;         /* 0: BUILD_TIMEOUT_MS. */
    const Sandbox *sandbox; /* NULL: the build is not confined. */
    const char *tree;       /* The writable folder of a confined build; it holds `dir`. */
    bool network;           /* A confined build may use the network. */
} BuildSpec;

typedef struct {
    bool ok;                   /* The executable exists. */
    char path[BUILD_PATH_MAX]; /* The path of the executable, when ok. */
    Error error;               /* Why the build failed, in one line, unless ok. */
    const char *log;           /* The tail of the output of make and the compiler. */
} BuildResult;

typedef struct Build Build;

/* Called once, from the loop. The result is valid during the call; the Build is freed after it. */
typedef void (*BuildDone)(const BuildResult *result, void *user);

/* Starts `make`. NULL with err set when `make` cannot be started. */
Build *build_start(uv_loop_t *loop, const BuildSpec *spec, BuildDone done, void *user, Error *err);

/* Kills the build with all its processes, and frees it without calling `done`. NULL is allowed. */
void build_cancel(Build *build);

/* Appends the words "ROW=VALUE" of the flags of an `lmr:` SPEC, then sorts all words of *out.
 * Refuses words of another form and a row that is given twice. Pure. */
bool variant_words(const char *flags, Words *out, Error *err);

/* How engines are built. All zero: the defaults, but build_path has to be set for commits and
 * trees. The compiler is $CC if set, else the first of cc, gcc, clang on the PATH. */
typedef struct {
    /* The folder of our own engine's Makefile; NULL: owntree_engine. */
    const char *source_dir;
    bool tune; /* All rows of our own engine become UCI options, with the flags as defaults. */
    const char *build_path; /* The folder of the Makefile in the repository; ".": the top folder. */
    const char *folder;     /* A folder in the repository; NULL: the working folder. */
    /* The folder of kept engines; NULL: $XDG_CACHE_HOME/obworker/engines, else
     * ~/.cache/obworker/engines. Created when missing. */
    const char *cache_dir;
    /* Told whether the engine is built or kept, and shown the lines of a failed build; NULL:
     * nothing is logged. */
    Log *log;
    /* The name before the engine's SPEC in the log ("dev"); NULL: the engine is not announced. */
    const char *label;
} BuildOptions;

/* Builds this project's own engine with the flags of an `lmr:` SPEC and writes the absolute path of
 * the executable to `path`. `flags` is the part after "lmr:": "" (the default build),
 * "KILLER=0,W_PV=0" or "KILLER=0 W_PV=0"; the order of the flags does not matter. Executables are
 * kept by the SHA-256 of sources, flags and compiler; what a build has left in the sources' folder
 * is no source. An executable is made under a temporary name and renamed when it is whole, so that
 * several processes may build the same engine at once. Blocking: the build runs in an event loop of
 * its own, which takes SIGINT and SIGTERM (build/blocking.h). On failure err is one line: for
 * an unknown flag or a value out of its range, the line of the flag table's generator; else as in
 * build_commit. */
bool build_variant(const char *flags, const BuildOptions *options, char path[BUILD_PATH_MAX],
                   Error *err);

/* Checks that build_variant could begin: the flag table's generator checks the flags, and nothing
 * is compiled. Blocking, a moment. */
bool build_variant_check(const char *flags, const BuildOptions *options, Error *err);

/* Builds a commit of the git repository that `folder` lies in, as a server's workers would: from
 * the commit's files alone, without changed or untracked files of the working tree, by `make -j
 * EXE= CC=` in build_path. Executables are kept by commit, folder, compiler and CPU. Blocking, and
 * safe for several processes, as build_variant is. On failure err is one line; for a failed build
 * the line has the output's most telling line and the name of the file with the whole output. */
bool build_commit(const char *ref, const BuildOptions *options, char path[BUILD_PATH_MAX],
                  Error *err);

/* Checks that build_commit could begin: asks git for the commit and its Makefile, and builds
 * nothing. Blocking. */
bool build_commit_check(const char *ref, const BuildOptions *options, Error *err);

/* As build_commit and build_commit_check, for the working tree that `folder` ("": the working
 * folder) lies in: its present files, committed or not, without the files that git ignores. Built
 * from a copy. */
bool build_tree(const char *folder, const BuildOptions *options, char path[BUILD_PATH_MAX],
                Error *err);
bool build_tree_check(const char *folder, const BuildOptions *options, Error *err);

#endif
