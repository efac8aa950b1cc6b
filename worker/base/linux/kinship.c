/* SPDX-License-Identifier: MIT */
#include "base/kinship.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The kernel's signal to a watching process when its parent ends. */
static int parent_ended_signal(void) {
    return SIGRTMIN;
}

bool kinship_die_with_parent(void) {
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
}

void kinship_take_orphans(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void kinship_watch(void) {
    prctl(PR_SET_PDEATHSIG, parent_ended_signal());
}

void kinship_wait(void) {
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, parent_ended_signal());
    sigwaitinfo(&awaited, NULL);
}

/* When a program starts processes faster than they are killed, the worker kills the rest with the
 * group. */
void kinship_end_children(void) {
    enum { ROUNDS = 100 };
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    for (int i = 0, found = 1; found > 0 && i < ROUNDS; i++) {
        FILE *children = fopen(path, "re");
        int child;
        found = 0;
        while (children != NULL && fscanf(children, "%d", &child) == 1)
            if (getpgid(child) == getpid() && kill(child, SIGKILL) == 0) {
                waitpid(child, NULL, 0);
                found++;
            }
        if (children != NULL)
            fclose(children);
    }
}
