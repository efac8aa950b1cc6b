/* SPDX-License-Identifier: MIT */
/* Folders of files: removing, and a hash of what is in them. Blocking. */
#ifndef BASE_TREE_H
#define BASE_TREE_H

#include <stdbool.h>

#include "base/digest.h"
#include "base/error.h"

/* Removes a file or a folder with all that is in it; links are removed, not followed. True also
 * when there is nothing. */
bool tree_remove(const char *path, Error *err);

/* The SHA-256 of names and contents of the regular files below `dir`, in the order of their names.
 * Folders whose name is `skip` and names that begin with a dot are left out. */
bool tree_digest(const char *dir, const char *skip, char out[DIGEST_HEX_MAX], Error *err);

#endif
