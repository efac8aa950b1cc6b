/* SPDX-License-Identifier: MIT */
/* The queue of a worker's requests to its server. All requests but downloads go through one queue,
 * and at most one is under way: a server that gets two requests of one machine at once can lose
 * results from its rows, and with SQLite may answer `database is locked`.
 *
 * The queue holds no requests. Its table has one row for each kind of request, the most important
 * first. While no request is under way, the queue goes down the table, asks each row whether a
 * request is due, and sends the first one that is. If none is due, the queue sleeps until the
 * earliest time that a row named. */
#ifndef WORKER_SESSION_QUEUE_H
#define WORKER_SESSION_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/backoff.h"
#include "base/log.h"
#include "openbench/api.h"

typedef struct RequestQueue RequestQueue;

/* The outcome of a request. */
typedef enum {
    REQUEST_ANSWERED, /* The answer's `json` is valid. */
    REQUEST_REFUSED,  /* The server refuses the request, in its own words. */
    REQUEST_STALE, /* The server wants a registration or another client version, and did nothing. */
    /* No proper answer came. The request may have been carried out, or may still be. */
    REQUEST_FAULT,
    /* The request had no effect, and the queue waits before the next one; or the queue was closed
     * before the answer. */
    REQUEST_UNDONE,
} RequestOutcome;

/* A row of the table. */
typedef struct {
    const char *name; /* For messages: "asking for work". */
    /* Whether a request is due at the loop's time `now`. If not, sets *when to the time when one
     * will be due, or leaves *when alone. */
    bool (*due)(void *owner, uint64_t now, uint64_t *when);
    /* Fills in the request that was due; the queue sends it at once. */
    void (*compose)(void *owner, HttpRequest *request);
    /* Called exactly once for each request sent. `answer` has `json` or `error`. */
    void (*answered)(void *owner, RequestOutcome outcome, const ApiAnswer *answer);
    void *owner;
    /* Used by the queue only: */
    Backoff backoff;
    uint64_t again_at; /* The loop's time before which the row sends nothing. */
} Request;

/* The news for the queue's owner, from the loop. */
typedef struct {
    /* The server was not reached (`times` in a row), or is not trusted (a redirect, a certificate).
     * Returns false when the queue has been closed; true: the queue tries again. */
    bool (*unreachable)(const Request *request, const Error *err, int times, bool trusted,
                        void *user);
    /* A request was answered, or a wait is over: the owner's state may have changed. Afterwards the
     * queue looks at its table. */
    void (*changed)(void *user);
    /* After queue_close: the queue is gone. */
    void (*closed)(void *user);
} QueueEvents;

typedef struct {
    uv_loop_t *loop;
    Log *log;
    const char *server; /* For messages. */
    int64_t retry_first_ms, retry_max_ms;
    Request *table; /* Must outlive the queue. */
    int count;
} QueueConfig;

RequestQueue *queue_open(const QueueConfig *config, const QueueEvents *events, void *user);

/* Sends the first request that is due, unless one is under way. To be called after every change. A
 * call from within a row's function takes effect after that function. */
void queue_look(RequestQueue *queue);

/* To be called in `answered` after a fault: the row waits, longer after each fault in a row, and
 * the log says so. */
void queue_later(RequestQueue *queue, const Error *why);

/* Ends all waits of the rows and of the queue itself, and forgets the rows' faults and that the
 * server was not reached. */
void queue_hurry(RequestQueue *queue);

/* Whether a request of this row is under way. */
bool queue_is_asking(const RequestQueue *queue, const Request *row);

/* The name of the row whose request is under way (*wait_ms is -1) or due next, in *wait_ms; NULL:
 * none. */
const char *queue_action(const RequestQueue *queue, int64_t *wait_ms);

/* The faults in a row of the row whose request is being answered, before this answer. */
int queue_faults(const RequestQueue *queue);

/* How often the request of this owner has failed since it succeeded last. */
int queue_faults_of(const RequestQueue *queue, const void *owner);

/* The number of times in a row that the server was not reached. */
int queue_unreachable(const RequestQueue *queue);

/* Closes the queue and gives up the request under way. `closed` comes from the loop. */
void queue_close(RequestQueue *queue);

#endif
