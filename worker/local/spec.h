/* SPDX-License-Identifier: MIT */
/* A SPEC names an engine: a program with its arguments, "lmr:" with rows of our own engine's flag
 * table, "git:" with a commit, or "tree:" with a folder of a working tree. Blocking. */
#ifndef LOCAL_SPEC_H
#define LOCAL_SPEC_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

/* Does the SPEC name sources that are built first? */
bool spec_is_source(const char *spec);

/* Finds what can be wrong with a SPEC without building anything. A program and its arguments are
 * appended to *argv. build_path: the folder of a commit's Makefile. */
bool spec_check(const char *spec, const char *build_path, Words *argv, Error *err);

/* Where the sources of a SPEC come from, as they are now. Strings are allocated; all are NULL for a
 * program, and the last three for sources of our own engine that are in no repository. */
typedef struct {
    char *repository; /* Its folder; of our own engine the folder of the sources. */
    char *commit;     /* The full name. */
    char *subject;    /* The first line of the commit's message. */
    char *web;        /* The repository's address on the web; NULL: none is known. */
    char *changes;    /* The SHA-256 of what is not committed; NULL: nothing. */
} SpecCommit;

bool spec_commit(const char *spec, SpecCommit *out, Error *err);
void spec_commit_free(SpecCommit *commit);

/* How sources are built. */
typedef struct {
    const char *build_path; /* The folder of a commit's Makefile. */
    bool tune;              /* Our own engine's rows are to be UCI options. */
    Log *log;               /* NULL: nothing is said. */
    const char *label;      /* Before the SPEC in the log; NULL: the engine is not announced. */
} SpecBuild;

/* Builds the sources that a SPEC names, or finds them built, and appends the program's path to
 * *argv. */
bool spec_build(const char *spec, const SpecBuild *how, Words *argv, Error *err);

#endif
