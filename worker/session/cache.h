/* SPDX-License-Identifier: MIT */
/* The files that are kept in the state folder between workloads: books, networks and engines, under
 * names made of hashes. Beyond a limit, the files used longest ago are removed. Blocking. */
#ifndef WORKER_SESSION_CACHE_H
#define WORKER_SESSION_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Notes that a kept file is used now. NULL and paths without a file are allowed. */
void cache_use(const char *path);

/* Removes files of these folders, those used longest ago first, until no more than `limit` bytes
 * are left in all; but never the files of `keep` (paths; NULLs are allowed). `*removed` is the
 * number of removed files. */
bool cache_trim(const char *const *folders, size_t folder_count, uint64_t limit,
                const char *const *keep, size_t keep_count, int *removed, Error *err);

#endif
