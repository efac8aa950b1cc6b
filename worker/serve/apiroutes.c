/* SPDX-License-Identifier: MIT */
/* The endpoints of readers. */
#include "serve/clientroutes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "base/text.h"
#include "build/archive.h"
#include "serve/catalog.h"
#include "serve/games.h"
#include "serve/networks.h"
#include "serve/reply.h"
#include "serve/scripts.h"
#include "serve/secrets.h"
#include "serve/serve.h"
#include "serve/testjson.h"
#include "serve/visit.h"
#include "serve/workercall.h"

static const char WANTS_LOGIN[] = "API requires authentication for this server";
static const char WANTS_USER[] = "API requires authentication for this endpoint";
static const char UNKNOWN_ENGINE[] = "Engine not found. Check /api/config/ for a full list";
static const char UNKNOWN_TEST[] = "Requested Workload Id does not exist";

/* ---- Who asks ---- */

/* Is the request of an enabled user: of a signed-in browser, or with name and password? Else
 * answers. */
static bool knows_reader(Serve *serve, const WebRequest *request, const char *refusal,
                         WebAnswer *answer) {
    Visit visit = {0};
    visit_open(serve->people, request, serve_now(serve), &visit);
    bool known = visit.user.id != 0;
    bool asked = visit.fault.text[0] == '\0';
    if (!asked)
        reply_fault(serve, answer, &visit.fault);
    visit_free(&visit);
    if (known || !asked)
        return known;
    if (!web_fields_get(&request->form, "username")) {
        web_json_error(answer, refusal);
        return false;
    }
    User user;
    known = reply_knows_user(serve, request, refusal, answer, &user);
    store_free_user(&user);
    return known;
}

/* May the request read? Else says so in the answer. */
static bool may_read(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    return !serve->catalog.settings.require_login_to_view ||
           knows_reader(serve, request, WANTS_LOGIN, answer);
}

/* ---- Configuration ---- */

static void answer_document(WebAnswer *answer, cJSON *document, const char *otherwise) {
    if (document)
        reply_json(answer, document);
    else
        web_json_error(answer, otherwise);
}

static void config(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    if (!may_read(serve, request, answer))
        return;
    char *base = serve_base(serve, request);
    reply_json(answer, catalog_config_answer(&serve->catalog, base));
    free(base);
}

static void engine_config(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    if (!may_read(serve, request, answer))
        return;
    const CatalogEngine *engine = catalog_engine(&serve->catalog, request->arguments[0]);
    char *base = serve_base(serve, request);
    answer_document(answer, engine ? catalog_engine_answer(engine, base) : NULL, UNKNOWN_ENGINE);
    free(base);
}

/* The default network of each engine stands beside its build. */
static bool add_default_networks(Serve *serve, cJSON *engines, Error *err) {
    Transaction *t = transaction_begin(serve->database, TRANSACTION_READ);
    Query *query = store_networks(t, "");
    Network network;
    while (store_next_network(query, &network)) {
        cJSON *engine = cJSON_GetObjectItemCaseSensitive(engines, network.engine);
        if (engine && network.is_default)
            cJSON_AddItemToObject(engine, "network", testjson_default_network(&network));
        store_free_network(&network);
    }
    query_end(query);
    return transaction_end(t, err);
}

static void builds(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    if (!may_read(serve, request, answer))
        return;
    Error err;
    char *base = serve_base(serve, request);
    cJSON *engines = catalog_engines_answer(&serve->catalog, base);
    free(base);
    if (add_default_networks(serve, engines, &err)) {
        reply_json(answer, engines);
    } else {
        cJSON_Delete(engines);
        reply_fault(serve, answer, &err);
    }
}

/* ---- Networks ---- */

static void networks(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    if (!may_read(serve, request, answer))
        return;
    if (!catalog_engine(&serve->catalog, request->arguments[0])) {
        web_json_error(answer, UNKNOWN_ENGINE);
        return;
    }
    cJSON *list = cJSON_CreateArray(), *standard = NULL;
    Transaction *t = transaction_begin(serve->database, TRANSACTION_READ);
    Query *query = store_networks(t, request->arguments[0]);
    Network network;
    while (store_next_network(query, &network)) {
        if (network.is_default)
            standard = testjson_network(&network);
        cJSON_AddItemToArray(list, testjson_network(&network));
        store_free_network(&network);
    }
    query_end(query);
    Error err;
    bool read = transaction_end(t, &err);
    cJSON *reply = cJSON_CreateObject();
    cJSON_AddItemToObject(reply, "default", standard ? standard : cJSON_CreateNull());
    cJSON_AddItemToObject(reply, "networks", list);
    if (read) {
        reply_json(answer, reply);
    } else {
        cJSON_Delete(reply);
        reply_fault(serve, answer, &err);
    }
}

