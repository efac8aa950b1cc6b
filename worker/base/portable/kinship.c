/* SPDX-License-Identifier: MIT */
#include "base/kinship.h"

#include <signal.h>
#include <sys/select.h>

#include "base/clock.h"

/* How long the end of the parent may stay unnoticed. */
enum { LOOK_MS = 500 };

bool kinship_die_with_parent(void) {
    return true;
}

void kinship_take_orphans(void) {}

static void on_child(int number) {
    (void)number;
}

/* A signal with a handler ends pselect; an ignored one does not. */
void kinship_watch(void) {
    struct sigaction action = {.sa_handler = on_child};
    sigemptyset(&action.sa_mask);
    sigaction(SIGCHLD, &action, NULL);
}

/* SIGCHLD is let through during the wait alone, so that no end of a child is missed. */
void kinship_wait(void) {
    struct timespec look = {.tv_nsec = LOOK_MS * CLOCK_NS_PER_MS};
    sigset_t blocked;
    sigfillset(&blocked);
    sigdelset(&blocked, SIGCHLD);
    pselect(0, NULL, NULL, NULL, &look, &blocked);
}

/* The worker kills the group when the guard has ended. */
void kinship_end_children(void) {}
