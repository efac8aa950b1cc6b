/* SPDX-License-Identifier: MIT */
/* Statistics of the reductions for the lab: what searches to fixed depths counted, beside what T0
 * claims. `reductio lmr stats DEPTH --json` prints one record. The same engine gives the same
 * counts on every machine. */
#ifndef REPORT_LABSTATS_H
#define REPORT_LABSTATS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* One search of the bench's positions with the rows of a preset. Strings are owned. */
typedef struct {
    char *preset;
    int64_t depth, positions;
    int64_t moves;         /* Searched in the move loop. */
    int64_t deep_moves;    /* Of these, at MIN_DEPTH and deeper. */
    int64_t reduced;       /* Of these, with a reduction. */
    int64_t reduction_sum; /* Plies. */
    int64_t researched;    /* Reduced moves that were searched again. */
    int64_t held;          /* Of these, above alpha again. */
    int64_t accepted;      /* Reduced moves above alpha that were not searched again. */
    int64_t best_nodes;    /* Nodes at MIN_DEPTH and deeper where a move raised alpha. */
    int64_t best_first_tenth, best_first_fifth;
    int64_t nodes_on, nodes_off; /* With reductions, and without. */
    double deeper;               /* Plies gained with the nodes of the search without reductions. */
} LabStatistic;

/* All zero is empty. Sorted by preset as they came, then by depth. */
typedef struct {
    LabStatistic *items;
    size_t count, capacity;
} LabStatistics;

/* Reads a file with a record in each line, and puts each in the place of an earlier record of the
 * same preset and depth. The error names file and line. */
bool labstats_take(const char *path, LabStatistics *statistics, Error *err);

/* Reads the list `list` of records (NULL: none) into *statistics; `where` is its place, for errors.
 */
bool labstats_read(const cJSON *list, const char *where, LabStatistics *statistics, Error *err);

/* Appends a list of the records to `out`, each in a line of its own. */
void labstats_write(const LabStatistics *statistics, Text *out);

void labstats_free(LabStatistics *statistics);

#define LABSTATS_TITLE "T0: statistics"
#define LABSTATS_ID "statistics"

/* Append a table for each preset: the claims, the measurements at each depth, and a finding in
 * words: "true here", "less", "more", or "by depth" where depths differ: "true here or more, by
 * depth". Nothing without records. The title has LABSTATS_ID on the page. */
void labstats_markdown(const LabStatistics *statistics, Text *out);
void labstats_html(const LabStatistics *statistics, Text *out);

#endif
