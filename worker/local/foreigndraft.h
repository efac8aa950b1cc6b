/* SPDX-License-Identifier: MIT */
/* What the words of another tool say, between reading them (foreign.c) and saying them in ours
 * (foreignwrite.c). */
#ifndef LOCAL_FOREIGNDRAFT_H
#define LOCAL_FOREIGNDRAFT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/side.h"
#include "base/text.h"
#include "local/foreign.h"

/* The words of one -engine, or of -each. NULL: not said. Strings are the words'. */
typedef struct {
    const char *cmd;
    const char *name;
    const char *dir;
    Text args; /* A blank, then the arguments, as words_split reads them. */
    const char *tc;
    const char *st;
    const char *nodes;
    const char *depth;
    const char *margin;
    Words options; /* NAME=VALUE */
} ForeignEngine;

typedef struct {
    ForeignMatch *out;
    bool cutechess; /* The defaults are those of cutechess-cli, else those of fastchess. */
    ForeignEngine each;
    ForeignEngine side[SIDE_COUNT];
    int engines;
    ForeignEngine *engine; /* The one whose words are read; NULL: the word is of no engine. */
    const char *book;
    const char *format;
    const char *plies;
    bool random_order;
    bool restart;
    const char *concurrency;
    const char *rounds;
    const char *games;
    bool repeat;
    bool sprt;
    const char *elo0, *elo1, *alpha, *beta, *model;
    bool resign;
    const char *resign_count, *resign_score;
    bool draw;
    const char *draw_number, *draw_count, *draw_score;
} ForeignDraft;

/* Adds "--name", and the value where there is one. */
void foreign_add_option(ForeignDraft *d, const char *name, const char *value);

/* Adds "what: reason". */
void foreign_add_remark(ForeignDraft *d, const char *what, const char *reason);

/* Adds the options that say the whole draft. False with err set where no match can follow. */
bool foreign_write(ForeignDraft *d, Error *err);

#endif
