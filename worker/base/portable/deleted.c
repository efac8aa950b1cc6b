/* SPDX-License-Identifier: MIT */
#include "base/deleted.h"

void deleted_count(int pid, const Words *folders, uint64_t *bytes) {
    (void)pid;
    (void)folders;
    (void)bytes;
}
