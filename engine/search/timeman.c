/* SPDX-License-Identifier: MIT */
#include "search/timeman.h"

enum { US = 1000 };

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* What a clock allows. Without moves to go the rest of the game is taken for MOVES_AHEAD moves. */
static TimePlan clock_plan(const SearchLimits *limits, Color stm) {
    enum { MOVES_AHEAD = 24, HARD_FACTOR = 5, HARD_PERCENT = 40, LAST_MOVE_PERCENT = 80 };
    int64_t overhead = most(limits->move_overhead_ms, 0) * US;
    int64_t left = most(limits->time_ms[stm] * US - overhead, US / 2);
    int64_t increment = most(limits->inc_ms[stm] * US - overhead, 0);
    int64_t moves = limits->movestogo > 0 ? least(limits->movestogo, MOVES_AHEAD) : MOVES_AHEAD;
    /* Every move that is still to come pays the overhead too. */
    int64_t usable = most(left - (limits->movestogo > 0 ? (moves - 1) * overhead : 0), left / 10);
    TimePlan plan = {.fixed = false};
    plan.soft = usable / moves + increment * 3 / 4;
    int percent = limits->movestogo == 1 ? LAST_MOVE_PERCENT : HARD_PERCENT;
    plan.hard = least(plan.soft * HARD_FACTOR, left * percent / 100);
    plan.soft = least(plan.soft, plan.hard);
    return plan;
}

TimePlan timeman_plan(const SearchLimits *limits, Color stm) {
    TimePlan plan = {.soft = INT64_MAX, .hard = INT64_MAX};
    if (limits->has_clock)
        plan = clock_plan(limits, stm);
    if (limits->movetime_ms > 0) {
        int64_t overhead = most(limits->move_overhead_ms, 0) * US;
        int64_t allowed = most(limits->movetime_ms * US - overhead, US / 2);
        if (allowed < plan.hard)
            plan = (TimePlan){.soft = allowed, .hard = allowed, .fixed = true};
    }
    return plan;
}

int timeman_stretch(int best_nodes, int stable, int drop) {
    enum { STABLE_MOST = 8, STABLE_STEP = 40, STABLE_BASE = 1160, DROP_MOST = 60, DROP_WEIGHT = 6 };
    int by_nodes = 1500 - best_nodes; /* 600 .. 1500 */
    if (by_nodes < 600)
        by_nodes = 600;
    int by_stability = STABLE_BASE - STABLE_STEP * (stable < STABLE_MOST ? stable : STABLE_MOST);
    int fall = drop > DROP_MOST ? DROP_MOST : drop < -DROP_MOST / 3 ? -DROP_MOST / 3 : drop;
    int by_score = 1000 + DROP_WEIGHT * fall;
    return (int)((int64_t)by_nodes * by_stability / 1000 * by_score / 1000);
}
