/* SPDX-License-Identifier: MIT */
/* The server of the recordings without a socket, its tests, and workers that send it requests. For
 * tests of the protocol. Every fault of the rig fails the test. */
#ifndef TESTS_TOOLS_PROTOCOL_RIG_H
#define TESTS_TOOLS_PROTOCOL_RIG_H

#include <cjson/cJSON.h>

#include "serve/database.h"
#include "tools/serve_rig.h"

/* The user of the recordings, whose password here is as long as a password has to be. */
#define TESTER "tester"
#define TESTER_PASSWORD "secret-secret"

extern ServeRig rig;

/* Starts and ends the server, which has the engine, the book and the user of the recordings. */
void protocol_start(void);
void protocol_stop(void);

/* ---- Tests ---- */

/* Frees the text, and puts a copy of the value in its place. */
void protocol_set(char **text, const char *value);

/* A test like the recorded ones, not approved yet. protocol_add_test frees it. */
Test protocol_test(const char *kind, const char *time_control);

/* Adds the test to the server and frees it; its number. */
int64_t protocol_add_test(Test *test);

/* Changes the database; reads one number from it. */
void protocol_run_sql(const char *sql, SqlValues values);
int64_t protocol_ask(const char *sql);

/* The only test that is handed out from now on. */
void protocol_only(int64_t id);

/* Gives the test two parameters. */
void protocol_add_parameters(int64_t id);

/* ---- Requests ---- */

/* Sends and frees the request, and leaves the answer in rig.answer. */
void protocol_dispatch(WebRequest *request);

/* Sends the form, which it takes over. Returns the answer, which the caller deletes. */
cJSON *protocol_post(const char *path, WebFields *form);

/* Adds a number to a form; reads a number from an answer. */
void protocol_add_number(WebFields *form, const char *name, int64_t value);
double protocol_number(const cJSON *answer, const char *name);

/* The error in the answer to the form; "" when there is none. Valid until the next call. */
const char *protocol_error(const char *path, WebFields *form);

/* ---- Workers ---- */

/* What a worker says of its machine, as JSON. */
extern const char protocol_worker_info[];

/* A worker's place: the numbers of its machine and its row. */
typedef struct {
    int64_t machine;
    char secret[65];
    int64_t result;
} Worker;

/* Registers a worker of the user. */
Worker protocol_worker(const char *user, const char *password);

/* The form by which the worker says who sends. */
WebFields protocol_form(const Worker *worker);

/* The first opening of the workload that the worker gets; 0: there is no work. */
int64_t protocol_get_work(Worker *worker, int64_t *openings);

/* The form of a batch of four pairs, two of them even, without its number. */
WebFields protocol_batch(const Worker *worker, int64_t test_id);

/* Starts a server with one active test, and puts a worker on the test; the test's number. */
int64_t protocol_start_with_worker(Worker *worker);

#endif
