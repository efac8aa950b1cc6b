/* SPDX-License-Identifier: MIT */
/* What a local match keeps: the score and the games' PGN in the order of the book, how the games
 * ended, and the line that says how the match stands. */
#ifndef LOCAL_SCOREBOOK_H
#define LOCAL_SCOREBOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "local/pairfile.h"
#include "results/pair.h"
#include "stats/sequence.h"

typedef struct {
    Sequence sequence;
    Log *log;
    PairFile pgn;
    PairFile positions;            /* The path is set after scorebook_init. */
    int64_t endings[ENDING_COUNT]; /* Games of whole pairs by their ending, counted or not. */
    int64_t games;
    int64_t plies;
    int64_t games_wanted; /* 0: as many as the SPRT needs. Set after scorebook_init. */
    int64_t announced;    /* Games when the last plain line was written. */
    int64_t started_ns;   /* 0: nothing is played now. */
    int64_t earlier_ms;   /* What playing took before that. */
} Scorebook;

/* rule: NULL without an SPRT. pgn_path: NULL without a PGN file, which games are appended to. log
 * may be NULL. The pointers must outlive the book. */
void scorebook_init(Scorebook *book, const SprtRule *rule, const char *pgn_path, Log *log);
void scorebook_free(Scorebook *book);

/* Playing begins and ends: the time between counts. */
void scorebook_start(Scorebook *book);
void scorebook_stop(Scorebook *book);

/* Enters a finished pair, writes the PGN and the positions that are due, and returns the verdict so
 * far. False when a file cannot be written; the error names the option. */
bool scorebook_enter(Scorebook *book, const PairResult *pair, Verdict *verdict, Error *err);

/* The match is over: judges and writes the pairs that waited for a pair before them. */
bool scorebook_close(Scorebook *book, Error *err);

/* Shows how the match stands: a live view on a terminal, elsewhere a line every ten games. To be
 * called after each pair, and on a terminal from time to time. */
void scorebook_show(Scorebook *book);

/* After the match: what the SPRT says, how the games ended and how long they were, to the log. */
void scorebook_show_endings(const Scorebook *book);

/* What playing has taken so far, in earlier runs of the match too. */
double scorebook_seconds(const Scorebook *book);

#endif
