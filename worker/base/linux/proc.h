/* SPDX-License-Identifier: MIT */
/* The readers of the kernel's texts (proc(5)). All of them are pure. */
#ifndef BASE_LINUX_PROC_H
#define BASE_LINUX_PROC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cputime.h"

/* Read the ticks from the text of /proc/stat, and the pressure from the text of /proc/pressure/cpu.
 * False when the text has no such counters; the fields are then zero. */
bool machine_ticks_parse(const char *stat, MachineTime *out);
bool machine_pressure_parse(const char *pressure, MachineTime *out);

/* The number behind the first `name` that begins a line; 0: none does. */
uint64_t proc_number(const char *text, const char *name);

/* The bytes that one process occupies and that no mapped file holds: RssAnon and RssShmem of the
 * text of its status file, or its shares of such pages, from the text of its smaps_rollup file. */
uint64_t resident_parse(const char *status);
uint64_t resident_parse_share(const char *rollup);

/* The kernel's estimate, from the text of /proc/meminfo; 0 when the text has none. */
uint64_t ram_parse(const char *meminfo);

/* The time that a control group gets on all CPUs together, from the text of its cpu.max ("max" or
 * microseconds, then the period's microseconds): in whole CPUs, at least 1. INT_MAX when the group
 * has no limit. */
int cpus_parse_group(const char *most);

/* Memory that a control group may still take, from the texts of its memory.max ("max" or bytes),
 * memory.current and memory.stat: the kernel frees the pages of files when a program needs them.
 * UINT64_MAX when the group has no limit. */
uint64_t ram_parse_group(const char *most, const char *current, const char *stat);

#endif
