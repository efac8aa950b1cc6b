/* SPDX-License-Identifier: MIT */
/* The waits of a worker, in milliseconds. A new wait is one row: its name, the option of `obworker
 * work` that changes the wait, and the default. */
#ifndef WORKER_SESSION_WAITS_H
#define WORKER_SESSION_WAITS_H

#include <stdint.h>

#include "match/player.h"

#define SESSION_WAITS(WAIT)                                                                        \
    /* First and longest wait after faults in a row; each wait doubles. */                         \
    WAIT(retry_first, "retry-ms", 5000)                                                            \
    WAIT(retry_max, "retry-max-ms", 60000)                                                         \
    /* Between questions for work when the server has none. */                                     \
    WAIT(idle, "idle-ms", 60000)                                                                   \
    /* Between reports of results, or heartbeats. */                                               \
    WAIT(report, "report-ms", 30000)                                                               \
    /* From a send without an answer to the first reading of the counts, and between readings. */  \
    WAIT(verify, "verify-ms", 60000)                                                               \
    WAIT(verify_again, "verify-again-ms", 15000)                                                   \
    /* First and longest wait after refusals of results; each wait doubles. */                     \
    WAIT(refused_first, "refused-ms", 60000)                                                       \
    WAIT(refused_max, "refused-max-ms", 3600000)                                                   \
    /* Until results that cannot be delivered are parked. */                                       \
    WAIT(park, "park-ms", 86400000)                                                                \
    WAIT(build_timeout, "build-timeout-ms", 900000)                                                \
    WAIT(bench_timeout, "bench-timeout-ms", 60000)                                                 \
    /* Longest silence of an engine that makes openings. */                                        \
    WAIT(genfens_timeout, "genfens-timeout-ms", 15000)                                             \
    /* Least time of a search for a fixed number of nodes, before the engine counts as stalled. */ \
    WAIT(stall, "stall-ms", PLAYER_NODES_MS)                                                       \
    /* Between updates of the status file. */                                                      \
    WAIT(status, "status-ms", 2000)                                                                \
    /* Least wait between questions for the test's standing. */                                    \
    WAIT(info, "info-ms", 60000)

#define WAIT_FIELD(field, option, standard) int64_t field;
/* 0: the default. */
typedef struct {
    SESSION_WAITS(WAIT_FIELD)
} SessionWaits;
#undef WAIT_FIELD

#endif
