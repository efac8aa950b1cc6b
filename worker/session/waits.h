/* SPDX-License-Identifier: MIT */
/* The waits of a worker, all in milliseconds. A new wait is one row here: its name, the option of
 * `obworker work` that changes it, and what it is by default. */
#ifndef WORKER_SESSION_WAITS_H
#define WORKER_SESSION_WAITS_H

#include <stdint.h>

#define SESSION_WAITS(WAIT)                                                                        \
    /* After a first fault, doubled with each one up to the second. */                             \
    WAIT(retry_first, "retry-ms", 5000)                                                            \
    WAIT(retry_max, "retry-max-ms", 60000)                                                         \
    /* Between questions for work when there is none. */                                           \
    WAIT(idle, "idle-ms", 60000)                                                                   \
    /* Between reports of results, or heartbeats. */                                               \
    WAIT(report, "report-ms", 30000)                                                               \
    /* From a send without an answer to the first reading of the counts, and between readings. */  \
    WAIT(verify, "verify-ms", 60000)                                                               \
    WAIT(verify_again, "verify-again-ms", 15000)                                                   \
    /* After results were refused, doubled with each time up to the second. */                     \
    WAIT(refused_first, "refused-ms", 60000)                                                       \
    WAIT(refused_max, "refused-max-ms", 3600000)                                                   \
    /* What is refused, or not proved, for so long is parked. */                                   \
    WAIT(park, "park-ms", 86400000)                                                                \
    WAIT(build_timeout, "build-timeout-ms", 900000)                                                \
    WAIT(bench_timeout, "bench-timeout-ms", 60000)                                                 \
    /* Of silence. */                                                                              \
    WAIT(genfens_timeout, "genfens-timeout-ms", 15000)                                             \
    /* Between looks at whether the status file is true. */                                        \
    WAIT(status, "status-ms", 2000)                                                                \
    /* Least between questions how the test stands. */                                             \
    WAIT(info, "info-ms", 60000)

#define WAIT_FIELD(field, option, standard) int64_t field;
/* 0: the default. */
typedef struct {
    SESSION_WAITS(WAIT_FIELD)
} SessionWaits;
#undef WAIT_FIELD

#endif