static void network_bytes(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    if (!knows_reader(serve, request, WANTS_USER, answer))
        return;
    Network network;
    Transaction *t = transaction_begin(serve->database, TRANSACTION_READ);
    bool found = store_network(t, request->arguments[0], request->arguments[1], &network);
    Error err;
    if (!transaction_end(t, &err)) {
        reply_fault(serve, answer, &err);
    } else if (found) {
        answer->file = text_format("%s/networks/%s", serve->data, network.digest);
        answer->type = "application/octet-stream";
    } else {
        web_json_error(answer, UNKNOWN_ENGINE); /* OpenBench's words of a network too. */
    }
    store_free_network(&network);
}

/* Wants name and password also from a browser that has signed in: the request has no token of a
 * page's form. */
static void remove_network(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    User user;
    Error err = {{0}};
    const char *engine = request->arguments[0];
    if (!reply_knows_user(serve, request, WANTS_USER, answer, &user))
        return;
    if (networks_change(serve, &user, engine, request->arguments[1], NETWORKS_REMOVE_ORDINARY,
                        &err) != WEB_OK)
        web_json_error(answer, err.text);
    else {
        char *done = text_format("Removed %s for %s", request->arguments[1], engine);
        cJSON *reply = cJSON_CreateObject();
        cJSON_AddStringToObject(reply, "success", done);
        reply_json(answer, reply);
        free(done);
    }
    store_free_user(&user);
}

/* ---- Tests ---- */

/* Makes the document of one question about a test; NULL: the question is unknown. */
static cJSON *about_test(const Serve *serve, const WebRequest *request, Transaction *t,
                         const Test *test) {
    const char *query = request->arguments[1];
    if (strcmp(query, "info") == 0) {
        char *base = serve_base(serve, request);
        cJSON *info = testjson_info(test, base);
        free(base);
        return info;
    }
    if (strcmp(query, "results") == 0)
        return testjson_results(t, test->id, serve_now(serve));
    if (strcmp(query, "summary") == 0)
        return testjson_summary(t, test->id);
    return NULL;
}

static void workload(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    if (!may_read(serve, request, answer))
        return;
    Test test;
    Error err;
    Transaction *t = transaction_begin(serve->database, TRANSACTION_READ);
    bool found = store_test(t, web_number(request), &test);
    cJSON *reply = found ? about_test(serve, request, t, &test) : NULL;
    store_free_test(&test);
    if (!transaction_end(t, &err)) {
        cJSON_Delete(reply);
        reply_fault(serve, answer, &err);
        return;
    }
    answer_document(answer, reply,
                    found ? "Valid /query/ endpoints are: [ results, info, summary ]"
                          : UNKNOWN_TEST);
}

/* A question about a tuning, answered by a text. */
static const struct {
    const char *query;
    void (*write)(const Test *test, const TestParameters *parameters, Text *out);
} tuning_texts[] = {
    {"digest", testjson_digest}, {"inputs", testjson_inputs}, {"outputs", testjson_outputs}};

static bool write_tuning(const char *query, const Test *test, const TestParameters *parameters,
                         Text *out) {
    for (size_t i = 0; i < COUNT(tuning_texts); i++) {
        if (strcmp(tuning_texts[i].query, query) == 0) {
            tuning_texts[i].write(test, parameters, out);
            return true;
        }
    }
    return false;
}

/* The values that four runners would get with a workload now. Nothing is handed out. */
static cJSON *perturbation(Transaction *t, const Test *test) {
    enum { RUNNERS = 4 };
    Mersenne random;
    secret_seed(&random);
    cJSON *reply = cJSON_CreateObject();
    cJSON_AddItemToObject(reply, "perturbation", spsa_assignment(t, test, RUNNERS, &random));
    return reply;
}

static void tuning(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    if (!may_read(serve, request, answer))
        return;
    Test test;
    TestParameters parameters;
    Text text = {0};
    const char *query = request->arguments[1];
    Transaction *t = transaction_begin(serve->database, TRANSACTION_READ);
    bool found = store_test(t, web_number(request), &test);
    cJSON *values = found && strcmp(query, "perturbation") == 0 ? perturbation(t, &test) : NULL;
    store_parameters(t, web_number(request), &parameters);
    Error err;
    if (!transaction_end(t, &err)) {
        cJSON_Delete(values);
        reply_fault(serve, answer, &err);
    } else if (!found) {
        web_json_error(answer, UNKNOWN_TEST);
    } else if (values) {
        reply_json(answer, values);
    } else if (!write_tuning(query, &test, &parameters, &text)) {
        web_json_error(answer,
                       "Valid /query/ endpoints are: [ inputs, outputs, digest, perturbation ]");
    } else {
        text_add(&answer->body, text_string(&text));
        answer->type = "text/plain";
    }
    text_free(&text);
    store_free_parameters(&parameters);
    store_free_test(&test);
}

