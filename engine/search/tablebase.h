/* SPDX-License-Identifier: MIT */
/* Syzygy endgame tables, by way of libfathom. A build without the library (HAVE_FATHOM is not set)
 * has the same functions and knows no table. */
#ifndef SEARCH_TABLEBASE_H
#define SEARCH_TABLEBASE_H

#include <stdbool.h>

#include "chess/position.h"
#include "chess/types.h"

/* No table has more men. */
enum { TABLEBASE_MEN_MAX = 7 };

/* What a position is worth for the side to move. Wins and losses that the fifty-move rule prevents
 * are draws. */
typedef enum { TABLEBASE_UNKNOWN, TABLEBASE_LOSS, TABLEBASE_DRAW, TABLEBASE_WIN } TablebaseResult;

/* Was this program built with libfathom? */
bool tablebase_available(void);

/* Opens the tables of these folders, parted by colons, instead of those opened before. An empty
 * name is no folder. The answer is the number of men of the largest table, 0 without any. A text
 * without a name opens none, answers 0, and may leave those opened before: the caller probes
 * no position after that. The tables are the whole process's: no search may run. */
int tablebase_open(const char *folders);

/* Looks the position up in the win-draw-loss tables. TABLEBASE_UNKNOWN when there is no table for
 * these men, a right to castle is left, or rule50 is not 0. From any thread. */
TablebaseResult tablebase_probe(const Position *pos);

/* Keeps, of `count` legal moves of `root`, those that keep the result of the tables. Where the
 * tables of distances are there, and fifty moves are near, the winning side keeps only the moves
 * that lead soonest to a capture or pawn move, and the losing side those that lead there latest.
 * With `repeated` (a position stood twice since the last capture or pawn move) the winning side
 * keeps only its soonest moves also while fifty moves are far, so that it does not shuffle on. The
 * answer is how many are left, `count` when the tables do not know the position. No other probe may
 * run. */
int tablebase_keep_best(const Position *root, bool repeated, Move *moves, int count);

#endif
