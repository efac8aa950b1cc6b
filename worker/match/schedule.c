#include "match/schedule.h"

bool schedule_has_next(const Schedule *schedule) {
    if (schedule->no_new_games || (schedule->pairs > 0 && schedule->next >= 2 * schedule->pairs))
        return false;
    return !schedule->no_new_pairs || schedule->next % 2 == 1;
}

bool schedule_next(Schedule *schedule, int64_t *pair, int *game) {
    if (!schedule_has_next(schedule))
        return false;
    *pair = schedule->next / 2;
    *game = (int)(schedule->next % 2);
    schedule->next++;
    return true;
}
