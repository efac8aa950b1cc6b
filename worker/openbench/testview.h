/* SPDX-License-Identifier: MIT */
/* The state of a test on an OpenBench server, as shown to people: settings, counts by machine, by
 * CPU and by instruction set, and a tuning's parameters. Reads answers into structs; api.h composes
 * the requests. Source: the recorded exchanges 16 to 18 and 29. */
#ifndef WORKER_OPENBENCH_TESTVIEW_H
#define WORKER_OPENBENCH_TESTVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "openbench/api.h"
#include "results/group.h"
#include "results/tuned.h"

/* One side of a test. The strings are allocated. */
typedef struct {
    char *engine, *branch, *sha, *repo;
    char *options, *time_control, *network;
    int64_t bench;
} TestViewSide;

typedef struct {
    int64_t id;
    char *author, *info, *book, *mode; /* mode: "SPRT", "GAMES", "SPSA", "DATAGEN" */
    char *created, *updated;           /* "2026-11-20 09:12:44.190653+00:00", or NULL */
    char *win_adj, *draw_adj, *syzygy_wdl, *syzygy_adj, *scale_method;
    int64_t scale_nps;
    TestViewSide sides[SIDE_COUNT];
    double elo0, elo1, alpha, beta;
    int64_t max_games;
    Tally tally;  /* Its games and pairs. */
    bool use_tri; /* judge by games, not pairs: DATAGEN without reverses */
    bool passed, failed, finished, deleted, approved, error;
} TestView;

/* Reads a test. All zero is an empty view. Call testview_free in either case. */
bool testview_read(const ApiAnswer *answer, TestView *view, Error *err);
void testview_free(TestView *view);

/* testview_read_machines appends a group for each machine (answer of api_test_results).
 * testview_read_summary appends a group for each user, CPU and instruction set (answer of
 * api_test_summary); a single user or a single instruction set is left out. */
bool testview_read_machines(const ApiAnswer *answer, ResultGroups *groups, Error *err);
bool testview_read_summary(const ApiAnswer *answer, ResultGroups *groups, Error *err);

/* Appends the parameters of a tuning's digest: comma-separated lines; the first line names the
 * columns. */
bool testview_read_digest(const char *text, TunedParameters *parameters, Error *err);

#endif
