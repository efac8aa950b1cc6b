/* SPDX-License-Identifier: MIT */
#include "base/ram.h"

#include <uv.h>

uint64_t ram_total(void) {
    return uv_get_total_memory();
}

/* Without the pages that the system would give back from its caches. */
uint64_t ram_available(void) {
    return uv_get_free_memory();
}
