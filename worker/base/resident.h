/* SPDX-License-Identifier: MIT */
/* The memory that a process and its descendants really occupy.
 *
 * Reserved memory does not count: thread stacks that are never given back, or a sanitizer's shadow,
 * are address space and no memory. Mapped files do not count either: the system may drop the pages
 * of tables and networks at any time. */
#ifndef BASE_RESIDENT_H
#define BASE_RESIDENT_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that `pid` and its descendants (the processes that they started, and so on) occupy. Pages
 * that several processes share count once for each process, unless this plain sum is more than
 * `limit` bytes: then each process counts with its proportional share (smaps_rollup), where the
 * kernel shows the share. 0 when there is no such process, and on systems other than Linux. */
uint64_t resident_of(int pid, uint64_t limit);

/* A watch of one process with its descendants. To look at every process of many children takes
 * longer than all else that is done between two looks. So a look is left out while the machine's
 * available memory (base/ram.h) has not fallen by half of what the child may still take. Others may
 * give memory back while the child takes more, so every tenth look takes place in any case. All
 * zero but the limit: the first look takes place. */
typedef struct {
    uint64_t limit;
    uint64_t occupied;  /* Bytes, by the last look. */
    uint64_t available; /* The machine's memory then, in bytes. */
    int left_out;       /* Looks since then. */
} ResidentWatch;

/* Whether to look now, when `available` bytes are available on the machine; 0: unknown. Pure. */
bool resident_is_due(const ResidentWatch *watch, uint64_t available);

/* Looks at `pid` and its descendants where a look is due. Whether they occupy more than the limit,
 * as `occupied` says then. To be called at regular times. */
bool resident_is_over(ResidentWatch *watch, int pid);

#endif
