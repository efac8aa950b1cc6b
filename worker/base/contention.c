/* SPDX-License-Identifier: MIT */
#include "base/contention.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

#include "base/clock.h"
#include "base/file.h"

enum { FIRST_LINE_MAX = 512, TICK_FIELDS = 8, STEAL_FIELD = 7 };

uint64_t cpu_time_of(int pid) {
    clockid_t clock;
    struct timespec time;
    if (pid <= 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * CLOCK_NS_PER_SECOND + (uint64_t)time.tv_nsec;
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

/* ---- Shares ---- */

void contention_start(Contention *contention, const MachineTime *now) {
    *contention = (Contention){.first = *now, .began = *now};
}

static double waited_share(const CpuUse *use, const MachineTime *from, const MachineTime *to) {
    if (use->wanted_ns == 0 || !from->pressure_known || !to->pressure_known ||
        to->at_ns <= from->at_ns || to->pressed_ns < from->pressed_ns)
        return -1;
    double lacked = 1 - (double)use->run_ns / (double)use->wanted_ns;
    double pressed =
        (double)(to->pressed_ns - from->pressed_ns) / (double)(to->at_ns - from->at_ns);
    double share = lacked < pressed ? lacked : pressed;
    return share > 0 ? share : 0;
}

static double stolen_share(const MachineTime *from, const MachineTime *to) {
    if (to->all <= from->all || to->stolen < from->stolen)
        return -1;
    return (double)(to->stolen - from->stolen) / (double)(to->all - from->all);
}

static void add_use(CpuUse *sum, const CpuUse *use) {
    sum->wanted_ns += use->wanted_ns;
    sum->run_ns += use->run_ns;
}

bool contention_add(Contention *contention, const CpuUse *use, const MachineTime *now) {
    Contention *c = contention;
    add_use(&c->total, use);
    add_use(&c->span, use);
    if (now->at_ns - c->began.at_ns < (uint64_t)CONTENTION_SPAN_S * CLOCK_NS_PER_SECOND ||
        c->span.wanted_ns < (uint64_t)CONTENTION_WORK_S * CLOCK_NS_PER_SECOND)
        return false;
    bool crowded = waited_share(&c->span, &c->began, now) > CONTENTION_SHARE ||
                   stolen_share(&c->began, now) > CONTENTION_SHARE;
    c->crowded = crowded ? c->crowded + 1 : 0;
    c->span = (CpuUse){0};
    c->began = *now;
    if (c->told || c->crowded < CONTENTION_SPANS)
        return false;
    c->told = true;
    return true;
}

double contention_waited(const Contention *contention, const MachineTime *now) {
    return waited_share(&contention->total, &contention->first, now);
}

double contention_stolen(const Contention *contention, const MachineTime *now) {
    return stolen_share(&contention->first, now);
}
