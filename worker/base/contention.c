/* SPDX-License-Identifier: MIT */
#include "base/contention.h"

#include "base/clock.h"

void contention_start(Contention *contention, const MachineTime *now) {
    *contention = (Contention){.first = *now, .began = *now};
}

/* Moves a reading later by what the counters counted between two others. */
static void move_later(MachineTime *reading, const MachineTime *from, const MachineTime *to) {
    reading->at_ns += to->at_ns - from->at_ns;
    reading->all += to->all - from->all;
    reading->stolen += to->stolen - from->stolen;
    reading->pressed_ns += to->pressed_ns - from->pressed_ns;
}

void contention_skip(Contention *contention, const MachineTime *from, const MachineTime *to) {
    move_later(&contention->first, from, to);
    move_later(&contention->began, from, to);
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

void contention_describe(const Contention *contention, const MachineTime *now, Text *out) {
    double waited = contention_waited(contention, now);
    double stolen = contention_stolen(contention, now);
    if (waited >= 0)
        text_addf(out, "engines waited for a CPU %.1f %% of the time that they wanted to run",
                  waited * 100);
    if (stolen >= 0)
        text_addf(out, "%s%.1f %% of the machine's time was taken by its host",
                  waited >= 0 ? ", " : "", stolen * 100);
}
