/* SPDX-License-Identifier: MIT */
/* What an OpenBench server tells those who look at a test: its settings, its counts by machine, by
 * CPU, by instruction set, and where a tuning stands. Answers into structs; the requests are in
 * api.h. Source: the recorded exchanges 16 to 18 and 29. */
#ifndef WORKER_OPENBENCH_TESTVIEW_H
#define WORKER_OPENBENCH_TESTVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openbench/api.h"
#include "results/group.h"
#include "results/tuned.h"

/* One side of a test. The strings are allocated. */
typedef struct {
    char *engine, *branch, *sha, *source, *repo;
    char *options, *time_control, *network;
    int64_t bench;
} TestSide;

typedef struct {
    int64_t id;
    char *author, *info, *book, *mode; /* mode: "SPRT", "GAMES", "SPSA", "DATAGEN" */
    char *created, *updated;           /* "2026-11-20 09:12:44.190653+00:00", or NULL */
    char *win_adj, *draw_adj, *syzygy_wdl, *syzygy_adj, *scale_method;
    int64_t scale_nps;
    TestSide sides[2]; /* dev, base */
    double elo0, elo1, alpha, beta;
    int64_t games, max_games;
    int64_t tri[3];   /* losses, draws, wins */
    int64_t penta[5]; /* pairs, as the server counted them */
    bool use_tri;     /* the server judges the test by games: DATAGEN without reverses */
    bool passed, failed, finished, deleted, approved, error;
} TestView;

/* Free what was read in either case. All zero is empty. */
bool testview_read(const ApiAnswer *answer, TestView *view, Error *err);
void testview_free(TestView *view);

/* Appends a group for each machine (of api_test_results), or for each user, CPU and instruction set
 * (of api_test_summary; a kind with one group alone tells nothing and is left out, but for the
 * CPU).
 */
bool testview_read_machines(const ApiAnswer *answer, ResultGroups *groups, Error *err);
bool testview_read_summary(const ApiAnswer *answer, ResultGroups *groups, Error *err);

/* Appends the parameters of a tuning's digest: comma-separated lines, of which the first one names
 * the columns. */
bool testview_read_digest(const char *text, TunedParameters *parameters, Error *err);

#endif
