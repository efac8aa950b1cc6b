/* SPDX-License-Identifier: MIT */
/* Which game comes next. Pure. */
#ifndef MATCH_SCHEDULE_H
#define MATCH_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Games are handed out in the order pair 0 game 0, pair 0 game 1, pair 1 game 0 …, those of pairs
 * that were played before left out. */
typedef struct {
    int64_t pairs;         /* 0: without end */
    int64_t next;          /* The next game's number: 2 × pair + game. */
    const int64_t *played; /* Pairs not to be played again, rising. */
    size_t played_count;   /* Of those that have not been passed yet. */
    bool no_new_games;
} Schedule;

/* Hands out the next game; false when there is none (any more). */
bool schedule_next(Schedule *schedule, int64_t *pair, int *game);

/* The pair whose game schedule_next would hand out, if it hands one out. */
int64_t schedule_next_pair(const Schedule *schedule);

/* Would schedule_next hand one out? */
bool schedule_has_next(const Schedule *schedule);

#endif
