/* SPDX-License-Identifier: MIT */
/* The endpoints of workers. */
#include "serve/clientroutes.h"

#include <stdlib.h>

#include "base/file.h"
#include "serve/ability.h"
#include "serve/catalog.h"
#include "serve/reply.h"
#include "serve/secrets.h"
#include "serve/serve.h"
#include "serve/workercall.h"

static const char NOBODY[] = "Bad Credentials";

/* ---- Versions and builds ---- */

static void client_version(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    User user;
    if (reply_knows_user(serve, request, NOBODY, answer, &user)) {
        const CatalogSettings *settings = &serve->catalog.settings;
        cJSON *reply = cJSON_CreateObject();
        cJSON_AddNumberToObject(reply, "client_version", (double)settings->client_version);
        cJSON_AddStringToObject(reply, "client_repo_url", settings->client_repo_url);
        cJSON_AddStringToObject(reply, "client_repo_ref", settings->client_repo_ref);
        reply_json(answer, reply);
    }
    store_free_user(&user);
}

static void runner_version(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    User user;
    if (reply_knows_user(serve, request, NOBODY, answer, &user)) {
        const CatalogSettings *settings = &serve->catalog.settings;
        cJSON *reply = cJSON_CreateObject();
        cJSON_AddStringToObject(reply, "fastchess_min_version", settings->fastchess_min_version);
        cJSON_AddStringToObject(reply, "fastchess_repo_url", settings->fastchess_repo_url);
        cJSON_AddStringToObject(reply, "fastchess_repo_ref", settings->fastchess_repo_ref);
        reply_json(answer, reply);
    }
    store_free_user(&user);
}

static void build_info(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    (void)request;
    reply_json(answer, catalog_build_answer(&serve->catalog));
}

/* ---- Registration ---- */

static char *text_or_empty(char *text) {
    return text ? text : (char *)"";
}

/* Keeps a machine of the user, with a new secret. False with err set: a fault of the database. */
static bool add_machine(Serve *serve, const User *user, const char *info, const Ability *ability,
                        cJSON *reply, Error *err) {
    char secret[SECRET_MAX], digest[DIGEST_HEX_MAX];
    secret_new(secret);
    secret_digest(secret, digest);
    int64_t now = serve_now(serve);
    Machine machine = {.user_id = user->id,
                       .secret = digest,
                       .info = (char *)info,
                       .name = text_or_empty(ability->machine_name),
                       .os_name = ability->os_name,
                       .cpu_name = text_or_empty(ability->cpu_name),
                       .isa_name = text_or_empty(ability->isa_name),
                       .client = text_or_empty(ability->program),
                       .concurrency = ability->concurrency,
                       .physical_cores = ability->physical_cores,
                       .client_version = ability->client_version,
                       .config = serve->catalog.checksum,
                       .created = now,
                       .seen = now};
    Transaction *t = transaction_begin(serve->database, TRANSACTION_WRITE);
    int64_t id = store_add_machine(t, &machine);
    cJSON_AddNumberToObject(reply, "machine_id", (double)id);
    cJSON_AddStringToObject(reply, "secret", secret);
    cJSON_AddTrueToObject(reply, "batches"); /* Batches with a number are added once. */
    return transaction_end(t, err);
}

static void register_machine(Serve *serve, const User *user, const char *info, WebAnswer *answer) {
    int64_t version = serve->catalog.settings.client_version;
    Ability ability;
    Error err = {0};
    cJSON *reply = cJSON_CreateObject();
    if (!ability_read(info, &ability, &err)) {
        web_json_error(answer, err.text);
    } else if (ability.client_version != version) {
        error_set(&err, "Bad Client Version: Expected %lld", (long long)version);
        web_json_error(answer, err.text);
    } else if (!add_machine(serve, user, info, &ability, reply, &err)) {
        reply_fault(serve, answer, &err);
    } else {
        reply_json(answer, reply);
        reply = NULL;
        serve_wake(serve);
    }
    cJSON_Delete(reply);
    ability_free(&ability);
}

static void worker_info(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    User user;
    if (reply_knows_user(serve, request, NOBODY, answer, &user))
        register_machine(serve, &user, web_form(request, "system_info"), answer);
    store_free_user(&user);
}

/* ---- Requests of machines ---- */

/* Answers a request that changes what pages show, and has the pages follow. */
static void run(Serve *serve, const WebRequest *request, WebAnswer *answer, WorkerStep step) {
    if (workercall_run(serve, request, answer, step))
        serve_wake(serve);
}

static void get_workload(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    run(serve, request, answer, assign_work);
}
static void submit_results(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    run(serve, request, answer, take_results);
}
static void submit_nps(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    run(serve, request, answer, take_speed);
}
static void heartbeat(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    workercall_run(serve, request, answer, take_beat); /* Wakes no page. */
}
static void submit_error(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    run(serve, request, answer, take_error);
}
static void bench_error(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    run(serve, request, answer, take_bad_bench);
}
static void submit_pgn(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    /* Nobody else can write to the database while take_games runs. A file that is on the disk by
     * then is only renamed. take_games reports a fault of the disk. */
    const WebUpload *file = web_upload(request, "file");
    if (file)
        file_sync(file->path, NULL);
    run(serve, request, answer, take_games);
}

static const WebFile GAMES_FILE = {256 << 20, workercall_is_of_machine};

const WebRoute CLIENT_ROUTES[] = {
    {"/clientVersionRef/", NULL, client_version, NULL},
    {"/clientMatchRunnerVersionRef/", NULL, runner_version, NULL},
    {"/clientGetBuildInfo/", build_info, build_info, NULL},
    {"/clientWorkerInfo/", NULL, worker_info, NULL},
    {"/clientGetWorkload/", NULL, get_workload, NULL},
    {"/clientSubmitResults/", NULL, submit_results, NULL},
    {"/clientSubmitNPS/", NULL, submit_nps, NULL},
    {"/clientHeartbeat/", NULL, heartbeat, NULL},
    {"/clientSubmitError/", NULL, submit_error, NULL},
    {"/clientBenchError/", NULL, bench_error, NULL},
    {"/clientSubmitPGN/", NULL, submit_pgn, &GAMES_FILE},
    {0},
};
