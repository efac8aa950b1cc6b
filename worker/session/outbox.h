/* SPDX-License-Identifier: MIT */
/* The way of a pair of games after its end: the pair is kept on the disk, and delivered to the
 * server exactly once.
 *
 * The results of each workload are a parcel with a journal of its own in STATE/outbox, so the
 * outbox can hold the parcels of several workloads at once, and of earlier processes. A finished
 * pair is on the disk before it is sent, and so is the mark of its batch (batches.h). The server
 * adds each batch that it gets. When the answer to a batch is lost, or the process ended before the
 * answer, the server's counts of the test tell whether the batch was added (counts.h). A journal is
 * removed when everything in it is delivered.
 *
 * A parcel is moved to STATE/outbox/parked when the server refuses its results for a day, when the
 * server's counts contradict them, or when the server has answered them only with faults for a day
 * in which the server took other results between their faults, three times at least. A parked
 * journal that is moved back is taken up by the next start, and a new day begins: the journal
 * records the parking and the new beginning, so further starts do not prolong this day. While the
 * worker runs the day is measured by a clock that nobody sets; the calendar counts what earlier
 * processes have seen of the day.
 *
 * Pairs of engines whose bench is not proved yet are kept in the same way, and wait. Engines are
 * identified by their bytes: a workload that proves the bench of an engine proves it for all
 * waiting pairs of the engine, those of earlier processes too. Pairs without a proof for a day are
 * parked. Pairs of an engine with a wrong bench are dropped.
 *
 * The outbox asks the server through rows of the session's queue (queue.h). The parcels of one test
 * do not hold up those of another. When a journal cannot be written, the worker says so and sends
 * the results from memory, without their PGN: a crash may then lose some results, but counts none
 * twice. Results whose journal names an older batch, and cannot name a new one, hold up the results
 * of their test until the journal can be written again, or until the next start. */
#ifndef WORKER_SESSION_OUTBOX_H
#define WORKER_SESSION_OUTBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <uv.h>

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "openbench/api.h"
#include "openbench/workload.h"
#include "session/parcel.h"
#include "session/queue.h"
#include "session/waits.h"
#include "stats/stats.h"

typedef struct Outbox Outbox;

/* A workload's results. */
typedef struct OutboxItem OutboxItem;

/* The pointers must outlive the outbox. */
typedef struct {
    const char *state_dir;
    const char *host;          /* The name of this machine. */
    const ApiAccount *account; /* With `machine` and `secret` while the outbox may send. */
    SessionWaits waits;
    bool keep; /* Delivered journals are kept, in STATE/outbox/delivered. */
    /* Seconds since 1970, and seconds of a clock that only goes forward; NULL: the system's. */
    int64_t (*clock)(void);
    int64_t (*steady)(void);
    Log *log;
} OutboxConfig;

/* The news for the owner, from the loop. No function may be NULL. */
typedef struct {
    /* The server has added a batch of this test. */
    void (*delivered)(int64_t test_id, const Tally *batch, void *user);
    /* The server says that the test is over; its waiting pairs are dropped. */
    void (*over)(int64_t test_id, void *user);
    /* The server refuses results of this test, or those of a workload in play are parked, so
     * playing on is useless. The results are kept. Refused ones are tried again. */
    void (*refused)(int64_t test_id, void *user);
    /* The registration is not valid any more. The outbox waits for outbox_set_ready. */
    void (*stale)(const Error *err, void *user);
    /* True: the workload's pairs come faster than the disk takes them, and no new games may begin.
     * False: they may begin again. */
    void (*crowded)(const OutboxItem *item, bool crowded, void *user);
    /* The disk has written something: requests may be due, and outbox_settled may have become true.
     */
    void (*changed)(void *user);
    /* After outbox_close: the outbox is gone. `left` games are kept for the next start. */
    void (*closed)(int64_t left, void *user);
} OutboxEvents;

/* Opens the folder and takes up the journals of earlier processes; a journal that cannot be read is
 * named in the log and stays. NULL with err set when the folder cannot be used. Blocking. */
Outbox *outbox_open(uv_loop_t *loop, const OutboxConfig *config, const OutboxEvents *events,
                    void *user, Error *err);

/* The outbox's rows in the queue's table: reading the server's counts, sending results, uploading
 * games. */
typedef enum { OUTBOX_READ, OUTBOX_SEND, OUTBOX_UPLOAD } OutboxRequest;
Request outbox_request(Outbox *outbox, OutboxRequest which);

/* Begins everything that is due. To be called after answers and waits of the queue, before the
 * queue looks at its table. After its own functions the outbox does this by itself. */
void outbox_advance(Outbox *outbox);

/* Tells whether the account is registered: nothing is sent while it is not. */
void outbox_set_ready(Outbox *outbox, bool ready);

/* Begins the parcel of a workload. machine_id: the server's number of this machine. None of the
 * parcel's pairs is sent before these benches are proved. */
OutboxItem *outbox_begin(Outbox *outbox, const Workload *workload, int64_t machine_id,
                         const ParcelBench *unproved, size_t unproved_count);

/* Notes that an engine has this bench: the pairs that waited for this proof may be sent. */
void outbox_proved(Outbox *outbox, const char *sha256, int64_t bench);

/* Whether any pairs wait for a proof. */
bool outbox_awaits_proof(const Outbox *outbox);

/* Drops the pairs of a workload whose engine had a wrong bench. From now on only the outbox may use
 * the item. */
void outbox_discard(Outbox *outbox, OutboxItem *item);

/* Drops the pairs of a test that still wait for a proof. */
void outbox_discard_unproved(Outbox *outbox, int64_t test_id);

/* Adds a finished pair and takes over its content. */
void outbox_add(OutboxItem *item, PairResult *pair);

/* Has the waiting pairs sent as soon as possible, unless the workload is reported only when
 * complete. False: the server will not hear of this workload now. */
bool outbox_report(Outbox *outbox, OutboxItem *item);

/* Ends the parcel: no more pairs will come. From now on only the outbox may use the item. NULL is
 * allowed. */
void outbox_end(Outbox *outbox, OutboxItem *item);

/* Drops the test's waiting pairs: another answer of the server said that the test is over. */
void outbox_drop(Outbox *outbox, int64_t test_id);

/* Whether waiting is useless: each pair is delivered, or will not be delivered soon. In a hurry,
 * one fault is enough to give up, and so is a batch that the server may or may not have. */
bool outbox_settled(const Outbox *outbox, bool hurry);

/* Whether all that may be delivered soon waits until the server's counts have told whether a batch
 * was added: outbox_hurry then has nothing sent. */
bool outbox_is_doubtful(const Outbox *outbox);

/* Ends the waits for another try, and forgets the faults before: outbox_settled in a hurry then
 * waits for one last try of everything that can be sent without a doubt. */
void outbox_hurry(Outbox *outbox);

/* Whether everything but parked parcels is delivered, the games' PGN too. */
bool outbox_empty(const Outbox *outbox);

/* Whether a parcel was parked since the outbox was opened. */
bool outbox_has_parked(const Outbox *outbox);

/* The number of games still to be delivered, those of earlier processes too. */
int64_t outbox_waiting(const Outbox *outbox);

/* The number of the test's games that the server has added since the outbox was opened, those of
 * earlier processes too. */
int64_t outbox_reported(const Outbox *outbox, int64_t test_id);

/* Frees the outbox when its journals are written and no request of it is under way; then calls
 * `closed` from the loop. Undelivered results stay on the disk for the next start. */
void outbox_close(Outbox *outbox);

#endif
