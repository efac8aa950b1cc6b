/* SPDX-License-Identifier: MIT */
/* The folder of transcripts: one file a fault. The number of files is limited, so that an engine
 * that fails all night does not fill the disk. */
#ifndef MATCH_FAULTFILES_H
#define MATCH_FAULTFILES_H

#include <stdbool.h>

#include "base/error.h"

enum { FAULTFILES_MAX = 100, FAULTFILES_LABEL_MAX = 64 };

/* The folder of the files. The first file makes the folder, with those above. */
typedef struct {
    const char *folder;
    const char *state; /* The state folder, which the folder is in; NULL: it is in none. */
    int most;          /* The largest number of files; the oldest are removed. 0: FAULTFILES_MAX. */
} FaultFiles;

/* Writes text into a new file "DATE-TIME-LABEL.txt" of the folder; no other file is replaced.
 * label: letters, digits and '-'; other characters become '-'. *path is the file's name, allocated,
 * the caller's. False, with err set and *path NULL, when the file cannot be written. */
bool faultfiles_write(const FaultFiles *files, const char *label, const char *text, char **path,
                      Error *err);

#endif
