/* SPDX-License-Identifier: MIT */
#include "serve/workercall.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "serve/reply.h"
#include "serve/secrets.h"

/* A machine's time of the last request is written when it is this old, in seconds. */
enum { SEEN_STEP = 10 };

enum { LOG_KEPT = 65536 }; /* Bytes of a fault's log. */

/* Finds the machine that the form names, and compares its secret. The caller frees *machine in
 * either case. */
static bool find_machine(Transaction *t, const WebRequest *request, Machine *machine, Error *err) {
    int64_t id = 0;
    char digest[DIGEST_HEX_MAX];
    *machine = (Machine){0};
    if (!reply_field(request, "machine_id", 1, INT64_MAX, &id, NULL) ||
        !store_machine(t, id, machine))
        return error_set(err, "Bad Client Version: Bad Machine Id");
    secret_digest(web_form(request, "secret"), digest);
    return secret_same(machine->secret, digest) ||
           error_set(err, "Bad Client Version: Invalid Secret Token");
}

/* Is the request of a machine that knows this server as it is today, and of an enabled user? The
 * caller frees *machine in either case. */
static bool is_known(Transaction *t, const Catalog *catalog, const WebRequest *request,
                     Machine *machine, Error *err) {
    if (!find_machine(t, request, machine, err))
        return false;
    if (machine->client_version != catalog->settings.client_version)
        return error_set(err, "Bad Client Version: Expected %lld",
                         (long long)catalog->settings.client_version);
    if (strcmp(machine->config, catalog->checksum) != 0)
        return error_set(err, "Bad Client Version: Server Configuration Changed");
    User user;
    bool enabled = store_user(t, machine->user_id, &user) && user.enabled;
    store_free_user(&user);
    return enabled || error_set(err, "Bad Credentials");
}

bool workercall_is_of_machine(Serve *serve, const WebRequest *request) {
    Machine machine;
    Transaction *t = transaction_begin(serve->database, TRANSACTION_READ);
    bool known = is_known(t, &serve->catalog, request, &machine, NULL);
    transaction_cancel(t);
    store_free_machine(&machine);
    return known;
}

bool workercall_run(Serve *serve, const WebRequest *request, WebAnswer *answer, WorkerStep step) {
    WorkerCall call = {.serve = serve,
                       .request = request,
                       .t = transaction_begin(serve->database, TRANSACTION_WRITE),
                       .now = serve_now(serve),
                       .reply = cJSON_CreateObject()};
    Error refusal = {0}, fault = {0};
    bool ok = is_known(call.t, &serve->catalog, request, &call.machine, &refusal);
    bool ahead = call.machine.seen > call.now; /* This server's clock was wrong. */
    if (ok)
        hearing_note(&serve->hearing, clock_now_ns(), call.now);
    if (ok && (ahead || call.now - call.machine.seen >= SEEN_STEP))
        store_see_machine(call.t, call.machine.id, call.now);
    ok = ok && step(&call, &refusal);
    bool sound = transaction_ok(call.t); /* A refusal may be the fault of the database. */
    if (ok || !sound)
        sound = transaction_end(call.t, &fault);
    else
        transaction_cancel(call.t);
    if (!sound) {
        reply_fault(serve, answer, &fault);
    } else if (!ok) {
        web_json_error(answer, refusal.text);
    } else {
        reply_json(answer, call.reply);
        call.reply = NULL;
    }
    cJSON_Delete(call.reply);
    store_free_machine(&call.machine);
    return ok && sound;
}

bool workercall_test(WorkerCall *call, Test *test, Error *err) {
    int64_t id = 0;
    *test = (Test){0};
    if (!reply_field(call->request, "test_id", 1, INT64_MAX, &id, err))
        return false;
    return store_test(call->t, id, test) ||
           error_set(err, "test_id: there is no test %lld", (long long)id);
}

bool workercall_row(WorkerCall *call, TestRow *row, Error *err) {
    int64_t id = 0, test_id = 0;
    *row = (TestRow){0};
    if (!reply_field(call->request, "result_id", 1, INT64_MAX, &id, err) ||
        !reply_field(call->request, "test_id", 1, INT64_MAX, &test_id, err))
        return false;
    if (!store_row(call->t, id, row) || row->test_id != test_id ||
        strcmp(row->user_name, call->machine.user_name) != 0)
        return error_set(err, "result_id: test %lld has no row %lld of this user",
                         (long long)test_id, (long long)id);
    return true;
}

/* The log, or the start of a long one and a line about the cut. Allocated. */
static char *kept_log(const char *log) {
    Text kept = {0};
    size_t length = strlen(log);
    size_t start = text_add_start(&kept, log, LOG_KEPT);
    if (start < length)
        text_addf(&kept, "\n... (the server keeps the first %zu bytes of %zu)\n", start, length);
    return text_take(&kept);
}

void workercall_report(WorkerCall *call, int64_t test_id, const char *summary, const char *log) {
    char *kept = kept_log(log);
    Event event = {.time = call->now,
                   .is_error = true,
                   .author = call->machine.user_name,
                   .machine_id = call->machine.id,
                   .test_id = test_id,
                   .summary = (char *)summary,
                   .log = kept};
    store_add_event(call->t, &event);
    free(kept);
}
