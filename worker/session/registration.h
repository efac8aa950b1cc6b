/* SPDX-License-Identifier: MIT */
/* The registration of this worker at a server, in three questions: which client version the server
 * wants, how its engines are built, and, once the machine is searched for compilers, which machine
 * this worker is. Each question is a row of the session's table of requests. */
#ifndef WORKER_SESSION_REGISTRATION_H
#define WORKER_SESSION_REGISTRATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/backoff.h"
#include "build/toolchain.h"
#include "openbench/api.h"
#include "session/host.h"
#include "session/queue.h"

/* How far the registration has come, named by the next step. The questions come first. */
typedef enum {
    REGISTRATION_VERSION,
    REGISTRATION_BUILD_INFO,
    REGISTRATION_WORKER_INFO,
    REGISTRATION_PROBE, /* The machine is searched for compilers. */
    REGISTRATION_DONE
} RegistrationStage;

enum { REGISTRATION_QUESTIONS = REGISTRATION_WORKER_INFO + 1 };

/* The news for the owner, from the loop. */
typedef struct {
    /* The next question may be asked. */
    void (*changed)(void *user);
    /* Whether the server knows this worker has changed. */
    void (*known)(bool known, void *user);
    /* No usable answer came to the question of this name; another try is to come later. */
    void (*later)(const char *name, const Error *err, void *user);
    /* The server refuses this worker, or --once has had too many faults. The reason is logged. */
    void (*refused)(void *user);
} RegistrationEvents;

typedef struct Registration Registration;

/* The owner of a row. Its place in `rows` tells which question. */
typedef struct {
    Registration *registration;
} RegistrationRow;

/* Only registration.c writes the fields. */
struct Registration {
    const Host *host;
    const RegistrationEvents *events;
    void *user;
    ApiAccount account; /* Whom the server knows; others point to it. */
    char *secret;
    RegistrationStage stage;
    RegistrationRow rows[REGISTRATION_QUESTIONS];
    uint64_t begin_at;      /* The loop's time before which the worker does not register. */
    int64_t client_version; /* The version that the server is told. */
    BuildInfo build_info;
    Toolchain toolchain;
    ToolchainProbe *probe;
    char *announcement; /* What the server is told of this machine; NULL: nothing yet. */
    bool holds;         /* The server has the announcement, as far as is known. */
    size_t announced;   /* Engines that the server is told can be built here. */
    int idle;           /* Answers without work since missing compilers were last looked for. */
    Backoff stale;      /* Waits after registrations that were lost or failed here, in a row. */
    int faults;         /* Useless answers to the questions since the last registration. */
    bool closed;
};

/* Sets the account. */
void registration_init(Registration *registration, const Host *host);

/* `events` must outlive the registration. */
void registration_open(Registration *registration, const RegistrationEvents *events, void *user);

/* The row of a question. The registration must outlive the queue that has the row. */
Request registration_request(Registration *registration, RegistrationStage question);

bool registration_is_done(const Registration *registration);

/* Whether this worker is not registered, after so many losses in a row, or useless answers since
 * the last registration. */
bool registration_is_failing(const Registration *registration, int patience);

/* Whether this worker is registered, or may soon be registered again. False when it never was, and
 * when it is failing. */
bool registration_is_likely(const Registration *registration, int patience);

/* Registers anew, because the server does not know this worker any more, as it said about the
 * request of this name. The first loss registers at once. Later losses wait, longer each time,
 * until registration_is_good. */
void registration_lose(Registration *registration, const char *name, const Error *err);

/* The server has no work, and nothing is under way here: a server gives no work to a machine
 * without compilers. After some such answers a worker that can build no engine, or has a compiler
 * that told no version, asks again how engines are built and searches for compilers and tokens.
 * Where something else is found the worker registers anew. */
void registration_note_no_work(Registration *registration);

/* The server answered another request: the registration is good. */
void registration_is_good(Registration *registration);

/* Ends the wait after a loss, and forgets losses and useless answers. */
void registration_hurry(Registration *registration);

/* Ends the search for compilers; no question is due any more. */
void registration_close(Registration *registration);
void registration_free(Registration *registration);

#endif
