/* SPDX-License-Identifier: MIT */
/* The meaning of a foreign command line, between reading (foreign.c) and writing as our options
 * (foreignwrite.c). */
#ifndef LOCAL_FOREIGNDRAFT_H
#define LOCAL_FOREIGNDRAFT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/side.h"
#include "base/text.h"
#include "local/foreign.h"

/* The words of one -engine, or of -each. NULL: not given. The command line owns the strings. */
typedef struct {
    const char *cmd;
    const char *name;
    const char *dir;
    Text args;       /* A blank, then the arguments in the syntax of words_split. */
    bool args_whole; /* args= was given: an engine's own arguments are dropped beside -each's. */
    const char *tc;
    const char *st;
    const char *nodes;
    const char *depth;
    const char *margin;
    Words options; /* Each "NAME=VALUE". */
} ForeignEngine;

typedef struct {
    ForeignMatch *out;
    bool cutechess; /* true: cutechess-cli's defaults hold; false: fastchess's. */
    ForeignEngine each;
    ForeignEngine side[SIDE_COUNT];
    int engines;
    ForeignEngine *engine; /* The engine whose words are being read; NULL: no engine's. */
    const char *book;
    const char *format;
    const char *plies;
    bool random_order;
    bool restart;
    const char *concurrency;
    const char *rounds;
    const char *games;
    bool repeat;
    bool pgnout;
    bool sprt;
    const char *elo0, *elo1, *alpha, *beta, *model;
    bool resign;
    const char *resign_count, *resign_score;
    bool draw;
    const char *draw_number, *draw_count, *draw_score;
} ForeignDraft;

/* Adds "--name", and the value unless NULL. */
void foreign_add_option(ForeignDraft *d, const char *name, const char *value);

/* Adds "what: reason". */
void foreign_add_remark(ForeignDraft *d, const char *what, const char *reason);

/* Adds the options for the whole draft. False with err set when no match here can follow the draft.
 */
bool foreign_write(ForeignDraft *d, Error *err);

#endif
