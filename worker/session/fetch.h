/* SPDX-License-Identifier: MIT */
/* Files that a workload needs from other places: its book, networks and sources. A kept file is
 * checked; a missing or changed file is downloaded and installed. */
#ifndef WORKER_SESSION_FETCH_H
#define WORKER_SESSION_FETCH_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/backoff.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/log.h"
#include "openbench/http.h"

typedef struct Fetch Fetch;

/* A download that arrived whole. */
typedef struct {
    char *path;
    char *content_type; /* "" when the server named none. */
    uint64_t size;
    char sha256[DIGEST_HEX_MAX];
} Download;

typedef enum {
    INSTALL_DONE,
    INSTALL_WRONG, /* The bytes are wrong: one more download may help. */
    /* The server is in trouble, or the bytes are no whole archive: some more downloads may help. */
    INSTALL_TROUBLE,
    INSTALL_USELESS, /* The bytes are right, but useless on this machine. */
    INSTALL_NO_ROOM  /* This machine cannot keep the file now. */
} InstallVerdict;

/* A file to fetch. The functions run in the thread pool, with `user`. */
typedef struct {
    HttpRequest request; /* Without file and limit; taken over. */
    uint64_t limit;      /* Largest size of the download, in bytes. */
    const char *name;    /* For the log: "downloading NAME". */
    const char *kept;    /* Where the file is kept; NULL: nowhere. Need not outlive the call. */
    /* Whether the kept file has the right bytes. Also makes the file ready for use. */
    bool (*check)(void *user, Error *err);
    /* Moves the download to its place, and makes the file ready for use. `err` is set unless DONE.
     */
    InstallVerdict (*install)(const Download *download, void *user, Error *err);
    /* Called from the loop before `check` and before `install`, which then begin with
     * fetch_proceed; NULL: both begin at once. The download is NULL before `check`. */
    void (*gate)(Fetch *fetch, const Download *download, void *user);
    void *user;
} Artifact;

typedef enum {
    FETCH_READY,
    FETCH_LATER,      /* The server does not answer as it should, or the disk is full: try later. */
    FETCH_IMPOSSIBLE, /* The file cannot be had. */
    FETCH_CANCELLED
} FetchOutcome;

/* Called once, from the loop, also after fetch_cancel; the Fetch is gone after the call. `err` is
 * set unless READY or CANCELLED. */
typedef void (*FetchDone)(FetchOutcome outcome, const Error *err, void *user);

/* The means of a fetch; must outlive the fetch. */
typedef struct {
    uv_loop_t *loop;
    Log *log;
    Backoff *retry;       /* Waits between downloads. */
    const char *download; /* Path of the download while it arrives. */
} FetchContext;

/* `done` is called with artifact->user. */
Fetch *fetch_start(const FetchContext *context, Artifact *artifact, FetchDone done);

/* Lets a fetch at its gate go on. */
void fetch_proceed(Fetch *fetch);

/* Ends the fetch soon. NULL is allowed. */
void fetch_cancel(Fetch *fetch);

#endif
