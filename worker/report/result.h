/* SPDX-License-Identifier: MIT */
/* All that is known of a test, wherever it comes from: a journal, a server, counts alone. What the
 * reports are made of. */
#ifndef REPORT_RESULT_H
#define REPORT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "report/block.h"
#include "report/games.h"
#include "results/group.h"
#include "results/record.h"
#include "stats/tuning.h"

/* How the test stood after so many games. */
typedef struct {
    int64_t games;
    double llr; /* 0 without a rule */
    EloInterval elo;
} ResultPoint;

typedef struct {
    char *name;
    int64_t count;
    bool fault; /* an engine failed */
} ResultCount;

/* What dev and base were given, texts for people. base NULL: the same for both. */
typedef struct {
    char *name;
    char *dev, *base;
    char *note; /* what it means, or NULL */
} ResultSetting;

/* The sources that an engine was built from. Strings are owned; all NULL: not known. */
typedef struct {
    char *repository; /* "me/engine", or the name of its folder. */
    char *commit;     /* The full name. */
    char *subject;
    char *changes; /* The SHA-256 of what was not committed; NULL: nothing. */
    char *page;    /* The commit's address on the web, or NULL. */
} Origin;

/* Strings are owned. All zero is empty. */
typedef struct {
    char *title;             /* "lmr:KILLER=0 against lmr:" */
    char *sides[SIDE_COUNT]; /* these two; NULL where nobody told */
    Origin origins[SIDE_COUNT];
    char *source;     /* where it was read: a file's name, a page's address */
    char *link;       /* the test's page, or NULL */
    char *changes;    /* the address of what dev changes of base, or NULL */
    char *state;      /* "finished", "running", ..., or NULL: not known */
    char *spec;       /* dev as it was asked for, without its folder; NULL: not known */
    char *difference; /* result_difference's words, where a row of a table has them; else NULL */
    bool over;        /* no more games are to be expected */
    int64_t renew_s;  /* the page is written anew so often; 0: it is not */
    char *warning;    /* which played pairs are in no count, or NULL */
    Report report;
    char *setup;       /* report.setup's memory */
    char *match;       /* and report.match's */
    Tuning *tuning;    /* of a tuning on this machine; else NULL */
    char *tuned_spec;  /* and its engine, as it was asked for */
    char *diff;        /* and what its values change in the engine's tables, or NULL */
    ResultPoint *path; /* in the order of games; its last point is where the test stands */
    size_t path_count, path_capacity;
    ResultCount *endings; /* of games, the most frequent first */
    size_t ending_count, ending_capacity;
    ResultGroups groups;
    GameList games;       /* of the pairs that count, where they are known one by one */
    ResultSetting *flags; /* rows of the reductions' table in which dev and base differ */
    size_t flag_count, flag_capacity;
    ResultSetting *settings;
    size_t setting_count, setting_capacity;
} Result;

void result_free(Result *result);

/* Each copies what it is given. */
void result_add_point(Result *result, int64_t games); /* how report.tally stands */
void result_add_ending(Result *result, const char *name, int64_t count, bool fault);
void result_add_setting(Result *result, const char *name, const char *dev, const char *base);

/* The SPRT's hypotheses and error rates, where there is one. */
void result_add_rule(Result *result);

/* The rows that "lmr:KILLER=0,W_PV=0" changes on one side and not on the other; nothing for engines
 * of other kinds. */
void result_add_flags(Result *result, const char *dev_spec, const char *base_spec);

/* An engine as it was asked for, a program without its folder: where on a machine it lies is
 * nobody's business. Allocated. */
char *result_shown_spec(const char *spec);

/* Names the sides, and the title after them. */
void result_set_sides(Result *result, const char *dev, const char *base);

/* Names a tuning after its parameters and the side dev: "Tuning of DIV, W_PV in lmr:". */
void result_name_tuning(Result *result);

/* Makes result->setup the report's line, freeing the one before. */
void result_set_setup(Result *result, Text *setup);

/* Counts alone: a path of one point, and title and source as given. */
void result_of_counts(Result *result, const Report *report, const char *title, const char *source);

/* The records of a journal, taken one by one, into a result. The head comes first: that of a match
 * or of a worker's workload. What a record holds may be moved out of it. `path`: the journal's
 * name, for people. *result must be all zero. */
typedef struct ResultBuilder ResultBuilder;
ResultBuilder *result_builder_new(void);
bool result_builder_take(ResultBuilder *builder, Record *record, Error *err);
void result_builder_make(ResultBuilder *builder, const char *path, Result *result);
void result_builder_free(ResultBuilder *builder); /* NULL is allowed */

/* Reads the journal of a match, or of a worker's workload (STATE/outbox/NAME.journal), which may be
 * growing. *result must be all zero; result_free it in either case. Pairs are judged in the order
 * of the book, as the match does; those behind the verdict are in no count. Damaged lines are
 * passed over, and result->warning tells of them. */
bool result_of_journal(const char *path, Result *result, Error *err);

#endif
