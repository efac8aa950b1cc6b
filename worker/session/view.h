/* SPDX-License-Identifier: MIT */
/* The view of a working machine on the terminal: a few lines that stay in place. Pure. */
#ifndef WORKER_SESSION_VIEW_H
#define WORKER_SESSION_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* The standing of a session, for the terminal and the --status file. Left out are texts that are
 * NULL, the test's fields without `has_test`, and the test's standing without `known`. */
typedef struct {
    const char *server;
    const char *state; /* "playing" */
    int64_t machine_id, threads;
    bool has_test;
    int64_t test_id;
    const char *test_type, *dev, *dev_engine, *base, *base_engine;
    int64_t games_over, games; /* Games of the workload: finished ones, and all. */
    int64_t pairs_played, pairs;
    double games_per_hour; /* 0: not known yet */
    bool known;            /* The server has told the test's standing, in the fields below. */
    bool sprt;
    int64_t server_games;
    double llr, llr_lower, llr_upper;
    char *last_upload; /* Time of the last upload; owned. */
    int64_t games_uploaded, games_waiting;
    int64_t workloads_done, workloads_failed;
    const char *next_action;
    int64_t next_wait_s;  /* seconds until the next action; -1: under way */
    char *next_action_at; /* Time of the next action; owned. */
    const char *updated;
} WorkView;

/* Frees the texts that the view owns. */
void workview_free(WorkView *view);

/* Appends its lines, each with its line end and none wider than `width` columns:
       Server  https://openbench.example   machine 12, 4 threads   playing
       Test    5 SPRT   faster [Tiny] against main [Tiny]
       Played  40 of 64 games   15847 games/h
       LLR     +0.50 (-2.25, +2.89) after 1240 games
       Upload  320 games, lastly 2026-01-31T12:00:00 +0000   8 waiting
       Next    reporting results in 12 s */
void workview_write(const WorkView *view, int width, Text *out);

#endif
