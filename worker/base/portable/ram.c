/* SPDX-License-Identifier: MIT */
#include "base/ram.h"

#include <uv.h>

uint64_t ram_total(void) {
    return uv_get_total_memory();
}

/* libuv tells the free pages alone, which are few where caches fill the memory. */
uint64_t ram_available(void) {
    return ram_total();
}
