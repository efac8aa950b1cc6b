/* SPDX-License-Identifier: MIT */
#include "base/cputime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/linux/proc.h"

enum { FIRST_LINE_MAX = 512, TICK_FIELDS = 8, STEAL_FIELD = 7 };

uint64_t cpu_time_of(int pid) {
    clockid_t clock;
    struct timespec time;
    if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * CLOCK_NS_PER_SECOND + (uint64_t)time.tv_nsec;
}

uint64_t cpu_time_busy(void) {
    char text[FIRST_LINE_MAX];
    uint64_t ran = 0;
    uint64_t waited = 0;
    file_read_start("/proc/thread-self/schedstat", text, sizeof text);
    return sscanf(text, "%" SCNu64 " %" SCNu64, &ran, &waited) == 2 ? ran + waited : 0;
}

/* Reads "cpu  user nice system idle iowait irq softirq steal …". `user` contains the guests'
 * time. */
bool machine_ticks_parse(const char *stat, MachineTime *out) {
    int used = 0;
    out->all = out->stolen = 0;
    sscanf(stat, "cpu %n", &used);
    if (used == 0)
        return false;
    const char *at = stat + used;
    uint64_t all = 0;
    uint64_t stolen = 0;
    for (int i = 0; i < TICK_FIELDS; i++) {
        char *end;
        uint64_t field = strtoull(at, &end, 10);
        if (end == at)
            return false;
        at = end;
        all += field;
        if (i == STEAL_FIELD)
            stolen = field;
    }
    out->all = all;
    out->stolen = stolen;
    return true;
}

/* Reads "some avg10=0.00 avg60=0.00 avg300=0.00 total=MICROSECONDS". */
bool machine_pressure_parse(const char *pressure, MachineTime *out) {
    uint64_t total;
    out->pressure_known =
        sscanf(pressure, "some avg10=%*s avg60=%*s avg300=%*s total=%" SCNu64, &total) == 1;
    out->pressed_ns = out->pressure_known ? total * CLOCK_NS_PER_US : 0;
    return out->pressure_known;
}

MachineTime machine_time(void) {
    char text[FIRST_LINE_MAX];
    MachineTime now = {.at_ns = uv_hrtime()};
    file_read_start("/proc/stat", text, sizeof text);
    machine_ticks_parse(text, &now);
    file_read_start("/proc/pressure/cpu", text, sizeof text);
    machine_pressure_parse(text, &now);
    return now;
}
