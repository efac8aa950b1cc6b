/* SPDX-License-Identifier: MIT */
/* A table of the engine's rows (engine/lmr/flags.def, engine/search/params.def) as text: changes
 * the defaults of rows and nothing else. Pure. */
#ifndef SUBMIT_FLAGTABLE_H
#define SUBMIT_FLAGTABLE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

enum { FLAG_NAME_MAX = 64, FLAG_VALUE_MAX = 32, FLAGTABLE_COUNT = 2 };

/* The tables in the engine's folder: the flags of the reductions, and the parameters of the search.
 * Older engines lack the second table. */
extern const char *const flagtable_files[FLAGTABLE_COUNT];

/* A change of a row. */
typedef struct {
    char row[FLAG_NAME_MAX];
    char before[FLAG_VALUE_MAX];
    char after[FLAG_VALUE_MAX]; /* A choice's name, also when the choice was given by its number. */
} FlagChange;

/* Does the table have the row of `word` ("KILLER=0")? */
bool flagtable_has(const Text *table, const char *word);

/* Sets the row of `word` ("KILLER=0", "KILLER=ignore") to the value of `word`. Refuses an unknown
 * row, a value that the row does not allow, and the value that the row already has; the words are
 * those of the table's own generator for the same mistakes. On failure the table is unchanged. */
bool flagtable_change(Text *table, const char *word, FlagChange *change, Error *err);

#endif
