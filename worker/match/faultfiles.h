/* SPDX-License-Identifier: MIT */
/* The folder of transcripts: one file a fault, and never more than a number of them, so that an
 * engine that fails all night does not fill the disk. */
#ifndef MATCH_FAULTFILES_H
#define MATCH_FAULTFILES_H

#include <stdbool.h>

#include "base/error.h"

enum { FAULTFILES_MAX = 100, FAULTFILES_LABEL_MAX = 64 };

/* Where they go. The folder is made, with those above it, when the first file is. */
typedef struct {
    const char *folder;
    int most; /* Files that stay: the oldest are removed. 0: FAULTFILES_MAX. */
} FaultFiles;

/* Writes text into a new file "DATE-TIME-LABEL.txt" of the folder; no other file is replaced.
 * label: letters, digits and '-'; other characters become '-'. *path is its name, allocated, the
 * caller's. False, with *path NULL, when it cannot be written. */
bool faultfiles_write(const FaultFiles *files, const char *label, const char *text, char **path,
                      Error *err);

#endif
