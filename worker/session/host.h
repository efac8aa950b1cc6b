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
    SessionConfig config; /* With the defaults in place of zeros. */
    uv_loop_t *loop;
    Log *log;
    char *real_state; /* The state folder without symbolic links. */
    int lock;         /* Descriptor of the state folder's lock; -1: not held. */
    char mac[MACHINE_MAC_MAX];
    Machine machine;
    int threads;      /* Games of one thread that may be in play together. */
    int syzygy_max;   /* Largest number of men for which all WDL tables are present. */
    char *engine_dir; /* The folder in which engines run. */
    /* Transcripts of engines that failed; the host owns the folder's name. */
    FaultFiles transcripts;
} Host;

/* The threads that the user gives; where none are named, one for each physical core that this
 * process may use. */
int host_threads(const SessionConfig *config, const Machine *machine);

/* False with err set when there are more sockets than threads: a server divides the threads by the
 * sockets, and no thread would be left for a game. */
bool host_has_threads(const SessionConfig *config, const Machine *machine, Error *err);

/* False with err set when the path of this state folder has a blank, or another character that
 * make, its shell or a command of an engine does not take as a part of a path: builds and engines
 * are given paths in the state folder. */
bool host_takes_path(const char *state_dir, Error *err);

/* Fills in the defaults of waits that are 0. */
void session_default_waits(SessionWaits *waits);

/* Makes and locks the state folder, and looks at the machine. False with err set when the folder
 * cannot be used, for instance because another worker uses the folder, or when there are more
 * sockets than threads. The caller calls host_close in all cases. */
bool host_open(Host *host, uv_loop_t *loop, const SessionConfig *config, Error *err);
void host_close(Host *host);

#endif
