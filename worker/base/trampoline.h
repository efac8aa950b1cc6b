/* SPDX-License-Identifier: MIT */
/* What a child does to itself between exec of this program and exec of the program that was asked
 * for: a private first argument makes this program a trampoline, which sets limits, niceness and
 * CPUs, leaves a guard behind (base/guard.h), shuts itself in (base/confine.h) and jumps. */
#ifndef BASE_TRAMPOLINE_H
#define BASE_TRAMPOLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum {
    /* The descriptors that a trampoline finds open, besides the standard ones. First it writes a
     * line with the number of the process that becomes the program; what follows says why the
     * program could not be run. */
    TRAMPOLINE_STATUS_FD = 3,
    TRAMPOLINE_LOCK_FD = 4, /* Where the child is confined: what the guard locks. */
    TRAMPOLINE_REASON_MAX = 256,
};

/* What is asked of a trampoline. */
typedef struct {
    int nice;
    uint64_t memory_limit; /* Of address space, in bytes; 0: no limit. */
    uint64_t file_limit;
    const int *cpus;
    int cpu_count;
    const Words *confinement; /* The word of confine_format, then its rules; empty: not confined. */
    const char *path;         /* The program's absolute path, */
    const char *const *argv;  /* and its arguments with its name. */
} TrampolineSpec;

/* Appends the command line of a trampoline that this process starts. */
bool trampoline_words(const TrampolineSpec *spec, Words *argv, Error *err);

/* First thing in main. Returns at once when this process was not started as a trampoline; else it
 * never returns. */
void trampoline_run(int argc, char **argv);

/* A program whose main does not call trampoline_run would start itself instead of its child, and
 * that again itself, without end: the second generation sees what it was started as. False with
 * `err` set, about the program `name`, in that generation. */
bool trampoline_check(const char *name, Error *err);

#endif
