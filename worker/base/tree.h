/* SPDX-License-Identifier: MIT */
/* Folders of files: their removal, and a digest of their files. Blocking. */
#ifndef BASE_TREE_H
#define BASE_TREE_H

#include <stdbool.h>

#include "base/digest.h"
#include "base/error.h"

/* Removes a file, or a folder with everything in it. Links are removed, not followed. Folders that
 * their owner may not read or change are opened to the owner first. The depth of the tree and the
 * length of its paths do not matter. A mounted file system stays. True also when nothing exists at
 * `path`. False: as much as possible is gone, and err names the first entry that stays. */
bool tree_remove(const char *path, Error *err);

/* Frees the name `path`: removes the file or folder, or moves what cannot be removed into a new
 * folder of `aside` (made when missing; of the same file system). After a move, *notice says why
 * and to which folder; otherwise *notice is empty. False with err set: `path` still exists. */
bool tree_make_room(const char *path, const char *aside, Error *notice, Error *err);

/* The SHA-256 of the names and contents of the regular files below `dir`, in the order of their
 * names. Left out are files and folders whose name matches one of the shell's patterns (fnmatch) of
 * `skip`, NULL-terminated; they may come and go meanwhile. */
bool tree_digest(const char *dir, const char *const *skip, char out[DIGEST_HEX_MAX], Error *err);

#endif
