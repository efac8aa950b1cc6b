/* SPDX-License-Identifier: MIT */
#include "base/timelimit.h"

#include "base/clock.h"
#include "base/cputime.h"

static const uint64_t LAST_CALL_MS = 1;

/* Adds the time in which this process stood still since the last look. */
static void look(TimeLimit *limit, uint64_t now) {
    uint64_t busy = cpu_time_busy();
    limit->end += freeze_length(&limit->freeze, now, busy);
    freeze_look_ahead(&limit->freeze, now, busy);
}

static void on_time(uv_timer_t *timer);

/* The next look, or the end where that comes first. */
static void set_timer(TimeLimit *limit, uint64_t now) {
    uint64_t left = (limit->end - now) / CLOCK_NS_PER_MS + 1;
    uv_timer_start(&limit->timer, on_time, left < FREEZE_LOOK_MS ? left : FREEZE_LOOK_MS, 0);
}

static void on_time(uv_timer_t *timer) {
    TimeLimit *limit = timer->data;
    uint64_t now = uv_hrtime();
    look(limit, now);
    if (now < limit->end) {
        limit->last_call = false;
        set_timer(limit, now);
    } else if (!limit->last_call) {
        /* Timers run before the loop hears of anything else. */
        limit->last_call = true;
        uv_timer_start(timer, on_time, LAST_CALL_MS, 0);
    } else {
        limit->over(limit->user);
    }
}

void timelimit_init(TimeLimit *limit, uv_loop_t *loop, void (*over)(void *user), void *user) {
    *limit = (TimeLimit){.over = over, .user = user};
    uv_timer_init(loop, &limit->timer);
    limit->timer.data = limit;
}

void timelimit_start(TimeLimit *limit, int ms) {
    uint64_t now = uv_hrtime();
    limit->length_ns = (uint64_t)ms * CLOCK_NS_PER_MS;
    limit->end = now + limit->length_ns;
    limit->last_call = false;
    freeze_look_ahead(&limit->freeze, now, cpu_time_busy());
    set_timer(limit, now);
}

void timelimit_again(TimeLimit *limit) {
    if (!uv_is_active((uv_handle_t *)&limit->timer))
        return;
    uint64_t now = uv_hrtime();
    if (freeze_is_late(&limit->freeze, now)) /* A pause before now is over, too. */
        look(limit, now);
    limit->end = now + limit->length_ns;
    limit->last_call = false;
}

void timelimit_stop(TimeLimit *limit) {
    uv_timer_stop(&limit->timer);
}

static void on_closed(uv_handle_t *handle) {
    TimeLimit *limit = handle->data;
    limit->closed(limit->user);
}

void timelimit_close(TimeLimit *limit, void (*closed)(void *user)) {
    limit->closed = closed;
    uv_close((uv_handle_t *)&limit->timer, on_closed);
}
