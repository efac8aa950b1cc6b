/* SPDX-License-Identifier: MIT */
#include "base/resident.h"

uint64_t resident_of(int pid, uint64_t limit) {
    (void)pid;
    (void)limit;
    return 0;
}
