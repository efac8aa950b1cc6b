/* SPDX-License-Identifier: MIT */
#include "base/self.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include <uv.h>

static char noted[PATH_MAX]; /* "" when the system did not tell. */

void self_note_program(void) {
    size_t size = sizeof noted;
    if (uv_exepath(noted, &size) != 0)
        noted[0] = '\0';
}

bool self_program(char *path, size_t size) {
    int n = snprintf(path, size, "%s", noted);
    return n > 0 && (size_t)n < size;
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
