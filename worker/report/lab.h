/* SPDX-License-Identifier: MIT */
/* The lab: many comparisons, kept with their counts in one file of results, which are reported as
 * tables beside what texts claim. A comparison is one variant of a suite. */
#ifndef REPORT_LAB_H
#define REPORT_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "report/block.h"
#include "report/labstats.h"
#include "report/result.h"

/* What a comparison played, and how. Strings are owned. */
typedef struct {
    char *suite, *name; /* Together the comparison's key. */
    char *dev, *base;   /* SPECs. */
    char *tc;
    char *base_tc; /* NULL: base has tc too. */
    /* "NAME=VALUE" of UCI; empty: not known. */
    Words dev_options, base_options;
    char *book;     /* The name of the book's file. */
    char *openings; /* The SHA-256 of the book. */
    int64_t seed, start;
    bool sequential; /* The openings come in the book's order. */
    /* The adjudication rules as the user gave them; NULL: not known. */
    char *win_adj, *draw_adj;
    int64_t moves_max; /* Longer games are draws; 0: no limit. */
    bool tables;       /* Endgame tables decide games. */
    int64_t plies;     /* Of an opening's moves so many are played; 0: all. */
    char *commit;      /* The engine's commit; NULL: not known. */
    char *changes;     /* The SHA-256 of its changes that were not committed; NULL: none. */
    int64_t bench;     /* The bench of the commit's default build; 0: not known. */
    bool sprt;
    SprtRule rule; /* but for its model */
    char *model;   /* sprt_model_name */
    int64_t limit; /* The match ended after so many games at the latest; 0: not known. */
    int64_t games, wins, losses, draws;
    IntList penta;
    /* The score of games whose journals are elsewhere (results/scorelist.h), counted above too.
     * They have the first openings, from `start` on. */
    IntList earlier;
    char *earlier_commit; /* The engine's commit in all of these; NULL: several, or not known. */
    char *link;           /* The page of the comparison's match, or NULL; not kept in the file. */
} LabComparison;

/* All zero is empty. */
typedef struct {
    LabComparison *items;
    size_t count, capacity;
    LabStatistics statistics;
} Lab;

/* Reads a file of results into *lab, which is all zero. The error names file, comparison and
 * member. Call lab_free in either case. */
bool lab_read(const char *path, Lab *lab, Error *err);
bool lab_write(const char *path, const Lab *lab, Error *err);
void lab_free(Lab *lab);

/* Adds the result of the journal "FOLDER/NAME.jsonl" as the comparison NAME of the suite FOLDER, in
 * the place of an earlier result of the same comparison. A journal whose openings begin behind
 * those of the earlier result goes on from it: the games of both count. Pairs behind a missing one
 * do not count (result->before_gap): the lab's openings have no gaps. Where the earlier result goes
 * on behind the journal's last opening, the journal counts already: *counted is set, and the lab is
 * not changed. bench: as in LabComparison; 0 keeps the bench of an earlier result of the
 * same engine. Returns the comparison. NULL: the result is not a match of this machine, is of other
 * games than the lab knows and has fewer of them, begins at another opening, is of an engine of
 * another bench than the lab's other results, goes on from games that the lab does not have, or is
 * of an SPRT that was not judged with its earlier games. */
LabComparison *lab_take(Lab *lab, const char *journal, const Result *result, int64_t bench,
                        bool *counted, Error *err);

/* The comparison of that suite and name; NULL: there is none. */
LabComparison *lab_find(const Lab *lab, const char *suite, const char *name);

/* The comparison whose results lab_take takes from a journal of this path; NULL: there is none. */
LabComparison *lab_find_journal(const Lab *lab, const char *journal);

/* The comparison's counts and rule. */
Report lab_report(const LabComparison *comparison);

/* Takes the folders off the values of "NAME=VALUE" options, as LabComparison has them: folders are
 * private, and other ones on another machine. */
void lab_hide_folders(Words *options);

/* Were the games of both played by the same engines, with the same time controls, UCI options,
 * openings (book, order, seed, plies) and rules (adjudication, the limit of moves, whether tables
 * decide)? Options and adjudication are not compared where one does not know them; of all else
 * "not noted" is none. The error names the first that differs, and both values. */
bool lab_same_games(const LabComparison *known, const LabComparison *now, Error *err);

/* Did the same engine play both, as far as its commit and changes tell? */
bool lab_same_engine(const LabComparison *one, const LabComparison *other);

/* The score of the comparison's games before opening `start`, with which a journal that begins
 * there goes on. False: the results cannot be divided there. */
bool lab_score_before(const LabComparison *comparison, int64_t start, Tally *score, Error *err);

#endif
