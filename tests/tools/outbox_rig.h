/* SPDX-License-Identifier: MIT */
/* Journals that an earlier process has left, and an outbox in the test's own process. For tests of
 * what becomes of results. */
#ifndef TOOLS_OUTBOX_RIG_H
#define TOOLS_OUTBOX_RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "session/outbox.h"
#include "session/queue.h"
#include "tools/openbench_double.h"
#include "tools/worker_rig.h"

enum {
    POLLS = 12000, /* How often a wait looks before it gives up. */
    HOUR = 3600,   /* In seconds. */
    FILE_LIMIT = 1 << 24
};

/* Paths of the server: results, and the counts and totals of test 5. */
#define RESULTS "/clientSubmitResults/"
#define COUNTS "/api/workload/5/results/"
#define TOTALS "/api/workload/5/info/"

/* The time of the outbox in this process, in seconds since 1970, and by how much the calendar was
 * set forward. */
extern int64_t clock_now, clock_set;

/* An outbox in this process, and what it has told. */
typedef struct {
    uv_loop_t loop;
    uv_timer_t tick; /* Wakes the loop, so that no wait is without an end. */
    OutboxConfig config;
    Outbox *outbox;
    RequestQueue *queue;
    Request table[3];
    int64_t refused, delivered, over;
    bool may_end; /* The test. */
    bool closed;
} Own;

/* The only journal of a folder of the worker's state folder. Allocated; NULL: there is none. */
char *find_journal(const char *folder);

/* Has a worker play this workload and kills the worker before anything was sent. Returns how many
 * games its journal has. */
int64_t leave_a_journal_of(const RigOffer *offer, const char *report_ms);

/* The same, of a long workload of test 5. */
int64_t leave_a_journal(void);

/* Is there a journal in the folder of what is parked? */
bool is_parked(void);

/* What is done to a journal, and the line that it leads to. */
typedef struct {
    const char *from, *to, *line;
    bool seal; /* The checksum is made right again. */
} Change;

/* Changes a journal by its first occurrence of change->from. */
void spoil(const char *path, const Change *change);

/* Appends bytes to a file. */
void append(const char *path, const char *bytes);

/* Has the server refuse results so many times. */
void refuse(int times);

/* Has the answer to a batch lost, before or after the server added the batch. */
void lose_a_batch(DoubleMoment moment);

/* How many games of a test the server has. */
int64_t games_of(int64_t test_id);

/* Runs a scenario with an outbox in this process, whose clock is clock_now. */
void with_own_outbox(void (*scenario)(Own *own));

/* Goes on as a session does after each event. The rig's own functions do so by themselves. */
void go_on(Own *own);

/* The worker has registered, or is not registered any more. */
void set_ready(Own *own, bool ready);

/* What a scenario does: it begins a parcel, of the machine 2 or another one, whose engines may be
 * unproved, adds pairs and ends it, or delivers a parcel of one pair; it waits for the server's
 * requests, until a batch is under way or for the outbox, and closes the outbox and opens another
 * one. shut_own asserts nothing, for processes that may not end by an assertion. */
OutboxItem *begin_parcel(Own *own, int64_t test_id, const ParcelBench *unproved);
OutboxItem *begin_parcel_of(Own *own, int64_t test_id, int64_t machine_id,
                            const ParcelBench *unproved);
void add_pair(Own *own, OutboxItem *item, int64_t index);
void end_parcel(Own *own, OutboxItem *item);
void deliver_of(Own *own, int64_t test_id, const ParcelBench *unproved);
void deliver(Own *own, int64_t test_id);
void wait_for_requests(Own *own, const char *path, size_t count);
void wait_until_sending(Own *own);
void wait_until_waiting(Own *own, int64_t games);
void wait_until_empty(Own *own);
void open_own(Own *own);
void close_own(Own *own);
void shut_own(Own *own);

/* From the next outbox on the server knows the numbers of batches, or does not. */
void choose_knowledge(Own *own, bool knows);

/* Ends the outbox and begins another one, whose server knows the numbers of batches (`knows`). */
void begin_anew(Own *own, bool knows);

/* Begins anew with a server that knows the numbers of batches. */
void meet_numbers(Own *own);

/* Two numbers of batches of an earlier process. */
#define NUMBER "00112233445566778899aabbccddeeff"
#define OTHER "ffeeddccbbaa99887766554433221100"

/* The mark of a numbered batch of so many pairs, which was made when the server had `before` pairs
 * of the row. */
BatchMark mark_of(const char *number, int64_t before, int64_t pairs);

/* The journal that a killed process leaves of a pair of test 5 which it has sent, or was about to,
 * by this mark; NULL: the pair waits. add_mark appends another mark. */
void leave_parcel(const Own *own, const char *name, const BatchMark *mark);
void add_mark(const char *name, const BatchMark *mark);

/* Appends the record to the journal. */
void add_record(const char *name, const Text *record);

#endif
