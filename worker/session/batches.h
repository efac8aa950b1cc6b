/* SPDX-License-Identifier: MIT */
/* Results on their way: the batches of each row of a test's counts, from the marks on the disk to
 * the answer, and the readings that settle a doubt. One state per row (CountsState), whose changes
 * are all in batches.c.
 *
 * A batch is everything that the parcels of one row have, sent in one submission. Each of their
 * journals takes the same mark, which names the counts that the server had and the sum of the whole
 * submission, and nothing is sent before all marks are on the disk. So it does not matter between
 * which two writes a crash comes:
 *   - before the last mark was written: nothing was sent. The next start reads the counts, finds no
 *     mark's sum in them (session/counts.h), and sends the pairs of all journals, marked or not;
 *   - between the last mark and the first "added": each journal's mark is judged by the same counts
 *     and the same sum, so all are judged alike, whether or not others of the batch are still
 * there;
 *   - between two "added": the counts have the sum of the marks that are left, so these are judged
 * to be added. Later batches only add to the counts. A batch that the server refused or did not get
 * keeps its mark until its pairs are part of another batch, whose mark takes its place; no other
 * batch of the row is sent in between.
 *
 * Of a test, one batch at a time may be among the counts or not: those of other machines, which
 * this worker delivers for an earlier process, wait, and are read again after each other's. */
#ifndef WORKER_SESSION_BATCHES_H
#define WORKER_SESSION_BATCHES_H

#include "session/items.h"

/* Makes the batches whose time has come. */
void batches_make(Outbox *outbox);

/* The disk has taken the item's mark of its row's batch, or will not. */
void batch_marked(OutboxItem *item, bool written);

/* What the server has of the row is to be read until two readings are equal, before anything more
 * of the row is sent. */
void batch_doubt(const Outbox *outbox, ServerCounts *counts);

/* The test is over: drops what waits of it. */
void batches_drop(const Outbox *outbox, int64_t test_id);

/* Whether nobody needs to wait for the row's delivery any more. In a hurry, one fault is enough. */
bool batch_is_hopeless(const Outbox *outbox, const ServerCounts *counts, bool hurry);

/* Rows of the queue's table, but for the owner. */
extern const Request batches_read_request;
extern const Request batches_send_request;

#endif
