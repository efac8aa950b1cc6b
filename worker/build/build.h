/* SPDX-License-Identifier: MIT */
/* Building engines from source: `make -j EXE= CC= [EVALFILE=] [LMR=]` in a child process with a
 * scrubbed environment, a time limit and captured output. Nothing here knows a server. */
#ifndef WORKER_BUILD_BUILD_H
#define WORKER_BUILD_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "base/error.h"
#include "base/log.h"
#include "base/sandbox.h"
#include "base/text.h"

enum {
    BUILD_PATH_MAX = 4096,
    BUILD_TIMEOUT_MS = 900000,        /* Of a strange engine's build. */
    BUILD_VARIANT_TIMEOUT_MS = 300000 /* Of our own. */
};

/* What to build; all strings are the caller's and need not outlive build_start. */
typedef struct {
    const char *dir;        /* The folder of the Makefile, absolute. */
    const char *exe;        /* EXE=: a bare name, which appears in `dir`, or an absolute path. */
    const char *compiler;   /* Goes to CC=, to CXX= when there is "++" in it, and nowhere for cargo
                               and rustc, which know what to do. */
    const char *evalfile;   /* EVALFILE=: absolute path of a network, or NULL. */
    const char *lmr;        /* LMR=: rows of our own engine's flag table, or NULL. */
    bool tune;              /* TUNE=1: all rows of our own engine's tables are UCI options. */
    const char *objects;    /* BUILD=: our own engine's folder of objects, or NULL. */
    int jobs;               /* make's -j; 0: as many as there are CPUs. */
    int timeout_ms;         /* 0: BUILD_TIMEOUT_MS. */
    const Sandbox *sandbox; /* NULL: it is not confined. */
    const char *tree;       /* What a confined build may write: a folder that holds `dir`. */
    bool network;           /* A confined build has the network. */
} BuildSpec;

typedef struct {
    bool ok;                   /* The executable is there. */
    char path[BUILD_PATH_MAX]; /* Of the executable, when ok. */
    Error error;               /* One line, unless ok. */
    const char *log;           /* The tail of what make and the compiler said. */
} BuildResult;

typedef struct Build Build;

/* Called once, from the loop; the result is valid during the call, the Build is gone after it. */
typedef void (*BuildDone)(const BuildResult *result, void *user);

/* Starts `make`. NULL with err set when it cannot be started. */
Build *build_start(uv_loop_t *loop, const BuildSpec *spec, BuildDone done, void *user, Error *err);

/* Kills it and all its children; no `done`. NULL is allowed. */
void build_cancel(Build *build);

/* Appends the words "ROW=VALUE" of the flags of an `lmr:` SPEC, in alphabetical order of all that
 * is in *out then. Refuses what is not of that form and a row that is given twice. Pure. */
bool variant_words(const char *flags, Words *out, Error *err);

/* What build_variant needs to know. An all-zero struct is the default everywhere. */
typedef struct {
    /* The folder that holds the engine's Makefile; NULL: owntree_engine. */
    const char *source_dir;
    bool tune; /* All rows become UCI options; the flags are their defaults. */
    /* The compiler; NULL: $CC if that is set, else the first of cc, gcc, clang on the PATH. */
    const char *compiler;
    /* Where built engines are kept; NULL: $XDG_CACHE_HOME/obworker/engines, else
     * ~/.cache/obworker/engines. Created when missing. */
    const char *cache_dir;
    /* Give up after so many milliseconds; 0: BUILD_VARIANT_TIMEOUT_MS. */
    int timeout_ms;
    /* Says whether the engine is built or kept, and shows the lines of a failed build; NULL:
     * nothing is said. */
    Log *log;
    /* Before the engine's SPEC in the log ("dev"); NULL: the engine is not announced. */
    const char *label;
} VariantOptions;

/* Builds this project's own engine with the flags of an `lmr:` SPEC and writes the absolute path of
 * the executable to `path`. `flags` is what follows "lmr:": "" or NULL (the default build),
 * "KILLER=0,W_PV=0" or "KILLER=0 W_PV=0"; the order of the flags does not matter.
 * Binaries are kept by the SHA-256 of sources, flags and compiler, are written under a temporary
 * name and renamed when they are whole, so that several processes may ask for the same one at once.
 * Blocks: runs the build in a private event loop of its own. SIGINT and SIGTERM keep their
 * handlers. On failure `err` is one line: for an unknown flag or a value out of its
 * range, the line of the flag table's own generator; else as in build_commit. */
bool build_variant(const char *flags, const VariantOptions *options, char path[BUILD_PATH_MAX],
                   Error *err);

/* Could build_variant begin? Checks the flags with the flag table's own generator and compiles
 * nothing: a mistake is found in a moment. Blocking. */
bool build_variant_check(const char *flags, const VariantOptions *options, Error *err);

/* What build_commit needs to know. */
typedef struct {
    const char *build_path; /* The folder of the Makefile in the repository; "." is its top. */
    const char *folder;     /* In the repository; NULL: the working folder. */
    const char *compiler;   /* As in VariantOptions, ... */
    const char *cache_dir;  /* ... and this too. */
    int timeout_ms;         /* 0: BUILD_TIMEOUT_MS. */
    Log *log;               /* As in VariantOptions, ... */
    const char *label;      /* ... and this too. */
} CommitOptions;

/* Builds a commit of the git repository that `folder` lies in, as a server's workers would: its
 * files alone, without what is changed or lies about in the working tree, by `make -j EXE= CC=` in
 * build_path. Kept by commit, folder, compiler and CPU; blocking, and safe for several processes,
 * as build_variant is. On failure `err` is one line; of a failed build it has the line that tells
 * most, and names the file that holds all of the output.
 */
bool build_commit(const char *ref, const CommitOptions *options, char path[BUILD_PATH_MAX],
                  Error *err);

/* Could build_commit begin? Asks git for the commit and its Makefile, and builds nothing.
 * Blocking. */
bool build_commit_check(const char *ref, const CommitOptions *options, Error *err);

/* The same for the working tree that `folder` ("": the working folder) lies in, as it is now, with
 * what is not committed and without what git is told to ignore. Built from a copy. */
bool build_tree(const char *folder, const CommitOptions *options, char path[BUILD_PATH_MAX],
                Error *err);
bool build_tree_check(const char *folder, const CommitOptions *options, Error *err);

#endif
