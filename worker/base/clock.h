/* SPDX-License-Identifier: MIT */
/* Time: a monotonic clock for measuring, and the calendar for people. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

enum {
    CLOCK_MS_PER_SECOND = 1000,
    CLOCK_NS_PER_US = 1000,
    CLOCK_NS_PER_MS = 1000000,
    CLOCK_NS_PER_SECOND = 1000000000,
    CLOCK_DATE_MAX = 11,     /* "2026.11.21" */
    CLOCK_STAMP_MAX = 32,    /* "2026-11-21T22:15:00 +0000" */
    CLOCK_DURATION_MAX = 16, /* "00:01:07" */
};

/* Nanoseconds of a clock that only goes forward. Only differences of two readings have a
 * meaning. */
int64_t clock_now_ns(void);

/* Whole milliseconds from one reading to a later one, rounded down. Never negative. */
int64_t clock_elapsed_ms(int64_t from_ns, int64_t to_ns);

/* The date as PGN writes dates, and a time stamp; both in UTC. */
void clock_date(time_t when, char out[CLOCK_DATE_MAX]);
void clock_stamp(time_t when, char out[CLOCK_STAMP_MAX]);

/* hh:mm:ss; more than 99 hours take more digits. */
void clock_duration(int64_t seconds, char out[CLOCK_DURATION_MAX]);

#endif
