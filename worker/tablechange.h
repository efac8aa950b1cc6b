/* SPDX-License-Identifier: MIT */
/* New defaults for rows of the engine's two tables, lmr/flags.def and search/params.def, as a
 * difference to read and as files. */
#ifndef TABLECHANGE_H
#define TABLECHANGE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

enum { TABLE_COUNT = 2 };

/* All zero is empty. */
typedef struct {
    char *paths[TABLE_COUNT];
    Text before[TABLE_COUNT];
    Text after[TABLE_COUNT];
} TableChange;

/* Reads the tables of the engine's folder. tablechange_free it in either case. */
bool tablechange_open(TableChange *change, const char *engine, Error *err);

/* Gives the row that `word` ("DIV=152") names this default, in the table that has the row. A row
 * that has this default already stays as it is. */
bool tablechange_set(TableChange *change, const char *word, Error *err);

/* Appends the difference in the unified form of diff(1), with paths from the tree's top: what
 * `git apply` and `patch -p1` take. Nothing when no row has changed. */
void tablechange_diff(const TableChange *change, Text *out);

/* Writes the tables that have changed. */
bool tablechange_write(const TableChange *change, Error *err);

void tablechange_free(TableChange *change);

#endif
