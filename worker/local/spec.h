/* SPDX-License-Identifier: MIT */
/* A SPEC names an engine: a program with its arguments, "lmr:" with rows of our own engine's flag
 * table, "git:" with a commit, or "tree:" with the folder of a working tree. Blocking. */
#ifndef LOCAL_SPEC_H
#define LOCAL_SPEC_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "build/build.h"

/* Does the SPEC name sources that have to be built first? */
bool spec_is_source(const char *spec);

/* The default of --build-path. */
#define SPEC_BUILD_PATH "engine"

/* Is the SPEC built in the folder that --build-path names? NULL: no. */
bool spec_has_build_path(const char *spec);

/* Refuses a --build-path of no use, unless it is the default. useful: a SPEC of the command is
 * built there. */
bool spec_check_build_path(const char *build_path, bool useful, Error *err);

/* Finds the mistakes in a SPEC without building anything. Appends a program and its arguments to
 * *argv. */
bool spec_check(const char *spec, const BuildOptions *how, Words *argv, Error *err);

/* The present origin of a SPEC's sources. The strings are allocated. For a program all are
 * NULL. For sources of our own engine outside any git repository all but `repository` are NULL. */
typedef struct {
    char *repository; /* The repository's folder; for our own engine the folder of the sources. */
    char *commit;     /* The commit's full name. */
    char *subject;    /* The first line of the commit's message. */
    char *web;        /* The repository's address on the web; NULL: unknown. */
    char *changes;    /* The SHA-256 of the uncommitted changes; NULL: no changes. */
} SpecCommit;

/* Finds the origin. False with err set: git failed, or was interrupted. Free *out with
 * spec_commit_free, after a failure too. Blocking. */
bool spec_commit(const char *spec, SpecCommit *out, Error *err);
void spec_commit_free(SpecCommit *commit);

/* Builds the sources that a SPEC names unless a build of them is kept, and appends the program's
 * path to *argv. */
bool spec_build(const char *spec, const BuildOptions *how, Words *argv, Error *err);

#endif
