/* SPDX-License-Identifier: MIT */
#include "base/self.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's link leads to the very file that was started, replaced or not. */
void self_note_program(void) {}

bool self_program(char *path, size_t size) {
    int n = snprintf(path, size, "/proc/self/exe");
    return n > 0 && (size_t)n < size && access(path, X_OK) == 0;
}

int self_number(void) {
    char number[32];
    ssize_t length = readlink("/proc/self", number, sizeof number - 1);
    number[length > 0 ? length : 0] = '\0';
    return atoi(number);
}

/* PR_SET_DUMPABLE also prevents cores that are piped to a program, which ignore RLIMIT_CORE. */
void self_close_to_others(void) {
    prctl(PR_SET_DUMPABLE, 0);
}

void self_end_first(void) {
    static const char MOST[] = "1000";
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t written = write(fd, MOST, sizeof MOST - 1);
    (void)written; /* The setting is useful, not necessary. */
    close(fd);
}

/* A threshold that is set is no longer raised to the size of the largest freed block. musl has no
 * threshold to set, and always returns large blocks. */
void self_return_memory(void) {
#ifdef M_MMAP_THRESHOLD
    enum { LARGE_BYTES = 128 * 1024 };
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
#endif
}

void self_close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0U, 0) == 0)
        return;
#endif
    long limit = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd < limit; fd++)
        close(fd);
}
