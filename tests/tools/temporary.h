/* SPDX-License-Identifier: MIT */
/* Where tests put their files: in TMPDIR, else in /tmp. run_suite (runner.h) makes a folder there,
 * which is TMPDIR to its tests, and removes that folder also after tests that failed. */
#ifndef TESTS_TOOLS_TEMPORARY_H
#define TESTS_TOOLS_TEMPORARY_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Room for a path there. */
enum { TEMPORARY_SIZE = 96 };

/* Ends the process unless that holds; not by Check, because main may ask too. */
static inline void temporary_require(bool holds, const char *path) {
    if (holds)
        return;
    perror(path);
    abort();
}

/* A path there for mkdtemp or mkstemp. It is in /tmp also where TMPDIR is too long for it. */
static inline void temporary_pattern(char *path, size_t size, const char *name) {
    const char *folder = getenv("TMPDIR");
    int length = -1;
    if (folder != NULL && folder[0] == '/')
        length = snprintf(path, size, "%s/%s-XXXXXX", folder, name);
    if (length < 0 || (size_t)length >= size)
        snprintf(path, size, "/tmp/%s-XXXXXX", name);
}

/* Makes a folder there. */
static inline void temporary_folder(char *path, size_t size, const char *name) {
    temporary_pattern(path, size, name);
    temporary_require(mkdtemp(path) != NULL, path);
}

/* Makes a file there, and returns its descriptor. */
static inline int temporary_file(char *path, size_t size, const char *name) {
    temporary_pattern(path, size, name);
    int file = mkstemp(path);
    temporary_require(file >= 0, path);
    return file;
}

#endif
