/* SPDX-License-Identifier: MIT */
/* A local match as its options say, played at once or in slices: what `obworker match` and its
 * suites share. */
#ifndef CMD_MATCH_H
#define CMD_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/options.h"
#include "match/engine.h"
#include "report/block.h"
#include "testoptions.h"

/* The strings are the command line's. */
typedef struct {
    const char *spec[SIDE_COUNT];
    const char *name[SIDE_COUNT];
    const char *side_tc[SIDE_COUNT];
    OptionList side_options[SIDE_COUNT];
    OptionList options;
    const char *tc;
    const char *book;
    const char *win_adj;
    const char *draw_adj;
    const char *syzygy;
    const char *affinity;
    const char *build_path;
    const char *sandbox;
    const char *pgn;
    const char *journal;
    const char *html;
    const char *event;
    const char *site;
    const char *transcripts;
    RuleOptions rule;
    int64_t syzygy_men;
    int64_t games;
    int64_t concurrency;
    int64_t seed;
    int64_t start;
    int64_t margin;
    bool chess960;
    bool hashfull;
    bool resume;
    const char *suite;
    const char *order;
    int64_t slice; /* Pairs. */
    bool json;
    bool exit_verdict;
    CommonOptions common;
} MatchOptions;

extern const OptionTable match_option_table;

/* What holds where nothing is said. */
extern const MatchOptions match_defaults;

/* Is it judged by an SPRT, or only played to its last game? */
bool match_has_sprt(const MatchOptions *given);

/* Checks what the values mean, without looking at engines or files. */
bool match_check(const MatchOptions *given, Error *err);

/* A slice of a match with a journal. */
typedef struct {
    bool build_only; /* Make the engines, and no journal. */
    bool again;      /* What was said of engines, book and machine before is not said again. */
    int64_t pairs;   /* Pairs more to play at most; 0: only read what the journal has. */
    /* What came of it: */
    bool over;        /* Nothing is left to play. */
    bool interrupted; /* By the user: no more is to be played at all. */
    double llr;
    Report report; /* Of the whole match so far; its setup points to ... */
    Text setup;    /* ... this, to be freed. */
} MatchStep;

/* Plays it, or, with a step, no more than that, which is then not reported. The exit status. */
int match_play(const MatchOptions *given, MatchStep *step);

/* Plays the suite that `given` names, whose own options count less than the command line's. */
int suite_main(int argc, char **argv, const MatchOptions *given);

#endif
