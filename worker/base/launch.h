/* SPDX-License-Identifier: MIT */
/* The preparations for a child before it has a process: its command line, environment, folder and
 * pipes. */
#ifndef BASE_LAUNCH_H
#define BASE_LAUNCH_H

#include <stdbool.h>

#include "base/child.h"
#include "base/error.h"
#include "base/text.h"

/* The numbers of the child's descriptors. base/trampoline.h explains the last two. */
enum {
    LAUNCH_INPUT,
    LAUNCH_OUTPUT,
    LAUNCH_ERRORS,
    LAUNCH_STATUS = TRAMPOLINE_STATUS_FD,
    LAUNCH_LOCK = TRAMPOLINE_LOCK_FD,
    LAUNCH_FDS
};

typedef struct {
    Words argv; /* The trampoline's command line; ends in NULL, as `environment` does. */
    Words environment;
    /* The settings, then the rules (base/confine.h); empty: the child is not confined. */
    Words confinement;
    /* The scratch folder of a confined child, or NULL. The folder holds "home", which the child may
     * write, and "lock", which the child's guard locks and the child cannot open. */
    char *scratch;
    int theirs[LAUNCH_FDS]; /* The child's ends of the pipes; -1: none. */
    int ours[LAUNCH_FDS];   /* This process's ends of the pipes; -1: none. */
} Launch;

/* Prepares everything in *launch. On failure *launch holds nothing. */
bool launch_make(const ChildSpec *spec, Launch *launch, Error *err);

/* Closes the child's ends and frees the words. `ours` and `scratch` now belong to the caller. */
void launch_free(Launch *launch);

/* For a failed launch: as launch_free, and also closes `ours` and removes `scratch`. */
void launch_undo(Launch *launch);

/* Does the child have a sandbox? */
bool launch_is_confined(const ChildSpec *spec);

#endif
