/* SPDX-License-Identifier: MIT */
/* A limit on the disk space of a child process: the size of all folders that the child may write,
 * with the deleted files of these folders that the child still holds (base/deleted.h).
 *
 * The kernel limits the size of each file, not of all files together. A watch therefore counts the
 * blocks of all files and folders once a second, in libuv's thread pool, so that a loop with clocks
 * never waits for a disk. A child can pass the limit for about a second. Deleted files are counted
 * when the disk fills, and every ten seconds in any case. */
#ifndef BASE_DISKWATCH_H
#define BASE_DISKWATCH_H

#include <stdint.h>
#include <uv.h>

#include "base/text.h"

/* Adds the disk space of `folder` and all below it, in bytes, to *bytes. Stops when *bytes is more
 * than `limit`. An entry counts as 4 KB or more, so that the number of entries is limited too.
 * Links are counted, not followed; a file with several names counts once in all. Folders nested
 * deeper than a path can be long count as more than any limit. A folder that does not exist counts
 * nothing. Blocking. */
void diskwatch_count(const char *folder, uint64_t limit, uint64_t *bytes);

typedef struct DiskWatch DiskWatch;

/* Called once, from the loop, when the folders hold `bytes`, which is more than the limit. */
typedef void (*DiskWatchOver)(uint64_t bytes, void *user);

/* Watches the folders (copied) that the process `pid` and its descendants write, until
 * diskwatch_stop. A watch does not keep the loop running. */
DiskWatch *diskwatch_start(uv_loop_t *loop, int pid, const Words *folders, uint64_t limit,
                           DiskWatchOver over, void *user);

/* Ends a watch; `over` is not called any more. The loop frees the watch. NULL is allowed. */
void diskwatch_stop(DiskWatch *watch);

#endif
