/* SPDX-License-Identifier: MIT */
/* The requests of a session: registration, work, reports about jobs, and how the shown test stands.
 * Each kind is a row of the table in requests.c, which says when a request is due, how it is
 * composed, and where its answer leads. The outbox's rows stand among them. */
#ifndef WORKER_SESSION_REQUESTS_H
#define WORKER_SESSION_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/backoff.h"
#include "build/toolchain.h"
#include "openbench/api.h"
#include "session/host.h"
#include "session/jobs.h"
#include "session/outbox.h"
#include "session/queue.h"

/* How far the registration has come: the next question. */
typedef enum {
    REGISTRATION_VERSION, /* Nothing is known. */
    REGISTRATION_BUILD_INFO,
    REGISTRATION_PROBE, /* Compilers are looked for. */
    REGISTRATION_WORKER_INFO,
    REGISTRATION_DONE
} Registration;

/* The session's own kinds of requests. */
typedef enum {
    ROW_VERSION,
    ROW_BUILD_INFO,
    ROW_WORKER_INFO,
    ROW_FAULT,
    ROW_BENCH_ERROR,
    ROW_NPS,
    ROW_WORKLOAD,
    ROW_HEARTBEAT,
    ROW_INFO,
    OWN_ROWS
} OwnRow;

enum { REQUEST_ROWS = OWN_ROWS + 3 /* The outbox's. */ };

typedef struct Requests Requests;

/* Owns a row of the queue's table. The owner's place tells which row. */
typedef struct {
    Requests *requests;
} RowOwner;

/* News, from the loop. */
typedef struct {
    /* An answer or a wait is over: the session may go on. */
    void (*changed)(void *user);
    /* The session is to end, because nobody waits for the server any longer (`given_up`), or
     * because the server will not have this worker. */
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

    /* The registration. */
    ApiAccount account;
    char *secret;
    Registration registration;
    uint64_t register_at;   /* Not before this time of the loop. */
    int64_t client_version; /* The version that the server is told. */
    BuildInfo build_info;
    Toolchain toolchain;
    ToolchainProbe *probe;
    Backoff stale; /* Registrations lost in a row. */

    /* The queue. */
    RequestQueue *queue; /* NULL once it is closed. */
    Request table[REQUEST_ROWS];
    RowOwner rows[OWN_ROWS];
    Job *asked; /* The job that the request under way is about; NULL: none. */

    /* Reports. */
    uint64_t report_at; /* Results or a heartbeat are due at this time of the loop. */
    bool heartbeat_due;

    /* How the shown test stands, for those who look on. */
    ApiTestInfo info;
    int64_t info_test; /* The test's number; 0: nothing is known. */
    bool info_due;
    uint64_t info_after; /* Not before this time of the loop. */
};

/* Sets the account, which others may then point to. */
void requests_init(Requests *requests, const Host *host);

/* Opens the queue. `events` must outlive the requests. */
void requests_open(Requests *requests, Jobs *jobs, Outbox *outbox, const RequestsEvents *events,
                   void *user);

/* Sends what is due. To be called after every change. */
void requests_look(Requests *requests);

/* Has results reported, or a heartbeat sent, when their time has come. */
void requests_report(Requests *requests);

/* From now on nobody waits for a second try: all waits are over. */
void requests_hurry(Requests *requests);

bool requests_are_registered(const Requests *requests);
/* The registration is not valid any more: registers anew. */
void requests_registration_lost(Requests *requests, const char *name, const Error *err);
/* The server has taken results: the registration is good. */
void requests_were_taken(Requests *requests, int64_t test_id);

/* What the time goes into as long as no job does anything. */
Activity requests_activity(const Requests *requests);

/* The name of the request under way (*wait_ms is -1), or of the next one and when it is due; NULL:
 * none. */
const char *requests_next(const Requests *requests, int64_t *wait_ms);

/* Gives up the request that is under way; `closed` comes from the loop. */
void requests_close(Requests *requests);
void requests_free(Requests *requests);

#endif
