/* SPDX-License-Identifier: MIT */
/* The parser of `go`. Pure: words in, limits out. */
#ifndef GO_H
#define GO_H

#include <stdbool.h>

#include "chess/position.h"
#include "search/search.h"

enum { GO_FAULT_MAX = 128, GO_PERFT_MAX = 32 };

typedef struct {
    SearchLimits limits; /* start_ns, multipv and move_overhead_ms are left to the caller */
    int perft;           /* the depth of `go perft`; 0: a search */
    bool no_limit;       /* no time and no other limit for the side to move: the depth is 1 */
    char ignored[GO_FAULT_MAX]; /* the first word that was ignored, and why; "": none was */
} Go;

/* Reads the words after `go`, which are cut in place. As UCI asks, what is not understood is
 * ignored: unknown words, moves after `searchmoves` that are not legal in `position`, a limit
 * without a number. Numbers out of range become the nearer end of the range. A clock counts when
 * the time of the side to move in `position` is given. A search without a limit, `mate` and
 * `ponder` is infinite; but where limits were given and none could be read, or the other side's
 * time alone, the depth is 1, so that a bestmove comes (after `ponder` at ponderhit). False when
 * `perft` has no depth from 1 to GO_PERFT_MAX: then there is nothing to do, and `ignored` says so.
 */
bool go_parse(char *words, const Position *position, Go *go);

#endif
