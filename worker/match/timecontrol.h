/* SPDX-License-Identifier: MIT */
/* Time controls and the clock's arithmetic. Pure. */
#ifndef MATCH_TIMECONTROL_H
#define MATCH_TIMECONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef enum { TC_CLOCK, TC_MOVETIME, TC_NODES, TC_DEPTH } TimeControlKind;

/* The limit of one side's thinking. Times in milliseconds. */
typedef struct {
    TimeControlKind kind;
    int64_t base_ms;     /* TC_CLOCK: at the start, and again for each period */
    int64_t inc_ms;      /* TC_CLOCK: for each move */
    int moves;           /* TC_CLOCK: moves in a period; 0: one period for the whole game */
    int64_t movetime_ms; /* TC_MOVETIME */
    int64_t nodes;       /* TC_NODES */
    int depth;           /* TC_DEPTH */
} TimeControl;

enum { TIMECONTROL_TEXT_MAX = 64 };

/* Reads "8+0.08", "8", "40/10+0.1" (seconds), "N=5000", "D=8", "MT=100" (milliseconds). The error
   names the text and the fault. */
bool timecontrol_parse(const char *text, TimeControl *out, Error *err);

/* The time control with base, increment and move time multiplied by `factor` and rounded to 0.01 s,
   as OpenBench does for its runners. A base or move time never falls to 0. Nodes and depth stay.
   factor > 0. */
TimeControl timecontrol_scale(const TimeControl *tc, double factor);

/* Whether the limit is a time, so that the machine's speed matters. */
bool timecontrol_is_timed(const TimeControl *tc);

/* The form of a report's SPRT line: "8.0+0.08s", "40/10.0+0.10s", "MT=100", "N=5000", "D=8". */
void timecontrol_format(const TimeControl *tc, char out[TIMECONTROL_TEXT_MAX]);

/* The form of servers' forms: the same without the unit, "8.0+0.08". */
void timecontrol_format_plain(const TimeControl *tc, char out[TIMECONTROL_TEXT_MAX]);

/* The form of the PGN header TimeControl: "8+0.08", "40/10+0.1", "0.1/move", "-" without time. */
void timecontrol_format_pgn(const TimeControl *tc, char out[TIMECONTROL_TEXT_MAX]);

/* One side's clock in one game. */
typedef struct {
    TimeControl tc;
    int64_t margin_ms; /* grace before a loss on time */
    int64_t left_ms;   /* at the start of the next move, as `go wtime` or `movetime` says */
    int moves_to_go;   /* in this period, as `go movestogo` says; 0: no periods */
} GameClock;

void gameclock_start(GameClock *clock, const TimeControl *tc, int64_t margin_ms);

/* Charges a move of elapsed_ms whole milliseconds (rounded down). False when the move lost on time;
   *overrun_ms > 0 is then the time past zero. Without a time limit always true. In `moves/base+inc`
   the base time of the next period is credited before the period's last move is charged. */
bool gameclock_charge(GameClock *clock, int64_t elapsed_ms, int64_t *overrun_ms);

/* The milliseconds of this move after which silence is a loss on time; -1: never. */
int64_t gameclock_deadline_ms(const GameClock *clock);

#endif
