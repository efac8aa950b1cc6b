/* SPDX-License-Identifier: MIT */
#include "search/timeman.h"

#include <time.h>

#include "lmr/flags.h"

enum { US = 1000, NS_PER_US = 1000, NS_PER_SECOND = 1000000000 };

int64_t timeman_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

int64_t timeman_elapsed_us(int64_t since_ns) {
    return (timeman_now_ns() - since_ns) / NS_PER_US;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* The plan for a clock. Without `movestogo` the rest of the game is assumed to have
 * SEARCH_TIME_MOVES moves. */
static TimePlan clock_plan(const SearchLimits *limits, Color stm) {
    int64_t overhead = most(limits->move_overhead_ms, 0) * US;
    int64_t left = most(limits->time_ms[stm] * US - overhead, US / 2);
    int64_t increment = most(limits->inc_ms[stm] * US - overhead, 0);
    int64_t moves =
        limits->movestogo > 0 ? least(limits->movestogo, SEARCH_TIME_MOVES) : SEARCH_TIME_MOVES;
    /* The overhead is also set aside for each later move of the time control. */
    int64_t later = most(limits->movestogo - 1, 0);
    int64_t usable = most(left - later * overhead, left / 10);
    TimePlan plan;
    plan.soft = usable / moves + increment * SEARCH_TIME_INCREMENT / 100;
    int percent = limits->movestogo == 1 ? SEARCH_TIME_LAST_PERCENT : SEARCH_TIME_HARD_PERCENT;
    plan.hard = least(plan.soft * SEARCH_TIME_HARD_FACTOR, left * percent / 100);
    plan.soft = least(plan.soft, plan.hard);
    return plan;
}

TimePlan timeman_plan(const SearchLimits *limits, Color stm) {
    TimePlan plan = {.soft = INT64_MAX, .hard = INT64_MAX};
    if (limits->has_clock)
        plan = clock_plan(limits, stm);
    if (limits->movetime_ms > 0) {
        int64_t overhead = most(limits->move_overhead_ms, 0) * US;
        plan.hard = least(plan.hard, most(limits->movetime_ms * US - overhead, US / 2));
    }
    return plan;
}

int timeman_stretch(int best_nodes, int stable, int drop) {
    /* No row makes a factor less than PART_MIN permille, or even negative. */
    enum { STABLE_MAX = 8, RISE_PART = 3 /* of TIME_DROP_MAX */, PART_MIN = 100 };
    int64_t fall = most(least(drop, SEARCH_TIME_DROP_MAX), -SEARCH_TIME_DROP_MAX / RISE_PART);
    int64_t steps = least(stable, STABLE_MAX);
    int64_t by_nodes = most(SEARCH_TIME_NODES_BASE - best_nodes, SEARCH_TIME_NODES_MIN);
    int64_t by_stability =
        most(SEARCH_TIME_STABLE_BASE - SEARCH_TIME_STABLE_STEP * steps, PART_MIN);
    int64_t by_score = most(1000 + SEARCH_TIME_DROP_WEIGHT * fall, PART_MIN);
    return (int)(by_nodes * by_stability / 1000 * by_score / 1000);
}
