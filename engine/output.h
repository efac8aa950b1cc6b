/* SPDX-License-Identifier: MIT */
/* The stream of answers, and the form of error messages. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct {
    FILE *file;
    bool arguments;     /* the commands come from a command line */
    atomic_bool failed; /* a fault was told */
} Output;

/* Tells a fault in one line of printable characters: with `arguments` on stderr, else as an
 * `info string`. From any thread. */
__attribute__((format(printf, 2, 3))) void output_fault(Output *output, const char *format, ...);

#endif
