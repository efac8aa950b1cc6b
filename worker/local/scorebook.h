/* SPDX-License-Identifier: MIT */
/* The books of a local match: the score and the games' PGN in the order of the book, the games'
 * endings, and the line that shows the score. */
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
    PairFile positions;            /* The caller sets the path after scorebook_init. */
    bool chess960;                 /* The games are of Chess960. Set after scorebook_init. */
    int64_t endings[ENDING_COUNT]; /* Games of finished pairs by ending, in the score or not. */
    int64_t games;
    int64_t plies;
    int64_t games_wanted; /* 0: as many as the SPRT needs. Set after scorebook_init. */
    int64_t announced;    /* Games when the last plain line was written. */
    int64_t started_ns;   /* 0: playing is stopped. */
    int64_t earlier_ms;   /* The playing time before started_ns. */
} Scorebook;

/* rule: NULL without an SPRT. pgn_path: the PGN file to append games to; NULL: no file. log may be
 * NULL. The pointers must outlive the book. */
void scorebook_init(Scorebook *book, const SprtRule *rule, const char *pgn_path, Log *log);
void scorebook_free(Scorebook *book);

/* Start and stop the clock of the playing time. */
void scorebook_start(Scorebook *book);
void scorebook_stop(Scorebook *book);

/* Leaves out of the playing time so many nanoseconds, in which this process was stopped. */
void scorebook_excuse(Scorebook *book, uint64_t ns);

/* Between these two calls the caller enters the journal's pairs. The files of games and positions
 * become whole (pairfile_resume); a PGN file that has pairs which the journal has lost is warned
 * of.
 */
bool scorebook_resume(Scorebook *book, Error *err);
bool scorebook_go_on(Scorebook *book, Error *err);

/* Enters a finished pair, writes the PGN and the positions whose turn has come, and returns the
 * verdict so far. False when a file cannot be written; the error names the option. */
bool scorebook_enter(Scorebook *book, const PairResult *pair, Verdict *verdict, Error *err);

/* The match is over: writes the pairs that waited for an earlier pair, and counts them as
 * sequence_close does. */
bool scorebook_close(Scorebook *book, Error *err);

/* Shows the score: a live view on a terminal, elsewhere a line every ten games. To be called after
 * each pair, and on a terminal from time to time. */
void scorebook_show(Scorebook *book);

/* After the match: logs the SPRT's verdict, the games' endings and lengths. */
void scorebook_show_endings(const Scorebook *book);

/* The playing time so far, earlier runs of the match included. */
double scorebook_seconds(const Scorebook *book);

#endif
