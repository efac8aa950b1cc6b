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
    const char *base_url; /* In the form of http_base_url. */
    const char *username;
    const char *password;
    int threads; /* 0: the number of physical cores that the worker may use. */
    int sockets;
    const char *identity; /* NULL: the host's name. */
    const char *syzygy;   /* Folders separated by ':'; NULL: none. */
    bool noisy;
    Words focus;
    const char *state_dir; /* Absolute. Made with mode 0700 when missing. */
    /* Largest size of the kept books, networks and engines, in MB; 0: SESSION_CACHE_MB. */
    int64_t cache_mb;
    /* Minutes for which a measured speed counts; 0: SESSION_REBENCH_MINUTES. */
    int64_t rebench_minutes;
    bool clean;            /* Remove everything kept at the start, but no results. */
    bool keep_delivered;   /* Journals of delivered results stay. */
    bool once;             /* End when there is no work. */
    int64_t max_workloads; /* End after so many; 0: no limit. */
    /* The version told to the server; 0: the version that the server wants. */
    int64_t client_version;
    const char *status_file; /* Path of the status file; NULL: none. */
    bool watched;            /* A user watches: ask now and then how the test stands. */
    const char *version;     /* "obworker 0.1.0" */
    SessionWaits waits;
    const Sandbox *sandbox; /* The sandbox of engines and builds. */
    bool build_network;     /* Builds in the sandbox may use the network. */
    Log *log;
} SessionConfig;

enum { SESSION_CACHE_MB = 8192, SESSION_REBENCH_MINUTES = 60 };

#endif
