/* SPDX-License-Identifier: MIT */
/* The known facts of a test, from any source: a journal, a server, counts alone. Reports are made
 * from a Result. */
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

/* The test's state after `games` games. */
typedef struct {
    int64_t games;
    double llr; /* 0 without a rule. */
    EloInterval elo;
} ResultPoint;

typedef struct {
    char *name;
    int64_t count;
    bool fault; /* The ending is an engine's fault. */
} ResultCount;

/* A setting of dev and base, for people. base NULL: both have dev's. */
typedef struct {
    char *name;
    char *dev, *base;
    char *note; /* The setting's meaning, or NULL. */
} ResultSetting;

/* The sources of an engine. Strings are owned; all NULL: not known. */
typedef struct {
    char *repository; /* "me/engine", or the name of its folder. */
    char *commit;     /* The full name. */
    char *subject;
    char *changes; /* The SHA-256 of the uncommitted changes; NULL: none. */
    char *page;    /* The commit's address on the web, or NULL. */
} Origin;

/* Strings are owned. All zero is empty. */
typedef struct {
    char *title;             /* "lmr:KILLER=0 against lmr:" */
    char *sides[SIDE_COUNT]; /* The names of dev and base; NULL: not known. */
    Origin origins[SIDE_COUNT];
    char *source;         /* The facts' source: a file's name, a page's address. */
    char *link;           /* The address of the test's page, or NULL. */
    char *changes;        /* The address of the difference from base to dev, or NULL. */
    char *state;          /* "running", "passed", ...; NULL: an SPRT's state is its verdict. */
    char *spec;           /* dev's SPEC as given, without its folder; NULL: not known. */
    char *difference;     /* result_difference's words for a table's row, or NULL. */
    bool over;            /* No more games will be played. */
    bool unapproved;      /* No game will be played before somebody approves the test. */
    bool strayed;         /* Pairs of the journal are of other openings than its head says. */
    int64_t games_wanted; /* Without earlier games; 0: no number ends the test, or not known. */
    int64_t renew_s;      /* Seconds between two writings of the page; 0: written once. */
    int64_t damaged_line; /* Of a journal: its first damaged line, from 1; 0: none is. */
    char *warning;        /* Damage, or a wrong bench: the played pairs that it costs; or NULL. */
    Report report;
    Tally before_gap;  /* Of a journal: the score of the pairs before the first missing one. */
    int64_t waiting;   /* Of an undecided SPRT: played pairs behind a missing one; none counts. */
    char *setup;       /* The memory of report.setup. */
    char *match;       /* The memory of report.match. */
    Tuning *tuning;    /* A tuning on this machine; else NULL. */
    char *tuned_spec;  /* The tuned engine's SPEC as given, or NULL. */
    char *diff;        /* The tuned values as a difference of the engine's tables, or NULL. */
    ResultPoint *path; /* In the order of games; the last point is the present state. */
    size_t path_count, path_capacity;
    ResultCount *endings; /* Endings of games, the most frequent first. */
    size_t ending_count, ending_capacity;
    ResultGroups groups;
    GameList games;       /* Of the pairs that count; empty: single games are not known. */
    ResultSetting *facts; /* For the head of a page: a name, a value in dev, and perhaps a note. */
    size_t fact_count, fact_capacity;
    ResultSetting *flags; /* Rows of the reductions' table in which dev and base differ. */
    size_t flag_count, flag_capacity;
    ResultSetting *settings;
    size_t setting_count, setting_capacity;
} Result;

void result_free(Result *result);

/* Add one element each. Strings are copied. */
void result_add_point(Result *result, int64_t games); /* From report.tally. */
void result_add_ending(Result *result, const char *name, int64_t count, bool fault);
void result_add_setting(Result *result, const char *name, const char *dev, const char *base);

/* Adds a setting of a server's test, of each side or of both, unless it is empty. NULL is "". */
void result_add_given(Result *result, const char *name, const char *dev, const char *base);
void result_add_both(Result *result, const char *name, const char *value);
void result_add_numbers(Result *result, const char *name, int64_t dev, int64_t base);

/* Adds the commits of a server's test, by their first digits, and the speed that its clocks are
 * scaled to, in nodes a second of the engine that the method names; 0: no scaling. */
void result_add_commits(Result *result, const char *dev, const char *base);
void result_add_speed(Result *result, int64_t nps, const char *method);

/* Adds a fact for the head of a page. note: small words below the value, or NULL. */
void result_add_fact(Result *result, const char *name, const char *value, const char *note);

/* Adds the SPRT's hypotheses and error rates as settings; nothing without a rule. */
void result_add_rule(Result *result);

/* Adds the rows whose values differ between the two SPECs ("lmr:KILLER=0,W_PV=0"); nothing for
 * engines of other kinds. */
void result_add_flags(Result *result, const char *dev_spec, const char *base_spec);

/* A SPEC as reports show it: a program without its folder, which is private. Allocated. */
char *result_shown_spec(const char *spec);

/* Moves the text into the title. */
void result_set_title(Result *result, Text *title);

/* Sets the names of the sides, and makes the title of them. */
void result_set_sides(Result *result, const char *dev, const char *base);

/* Makes the result that of a tuning, with a title of its parameters and of dev's name: "Tuning of
 * DIV, W_PV in lmr:". */
void result_set_tuning(Result *result);

/* Makes the result that of a data generation by one engine: "Training data of main". */
void result_set_data(Result *result);

/* Moves the text into result->setup and report.setup; frees the setup before. */
void result_set_setup(Result *result, Text *setup);

/* Sets the setup of a server's test: each side's time control as the server writes it, "8.0+0.08",
 * and its options, "Threads=1 Hash=8". NULL is "". */
void result_set_server_setup(Result *result, const char *dev_clock, const char *base_clock,
                             const char *dev_options, const char *base_options);

/* GitHub's address of the difference between two commits of a repository; allocated. NULL when the
 * repositories differ, are elsewhere, or a commit is not hexadecimal. */
char *result_changes_address(const char *dev_repo, const char *base_repo, const char *dev_sha,
                             const char *base_sha);

/* Makes a result of counts alone: a path of one point, the title as given, the source "counts". */
void result_of_counts(Result *result, const Report *report, const char *title);

/* Makes a result of a journal's records, taken one by one. The first record is the head of a match
 * or of a worker's workload. result_builder_take may move strings out of the record. `path`: the
 * journal's name, for people. *result must be all zero. */
typedef struct ResultBuilder ResultBuilder;
ResultBuilder *result_builder_new(void);
bool result_builder_take(ResultBuilder *builder, Record *record, Error *err);
void result_builder_make(ResultBuilder *builder, const char *path, Result *result);
void result_builder_free(ResultBuilder *builder); /* NULL is allowed */

/* Reads the journal of a match, or of a worker's workload (STATE/outbox/NAME.journal), which may
 * still grow. *result must be all zero; the caller frees it with result_free in either case. Pairs
 * are judged in the order of the book, as the match judges them; pairs behind the verdict are not
 * counted, nor are those of an SPRT behind a missing pair. Damaged lines are passed over and named
 * in result->warning; their pairs are not waited for. */
bool result_of_journal(const char *path, Result *result, Error *err);

#endif
