/* SPDX-License-Identifier: MIT */
/* What the command `lmr` prints: the switches of this build, the whole table, and the statistics of
 * a search beside the claims of the texts. */
#ifndef LMR_REPORT_H
#define LMR_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lmr/flags.h"
#include "lmr/statistics.h"

/* The rows that differ from the table's default, the preset, and the hash of the whole
 * configuration. */
void lmr_report_flags(FILE *out, LmrTable table);

/* Every row with value, default, range, source text or group, and meaning; `json` for programs: one
 * array. */
void lmr_report_list(FILE *out, LmrTable table, bool json);

/* A line of OpenBench's SPSA input for each row of the table, or for this row: name, type, value,
 * bounds, last step and last rate; for a row that cannot be tuned a line that begins with "#" and
 * says why. */
void lmr_report_spsa(FILE *out, LmrTable table);
void lmr_report_spsa_row(FILE *out, int index);

/* Two searches of the same positions to the same depth, with reductions and without. */
typedef struct {
    int depth;
    int positions;
    uint64_t nodes_on, nodes_off;
    double deeper;  /* plies that the search with reductions gains when given nodes_off */
    LmrStats stats; /* of the search with reductions */
} LmrMeasurement;

/* The table of the claims, each beside its measurement, with its denominator. `json` for programs:
 * one object of the preset and the counts, in one line. */
void lmr_report_stats(FILE *out, const LmrMeasurement *measurement, bool json);

#endif
