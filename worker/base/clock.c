/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <stdio.h>

int64_t clock_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * CLOCK_NS_PER_SECOND + now.tv_nsec;
}

int64_t clock_elapsed_ms(int64_t from_ns, int64_t to_ns) {
    return to_ns > from_ns ? (to_ns - from_ns) / CLOCK_NS_PER_MS : 0;
}

void clock_date(time_t when, char out[CLOCK_DATE_MAX]) {
    struct tm parts;
    if (!gmtime_r(&when, &parts) || !strftime(out, CLOCK_DATE_MAX, "%Y.%m.%d", &parts))
        snprintf(out, CLOCK_DATE_MAX, "????.??.??");
}

void clock_stamp(time_t when, char out[CLOCK_STAMP_MAX]) {
    struct tm parts;
    if (!gmtime_r(&when, &parts) ||
        !strftime(out, CLOCK_STAMP_MAX, "%Y-%m-%dT%H:%M:%S +0000", &parts))
        snprintf(out, CLOCK_STAMP_MAX, "?");
}

void clock_duration(int64_t seconds, char out[CLOCK_DURATION_MAX]) {
    enum { LONGEST = 999999 };
    if (seconds < 0)
        seconds = 0;
    int64_t hours = seconds / 3600 > LONGEST ? LONGEST : seconds / 3600;
    snprintf(out, CLOCK_DURATION_MAX, "%02d:%02d:%02d", (int)hours, (int)(seconds / 60 % 60),
             (int)(seconds % 60));
}
