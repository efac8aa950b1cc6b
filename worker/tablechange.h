/* SPDX-License-Identifier: MIT */
/* Gives rows of the engine's two tables, lmr/flags.def and search/params.def, new defaults, as a
 * difference to read or as files. */
#ifndef TABLECHANGE_H
#define TABLECHANGE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "submit/flagtable.h"

/* All zero is empty. */
typedef struct {
    char *paths[FLAGTABLE_COUNT];
    Text before[FLAGTABLE_COUNT];
    Text after[FLAGTABLE_COUNT];
} TableChange;

/* Reads the tables from `engine`, the engine's folder. The caller frees *change with
 * tablechange_free in either case. */
bool tablechange_open(TableChange *change, const char *engine, Error *err);

/* Sets a row's default: `word` is "DIV=152", and either table may have the row. A row with this
 * default already is no fault. */
bool tablechange_set(TableChange *change, const char *word, Error *err);

/* Appends the difference in diff(1)'s unified form, with paths from the tree's top, as `git apply`
 * and `patch -p1` take them. Appends nothing when no row has changed. */
void tablechange_diff(const TableChange *change, Text *out);

/* Writes the tables that have changed. */
bool tablechange_write(const TableChange *change, Error *err);

void tablechange_free(TableChange *change);

#endif
