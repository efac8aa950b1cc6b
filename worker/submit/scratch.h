/* SPDX-License-Identifier: MIT */
/* The folder in which `submit` clones and builds. The folder is removed when it is closed, and also
 * when a signal to this process ends the process before: a shell in a session of its own waits for
 * the end of this process. The folder stays when the shell is killed too, as with a whole control
 * group. */
#ifndef SUBMIT_SCRATCH_H
#define SUBMIT_SCRATCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* All zero: no folder. */
typedef struct {
    char *path;    /* Owned. */
    int lifeline;  /* This process alone holds this end of a pipe; the remover reads the other. */
    pid_t remover; /* The shell. */
} Scratch;

/* Makes a new folder in $TMPDIR, else in /tmp. False with err set: nothing is left to close. */
bool scratch_open(Scratch *scratch, Error *err);

/* Removes the folder with all that is in it. */
void scratch_close(Scratch *scratch);

#endif
