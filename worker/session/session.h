/* SPDX-License-Identifier: MIT */
/* A worker's session with an OpenBench server: register, ask for work, prepare, play, report, and
 * again. A state machine on one event loop. Only this room joins the rooms for the server, the
 * builds and the match. */
#ifndef WORKER_SESSION_SESSION_H
#define WORKER_SESSION_SESSION_H

#include <stdint.h>
#include <uv.h>

#include "base/error.h"
#include "session/config.h"

typedef struct Session Session;

/* Called once, when nothing of the session runs any more; `status` is the process's exit status.
 * The callback may free the session. */
typedef void (*SessionDone)(Session *session, int status, void *user);

/* Starts a session on `loop`. NULL with err set when the state folder cannot be used, or
 * there are more sockets than threads. */
Session *session_start(uv_loop_t *loop, const SessionConfig *config, SessionDone done, void *user,
                       Error *err);

/* Asks for the end. First call: the games in play are finished (match_stop) and reported. Second
 * call: the games are stopped, and whole pairs reported. Third call: the session ends at once. */
void session_interrupt(Session *session);

/* Ends the session after the present workload. */
void session_end_after_workload(Session *session);

/* Time in which this process was stopped counts for no engine. ns: so long. Call it as soon as the
 * process goes on. */
void session_resumed(Session *session, uint64_t ns);

/* Only after `done`. */
void session_free(Session *session);

#endif
