/* SPDX-License-Identifier: MIT */
#include "tools/protocol_rig.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runner.h"
#include "serve/clientroutes.h"
#include "serve/people.h"
#include "tools/recordings.h"

enum { PATH_SIZE = 256 };

ServeRig rig;

/* ---- The server of the recordings ---- */

static const char weiss[] =
    "{\"private\": false, \"nps\": 1090000, \"source\": \"https://github.com/TerjeKir/weiss\","
    " \"build\": {\"path\": \"src\", \"compilers\": [\"gcc\"], \"cpuflags\": [\"POPCNT\"],"
    " \"systems\": [\"Windows\", \"Linux\"]}, \"test_presets\": {\"default\": {}},"
    " \"tune_presets\": {\"default\": {}}, \"datagen_presets\": {\"default\": {}}}";

/* The engine's file as it was recorded, with its presets, where the recordings are here. */
static void write_engine(void) {
    if (!recordings_available()) {
        rig_configure(&rig, "Engines/Weiss.json", weiss);
        return;
    }
    cJSON *recording = recording_load("37-api-config-engine.json");
    char *body = recording_body(recording);
    rig_configure(&rig, "Engines/Weiss.json", body);
    free(body);
    cJSON_Delete(recording);
}

static const WebRoute *const tables[] = {CLIENT_ROUTES, API_ROUTES};

void protocol_start(void) {
    Error err = {{0}};
    rig_start(&rig, tables, COUNT(tables));
    rig_configure(&rig, "config.json",
                  "{\"engines\": [\"Weiss\"], \"books\": [\"8moves_v3.epd\"]}");
    write_engine();
    rig_configure(&rig, "Books/8moves_v3.epd.json",
                  "{\"sha\": \"1f055af431656f09ee6a09d2448e0b876125f78bb7b404fca2031c403a1541e5\","
                  " \"source\": \"http://127.0.0.1:9001/8moves_v3.epd.zip\"}");
    catalog_free(&rig.serve.catalog);
    CatalogSpec spec = {.data = rig.folder, .sources = rig.serve.sources};
    ck_assert_msg(catalog_open(&spec, &rig.serve.catalog, &err), "%s", err.text);
    ck_assert_msg(people_add(rig.serve.people, TESTER, TESTER_PASSWORD, true, rig.now, NULL, &err),
                  "%s", err.text);
}

void protocol_stop(void) {
    rig_stop(&rig);
}

/* ---- Tests like the recorded ones ---- */

void protocol_set(char **text, const char *value) {
    free(*text);
    *text = mem_strdup(value);
}

Test protocol_test(const char *kind, const char *time_control) {
    static const char *const branches[] = {"dev-branch", "base-branch"};
    Test test = rig_test(kind, "");
    protocol_set(&test.author, TESTER);
    protocol_set(&test.book_name, strcmp(kind, "DATAGEN") == 0 ? "NONE" : "8moves_v3.epd");
    protocol_set(&test.upload_pgns, "COMPACT");
    protocol_set(&test.win_adj, "movecount=3 score=400");
    protocol_set(&test.draw_adj, "movenumber=40 movecount=8 score=10");
    protocol_set(&test.genfens_args, strcmp(kind, "DATAGEN") == 0 ? "random_plies=8" : "");
    test.workload_size = 8;
    test.alpha = 0.05;
    test.beta = 0.1;
    test.approved = false;
    for (int side = 0; side < SIDE_COUNT; side++) {
        TestSide *s = &test.sides[side];
        protocol_set(&s->engine, "Weiss");
        protocol_set(&s->repo, "https://github.com/TerjeKir/weiss");
        protocol_set(&s->branch, branches[side]);
        protocol_set(&s->source, "http://127.0.0.1:9001/weiss.zip");
        memset(s->sha, "ab"[side], strlen(s->sha));
        s->bench = 10408355;
        protocol_set(&s->options, "Threads=1 Hash=8");
        protocol_set(&s->time_control, time_control);
    }
    return test;
}

int64_t protocol_add_test(Test *test) {
    return rig_add_test(&rig, test);
}

void protocol_run_sql(const char *sql, SqlValues values) {
    Error err = {{0}};
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    sql_run(t, sql, values);
    ck_assert_msg(transaction_end(t, &err), "%s", err.text);
}

int64_t protocol_ask(const char *sql) {
    return rig_number(&rig, sql);
}

/* The only test that is handed out from now on. */
void protocol_only(int64_t id) {
    protocol_run_sql("UPDATE tests SET approved = (id = ?)", SQL_VALUES(sql_int(id)));
}

void protocol_add_parameters(int64_t id) {
    SpsaParameters parameters = {0};
    Error err = {{0}};
    ck_assert_msg(spsa_add_parameters(&parameters,
                                      "LmrBase, int, 780, 0, 2048, 60, 0.002\n"
                                      "LmrDivisor, float, 2.31, 1.5, 4, 0.15, 0.002",
                                      &err),
                  "%s", err.text);
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    store_add_parameters(t, id, &parameters);
    ck_assert_msg(transaction_end(t, &err), "%s", err.text);
    spsa_free_parameters(&parameters);
}

