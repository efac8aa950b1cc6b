/* SPDX-License-Identifier: MIT */
/* The switches of the reductions: LMR_<ROW> for every row of flags.def, SEARCH_<ROW> for every row
 * of search/params.def, the constants LMR_<ROW>_<CHOICE> of the rows that are choices, and the
 * tables themselves for those who list or set rows.
 *
 * LMR_<ROW> is a constant, to be used in an `if`, so that every variant compiles; in a tunable
 * build (LMR_TUNE) it is a variable, so it may not size an array or stand in #if. What the
 * compiler's line defines (-DLMR_KILLER=0) wins over LMR="...", and that over the table. A preset
 * (presets.def) is chosen by LMR="PRESET=..." alone: the compiler's line cannot name one. */
#ifndef LMR_FLAGS_H
#define LMR_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lmr/flags_gen.h"

enum { LMR_VALUE_TEXT_MAX = 32, LMR_FAULT_MAX = 160 };

typedef enum {
    LMR_KIND_BOOLEAN = 'B',
    LMR_KIND_INTEGER = 'I',
    LMR_KIND_CHOICE = 'C',
    LMR_KIND_WEIGHT = 'W'
} LmrKind;

/* One row of a table. The texts are never NULL. */
typedef struct {
    const char *name;
    LmrKind kind;
    int standard;  /* the table's default */
    int set;       /* what this build was given */
    int low, high; /* a choice's numbers may have gaps between: lmr_row_allows() */
    const char *allowed;
    const char *texts;
    const char *needs;
    const char *meaning;
} LmrRow;

/* The two tables that rows come from: flags.def, and search/params.def with the search's own
 * numbers. */
typedef enum { LMR_TABLE_FLAGS, LMR_TABLE_PARAMS } LmrTable;

/* The rows of a table are first <= index < end. */
typedef struct {
    int first, end;
} LmrRange;
LmrRange lmr_table_range(LmrTable table);

/* The rows in the order of the tables; 0 <= index < LMR_ROW_COUNT. */
const LmrRow *lmr_row(int index);

/* The index of the row of that name, letters in either case; -1 when there is none. */
int lmr_row_find(const char *name);

/* The row's value now: as built, or as set since in a tunable build. */
int lmr_row_value(int index);

/* Does the row allow this number? */
bool lmr_row_allows(const LmrRow *row, int value);

/* Are the conditions of the row's `needs` column met now? */
bool lmr_row_acts(int index);

/* The value as a person writes it: a choice's name, else the number. */
void lmr_value_format(const LmrRow *row, int value, char out[LMR_VALUE_TEXT_MAX]);

/* Reads a value as written by a person: a choice's name or number, else a number. On failure false,
 * `*value` as it was, and `fault` (may be NULL) one line that says what is allowed. */
bool lmr_value_parse(const LmrRow *row, const char *text, int *value, char fault[LMR_FAULT_MAX]);

/* Sets a row; false when it does not allow the value, or is a constant: all are variable in a
 * tunable build, and ENABLE in one with STATS=1. The base tables must be built again afterwards
 * (lmr_init), and no search may run. */
bool lmr_row_set(int index, int value);

/* The presets by number, 0 <= preset < LMR_PRESET_COUNT; 0 is the table as it is. */
const char *lmr_preset_name(int preset);

/* The number of the preset of that name, letters in either case; -1 when there is none. */
int lmr_preset_find(const char *name);

/* The preset that the build was given, or that a tunable build set last. */
int lmr_preset(void);

/* How many of these rows differ from that preset: those that were given besides it. */
int lmr_preset_differing(LmrRange range);

/* Sets every row to the preset's value, but STATS, which no preset is about. The terms are those of
 * lmr_row_set; false in a build whose rows are constants. */
bool lmr_preset_set(int preset);

/* A number for the values that differ from the table's defaults, the same for the same values in
 * any build; 0 when none does. */
uint32_t lmr_hash(void);

#endif
