/* SPDX-License-Identifier: MIT */
/* Sources of engines from strangers, unpacked to be built. Nothing here knows a server. */
#ifndef WORKER_BUILD_SOURCE_H
#define WORKER_BUILD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A stranger's name as a file name of our own: letters, digits, '.', '_' and '-', the rest '_';
 * never hidden and never an option. `out` holds `size` bytes. Pure. */
void source_safe_name(const char *name, char *out, size_t size);

/* Does a folder named by a stranger stay below the tree that holds it: relative, without ".."?
 * Pure. */
bool source_path_stays(const char *path);

/* Unpacks a zip into the new folder `tree`, and writes the absolute, real path of `folder` in its
 * top folder to *build_dir (allocated). What stood at `tree` before goes; what cannot be removed is
 * moved to `aside` (base/tree.h). Blocking. */
bool source_unpack(const char *zip, const char *tree, const char *aside, const char *folder,
                   char **build_dir, Error *err);

/* Do a tool's words, or ours, say that the disk takes no more? That is this machine's fault and
 * none of the source's. Words in another language than English are not understood. Pure. */
bool source_lacks_room(const char *words);

#endif
