/* SPDX-License-Identifier: MIT */
/* A working tree of git's as it is, with what is not committed: as an object that git can list and
 * pack, in a folder of objects of its own. The repository and its index stay as they are. Blocking.
 */
#ifndef WORKER_BUILD_SNAPSHOT_H
#define WORKER_BUILD_SNAPSHOT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "build/git.h"

/* Strings are owned. All zero before snapshot_take. */
typedef struct {
    char *top;    /* The repository's folder. */
    char *commit; /* HEAD, by its full name. */
    char *tree;   /* The name of the snapshot, for git in `place`. */
    char *
        changes; /* The SHA-256 of the difference from HEAD as git shows it; NULL: there is none. */
    GitPlace place;
    char *folder; /* Where its objects are. */
    Words env;
} Snapshot;

/* Takes the working tree of the repository that `path` lies in: all files but those that git is
 * told to ignore. snapshot_free it in either case. */
bool snapshot_take(Snapshot *snapshot, const char *path, Error *err);

void snapshot_free(Snapshot *snapshot);

/* The SHA-256 of what is not committed of the files that git knows below `folder`, allocated; NULL:
 * nothing, or nobody can tell. */
char *snapshot_changes(const char *folder);

#endif
