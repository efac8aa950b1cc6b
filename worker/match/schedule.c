/* SPDX-License-Identifier: MIT */
#include "match/schedule.h"

/* The next game's number, after the pairs that were played before. *passed is the number of these
   pairs that the call passed over. */
static int64_t find_next(const Schedule *schedule, size_t *passed) {
    int64_t next = schedule->next;
    size_t at = 0;
    if (next % 2 == 0) {
        for (; at < schedule->played_count && schedule->played[at] <= next / 2; at++)
            if (schedule->played[at] == next / 2)
                next += 2;
    }
    *passed = at;
    return next;
}

bool schedule_has_next(const Schedule *schedule) {
    size_t passed;
    int64_t next = find_next(schedule, &passed);
    return !schedule->no_new_games && (schedule->pairs == 0 || next < 2 * schedule->pairs);
}

int64_t schedule_next_pair(const Schedule *schedule) {
    size_t passed;
    return find_next(schedule, &passed) / 2;
}

bool schedule_next(Schedule *schedule, int64_t *pair, int *game) {
    if (!schedule_has_next(schedule))
        return false;
    size_t passed;
    int64_t next = find_next(schedule, &passed);
    *pair = next / 2;
    *game = (int)(next % 2);
    schedule->next = next + 1;
    if (passed > 0) {
        schedule->played += passed;
        schedule->played_count -= passed;
    }
    return true;
}
