/* SPDX-License-Identifier: MIT */
/* What is kept in the state folder between workloads: books, networks and engines, under names made
 * of hashes. When it grows past a limit, what was used longest ago goes. Blocking. */
#ifndef WORKER_SESSION_CACHE_H
#define WORKER_SESSION_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Notes that a kept file is used now. A path that is not there, or NULL, is no matter. */
void cache_use(const char *path);

/* Removes files of these folders, those used longest ago first, until no more than `limit` bytes
 * are left in all; never those of `keep` (paths, NULLs among them allowed). `*removed` counts them.
 */
bool cache_trim(const char *const *folders, size_t folder_count, uint64_t limit,
                const char *const *keep, size_t keep_count, int *removed, Error *err);

#endif
