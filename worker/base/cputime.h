/* SPDX-License-Identifier: MIT */
/* CPU time: of a process, and of the whole machine. */
#ifndef BASE_CPUTIME_H
#define BASE_CPUTIME_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds that all threads of a process, ended ones too, have been on a CPU; 0 when the process
 * is gone or the system does not tell. */
uint64_t cpu_time_of(int pid);

/* Nanoseconds that the calling thread has been on a CPU or has waited for one; 0 when the system
 * does not tell. */
uint64_t cpu_time_busy(void);

/* A reading of the whole machine's counters, which count since its start. */
typedef struct {
    uint64_t at_ns;      /* uv_hrtime of this reading. */
    uint64_t all;        /* Ticks of all CPUs. */
    uint64_t stolen;     /* Ticks in which a CPU had work and the host did not let it run. */
    bool pressure_known; /* False: pressed_ns has no meaning. */
    uint64_t pressed_ns; /* Time in which at least one process waited for a CPU. */
} MachineTime;

/* The counters of this machine; zero where the system does not tell them. */
MachineTime machine_time(void);

#endif
