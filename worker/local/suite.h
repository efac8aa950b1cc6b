/* SPDX-License-Identifier: MIT */
/* A suite: variants of an engine, each to be measured against one base, from a file:
 *
 *   # one variant a line: a name and a SPEC, as --dev has it
 *   base = lmr:
 *   tc = N=10000
 *   no-killers   lmr:KILLER=ignore
 *   half-PV      lmr:W_PV=-512
 *
 * A line of the form "option = value" is an option of `obworker match` without its dashes; the
 * command line counts more. suite_next decides by the variants' scores which one is played next.
 * Pure but for reading the file. */
#ifndef LOCAL_SUITE_H
#define LOCAL_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "stats/sprt.h"

enum { SUITE_SLICE_PAIRS = 50, SUITE_NONE = -1 };

typedef struct {
    char *name; /* Unlike all others', and fit for a file's name. */
    char *spec;
    int line;
    bool over; /* Nothing is left to play, or it cannot be. */
    Tally tally;
    double llr; /* With a rule. */
} SuiteVariant;

typedef struct {
    SuiteVariant *variants;
    size_t count;
    size_t capacity;
    Words options;     /* "--tc=N=10000" */
    int *option_lines; /* The line of each. */
    size_t option_capacity;
} MatchSuite;

/* Reads a suite into *suite, which is all zero. The error names file and line. suite_free it in
 * either case. */
bool suite_read(const char *path, MatchSuite *suite, Error *err);
void suite_free(MatchSuite *suite);

/* The variant to play next, by its index, or SUITE_NONE. In turn: the first that is not over. Else
 * the most undecided one: with a rule, whose LLR has come least of the way to either bound;
 * without, whose Elo is the fewest standard errors from 0; the one with the fewest games, the first
 * in the file among equals. rule: NULL without an SPRT. */
int suite_next(const MatchSuite *suite, bool in_turn, const SprtRule *rule);

#endif
