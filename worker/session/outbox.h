/* SPDX-License-Identifier: MIT */
/* Everything that happens to a pair of games after it is finished: the pair is kept on the disk,
 * and delivered to the server exactly once.
 *
 * Each workload's results are a parcel with a journal of its own in STATE/outbox, so that the
 * outbox holds those of several workloads at once, and of earlier processes. A finished pair is on
 * the disk before it is sent; so is the mark of the batch that it is part of (batches.h). The
 * server adds what it gets: when a batch's answer is lost, or the process ended before it came,
 * what the server has of the test tells whether the batch was added (counts.h). A journal goes when
 * everything in it is delivered. What the server refuses for a day goes to STATE/outbox/parked, and
 * so does what its counts contradict, and what it answers with nothing but faults for a day in
 * which it took others' results. A journal that is moved back from there is taken up by the next
 * start, and its day begins anew with what happens then: the journal says that it was parked, and
 * when it was taken up again, so that further starts add nothing to that day.
 *
 * Pairs of engines whose bench is not proved yet are kept in the same way, and wait. Engines are
 * told by their bytes: whichever workload proves that an engine has the bench that was asked of it
 * proves it for all that wait for it, those of earlier processes too. When nobody does for a day
 * they are parked. Those of an engine that turns out to have another bench are dropped.
 *
 * The outbox asks the server through rows of the session's queue (queue.h). What waits for one test
 * does not hold up another. Where a journal cannot be written, the worker says so and the results
 * go to the server from memory: then a crash may cost some, but counts none twice. */
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
    const char *host;          /* This one's name. */
    const ApiAccount *account; /* With machine and secret while the outbox may send. */
    SessionWaits waits;
    bool keep; /* What is delivered stays, in STATE/outbox/delivered. */
    /* Seconds since 1970; NULL: the system's clock. */
    int64_t (*clock)(void);
    Log *log;
} OutboxConfig;

/* The news for the owner, from the loop; none may be NULL. */
typedef struct {
    /* The server has added a batch of this test. */
    void (*delivered)(int64_t test_id, const Tally *batch, void *user);
    /* The server says that the test is over; what waited of it is dropped. */
    void (*over)(int64_t test_id, void *user);
    /* The server refuses results of this test: no use in playing on. They are kept and tried again.
     */
    void (*refused)(int64_t test_id, void *user);
    /* The registration is not valid any more. The outbox waits for outbox_set_ready. */
    void (*stale)(const Error *err, void *user);
    /* More pairs of the workload come than the disk takes: no new games until it is false again. */
    void (*crowded)(const OutboxItem *item, bool crowded, void *user);
    /* Something came from the disk: requests may be due, and outbox_settled may have turned true.
     */
    void (*changed)(void *user);
    /* After outbox_close: the outbox is gone. */
    void (*closed)(void *user);
} OutboxEvents;

/* Opens the folder and takes up what earlier processes left in it; what cannot be taken up is named
 * in the log and stays. NULL with err set when there can be no outbox. Blocking. */
Outbox *outbox_open(uv_loop_t *loop, const OutboxConfig *config, const OutboxEvents *events,
                    void *user, Error *err);

/* The rows that the outbox has in the queue's table: what it reads of the server's counts, results,
 * games. */
typedef enum { OUTBOX_READ, OUTBOX_SEND, OUTBOX_UPLOAD } OutboxRequest;
Request outbox_request(Outbox *outbox, OutboxRequest which);

/* Begins what can be begun. To be called after answers and waits of the queue, before it looks at
 * its table; what else the outbox is told it looks at by itself. */
void outbox_advance(Outbox *outbox);

/* The account is registered (again), or is not: nothing is sent until it is. */
void outbox_set_ready(Outbox *outbox, bool ready);

/* Begins the parcel of a workload that this machine, by the server's number, was given. Nothing is
 * told of its pairs before these benches are proved. */
OutboxItem *outbox_begin(Outbox *outbox, const Workload *workload, int64_t machine_id,
                         const ParcelBench *unproved, size_t unproved_count);

/* An engine has the bench that was asked of it: what waits for that may be told. */
void outbox_proved(Outbox *outbox, const char *sha256, int64_t bench);

/* Whether anything waits for a proof. */
bool outbox_awaits_proof(const Outbox *outbox);

/* The pairs are of an engine that is not the one meant: drops them. The item is the outbox's alone
 * from now on. */
void outbox_discard(Outbox *outbox, OutboxItem *item);

/* The same for whatever of a test still waits for a proof. */
void outbox_discard_unproved(Outbox *outbox, int64_t test_id);

/* Adds a finished pair, and takes it over. */
void outbox_add(Outbox *outbox, OutboxItem *item, PairResult *pair);

/* It is time to report: the pairs that wait are sent as soon as can be, unless the workload is
 * reported whole in the end. False: the server will not hear of this workload now. */
bool outbox_report(Outbox *outbox, OutboxItem *item);

/* No more pairs will come. The item is the outbox's alone from now on. NULL is allowed. */
void outbox_end(Outbox *outbox, OutboxItem *item);

/* Another answer of the server said that the test is over: drops the test's pairs that wait. */
void outbox_drop(Outbox *outbox, int64_t test_id);

/* Whether there is nothing more to wait for: each pair is delivered, or will not be soon. In a
 * hurry, one fault is enough to give up waiting. */
bool outbox_settled(const Outbox *outbox, bool hurry);

/* Whether all is delivered, the games' PGN too, but for what is parked. */
bool outbox_empty(const Outbox *outbox);

/* Games that wait to be delivered, those of earlier processes too. 0 for NULL. */
int64_t outbox_waiting(const Outbox *outbox);

/* Games of the test that the server has added since the outbox was opened, those that earlier
 * processes played too. */
int64_t outbox_reported(const Outbox *outbox, int64_t test_id);

/* Frees the outbox once the disk has what it should and no request of it is under way; `closed`
 * comes from the loop. What is not delivered is on the disk for the next start. */
void outbox_close(Outbox *outbox);

#endif
