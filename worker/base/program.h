/* SPDX-License-Identifier: MIT */
/* Finds the program that a command's first word names. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include <stdbool.h>

#include "base/error.h"

enum { PROGRAM_PATH_MAX = 4096 }; /* Bytes of a program's path, with the closing 0. */

/* Finds `program` as the shell would (on PATH, when the name has no slash) and writes the absolute
 * path of an executable file. On failure err names the program and the fault: "no such file", "it
 * is a folder", "not executable". */
bool program_find(const char *program, char path[PROGRAM_PATH_MAX], Error *err);

#endif
