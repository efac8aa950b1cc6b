/* SPDX-License-Identifier: MIT */
/* Is the machine asked for more than it has? Measured, not guessed: how much of the time that
 * processes wanted to run they had no CPU, and how much of the machine its host kept for itself.
 *
 * A process that thinks for a second with one thread and has used 0.8 s of a CPU has waited, or
 * slept of its own will. What it waited can't be more than what anybody on this machine waited, and
 * that the kernel tells (/proc/pressure/cpu, "some"): the smaller of the two shares counts. The
 * kernel's own count of waiting (/proc/PID/schedstat) would miss engines that search in threads
 * made for each move: it goes with the thread. Where Linux does not tell, nothing is said. */
#ifndef BASE_CONTENTION_H
#define BASE_CONTENTION_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds that processes wanted a CPU for (a thread that thinks wants one), and had one. */
typedef struct {
    uint64_t wanted_ns;
    uint64_t run_ns;
} CpuUse;

/* The time that all threads of a process, ended ones too, have been on a CPU; 0 when the process is
 * gone or the system does not tell. */
uint64_t cpu_time_of(int pid);

/* The whole machine, since it was started. */
typedef struct {
    uint64_t at_ns;      /* uv_hrtime of this reading. */
    uint64_t all;        /* Ticks of all CPUs, */
    uint64_t stolen;     /* and those in which one wanted to run but the host did not let it. */
    bool pressure_known; /* Else pressed_ns says nothing. */
    uint64_t pressed_ns; /* In which at least one process waited for a CPU. */
} MachineTime;

/* Reads the ticks from the text of /proc/stat, and the pressure from that of /proc/pressure/cpu;
 * false when it is none, with what it sets cleared. Pure. */
bool machine_ticks_parse(const char *stat, MachineTime *out);
bool machine_pressure_parse(const char *pressure, MachineTime *out);

/* Of this machine; zeros where it does not tell. */
MachineTime machine_time(void);

/* When it is to be told: in so many spans running, each so long and with so much work in it, more
 * than this share of the work's time was waited for, or of the machine's stolen. */
#define CONTENTION_SHARE 0.05
enum { CONTENTION_SPANS = 3, CONTENTION_SPAN_S = 10, CONTENTION_WORK_S = 1 };

/* Begins as zero but for first and began (contention_start). */
typedef struct {
    CpuUse total; /* Of everything that was added. */
    CpuUse span;
    MachineTime first; /* At the start. */
    MachineTime began; /* When the span began. */
    int crowded;       /* Spans running that were. */
    bool told;
} Contention;

void contention_start(Contention *contention, const MachineTime *now);

/* Adds what processes used lately. True once: when it has lasted, and is to be told. Pure. */
bool contention_add(Contention *contention, const CpuUse *use, const MachineTime *now);

/* Shares from 0 to 1, −1 when nothing is known: of the time that processes wanted to run, what they
 * waited; of the machine's time since the start, what was stolen. Pure. */
double contention_waited(const Contention *contention, const MachineTime *now);
double contention_stolen(const Contention *contention, const MachineTime *now);

#endif
