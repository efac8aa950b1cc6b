/* SPDX-License-Identifier: MIT */
/* The wishes of the user who starts a worker. */
#ifndef WORKER_SESSION_CONFIG_H
#define WORKER_SESSION_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "session/waits.h"

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

#endif
