/* SPDX-License-Identifier: MIT */
/* The trampoline: the state of a child's process between the exec of this program and the exec of
 * the child's program. A private first argument makes this program a trampoline, which sets limits,
 * niceness and CPUs, leaves a guard behind (base/guard.h), confines itself (base/confine.h) and
 * becomes the child's program. */
#ifndef BASE_TRAMPOLINE_H
#define BASE_TRAMPOLINE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

enum {
    /* The descriptors that a trampoline finds open, besides the standard ones. To the first the
     * trampoline writes a line with the id of the process that becomes the program, and then, if
     * the program cannot be run, the reason. */
    TRAMPOLINE_STATUS_FD = 3,
    TRAMPOLINE_LOCK_FD = 4, /* The file to be locked by the guard of a confined child. */
    TRAMPOLINE_REASON_MAX = 256,
};

/* The settings of a trampoline. */
typedef struct {
    /* The child's niceness, from -20; above 19 it is 19. It does not count from the worker's, since
     * a child does not inherit a negative one (cpus_set_prompt). */
    int nice;
    const int *cpus;
    int cpu_count;
    /* The word of confine_format, then its rules; empty: the child is not confined. */
    const Words *confinement;
    const char *path;        /* The program's absolute path. */
    const char *const *argv; /* The program's arguments, its name first. */
} TrampolineSpec;

/* Appends the command line of a trampoline to *argv. The trampoline has to be started by this
 * process. */
bool trampoline_words(const TrampolineSpec *spec, Words *argv, Error *err);

/* The first call in main. Returns at once when this process was not started as a trampoline; else
 * never. */
void trampoline_run(int argc, char **argv);

/* A variable of a trampoline's environment; the trampoline removes it. */
#define TRAMPOLINE_VARIABLE "OBWORKER_TRAMPOLINE"

/* Checks that this program calls trampoline_run. A program that does not would start itself instead
 * of its child, and the copy itself again, without end. The first copy finds TRAMPOLINE_VARIABLE in
 * its own environment: false with err set, about the program `name`. */
bool trampoline_check(const char *name, Error *err);

#endif
