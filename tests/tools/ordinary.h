/* SPDX-License-Identifier: MIT */
/* For tests that root would pass without a reason: they become, or run a part as, a user who is
 * nobody in particular. */
#ifndef TESTS_TOOLS_ORDINARY_H
#define TESTS_TOOLS_ORDINARY_H

#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Runs this whole program again as that user, in a process of its own, and returns whether it ended
 * well. Root only. Leaves out, with a message, where there is no such user or the user cannot reach
 * the folder of the build. A new program can be looked into as any other can, which a process that
 * has changed its user cannot. */
static inline bool ordinary_again(const char *name) {
    enum { NOT_THERE = 77 };
    const char *folder = getenv("builddir");
    int status = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (setgroups(0, NULL) != 0 ||
            setresgid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER) != 0 ||
            setresuid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER) != 0 ||
            (folder != NULL && access(folder, R_OK | X_OK) != 0))
            _exit(NOT_THERE);
        puts("as an ordinary user:");
        fflush(stdout);
        execl("/proc/self/exe", name, (char *)NULL);
        _exit(NOT_THERE);
    }
    bool ended = child > 0 && waitpid(child, &status, 0) == child;
    if (ended && WIFEXITED(status) && WEXITSTATUS(status) == NOT_THERE) {
        puts("left out: the same as an ordinary user, who does not get to the build's folder");
        return true;
    }
    return ended && status == 0;
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
