/* SPDX-License-Identifier: MIT */
/* Endgame tables: the results of positions with few pieces. Needs libfathom at build time. */
#ifndef MATCH_SYZYGY_H
#define MATCH_SYZYGY_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "chess/position.h"

/* The verdict on a game that is not played out. */
typedef enum { ADJUDGED_NONE, ADJUDGED_WHITE_WINS, ADJUDGED_BLACK_WINS, ADJUDGED_DRAW } Adjudged;

/* An open set of tables; all zero: none. The library has one global set, so only one Syzygy is open
 * at a time. */
typedef struct {
    int men; /* the largest number of pieces (kings too) of a position to look up; 0: none */
} Syzygy;

/* Whether the program was built with Syzygy support. */
bool syzygy_available(void);

/* Opens the tables in `folder` (several folders are separated by ':'; an empty name is no folder).
 * men_limit 0: tables of all sizes found. False with err set when no table can be read; err says of
 * each folder why. A folder that cannot be read beside one with tables is a warning in the log. The
 * tables stay open until the next syzygy_open, or the program's end: Debian's library prints a
 * false "munmap: Success" for each file that it unmaps. */
bool syzygy_open(Syzygy *syzygy, const char *folder, int men_limit, Log *log, Error *err);

/* The largest N such that `folder` has a WDL table file for every material of N men and fewer; 0
 * below 3. */
int syzygy_complete_men(const char *folder);

/* The tables' verdict on the position. ADJUDGED_NONE unless the position has few enough pieces, a
   halfmove clock of 0 and no castling rights. A win that the fifty-move rule spoils is a draw. */
Adjudged syzygy_verdict(const Syzygy *syzygy, const Position *position);

#endif
