/* SPDX-License-Identifier: MIT */
/* A worker's session with an OpenBench server: register, ask for work, prepare, play, report, and
 * again. A state machine on one event loop; only here do the rooms for the server, the builds and
 * the match meet. */
#ifndef WORKER_SESSION_SESSION_H
#define WORKER_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/error.h"
#include "base/log.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "session/waits.h"

/* Fills in what is 0: the protocol's waits where it has them. */
void session_default_waits(SessionWaits *waits);

/* The strings must outlive the session. */
typedef struct {
    const char *base_url; /* As http_base_url makes it. */
    const char *username;
    const char *password;
    int threads; /* 0: as many as physical cores that may be used. */
    int sockets;
    const char *identity; /* NULL: the host's name. */
    const char *syzygy;   /* Folders with ':' between; NULL: none. */
    bool noisy;
    Words focus;
    const char *state_dir;   /* Absolute; made, with mode 0700, when missing. */
    int64_t cache_mb;        /* BuildCache no more of these than this; 0: SESSION_CACHE_MB. */
    int64_t rebench_minutes; /* How long a measured speed counts; 0: SESSION_REBENCH_MINUTES. */
    bool clean;              /* Throw away everything kept first, but for results. */
    bool keep_delivered;     /* Journals of delivered results stay. */
    bool once;               /* End when there is no work. */
    int64_t max_workloads;   /* End after so many; 0: no limit. */
    int64_t client_version;  /* Say this whatever the server wants; 0: say what it wants. */
    const char *status_file; /* Kept true; NULL: none. */
    bool watched;            /* Somebody looks on: ask now and then how the test stands. */
    const char *version;     /* "obworker 0.1.0" */
    SessionWaits waits;
    const Sandbox *sandbox; /* Of engines and builds. */
    bool build_network;     /* Confined builds have the network. */
    Log *log;
} SessionConfig;

enum { SESSION_CACHE_MB = 8192, SESSION_REBENCH_MINUTES = 60 };

typedef struct Session Session;

/* Called once, when nothing runs any more; `status` is the process's exit status. The session may
 * be freed in it. */
typedef void (*SessionDone)(Session *session, int status, void *user);

/* Starts on `loop`. NULL with err set when the state folder cannot be used. */
Session *session_start(uv_loop_t *loop, const SessionConfig *config, SessionDone done, void *user,
                       Error *err);

/* Asks for the end. Once: the games in play are finished and reported. Twice: they are stopped, and
 * whole pairs reported. Three times: at once. */
void session_interrupt(Session *session);

/* Ends after the present workload. */
void session_end_after_workload(Session *session);

/* After done. */
void session_free(Session *session);

#endif
