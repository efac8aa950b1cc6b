/* SPDX-License-Identifier: MIT */
/* A worker's session with an OpenBench server: register, ask for work, prepare, play, report, and
 * again. A state machine on one event loop; only here do the rooms for the server, the builds and
 * the match meet. */
#ifndef WORKER_SESSION_SESSION_H
#define WORKER_SESSION_SESSION_H

#include <uv.h>

#include "base/error.h"
#include "session/config.h"

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