/* ---- Games ---- */

/* May the games of the test be fetched? They are complete when the test is over and its machines
 * have gone. */
static bool games_ready(const Serve *serve, Transaction *t, const Test *test, WebAnswer *answer) {
    if (!test->finished) {
        web_json_error(answer, "PGNs cannot be downloaded while the Workload is active");
        return false;
    }
    BusyList busy = store_busy_threads(t, serve_now(serve), 0);
    bool ready = store_busy_machines(&busy, test->id) == 0;
    free(busy.items);
    if (!ready)
        web_json_error(answer, "Some machines are still on this Workload. Try again shortly");
    return ready;
}

/* Removes the tars that were made of the test before more games came. */
static void remove_tars(const char *spool, int64_t test_id) {
    char *tars = text_format("games-%lld-*", (long long)test_id);
    file_remove_matching(spool, tars, NULL);
    free(tars);
}

/* Packs the files of games; `to` appears when the tar is whole. The caller holds `packing`. */
static bool make_tar(const Words *files, const char *to, Error *err) {
    char *part = text_format("%s.part", to);
    bool ok = archive_write_tar(part, files, err);
    if (ok && rename(part, to) != 0) {
        ok = error_set(err, "%s: no tar can be put there: %s", to, strerror(errno));
        unlink(part);
    }
    free(part);
    return ok;
}

/* Sends a tar of a test's files of games. all: what games_list returned; the tar's name has it, as
 * a file may come in place of another. A tar that was made before is sent again, so that requests
 * alone take no more of the disk than the games take; the folder is emptied at the next start. One
 * tar is made at a time: others' requests find a thread that answers them. */
static void send_games(Serve *serve, const StoredGames *all, const Words *files,
                       WebAnswer *answer) {
    Error err = {0};
    char *spool = text_format("%s/spool", serve->data);
    char *tar = text_format("%s/games-%lld-%zu-%lld-%lld.tar", spool, (long long)all->test_id,
                            files->count, (long long)all->bytes, (long long)all->created);
    bool there = file_exists(tar);
    bool busy = !there && pthread_mutex_trylock(&serve->packing) != 0;
    if (!there && !busy) {
        there = file_exists(tar); /* By now. */
        if (!there) {
            remove_tars(spool, all->test_id);
            there = make_tar(files, tar, &err);
        }
        pthread_mutex_unlock(&serve->packing);
    }
    if (busy) {
        web_plain(answer, WEB_UNAVAILABLE, "The server packs games just now: ask again later.");
    } else if (!there) {
        reply_fault(serve, answer, &err);
    } else {
        char disposition[64];
        snprintf(disposition, sizeof disposition, "attachment; filename=%lld.pgn.tar",
                 (long long)all->test_id);
        web_header_add(answer, "Content-Disposition", disposition);
        answer->file = tar;
        answer->type = "application/octet-stream";
        tar = NULL;
    }
    free(tar);
    free(spool);
}

static void pgns(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    if (!may_read(serve, request, answer))
        return;
    int64_t id = web_number(request);
    Test test;
    Error err;
    Words files = {0};
    Transaction *t = transaction_begin(serve->database, TRANSACTION_READ);
    Query *query = store_games(t, id);
    StoredGames all = games_list(serve->data, id, query, &files);
    query_end(query);
    bool ready = false;
    if (!store_test(t, id, &test))
        web_json_error(answer, UNKNOWN_TEST);
    else if (files.count == 0)
        web_json_error(answer, "Unable to find PGN for this Workload");
    else
        ready = games_ready(serve, t, &test, answer);
    store_free_test(&test);
    if (!transaction_end(t, &err))
        reply_fault(serve, answer, &err);
    else if (ready)
        send_games(serve, &all, &files, answer);
    words_free(&files);
}

const WebRoute API_ROUTES[] = {
    {"/api/config/", config, config, NULL},
    {"/api/config/{name}/", engine_config, engine_config, NULL},
    {"/api/buildinfo/", builds, builds, NULL},
    {"/api/networks/{name}/", networks, networks, NULL},
    {"/api/networks/{name}/{name}/", network_bytes, network_bytes, NULL},
    {"/api/networks/{name}/{name}/delete/", NULL, remove_network, NULL},
    {"/clientGetNetwork/{name}/{name}/", NULL, network_bytes, NULL},
    {"/api/workload/{number}/{name}/", workload, workload, NULL},
    {"/api/spsa/{number}/{name}/", tuning, tuning, NULL},
    {"/api/pgns/{number}/", pgns, pgns, NULL},
    {"/scripts/", NULL, scripts_take, &SCRIPTS_FILE},
    {0},
};
