/* Is the machine asked for more than it has? Measured, not guessed: how long processes that wanted
 * to run waited for a CPU, and how much of the machine its host kept for itself. Where Linux does
 * not tell, nothing is said. */
#ifndef BASE_CONTENTION_H
#define BASE_CONTENTION_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds on a CPU, and ready to run but waiting for one. */
typedef struct {
    uint64_t run_ns;
    uint64_t wait_ns;
} CpuUse;

/* Of all threads of a process that there are now, since each began (/proc/PID/task/TID/schedstat).
 * False, with zeros, when the system does not tell or the process is gone. */
bool cpu_use_of(int pid, CpuUse *out);

/* What two readings of one process are apart; zeros where threads have ended in between. */
CpuUse cpu_use_since(const CpuUse *before, const CpuUse *now);

/* Ticks of the whole machine: all, and those in which it wanted to run but its host did not let it.
 */
typedef struct {
    uint64_t all;
    uint64_t stolen;
} CpuTicks;

/* Reads the text of /proc/stat; false when it is none. */
bool cpu_ticks_parse(const char *stat, CpuTicks *out);

/* Of this machine, since it was started; zeros where it does not tell. */
CpuTicks cpu_ticks(void);

/* When it is to be told: in so many spans running, each so long and with so much work in it, more
 * than this share of the work's time was waited for, or of the machine's stolen. */
#define CONTENTION_SHARE 0.05
enum { CONTENTION_SPANS = 3, CONTENTION_SPAN_S = 10, CONTENTION_WORK_S = 1 };

/* Begins as zero but for ticks and began_ns (contention_start). */
typedef struct {
    CpuUse total; /* Of everything that was added. */
    CpuUse span;
    CpuTicks first; /* At the start. */
    CpuTicks ticks; /* When the span began, */
    uint64_t began_ns;
    int crowded; /* Spans running that were. */
    bool told;
} Contention;

void contention_start(Contention *contention, const CpuTicks *ticks, uint64_t now_ns);

/* Adds what processes used lately. True once: when it has lasted, and is to be told. Pure: both
 * clocks are the caller's. */
bool contention_add(Contention *contention, const CpuUse *use, const CpuTicks *ticks,
                    uint64_t now_ns);

/* Shares from 0 to 1, −1 when nothing is known: of the time that processes wanted to run, what they
 * waited; of the machine's time since the start, what was stolen. */
double contention_waited(const Contention *contention);
double contention_stolen(const Contention *contention, const CpuTicks *now);

#endif
