/* SPDX-License-Identifier: MIT */
#include "match/timecontrol.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

enum { DEPTH_MAX = 250, MOVES_MAX = 1000, FIELD_MAX = 32 };
static const int64_t NODES_MAX = 1000000000000000;
static const int64_t MOVETIME_MAX_MS = 1000000000;
static const double SECONDS_MAX = 1e6;

/* OpenBench gives its runners times with two decimals. */
static const double SCALED_STEP_MS = 10;

/* Reads seconds from text of `length` bytes into whole milliseconds. */
static bool parse_seconds(const char *text, size_t length, const char *what, int64_t *ms,
                          Error *err) {
    char field[FIELD_MAX];
    if (length >= sizeof field)
        return error_set(err, "%s: '%.*s' is not a number", what, FIELD_MAX, text);
    memcpy(field, text, length);
    field[length] = '\0';
    double seconds;
    if (!text_to_double(field, 0, SECONDS_MAX, what, &seconds, err))
        return false;
    *ms = llround(seconds * (double)CLOCK_MS_PER_SECOND);
    return true;
}

/* Reads [moves/]base[+inc]. */
static bool parse_clock(const char *text, TimeControl *out, Error *err) {
    out->kind = TC_CLOCK;
    const char *base = text;
    const char *slash = strchr(text, '/');
    if (slash) {
        char field[FIELD_MAX];
        snprintf(field, sizeof field, "%.*s", (int)(slash - text), text);
        int64_t moves;
        if (!text_to_int(field, 1, MOVES_MAX, "moves in a period", &moves, err))
            return false;
        out->moves = (int)moves;
        base = slash + 1;
    }
    const char *plus = strchr(base, '+');
    size_t base_length = plus ? (size_t)(plus - base) : strlen(base);
    if (!parse_seconds(base, base_length, "base time in seconds", &out->base_ms, err))
        return false;
    if (plus &&
        !parse_seconds(plus + 1, strlen(plus + 1), "increment in seconds", &out->inc_ms, err))
        return false;
    if (out->base_ms + out->inc_ms == 0)
        return error_set(err, "the base time and the increment are both below 1 ms");
    return true;
}

static bool parse_any(const char *text, TimeControl *out, Error *err) {
    if (text_starts_with(text, "N=")) {
        out->kind = TC_NODES;
        return text_to_int(text + 2, 1, NODES_MAX, "nodes", &out->nodes, err);
    }
    if (text_starts_with(text, "D=")) {
        int64_t depth;
        if (!text_to_int(text + 2, 1, DEPTH_MAX, "depth", &depth, err))
            return false;
        out->kind = TC_DEPTH;
        out->depth = (int)depth;
        return true;
    }
    if (text_starts_with(text, "MT=")) {
        out->kind = TC_MOVETIME;
        return text_to_int(text + 3, 1, MOVETIME_MAX_MS, "move time in ms", &out->movetime_ms, err);
    }
    if (!*text || !strchr("0123456789.", *text))
        return error_set(err,
                         "is not a time control such as 8+0.08, 40/10+0.1, N=5000, D=8 or MT=100");
    return parse_clock(text, out, err);
}

bool timecontrol_parse(const char *text, TimeControl *out, Error *err) {
    TimeControl tc = {0};
    if (!parse_any(text, &tc, err))
        return error_prefix(err, "time control '%.60s'", text);
    *out = tc;
    return true;
}

/* ms * factor, rounded to the nearest step, and at least `least`. */
static int64_t scale(int64_t ms, double factor, int64_t least) {
    double scaled = rint((double)ms * factor / SCALED_STEP_MS) * SCALED_STEP_MS;
    double most = SECONDS_MAX * (double)CLOCK_MS_PER_SECOND;
    if (!(scaled < most))
        scaled = most;
    return ms > 0 && scaled < (double)least ? least : (int64_t)scaled;
}

TimeControl timecontrol_scale(const TimeControl *tc, double factor) {
    TimeControl scaled = *tc;
    int64_t step = (int64_t)SCALED_STEP_MS;
    scaled.base_ms = scale(tc->base_ms, factor, step);
    scaled.inc_ms = scale(tc->inc_ms, factor, tc->base_ms ? 0 : step);
    scaled.movetime_ms = scale(tc->movetime_ms, factor, step);
    return scaled;
}

bool timecontrol_is_timed(const TimeControl *tc) {
    return tc->kind == TC_CLOCK || tc->kind == TC_MOVETIME;
}

/* Writes seconds with three decimals, without trailing zeros beyond the first `decimals` decimals.
 */
