/* SPDX-License-Identifier: MIT */
/* The machine's memory, in bytes. */
#ifndef BASE_RAM_H
#define BASE_RAM_H

#include <stdint.h>

/* All that there is; 0 when the system does not tell. */
uint64_t ram_total(void);

/* What programs could still take without others having to give something back: the kernel's
 * estimate (proc(5), MemAvailable), and no more than the control group that this process is in may
 * still take. 0 when the system does not tell. */
uint64_t ram_available(void);

/* The estimate from the text of /proc/meminfo; 0 when it is not there. Pure. */
uint64_t ram_parse(const char *meminfo);

/* What a control group may still take, from the texts of its memory.max ("max" or bytes) and
 * memory.current; UINT64_MAX when it has no limit. Pure. */
uint64_t ram_parse_group(const char *most, const char *current);

#endif
