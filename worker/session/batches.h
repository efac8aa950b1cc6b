/* SPDX-License-Identifier: MIT */
/* Results on their way to the server: the batches of each row of a test's counts, from the marks on
 * the disk to the answer, and the readings that settle a doubt. Each row has one state
 * (CountsState); only batches.c changes the states.
 *
 * A batch is everything that the parcels of a row have, sent in one submission. All journals of the
 * batch get the same mark, which names the server's counts before the batch and the sum of the
 * whole submission. The batch is sent only when all marks are on the disk. So a crash may come
 * between any two writes:
 *   - before the last mark: nothing was sent. The next start reads the counts, does not find the
 *     sum of any mark in them (session/counts.h), and sends the pairs of all journals, marked or
 *     not;
 *   - between the last mark and the first "added": all marks are judged by the same counts and the
 *     same sum, and so get the same verdict, whether or not other journals of the batch are still
 *     present;
 *   - between two "added": the counts contain the sum of the remaining marks, so these are judged
 *     to be added. Later batches only add to the counts.
 *
 * A batch that the server refused or did not get keeps its mark until its pairs are part of another
 * batch, whose mark replaces the old one. No other batch of the row is sent in between, since the
 * counts would then contain pairs that the old mark does not know of.
 *
 * A full disk may refuse the new mark to a journal that has an old one. Such a journal is stuck,
 * and its pairs are not sent as part of the new batch: the server would then have them under a sum
 * and a number that the old mark does not name, and the next start would send them again. Instead,
 *   - the old batch is sent again as it was, if all of its members still have its mark. The old
 *     mark gives the right verdict before and after: the row's batches are known to be absent when
 *     a batch begins. Other journals may have got the new mark. The new batch was not sent, and its
 *     sum has pairs of their own besides those of the old batch, so the counts do not contain it.
 *     This is not done when a journal of the row could not be cut back to its old end: the refused
 *     mark may be in it;
 *   - otherwise the row sends nothing, and the new marks are tried again after a wait. A journal
 *     that takes the new mark is not stuck any more. The new batch is sent only when all marks are
 *     on the disk, as ever.
 * A journal that cannot note "added" keeps the mark of a batch that was added. The counts contain
 * the sum of this mark from then on, and the server knows its number: the next start finds the
 * batch added. Such a journal is not written again by this process, since a later mark in it would
 * have the added pairs too. Pairs that no journal has are sent from memory, in batches without a
 * mark of their own: a crash loses them, and no start sends them again.
 *
 * A server that knows numbers gets each batch with a number, which the mark names too. A batch with
 * a number is never changed: while its answer is missing, it is sent again with the same number and
 * the same members, after a crash too, and the server adds it once. The counts are read instead
 * when the server may have forgotten the number, or knows no numbers any more, or when a part of
 * the batch is missing, as after a crash between two marks or between two "added".
 *
 * A journal names its test by a number and by the names of its branches. A server with a new
 * database at the same address gives the numbers anew, so the names are compared before a batch is
 * sent (ServerCounts.known), and results of another test are parked.
 *
 * Of each test only one batch at a time may be in doubt. Batches of the test's other machines,
 * which this worker delivers for earlier processes, wait meanwhile, and each row is read again
 * after a batch of another row was added. */
#ifndef WORKER_SESSION_BATCHES_H
#define WORKER_SESSION_BATCHES_H

#include "session/items.h"

/* Makes the batches whose time has come. */
void batches_make(Outbox *outbox);

/* Notes that the disk has taken the item's mark of its row's batch (`written`), or has failed to.
 */
void batch_marked(OutboxItem *item, bool written);

/* Begins to read the server's counts of the row until two readings are equal. Nothing more of the
 * row is sent before. */
void batch_doubt(const Outbox *outbox, ServerCounts *counts);

/* Notes that the account was registered anew. The server's database may be a new one: before more
 * of a row is sent, its test is asked for, and the counts of a row without a batch are read. */
void batches_registered(const Outbox *outbox);

/* Drops the test's waiting pairs, since the test is over. */
void batches_drop(const Outbox *outbox, int64_t test_id);

/* Whether waiting for the row's delivery is useless. In a hurry, one fault is enough, and so is a
 * doubt. */
bool batch_is_hopeless(const Outbox *outbox, const ServerCounts *counts, bool hurry);

/* Whether the row's batch is sent now, or as soon as its marks are on the disk. */
bool batch_is_going_out(const Outbox *outbox, const ServerCounts *counts);

/* Whether the row's results wait until a doubt is settled, so that no try is safe before. */
bool batch_is_doubtful(const Outbox *outbox, const ServerCounts *counts);

/* Ends the waits of all rows without a doubt, and forgets their faults. */
void batches_hurry(const Outbox *outbox);

/* Rows of the queue's table, complete but for the owner. */
extern const Request batches_read_request;
extern const Request batches_send_request;

#endif
