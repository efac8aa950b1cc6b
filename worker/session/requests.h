/* SPDX-License-Identifier: MIT */
/* The requests of a session: work, reports about jobs, and how the shown test stands. Each kind is
 * a row of the table in requests.c, which says when a request is due, how it is composed, and where
 * its answer leads. The rows of the registration and of the outbox stand among them. */
#ifndef WORKER_SESSION_REQUESTS_H
#define WORKER_SESSION_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "openbench/api.h"
#include "session/host.h"
#include "session/jobs.h"
#include "session/outbox.h"
#include "session/queue.h"
#include "session/registration.h"

/* The session's own kinds of requests. */
typedef enum {
    ROW_FAULT,
    ROW_BENCH_ERROR,
    ROW_NPS,
    ROW_WORKLOAD,
    ROW_HEARTBEAT,
    ROW_INFO,
    OWN_ROWS
} OwnRow;

enum { REQUEST_ROWS = REGISTRATION_QUESTIONS + OWN_ROWS + 3 /* The outbox's. */ };

typedef struct Requests Requests;

/* The owner of a row of the queue's table. Its place in `rows` tells which row. */
typedef struct {
    Requests *requests;
    /* The job whose request failed last. The job may be gone: only for comparisons. */
    const Job *failed;
} RowOwner;

/* The news for the session, from the loop. */
typedef struct {
    /* An answer has come or a wait is over: the session may go on. */
    void (*changed)(void *user);
    /* The session is to end, because nobody waits for the server any longer (`given_up`), or
     * because the server refuses this worker. */
    void (*over)(bool given_up, void *user);
    /* After requests_close: nothing is under way any more. */
    void (*closed)(void *user);
} RequestsEvents;

/* Only requests.c writes the fields. */
struct Requests {
    const Host *host;
    Jobs *jobs;
    Outbox *outbox;
    const RequestsEvents *events;
    void *user;
    bool hurry; /* The user does not wait for a second try. */
    bool closed;

    Registration registration;

    /* The queue. */
    RequestQueue *queue; /* NULL when closed. */
    Request table[REQUEST_ROWS];
    RowOwner rows[OWN_ROWS];
    Job *asked; /* The job that the request under way is about; NULL: none. */

    /* Reports. */
    uint64_t report_at; /* The loop's time at which results or a heartbeat are due. */
    bool heartbeat_due;

    /* The standing of the shown test, for a user who watches. */
    ApiTestInfo info;
    int64_t info_test; /* The number of the test that `info` is about; 0: nothing is known. */
    bool info_due;
    uint64_t info_after; /* The loop's time before which the test is not asked about. */
};

/* Sets the account, to which others may point from then on. */
void requests_init(Requests *requests, const Host *host);

/* Opens the queue. `events` must outlive the requests. */
void requests_open(Requests *requests, Jobs *jobs, Outbox *outbox, const RequestsEvents *events,
                   void *user);

/* Sends the first request that is due. To be called after every change. */
void requests_look(Requests *requests);

/* Has results reported, or a heartbeat sent, when due. */
void requests_report(Requests *requests);

/* Ends all waits: what is due is tried a last time, and from now on the session waits for no other
 * try of a failed request. A registration that fails ends the session. */
void requests_hurry(Requests *requests);

/* Of the reports about jobs, the one that has failed most often since it succeeded last: how often.
 */
int requests_report_faults(const Requests *requests);

bool requests_are_registered(const Requests *requests);
/* Registers anew, since the registration is not valid any more. With --once it may tell `over`
 * instead, after many losses in a row. */
void requests_registration_lost(Requests *requests, const char *name, const Error *err);
/* Notes that the server has taken results, so the registration is good. */
void requests_were_taken(Requests *requests, int64_t test_id);

/* The session's activity while no job does anything. */
Activity requests_activity(const Requests *requests);

/* The name of the request under way (*wait_ms is -1), or of the next one, due in *wait_ms; NULL:
 * none. */
const char *requests_next(const Requests *requests, int64_t *wait_ms);

/* Closes the queue and gives up the request under way. `closed` comes from the loop. */
void requests_close(Requests *requests);
void requests_free(Requests *requests);

#endif
