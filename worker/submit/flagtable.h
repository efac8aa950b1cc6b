/* SPDX-License-Identifier: MIT */
/* A table of the engine's rows (engine/lmr/flags.def, engine/search/params.def) read as text: rows'
 * defaults are changed, all else stays as it is. Pure. */
#ifndef SUBMIT_FLAGTABLE_H
#define SUBMIT_FLAGTABLE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

enum { FLAG_NAME_MAX = 64, FLAG_VALUE_MAX = 32 };

/* What became of a row. */
typedef struct {
    char row[FLAG_NAME_MAX];
    char before[FLAG_VALUE_MAX];
    char after[FLAG_VALUE_MAX]; /* A choice's name, if it was given by its number. */
} FlagChange;

/* Has the table the row that `word` ("KILLER=0") names? */
bool flagtable_has(const Text *table, const char *word);

/* Changes the row that `word` ("KILLER=0", "KILLER=ignore") names in the table. Refuses, in the
 * words of the table's own generator where it would, a row that there is not, a value that the row
 * does not allow, and one that it has already. On failure the table is as it was. */
bool flagtable_change(Text *table, const char *word, FlagChange *change, Error *err);

#endif
