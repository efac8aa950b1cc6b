/* SPDX-License-Identifier: MIT */
/* Endgame tables: results of positions with few pieces, through libfathom when the program is built
 * with it. */
#ifndef MATCH_SYZYGY_H
#define MATCH_SYZYGY_H

#include <stdbool.h>

#include "base/error.h"
#include "chess/position.h"

/* How a game is decided without being played out. */
typedef enum { ADJUDGED_NONE, ADJUDGED_WHITE_WINS, ADJUDGED_BLACK_WINS, ADJUDGED_DRAW } Adjudged;

/* Tables of endgames. The library behind it has one global set: one open at a time. */
typedef struct {
    int men; /* positions of up to so many pieces are looked up; 0: none */
} Syzygy;

/* Is the program built with Syzygy support? */
bool syzygy_available(void);

/* Opens the tables in folder (several are separated by ':'). men_limit 0: as many as there are.
   Fails when there is none, or the program cannot read any. */
bool syzygy_open(Syzygy *syzygy, const char *folder, int men_limit, Error *err);
void syzygy_close(Syzygy *syzygy);

/* The largest N with a WDL table file for every material of N men and fewer in folder; 0 below 3.
 */
int syzygy_complete_men(const char *folder);

/* The tables' verdict on the position, if they may be asked: few enough pieces, halfmove clock 0,
   no castling right. A win that the fifty-move rule spoils is a draw. */
Adjudged syzygy_verdict(const Syzygy *syzygy, const Position *position);

#endif
