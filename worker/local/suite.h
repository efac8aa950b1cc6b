/* SPDX-License-Identifier: MIT */
/* A suite: variants of an engine, each to be measured against a base, from a file:
 *
 *   # one variant a line: a name and a SPEC, as --dev has it
 *   base = lmr:
 *   tc = N=10000
 *   no-killers   lmr:KILLER=ignore
 *   half-PV      lmr:W_PV=-512
 *   PV-in-t4     lmr:PRESET=t4   against   lmr:PRESET=t4,W_PV=0
 *
 * A variant plays against the suite's base, or against the SPEC behind the word "against".
 * A line of the form "option = value" gives an option of `obworker match` without its dashes; the
 * command line overrides the file. suite_next chooses the next variant by the scores. Pure but for
 * reading the file. */
#ifndef LOCAL_SUITE_H
#define LOCAL_SUITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "stats/sprt.h"

enum { SUITE_SLICE_PAIRS = 50, SUITE_NONE = -1 };

typedef struct {
    char *name; /* Unique in the suite, and fit for a file's name. */
    char *spec;
    char *base; /* The variant's own base; NULL: the suite's. */
    int line;
    bool over; /* The variant has no games left, or its match has failed. */
    Tally tally;
    double llr; /* Valid with an SPRT rule. */
} SuiteVariant;

typedef struct {
    SuiteVariant *variants;
    size_t count;
    size_t capacity;
    Words options; /* "--tc=N=10000" */
} MatchSuite;

/* Reads a suite into *suite, which is all zero. `check` says whether a word is an option with a
 * valid value, or sets the error. The error names file and line. Call suite_free in either case. */
bool suite_read(const char *path, bool (*check)(char *word, Error *err), MatchSuite *suite,
                Error *err);
void suite_free(MatchSuite *suite);

/* The index of the variant to play next, or SUITE_NONE when all are over. in_turn: the first
 * variant that is not over. Else the most undecided variant: with a rule, the variant whose LLR has
 * come the smallest part of the way to a bound; without a rule, the variant whose Elo is the fewest
 * standard errors from 0. Among equals the variant with the fewest games counts, then the first in
 * the file. rule: NULL without an SPRT. */
int suite_next(const MatchSuite *suite, bool in_turn, const SprtRule *rule);

#endif
