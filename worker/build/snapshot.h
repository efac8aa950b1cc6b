/* SPDX-License-Identifier: MIT */
/* A snapshot of a git working tree with its uncommitted files: an object that git can list and
 * pack, in a separate folder of objects. The repository and its index do not change. Blocking. */
#ifndef WORKER_BUILD_SNAPSHOT_H
#define WORKER_BUILD_SNAPSHOT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "build/git.h"

/* Owns its strings. All zero before snapshot_take. */
typedef struct {
    char *top;     /* The repository's top folder. */
    char *commit;  /* The full name of HEAD. */
    char *tree;    /* The git name of the snapshot's tree object, for git in `place`. */
    char *changes; /* The SHA-256 of git's list of differences from HEAD; NULL: none. */
    GitPlace place;
    char *folder; /* The folder of the snapshot's objects. */
    Words env;
} Snapshot;

/* Takes a snapshot of the working tree that `path` lies in: all files but those that git ignores.
 * The caller releases it with snapshot_free, after a failure too. */
bool snapshot_take(Snapshot *snapshot, const char *path, Error *err);

void snapshot_free(Snapshot *snapshot);

/* The SHA-256 of the uncommitted changes to tracked files below `folder`, allocated; NULL when
 * there are none, or git fails, or no temporary folder can be made. */
char *snapshot_changes(const char *folder);

#endif
