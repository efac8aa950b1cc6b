/* SPDX-License-Identifier: MIT */
/* The memory that a process and its descendants really occupy.
 *
 * Reserved memory does not count: thread stacks that are never given back, or a sanitizer's shadow,
 * are address space and no memory. Mapped files do not count either: the system may drop the pages
 * of tables and networks at any time. The kernel counts all other pages (proc(5), RssAnon and
 * RssShmem of /proc/PID/status). */
#ifndef BASE_RESIDENT_H
#define BASE_RESIDENT_H

#include <stdint.h>

/* Bytes that `pid` and its descendants (base/family.h) occupy. Pages that several processes share
 * count once for each process, unless this plain sum is more than `limit` bytes: then each process
 * counts with its proportional share (smaps_rollup), where the kernel shows the share. 0 when there
 * is no such process. */
uint64_t resident_of(int pid, uint64_t limit);

/* The bytes of one process, from the text of its status file, or of its smaps_rollup file. Pure. */
uint64_t resident_parse(const char *status);
uint64_t resident_parse_share(const char *rollup);

#endif
