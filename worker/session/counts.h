/* SPDX-License-Identifier: MIT */
/* Whether a batch whose answer was lost was added, judged by the server's counts of the test. Pure.
 *
 * The server adds each batch in one transaction to the test's totals and to the row of the machine.
 * Totals only grow by additions. A row can lose an addition: clientGetWorkload reads the row and
 * writes the whole row back, and an addition in between is gone from the row, though not from the
 * totals. So a row without the batch does not prove that the batch did not arrive.
 *
 * The machine's share of the test, which is the totals less the rows of all other machines, has
 * every batch that the server ever added for the machine, whatever its own row has lost. Before a
 * batch is sent, row and share are known and written into the journal with the batch's sum.
 *
 * The rule, for a reading of row and share in which nothing was being added:
 *   1. The row has grown by the sum or more: the batch was added.
 *   2. The share has not grown by the sum in at least one of the five cells: the batch was not
 *      added. It may be sent again.
 *   3. The share has grown by exactly the sum: the batch was added, and the row lost the update.
 *   4. Anything else is unclear: the batch is not sent again.
 *
 * No batch counts twice by this rule: a batch is sent again only by 2, and if the server had added
 * the batch, the totals would have grown by the sum. The share would have grown with them: the rows
 * of other machines, which are subtracted, grow only by additions of those machines, which are in
 * the totals too, and shrink only by lost updates, which make the share larger. By 3 a batch can be
 * taken for added that was not, and its games are then missing, if between the two readings the
 * rows of other machines lost exactly the sum, cell by cell. A worker with one request under way at
 * a time loses no rows, so this mistake needs a worker of another make. Where the share before the
 * batch is not known (a journal of an older version, a server that does not tell the totals), the
 * row stands for the share, and is never larger; then 3 is unclear too. */
#ifndef WORKER_SESSION_COUNTS_H
#define WORKER_SESSION_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/stats.h"

/* The server's counts of a machine in a test. */
typedef struct {
    Penta row;   /* The machine's row. */
    Penta share; /* The test's totals less the rows of the other machines. */
    bool has_share;
} Counts;

/* Characters of a batch's number. */
enum { BATCH_NUMBER_DIGITS = 32 };

/* The facts about a batch when it was made. */
typedef struct {
    Counts before; /* The server's counts before the batch. */
    Penta sum;     /* Sum of all pairs of the submission, also those of other parcels. */
    /* The number that the batch is sent with, always the same; "": the server knows no numbers. */
    char number[BATCH_NUMBER_DIGITS + 1];
    int64_t at; /* Of a batch with a number: when the batch was made; Unix time. */
} BatchMark;

typedef enum {
    BATCH_ADDED,
    BATCH_ABSENT, /* The server did not get the batch, or did not take it. */
    BATCH_UNCLEAR /* The counts prove neither. */
} BatchVerdict;

/* The rule above; `now` has a share. */
BatchVerdict counts_judge(const BatchMark *mark, const Counts *now);

/* Adds a batch of this sum to the counts, as the server did. */
void counts_add(Counts *counts, const Penta *sum);

#endif
