/* SPDX-License-Identifier: MIT */
/* The one voice with which a worker speaks to its server. All requests but downloads go through one
 * queue, and never are two under way: a server that is asked two things at once by one machine
 * loses results from its rows, and one on SQLite answers with `database is locked`.
 *
 * The queue holds no requests. Its table has one row a kind of request, the most important first.
 * Whenever nothing is under way the queue goes down the table, asks each row whether a request is
 * due, and sends the first that is; if none is, it sleeps until the first row that named a time. */
#ifndef WORKER_SESSION_QUEUE_H
#define WORKER_SESSION_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/log.h"
#include "openbench/api.h"
#include "base/backoff.h"

typedef struct RequestQueue RequestQueue;

/* What became of a request. */
typedef enum {
    REQUEST_ANSWERED, /* The answer's `json` is the server's. */
    REQUEST_REFUSED,  /* The server's words say no. */
    REQUEST_STALE,  /* The server wants a registration, or another client version: nothing done. */
    REQUEST_FAULT,  /* No answer that is one. The request may have been carried out, or may be
                       yet. */
    REQUEST_UNDONE, /* The request had no effect, and the queue waits before the next one; or the
                       queue was closed before an answer came. */
} RequestOutcome;

/* A row of the table. */
typedef struct {
    const char *name; /* For messages: "asking for work". */
    /* Whether a request is due at this time of the loop. If not, *when is set to the time when one
     * will be, or left alone. */
    bool (*due)(void *owner, uint64_t now, uint64_t *when);
    /* Fills in the request that was due; the queue sends it at once. */
    void (*compose)(void *owner, HttpRequest *request);
    /* Called exactly once for each request sent. `answer` has `json` or `error`. */
    void (*answered)(void *owner, RequestOutcome outcome, const ApiAnswer *answer);
    void *owner;
    /* The queue's: */
    Backoff backoff;
    uint64_t again_at; /* Not before this time of the loop. */
} Request;

/* What the queue's owner learns, from the loop. */
typedef struct {
    /* The server was not reached, for the so-many-th time in a row, or is not trusted (a redirect,
     * a certificate). False: the queue is closed; true: it tries again. */
    bool (*unreachable)(const Request *request, const Error *err, int times, bool trusted,
                        void *user);
    /* Something was answered, or its time has come: the owner's state may have changed. The queue
     * looks at its table afterwards. */
    void (*changed)(void *user);
    /* After queue_close: the queue is gone. */
    void (*closed)(void *user);
} QueueEvents;

typedef struct {
    uv_loop_t *loop;
    Log *log;
    const char *server; /* For messages. */
    int64_t retry_first_ms, retry_max_ms;
    Request *table; /* Outlives the queue. */
    int count;
} QueueConfig;

RequestQueue *queue_open(const QueueConfig *config, const QueueEvents *events, void *user);

/* Sends what is due, unless a request is under way. To be called after every change; calls from
 * within a row's functions are put off to their end. */
void queue_look(RequestQueue *queue);

/* In `answered` of a fault: this row waits, longer each time in a row, and says so in the log. */
void queue_later(RequestQueue *queue, const Error *why);

/* All waits of rows and of the queue itself are over. */
void queue_hurry(RequestQueue *queue);

/* Whether a request of this owner is under way. */
bool queue_is_asking(const RequestQueue *queue, const Request *row);

/* The row's name that is under way (*wait_ms is -1) or that is due next, in *wait_ms; NULL: none.
 */
const char *queue_action(const RequestQueue *queue, int64_t *wait_ms);

/* How often in a row the server was not reached. */
int queue_unreachable(const RequestQueue *queue);

/* Gives up the request that is under way; `closed` comes from the loop. */
void queue_close(RequestQueue *queue);

#endif
