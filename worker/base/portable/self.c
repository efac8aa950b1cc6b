/* SPDX-License-Identifier: MIT */
#include "base/self.h"

#include <unistd.h>
#include <uv.h>

bool self_program(char *path, size_t size) {
    return uv_exepath(path, &size) == 0;
}

int self_number(void) {
    return (int)getpid();
}

void self_close_to_others(void) {}

void self_end_first(void) {}

void self_return_memory(void) {}

/* Everything that the worker opens is closed by exec anyhow, so a bound may cut this short where
 * the limit of descriptors is huge or there is none. */
void self_close_from(int first) {
    enum { MOST = 65536 };
    long limit = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd < (limit >= 0 && limit < MOST ? limit : MOST); fd++)
        close(fd);
}
