/* SPDX-License-Identifier: MIT */
/* What is ready before a child has a process: its command line, environment, folder and pipes. */
#ifndef BASE_LAUNCH_H
#define BASE_LAUNCH_H

#include <stdbool.h>

#include "base/child.h"
#include "base/error.h"
#include "base/text.h"

/* The child's descriptors are these numbers; base/trampoline.h says what the last two are for. */
enum {
    LAUNCH_INPUT,
    LAUNCH_OUTPUT,
    LAUNCH_ERRORS,
    LAUNCH_STATUS = TRAMPOLINE_STATUS_FD,
    LAUNCH_LOCK = TRAMPOLINE_LOCK_FD,
    LAUNCH_FDS
};

typedef struct {
    Words argv; /* Of the trampoline; ends in NULL, as the environment does. */
    Words environment;
    Words confinement; /* The settings, then a rule each; empty for one that is not confined. */
    /* The folder made for a confined child, or NULL. In it are "home", which the child may write,
     * and "lock", which the child cannot open and its guard holds. */
    char *scratch;
    int theirs[LAUNCH_FDS]; /* The child's ends; -1: none. */
    int ours[LAUNCH_FDS];   /* The ends that stay; -1: none. */
} Launch;

/* Makes everything ready. On failure `launch` holds nothing. */
bool launch_make(const ChildSpec *spec, Launch *launch, Error *err);

/* Closes the child's ends and frees the words; `ours` and `scratch` are the caller's. */
void launch_free(Launch *launch);

/* Also closes `ours` and removes `scratch`: for a launch that came to nothing. */
void launch_undo(Launch *launch);

/* Whether the child has a sandbox. */
bool launch_is_confined(const ChildSpec *spec);

#endif
