/* SPDX-License-Identifier: MIT */
/* Fixed positions searched in a fixed way: the number of nodes identifies the version of the
 * search. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>

#include "lmr/report.h"
#include "task.h"

enum { BENCH_DEPTH_DEFAULT = 11, BENCH_DEPTH_MAX = 64, BENCH_STATS_DEPTH_DEFAULT = 10 };

typedef struct {
    uint64_t nodes;
    int64_t time_ns;
} BenchResult;

/* Searches every position to `depth`, from an empty table each, and prints a line a position to
 * `progress`. The nodes depend on the program, its flags and the task's hash alone:
 * SEARCH_HASH_DEFAULT is what all benches are quoted for. False when the task was ended. */
bool bench_run(Task *task, int depth, FILE *progress, BenchResult *result);

/* Every fourth of these positions with reductions and without, and with reductions for as many
 * nodes as it took without. For builds with STATS=1; in others there is nothing to measure. False
 * when the task was ended. */
bool bench_measure(Task *task, int depth, LmrMeasurement *out);

#endif
