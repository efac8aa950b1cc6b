/* SPDX-License-Identifier: MIT */
/* Does the machine have less CPU time than its processes want? Two shares are measured: the time
 * that our processes wanted to run and had no CPU, and the time that the machine's host kept for
 * itself.
 *
 * A process that thinks for a second with one thread and has used 0.8 s of a CPU has waited for a
 * CPU or slept on purpose. Its wait cannot be longer than the time in which anybody on this machine
 * waited, which the kernel tells (/proc/pressure/cpu, "some"): the smaller of the two shares
 * counts. The kernel's own count of a thread's wait (/proc/PID/schedstat) ends with the thread, and
 * would miss engines that make new threads for each move. Where Linux does not tell the pressure,
 * the share is not known. */
#ifndef BASE_CONTENTION_H
#define BASE_CONTENTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cputime.h"
#include "base/text.h"

/* The nanoseconds that processes wanted a CPU for (each thinking thread wants one CPU), and the
 * nanoseconds that they ran. */
typedef struct {
    uint64_t wanted_ns;
    uint64_t run_ns;
} CpuUse;

/* Contention is reported when CONTENTION_SPANS spans in a row were crowded. A span is crowded when
 * its processes waited for more than this share of their time, or the host took more than this
 * share of the machine's. A span lasts at least CONTENTION_SPAN_S seconds and holds at least
 * CONTENTION_WORK_S seconds of wanted CPU time. */
#define CONTENTION_SHARE 0.05
enum { CONTENTION_SPANS = 3, CONTENTION_SPAN_S = 10, CONTENTION_WORK_S = 1 };

/* Set by contention_start. */
typedef struct {
    CpuUse total;      /* All use since the start. */
    CpuUse span;       /* The use in the current span. */
    MachineTime first; /* The counters at the start. */
    MachineTime began; /* The counters when the span began. */
    int crowded;       /* Crowded spans in a row. */
    bool told;         /* contention_add has returned true. */
} Contention;

void contention_start(Contention *contention, const MachineTime *now);

/* Leaves out the time between two readings, in which the processes did not run. Pure. */
void contention_skip(Contention *contention, const MachineTime *from, const MachineTime *to);

/* Adds the CPU use of processes since the last call. True once: when contention has lasted long
 * enough to be reported. Pure. */
bool contention_add(Contention *contention, const CpuUse *use, const MachineTime *now);

/* Shares from 0 to 1 since the start, −1 when they are not known: the waiting part
 * of the time that processes wanted to run, and the part of the machine's time that the host
 * took. Pure. */
double contention_waited(const Contention *contention, const MachineTime *now);
double contention_stolen(const Contention *contention, const MachineTime *now);

/* Appends the shares that are known: "engines waited for a CPU 7.0 % of the time that they wanted
 * to run, 1.0 % of the machine's time was taken by its host". Pure. */
void contention_describe(const Contention *contention, const MachineTime *now, Text *out);

#endif
