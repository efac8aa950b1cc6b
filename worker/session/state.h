/* SPDX-License-Identifier: MIT */
/* The parts of a session. Each belongs to the file with its name. For session.c, and for status.c
 * to read. */
#ifndef WORKER_SESSION_STATE_H
#define WORKER_SESSION_STATE_H

#include <time.h>

#include "session/host.h"
#include "session/jobs.h"
#include "session/outbox.h"
#include "session/requests.h"
#include "session/session.h"
#include "stats/stats.h"

/* How the user wants the session to end. */
typedef enum { STOP_NO, STOP_AFTER_GAMES, STOP_GAMES_NOW, STOP_AT_ONCE } StopWish;

/* The --status file; status.c. */
typedef struct StatusFile StatusFile;

struct Session {
    Host host;
    Requests requests;
    Jobs jobs;
    Outbox *outbox; /* NULL when closed, ... */
    int64_t left;   /* ... with so many games for the next start. */
    StatusFile *status_file;
    uv_timer_t view_timer;
    SessionDone done;
    void *user;
    Tally total;        /* Sum of the results that the server has taken in this session. */
    time_t last_upload; /* Time of the last delivered results; 0: none yet. */
    StopWish stop;
    bool finishing;
    int status; /* The exit status, when finishing. */
};

#endif