static void format_seconds(int64_t ms, int decimals, char out[FIELD_MAX]) {
    snprintf(out, FIELD_MAX, "%lld.%03d", (long long)(ms / CLOCK_MS_PER_SECOND),
             (int)(ms % CLOCK_MS_PER_SECOND));
    char *point = strchr(out, '.');
    size_t length = strlen(out);
    while (out[length - 1] == '0' && out + length > point + 1 + decimals)
        length--;
    if (out + length == point + 1)
        length--;
    out[length] = '\0';
}

static void format_clock(const TimeControl *tc, int base_decimals, int inc_decimals,
                         bool always_inc, const char *unit, char out[TIMECONTROL_TEXT_MAX]) {
    char moves[FIELD_MAX] = "";
    char base[FIELD_MAX];
    char inc[FIELD_MAX];
    if (tc->moves)
        snprintf(moves, sizeof moves, "%d/", tc->moves);
    format_seconds(tc->base_ms, base_decimals, base);
    format_seconds(tc->inc_ms, inc_decimals, inc);
    bool with_inc = always_inc || tc->inc_ms;
    snprintf(out, TIMECONTROL_TEXT_MAX, "%.16s%.16s%s%.16s%s", moves, base, with_inc ? "+" : "",
             with_inc ? inc : "", unit);
}

static void format(const TimeControl *tc, const char *unit, char out[TIMECONTROL_TEXT_MAX]) {
    switch (tc->kind) {
    case TC_NODES:
        snprintf(out, TIMECONTROL_TEXT_MAX, "N=%lld", (long long)tc->nodes);
        break;
    case TC_DEPTH:
        snprintf(out, TIMECONTROL_TEXT_MAX, "D=%d", tc->depth);
        break;
    case TC_MOVETIME:
        snprintf(out, TIMECONTROL_TEXT_MAX, "MT=%lld", (long long)tc->movetime_ms);
        break;
    case TC_CLOCK:
        format_clock(tc, 1, 2, true, unit, out);
        break;
    }
}

void timecontrol_format(const TimeControl *tc, char out[TIMECONTROL_TEXT_MAX]) {
    format(tc, "s", out);
}

void timecontrol_format_plain(const TimeControl *tc, char out[TIMECONTROL_TEXT_MAX]) {
    format(tc, "", out);
}

void timecontrol_format_pgn(const TimeControl *tc, char out[TIMECONTROL_TEXT_MAX]) {
    char seconds[FIELD_MAX];
    switch (tc->kind) {
    case TC_NODES:
    case TC_DEPTH:
        snprintf(out, TIMECONTROL_TEXT_MAX, "-");
        break;
    case TC_MOVETIME:
        format_seconds(tc->movetime_ms, 0, seconds);
        snprintf(out, TIMECONTROL_TEXT_MAX, "%s/move", seconds);
        break;
    case TC_CLOCK:
        format_clock(tc, 0, 0, false, "", out);
        break;
    }
}

void gameclock_start(GameClock *clock, const TimeControl *tc, int64_t margin_ms) {
    *clock = (GameClock){.tc = *tc, .margin_ms = margin_ms};
    if (tc->kind == TC_CLOCK) {
        clock->left_ms = tc->base_ms + tc->inc_ms;
        clock->moves_to_go = tc->moves;
    } else if (tc->kind == TC_MOVETIME) {
        clock->left_ms = tc->movetime_ms;
    }
}

/* The time for the present move. The last move of a period also has the base time of the next
 * period. */
static int64_t available_ms(const GameClock *clock) {
    return clock->left_ms + (clock->moves_to_go == 1 ? clock->tc.base_ms : 0);
}

bool gameclock_charge(GameClock *clock, int64_t elapsed_ms, int64_t *overrun_ms) {
    if (!timecontrol_is_timed(&clock->tc))
        return true;
    int64_t left = available_ms(clock) - elapsed_ms;
    if (clock->moves_to_go)
        clock->moves_to_go = clock->moves_to_go == 1 ? clock->tc.moves : clock->moves_to_go - 1;
    if (left < -clock->margin_ms) {
        clock->left_ms = 0;
        *overrun_ms = -left;
        return false;
    }
    if (clock->tc.kind == TC_CLOCK)
        clock->left_ms = (left > 0 ? left : 0) + clock->tc.inc_ms;
    return true;
}

int64_t gameclock_deadline_ms(const GameClock *clock) {
    if (!timecontrol_is_timed(&clock->tc))
        return -1;
    return available_ms(clock) + clock->margin_ms + 1;
}
