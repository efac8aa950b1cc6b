/* SPDX-License-Identifier: MIT */
/* The parts of a running server, which handlers get. */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "serve/catalog.h"
#include "serve/database.h"
#include "serve/httpd.h"
#include "serve/people.h"
#include "serve/sources.h"
#include "serve/web.h"

/* Since when the server could hear its machines without a break, by two clocks: the calendar's may
 * be set, and the other may stand still while the computer sleeps. */
typedef struct {
    int64_t began_ns; /* By clock_now_ns. */
    int64_t began;    /* Seconds since the epoch, at the same moment. */
    int64_t last_ns;  /* When a machine was heard last; began_ns before the first. */
} Hearing;

/* Begins to hear: nobody was heard before. */
void hearing_begin(Hearing *hearing, int64_t now_ns, int64_t now);

/* Notes that a machine is heard. The hearing begins again after a silence of all machines for
 * MACHINE_VANISHED_SECONDS, in which some may have called in vain, and when one clock has gone
 * MACHINE_ACTIVE_SECONDS further than the other since it began. */
void hearing_note(Hearing *hearing, int64_t now_ns, int64_t now);

/* Has the hearing lasted for longer than MACHINE_VANISHED_SECONDS? A machine that was not heard
 * meanwhile has vanished. */
bool hearing_has_lasted(const Hearing *hearing, int64_t now_ns);

/* Owned by the one who starts the server. */
struct Serve {
    const char *data; /* The data folder: a path without a slash at its end. */
    Database *database;
    People *people;
    Sources *sources;
    Catalog catalog;
    Httpd *httpd; /* NULL: handlers are called without one, in tests. */
    Log *log;     /* NULL: nothing is logged. */
    pthread_mutex_t log_mutex;
    pthread_mutex_t packing;      /* Held by the request that makes a tar of games. */
    int64_t (*clock)(void *user); /* Seconds since the epoch; NULL: the system's clock. */
    void *clock_user;
    Hearing hearing; /* Changed within a transaction that writes. */
};

/* Seconds since the epoch, by the server's clock. */
int64_t serve_now(const Serve *serve);

/* The address of this server as the client wrote it: "http://127.0.0.1:8000". Allocated. A request
 * without a usable Host gets the address that the server listens at. */
char *serve_base(const Serve *serve, const WebRequest *request);

/* Tells those who follow pages that something has changed. */
void serve_wake(const Serve *serve);

/* log_error, for any thread. */
void serve_log_error(Serve *serve, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
