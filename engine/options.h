/* SPDX-License-Identifier: MIT */
/* The UCI options: one table that prints them, checks what is set, and says what a change asks for.
 * In a tunable build every row of the two tables, lmr/flags.def and search/params.def, is an option
 * too, under its own name. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

enum { OPTIONS_FAULT_MAX = 256, OPTIONS_TEXT_MAX = 4096 };

/* The values that the dialogue works with. options_init sets the defaults. */
typedef struct {
    int hash; /* MiB */
    int threads;
    int multipv;
    int overhead; /* ms that each move loses between engine and clock */
    int ponder;   /* booleans, as ints like all values of the table */
    int chess960;
    int show_wdl;
    int syzygy_limit;                   /* most men of a position that is looked up */
    char syzygy_path[OPTIONS_TEXT_MAX]; /* folders parted by colons; "" is none */
} Options;

/* What has to be done after an option was set. */
typedef enum {
    OPTIONS_NOTHING,
    OPTIONS_RESIZE_HASH,
    OPTIONS_SET_THREADS,
    OPTIONS_CLEAR_HASH,
    OPTIONS_SET_CHESS960,
    OPTIONS_OPEN_TABLES,  /* SyzygyPath was set */
    OPTIONS_LIMIT_TABLES, /* SyzygyProbeLimit was set */
    OPTIONS_RETUNE        /* a row changed: the base tables may be stale */
} OptionsEffect;

void options_init(Options *options);

/* Prints the `option name ...` lines that answer `uci`. */
void options_print(FILE *out);

/* Is this the name of an option of a tunable build that sets rows? Such an option may be set only
 * while no search runs; no search reads the others of Options. */
bool options_is_row(const char *name);

/* Sets the option of that name (letters in either case) to what the text says. "" is right for
 * buttons and texts only; "<empty>" is the empty text. False, and nothing changed, with one
 * line in `fault` when there is no such option or the value is not allowed. */
bool options_set(Options *options, const char *name, const char *value, OptionsEffect *effect,
                 char fault[OPTIONS_FAULT_MAX]);

#endif