/* ---- Requests ---- */

/* Sends the request, and leaves the answer in rig.answer. */
void protocol_dispatch(WebRequest *request) {
    request->peer = mem_strdup("127.0.0.1");
    web_fields_add(&request->headers, "Host", "127.0.0.1:8000");
    web_answer_free(&rig.answer);
    web_dispatch(&rig.routes, &rig.serve, request, &rig.answer);
    web_request_free(request);
}

const char protocol_worker_info[] =
    "{\"client_ver\": 49, \"machine_name\": \"box\", \"os_name\": \"Linux\", \"concurrency\": 4,"
    " \"sockets\": 1, \"physical_cores\": 4, \"cpu_flags\": [\"POPCNT\"], \"compilers\":"
    " {\"Weiss\": [\"gcc\", \"12.2.0\"]}, \"tokens\": {}}";

/* The answer as JSON, which the caller deletes. */
cJSON *protocol_post(const char *path, WebFields *form) {
    WebRequest request = {.post = true, .path = mem_strdup(path), .form = *form};
    *form = (WebFields){0};
    protocol_dispatch(&request);
    cJSON *answer = cJSON_Parse(rig_page(&rig));
    ck_assert_msg(answer != NULL, "%s: no JSON: %s", path, rig_page(&rig));
    return answer;
}

void protocol_add_number(WebFields *form, const char *name, int64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    web_fields_add(form, name, text);
}

double protocol_number(const cJSON *answer, const char *name) {
    const cJSON *item = cJSON_GetObjectItem(answer, name);
    ck_assert_msg(cJSON_IsNumber(item), "%s is no number in %s", name, rig_page(&rig));
    return item->valuedouble;
}

Worker protocol_worker(const char *user, const char *password) {
    Worker worker = {0};
    WebFields form = {0};
    web_fields_add(&form, "username", user);
    web_fields_add(&form, "password", password);
    web_fields_add(&form, "system_info", protocol_worker_info);
    cJSON *answer = protocol_post("/clientWorkerInfo/", &form);
    worker.machine = (int64_t)protocol_number(answer, "machine_id");
    snprintf(worker.secret, sizeof worker.secret, "%s",
             cJSON_GetObjectItem(answer, "secret")->valuestring);
    ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(answer, "batches")));
    cJSON_Delete(answer);
    return worker;
}

WebFields protocol_form(const Worker *worker) {
    WebFields form = {0};
    protocol_add_number(&form, "machine_id", worker->machine);
    web_fields_add(&form, "secret", worker->secret);
    return form;
}

/* The first opening of the workload that the worker gets; 0: there is no work. */
int64_t protocol_get_work(Worker *worker, int64_t *openings) {
    WebFields form = protocol_form(worker);
    cJSON *answer = protocol_post("/clientGetWorkload/", &form);
    const cJSON *workload = cJSON_GetObjectItem(answer, "workload");
    int64_t first = 0;
    if (workload) {
        const cJSON *spread = cJSON_GetObjectItem(workload, "distribution");
        first = (int64_t)protocol_number(cJSON_GetObjectItem(workload, "test"), "book_index");
        worker->result = (int64_t)protocol_number(cJSON_GetObjectItem(workload, "result"), "id");
        *openings = (int64_t)(protocol_number(spread, "runner-count") *
                              protocol_number(spread, "rounds-per-runner") / 2);
    }
    cJSON_Delete(answer);
    return first;
}

/* The form of a batch of four pairs, two of them even, without its number. */
WebFields protocol_batch(const Worker *worker, int64_t test_id) {
    WebFields form = protocol_form(worker);
    protocol_add_number(&form, "test_id", test_id);
    protocol_add_number(&form, "result_id", worker->result);
    web_fields_add(&form, "trinomial", "2 3 3");
    web_fields_add(&form, "pentanomial", "0 1 2 0 1");
    web_fields_add(&form, "crashes", "0");
    web_fields_add(&form, "timelosses", "1");
    web_fields_add(&form, "illegals", "0");
    web_fields_add(&form, "spsa_delta", "");
    return form;
}

/* The error in the answer; "" when there is none. Valid until the next call. */
const char *protocol_error(const char *path, WebFields *form) {
    static char text[PATH_SIZE];
    cJSON *answer = protocol_post(path, form);
    const cJSON *error = cJSON_GetObjectItem(answer, "error");
    snprintf(text, sizeof text, "%s", error ? error->valuestring : "");
    cJSON_Delete(answer);
    return text;
}

/* A server with one active test, and a worker on the test. */
int64_t protocol_start_with_worker(Worker *worker) {
    int64_t openings;
    protocol_start();
    Test test = protocol_test("GAMES", "N=2000");
    test.approved = true;
    int64_t id = protocol_add_test(&test);
    *worker = protocol_worker(TESTER, TESTER_PASSWORD);
    ck_assert_int_eq(protocol_get_work(worker, &openings), 1);
    return id;
}
