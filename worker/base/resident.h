/* SPDX-License-Identifier: MIT */
/* How much memory a process really occupies, with what it started.
 *
 * Not what it has reserved: thread stacks that are never given back, or a sanitizer's shadow, are
 * address space and no memory. Not the files that it maps either: tables and networks are the
 * system's to drop. What remains is counted page by page by the kernel (proc(5), RssAnon and
 * RssShmem of /proc/PID/status). */
#ifndef BASE_RESIDENT_H
#define BASE_RESIDENT_H

#include <stdint.h>

/* Bytes that `pid` and its descendants (base/family.h) occupy. Pages that several processes share
 * count once where that decides: when the plain sum is more than `limit` bytes, each process's
 * proportional share (smaps_rollup) is added up instead, where the kernel shows it. 0 when there is
 * no such process. */
uint64_t resident_of(int pid, uint64_t limit);

/* The same of one process, from the text of its status file, or of its smaps_rollup file. Pure. */
uint64_t resident_parse(const char *status);
uint64_t resident_parse_share(const char *rollup);

#endif
