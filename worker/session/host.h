/* SPDX-License-Identifier: MIT */
/* The machine that a session works on, as the user configured it: its state folder with the lock,
 * its threads and its tables. Read once at the start, and unchanged until the end. */
#ifndef WORKER_SESSION_HOST_H
#define WORKER_SESSION_HOST_H

#include <stdbool.h>
#include <uv.h>

#include "base/error.h"
#include "base/log.h"
#include "base/machine.h"
#include "match/match.h"
#include "session/config.h"

typedef struct {
    SessionConfig config; /* Without zero fields that have a default. */
    uv_loop_t *loop;
    Log *log;
    int lock; /* The state folder's; -1: not held. */
    char mac[MACHINE_MAC_MAX];
    Machine machine;
    int threads;            /* Games of one thread that may be in play together. */
    int syzygy_max;         /* Men whose WDL tables are all there. */
    char *engine_dir;       /* The folder in which engines run. */
    FaultFiles transcripts; /* Of engines that failed; the host owns the folder's name. */
} Host;

/* Fills in the waits that are 0. */
void session_default_waits(SessionWaits *waits);

/* Makes and locks the state folder, and looks at the machine. False with err set when the folder
 * cannot be used, for instance because another worker uses the folder. host_close either way. */
bool host_open(Host *host, uv_loop_t *loop, const SessionConfig *config, Error *err);
void host_close(Host *host);

#endif
