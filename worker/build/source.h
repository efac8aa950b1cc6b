/* SPDX-License-Identifier: MIT */
/* Sources of strangers' engines, unpacked for a build. This file knows no server. */
#ifndef WORKER_BUILD_SOURCE_H
#define WORKER_BUILD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Turns a stranger's name into a safe file name: letters, digits, '.', '_' and '-' stay, other
 * characters become '_'; so does a '.' or '-' at the start. `out` holds `size` bytes. Pure. */
void source_safe_name(const char *name, char *out, size_t size);

/* Does a folder named by a stranger lie below the tree that holds it: has the name no ".."? Servers
 * write slashes in front, which mean the tree's top. Pure. */
bool source_path_stays(const char *path);

/* Unpacks a zip into the new folder `tree`, and writes the absolute, real path of `folder` in the
 * zip's top folder to *build_dir: allocated; NULL when there is no such folder in the tree. An old
 * `tree` is removed; parts that cannot be removed are moved to `aside` (base/tree.h). Blocking. */
bool source_unpack(const char *zip, const char *tree, const char *aside, const char *folder,
                   char **build_dir, Error *err);

/* Does a message of a tool or of the worker say that the disk is full? A full disk is this
 * machine's fault, not the source's; but a source can make its build say anything. Only English
 * messages are recognized, as builds print them (build/build.h). Pure. */
bool source_lacks_room(const char *words);

/* Does the output of a build say that a process or memory could not be had? Then a build with fewer
 * processes may succeed. Only English messages are recognized, as above. Pure. */
bool source_lacks_memory(const char *words);

#endif
