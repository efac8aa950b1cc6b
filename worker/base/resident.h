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

/* Bytes that `pid` and its descendants occupy. Children are found where the kernel lists them
 * (CONFIG_PROC_CHILDREN) and were not left to another parent. 0 when there is no such process. */
uint64_t resident_of(int pid);

/* The same of one process, from the text of its status file. Pure. */
uint64_t resident_parse(const char *status);

#endif
