/* Fixed positions searched in a fixed way: the number of nodes names the version of the search. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>

#include "lmr/report.h"

enum { BENCH_DEPTH_DEFAULT = 11, BENCH_DEPTH_MAX = 64, BENCH_STATS_DEPTH_DEFAULT = 10 };

typedef struct {
    uint64_t nodes;
    int64_t time_ns;
} BenchResult;

/* Searches every position to `depth` with one thread, the default hash and an empty table each, and
 * prints a line a position to `progress` (may be NULL). Uses a search of its own: options and the
 * game being played change nothing. The nodes depend on the program and its flags alone. */
BenchResult bench_run(int depth, FILE *progress);

/* Every fourth of these positions with reductions and without, and with reductions for as many
 * nodes as it took without. For builds with STATS=1; in others there is nothing to measure. */
void bench_measure(int depth, LmrMeasurement *out);

#endif
