/* SPDX-License-Identifier: MIT */
/* Requests of registered workers. Each is one transaction, which ends with its answer: a request
 * takes effect as a whole or not at all. */
#ifndef SERVE_WORKERCALL_H
#define SERVE_WORKERCALL_H

#include <cjson/cJSON.h>

#include "base/error.h"
#include "base/mersenne.h"
#include "serve/database.h"
#include "serve/serve.h"
#include "serve/store.h"
#include "serve/web.h"

typedef struct {
    Serve *serve;
    const WebRequest *request;
    Transaction *t;
    Machine machine; /* Its secret was right. */
    int64_t now;
    cJSON *reply; /* The answer, {} to begin with. */
} WorkerCall;

/* Does what the request asks, and adds to the reply. False with err set: the request is refused,
 * and nothing of it is kept. */
typedef bool (*WorkerStep)(WorkerCall *call, Error *err);

/* Knows the machine of the request by its number and secret, notes that it was seen, and answers by
 * the step. Workers that have to register again are told so in the protocol's words. True when the
 * step's changes are kept. */
bool workercall_run(Serve *serve, const WebRequest *request, WebAnswer *answer, WorkerStep step);

/* Would workercall_run take a request with this form? The form names a machine by its number, with
 * its secret; the machine knows this server's version and configuration, and its user is enabled.
 */
bool workercall_is_of_machine(Serve *serve, const WebRequest *request);

/* The test and the row that the form names in test_id and result_id. The row is of the test, and of
 * a machine of the same user. The caller frees both in either case. */
bool workercall_test(WorkerCall *call, Test *test, Error *err);
bool workercall_row(WorkerCall *call, TestRow *row, Error *err);

/* Adds an error to the server's list, and news of a test. Of a long log the start is kept, with a
 * last line that says so. */
void workercall_report(WorkerCall *call, int64_t test_id, const char *summary, const char *log);

/* The values of a tuning's parameters for each runner, or JSON's null for another test. */
cJSON *spsa_assignment(Transaction *t, const Test *test, int64_t runners, Mersenne *random);

/* Has the server what machines need for the test: both engines, the book, and the repositories
 * whose zips it hands out itself? False with `why` set, unless that is NULL: no machine gets the
 * test. */
bool assign_can(const Serve *serve, const Test *test, Error *why);

/* Warns in the log, for the start of a server, of each reason for which active tests get no
 * machines (assign_can). False with err set: the database failed. */
bool assign_warn(Serve *serve, Error *err);

/* The steps. */
bool assign_work(WorkerCall *call, Error *err);    /* clientGetWorkload */
bool take_results(WorkerCall *call, Error *err);   /* clientSubmitResults */
bool take_speed(WorkerCall *call, Error *err);     /* clientSubmitNPS */
bool take_beat(WorkerCall *call, Error *err);      /* clientHeartbeat */
bool take_error(WorkerCall *call, Error *err);     /* clientSubmitError */
bool take_bad_bench(WorkerCall *call, Error *err); /* clientBenchError */
bool take_games(WorkerCall *call, Error *err);     /* clientSubmitPGN */

#endif
