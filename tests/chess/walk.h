/* SPDX-License-Identifier: MIT */
/* Positions to test the rules on: random games from fixed starts, the same in every run. */
#ifndef TESTS_CHESS_WALK_H
#define TESTS_CHESS_WALK_H

#include <check.h>

#include "chess/position.h"

/* Like ck_assert_msg, which is too slow for millions of calls. */
#define REQUIRE(condition, ...)                                                                    \
    do {                                                                                           \
        if (!(condition))                                                                          \
            ck_abort_msg(__VA_ARGS__);                                                             \
    } while (0)

/* Plays `games` random games of at most `plies` moves, from a list of standard and Chess960
 * positions in turn, and calls visit in each position that has a legal move. The visitor may play
 * on *pos as long as it takes everything back. Returns how many positions were visited. */
int walk_positions(int games, int plies, void (*visit)(Position *pos, void *user), void *user);

/* The text of a position, for messages; overwritten by the next call. */
const char *walk_fen(const Position *pos);

#endif
