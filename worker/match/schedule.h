/* SPDX-License-Identifier: MIT */
/* The order of a match's games. Pure. */
#ifndef MATCH_SCHEDULE_H
#define MATCH_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Games are handed out in the order pair 0 game 0, pair 0 game 1, pair 1 game 0 …, without the
 * pairs that were played before. */
typedef struct {
    int64_t pairs;         /* 0: no limit */
    int64_t next;          /* The next game's number: 2 × pair + game. */
    const int64_t *played; /* The pairs that were played before, rising. */
    size_t played_count;   /* The number of these pairs that are still ahead. */
    bool no_new_games;
} Schedule;

/* Hands out the next game; false when no game is left. */
bool schedule_next(Schedule *schedule, int64_t *pair, int *game);

/* The pair of the game that schedule_next would hand out, if any game is left. */
int64_t schedule_next_pair(const Schedule *schedule);

/* Whether schedule_next would hand out a game. */
bool schedule_has_next(const Schedule *schedule);

#endif
