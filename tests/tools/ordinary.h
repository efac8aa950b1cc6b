/* SPDX-License-Identifier: MIT */
/* For tests that root would pass without a reason: they become, or run a part as, a user who is
 * nobody in particular. */
#ifndef TESTS_TOOLS_ORDINARY_H
#define TESTS_TOOLS_ORDINARY_H

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ORDINARY_USER = 65534 };

/* Gives a file or folder to that user. */
static inline bool ordinary_own(const char *path) {
    return chown(path, ORDINARY_USER, ORDINARY_USER) == 0;
}

/* Root becomes that user for the rest of this process; any other user stays. `folder` then belongs
 * to that user. */
static inline bool ordinary_become(const char *folder) {
    return geteuid() != 0 ||
           (ordinary_own(folder) && setresgid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER) == 0 &&
            setresuid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER) == 0);
}

/* Runs `part` as that user in a process of its own, and returns what `part` returned. Root only. */
static inline bool ordinary_run(bool (*part)(void)) {
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        bool is = setresgid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER) == 0 &&
                  setresuid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER) == 0;
        _exit(is && part() ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

#endif
