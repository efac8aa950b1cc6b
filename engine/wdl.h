/* SPDX-License-Identifier: MIT */
/* The chances that a score stands for, as UCI_ShowWDL shows them. Nothing in the search depends on
 * them. */
#ifndef WDL_H
#define WDL_H

#include "chess/position.h"

/* In thousandths, for the side to move; the sum is 1000. */
typedef struct {
    int win, draw, loss;
} Wdl;

/* The chances of the side to move in `position` at this score, a search's in centipawns. A mate or
 * a win that the endgame tables know is certain. */
Wdl wdl_of(const Position *position, int score);

#endif
