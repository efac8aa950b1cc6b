/* SPDX-License-Identifier: MIT */
/* The machine's memory, in bytes. */
#ifndef BASE_RAM_H
#define BASE_RAM_H

#include <stdint.h>

/* All memory of the machine; 0 when the system does not tell. */
uint64_t ram_total(void);

/* Memory that programs could still take without making others give some back: the kernel's estimate
 * (proc(5), MemAvailable), limited by ram_parse_group for this process's control group. 0 when the
 * system does not tell. */
uint64_t ram_available(void);

/* The kernel's estimate, from the text of /proc/meminfo; 0 when the text has none. Pure. */
uint64_t ram_parse(const char *meminfo);

/* Memory that a control group may still take, from the texts of its memory.max ("max" or bytes) and
 * memory.current; UINT64_MAX when the group has no limit. Pure. */
uint64_t ram_parse_group(const char *most, const char *current);

#endif
