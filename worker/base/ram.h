/* SPDX-License-Identifier: MIT */
/* The machine's memory, in bytes. */
#ifndef BASE_RAM_H
#define BASE_RAM_H

#include <stdint.h>

/* All memory of the machine; 0 when the system does not tell. */
uint64_t ram_total(void);

/* Memory that programs could still take without making others give some back: the system's
 * estimate, on Linux limited by this process's control groups. On systems without such an estimate:
 * all memory. 0 when the system does not tell. */
uint64_t ram_available(void);

#endif
