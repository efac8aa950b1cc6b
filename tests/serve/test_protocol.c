/* SPDX-License-Identifier: MIT */
/* Every recorded exchange of an OpenBench server, with this server: the recorded requests get
 * answers of the same status, keys, types and, but for what chance, time and machines decide,
 * values. Also what the recordings do not have: batches with numbers, other users, bad fields. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/memory.h"
#include "serve/clientroutes.h"
#include "serve/newtest.h"
#include "serve/people.h"
#include "serve/visit.h"
#include "tools/recordings.h"
#include "tools/serve_rig.h"
#include "runner.h"

enum { PATH_SIZE = 256 };

/* The user of the recordings, whose password here is as long as a password has to be. */
#define TESTER "tester"
#define TESTER_PASSWORD "secret-secret"
#define RECORDED_SECRET "526be8d69ec9cd1fe0b8f06cc7fd1245ad79628bc196022c36e2e1271794aa82"

static ServeRig rig;
static char secret[65];      /* Of the machine that registered. */
static const char *compared; /* The recording's name. */

/* ---- The server of the recordings ---- */

static void write_config(const char *name, const char *text) {
    char path[PATH_SIZE];
    Error err = {{0}};
    snprintf(path, sizeof path, "%s/config/%s", rig.folder, name);
    *strrchr(path, '/') = '\0';
    ck_assert_msg(file_make_folders(path, &err), "%s", err.text);
    path[strlen(path)] = '/';
    ck_assert_msg(file_write_atomic(path, text, strlen(text), 0600, &err), "%s", err.text);
}

static const char weiss[] =
    "{\"private\": false, \"nps\": 1090000, \"source\": \"https://github.com/TerjeKir/weiss\","
    " \"build\": {\"path\": \"src\", \"compilers\": [\"gcc\"], \"cpuflags\": [\"POPCNT\"],"
    " \"systems\": [\"Windows\", \"Linux\"]}, \"test_presets\": {\"default\": {}},"
    " \"tune_presets\": {\"default\": {}}, \"datagen_presets\": {\"default\": {}}}";

/* The engine's file as it was recorded, with its presets, where the recordings are here. */
static void write_engine(void) {
    if (!recordings_available()) {
        write_config("Engines/Weiss.json", weiss);
        return;
    }
    cJSON *recording = recording_load("37-api-config-engine.json");
    char *body = recording_body(recording);
    write_config("Engines/Weiss.json", body);
    free(body);
    cJSON_Delete(recording);
}

static const WebRoute *const tables[] = {CLIENT_ROUTES, API_ROUTES};

static void start(void) {
    Error err = {{0}};
    rig_start(&rig, tables, COUNT(tables));
    write_config("config.json", "{\"engines\": [\"Weiss\"], \"books\": [\"8moves_v3.epd\"]}");
    write_engine();
    write_config("Books/8moves_v3.epd.json",
                 "{\"sha\": \"1f055af431656f09ee6a09d2448e0b876125f78bb7b404fca2031c403a1541e5\","
                 " \"source\": \"http://127.0.0.1:9001/8moves_v3.epd.zip\"}");
    catalog_free(&rig.serve.catalog);
    CatalogSpec spec = {.data = rig.folder, .sources = rig.serve.sources};
    ck_assert_msg(catalog_open(&spec, &rig.serve.catalog, &err), "%s", err.text);
    ck_assert_msg(people_add(rig.serve.people, TESTER, TESTER_PASSWORD, true, rig.now, &err), "%s",
                  err.text);
    snprintf(secret, sizeof secret, "%s", "none");
}

static void stop(void) {
    rig_stop(&rig);
}

/* ---- Tests like the recorded ones ---- */

static void set(char **text, const char *value) {
    free(*text);
    *text = mem_strdup(value);
}

static Test recorded_test(const char *kind, const char *time_control) {
    static const char *const branches[] = {"dev-branch", "base-branch"};
    Test test = rig_test(kind, "");
    set(&test.author, TESTER);
    set(&test.book_name, strcmp(kind, "DATAGEN") == 0 ? "NONE" : "8moves_v3.epd");
    set(&test.upload_pgns, "COMPACT");
    set(&test.win_adj, "movecount=3 score=400");
    set(&test.draw_adj, "movenumber=40 movecount=8 score=10");
    set(&test.genfens_args, strcmp(kind, "DATAGEN") == 0 ? "random_plies=8" : "");
    test.workload_size = 8;
    test.alpha = 0.05;
    test.beta = 0.1;
    test.approved = false;
    for (int side = 0; side < SIDE_COUNT; side++) {
        TestSide *s = &test.sides[side];
        set(&s->engine, "Weiss");
        set(&s->repo, "https://github.com/TerjeKir/weiss");
        set(&s->branch, branches[side]);
        set(&s->source, "http://127.0.0.1:9001/weiss.zip");
        memset(s->sha, "ab"[side], strlen(s->sha));
        s->bench = 10408355;
        set(&s->options, "Threads=1 Hash=8");
        set(&s->time_control, time_control);
    }
    return test;
}

static int64_t keep(Test *test) {
    int64_t id = rig_add_test(&rig, test);
    store_free_test(test);
    return id;
}

static void run_sql(const char *sql, SqlValues values) {
    Error err = {{0}};
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    sql_run(t, sql, values);
    ck_assert_msg(transaction_end(t, &err), "%s", err.text);
}

static int64_t ask(const char *sql) {
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_READ);
    int64_t number = sql_number(t, sql, SQL_NO_VALUES, -1);
    transaction_cancel(t);
    return number;
}

/* The only test that is handed out from now on. */
static void only(int64_t id) {
    run_sql("UPDATE tests SET approved = (id = ?)", SQL_VALUES(sql_int(id)));
}

static void add_parameters(int64_t id) {
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

/* Tests 1 to 8, a machine 1 and a row 1, so that the recorded numbers are those of this server. */
static void add_recorded_tests(void) {
    Test first = recorded_test("SPRT", "N=2000"), sprt = recorded_test("SPRT", "N=2000");
    Test games = recorded_test("GAMES", "8.0+0.08");
    Test cyclic = recorded_test("SPRT", "40/10.0+0.10"), timed = recorded_test("SPRT", "MT=100");
    Test datagen = recorded_test("DATAGEN", "N=5000"), tuning = recorded_test("SPSA", "N=2000");
    Test faults = recorded_test("SPRT", "N=2000");
    set(&games.upload_pgns, "VERBOSE");
    set(&games.win_adj, "None");
    set(&games.draw_adj, "None");
    set(&games.syzygy_wdl, "DISABLED");
    set(&games.syzygy_adj, "DISABLED");
    tuning.spsa = (SpsaSchedule){0.602, 0.101, 0.1, 5000, 8};
    Test *const all[] = {&first, &sprt, &games, &cyclic, &timed, &datagen, &tuning, &faults};
    for (size_t i = 0; i < COUNT(all); i++)
        ck_assert_int_eq(keep(all[i]), (int64_t)i + 1);
    add_parameters(7);
    int64_t machine = rig_add_machine(&rig, 1, "");
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    ck_assert_int_eq(store_row_of(t, 1, machine, rig.now), 1);
    ck_assert(transaction_end(t, NULL));
}

static void add_network(void) {
    Network network = {
        .engine = (char *)"Weiss",
        .name = (char *)"tiny.nnue",
        .sha = (char *)"9F86D081",
        .digest = (char *)"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        .author = (char *)TESTER,
        .created = rig.now};
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    store_add_network(t, &network);
    ck_assert(transaction_end(t, NULL));
}

/* ---- Requests ---- */

/* The recorded value as text, with what differs here put in its place. */
static char *field_text(const char *name, const cJSON *item) {
    char number[32];
    if (cJSON_IsNumber(item)) {
        snprintf(number, sizeof number, "%.0f", item->valuedouble);
        return mem_strdup(number);
    }
    const char *text = item->valuestring ? item->valuestring : "";
    if (strcmp(name, "secret") == 0 && strcmp(text, RECORDED_SECRET) == 0)
        text = secret;
    if (strcmp(name, "password") == 0 && strcmp(text, "secret") == 0)
        text = TESTER_PASSWORD;
    return mem_strdup(text);
}

static void add_recorded(WebFields *fields, const cJSON *form) {
    const cJSON *item;
    cJSON_ArrayForEach(item, form) {
        bool list = cJSON_IsArray(item);
        const cJSON *value = list ? item->child : item;
        for (; value; value = list ? value->next : NULL) {
            char *text = field_text(item->string, value);
            web_fields_add(fields, item->string, text);
            free(text);
        }
    }
}

/* The file of a recorded upload, as the server's HTTP keeps uploads. */
static void add_upload(WebRequest *request, const char *name, const char *bytes) {
    Text path = {0};
    text_addf(&path, "%s/upload", rig.folder);
    ck_assert(file_write_atomic(text_string(&path), bytes, strlen(bytes), 0600, NULL));
    request->uploads = mem_calloc(1, sizeof *request->uploads);
    request->upload_count = 1;
    request->uploads[0] = (WebUpload){.name = mem_strdup(name),
                                      .file_name = mem_strdup("../../games.pgn"),
                                      .path = text_take(&path),
                                      .length = strlen(bytes)};
}

/* Sends the request, and leaves the answer in rig.answer. */
static void dispatch(WebRequest *request) {
    request->peer = mem_strdup("127.0.0.1");
    web_fields_add(&request->headers, "Host", "127.0.0.1:8000");
    web_answer_free(&rig.answer);
    web_dispatch(&rig.routes, &rig.serve, request, &rig.answer);
    web_request_free(request);
}

static void send_recorded(const cJSON *recording) {
    const cJSON *request = cJSON_GetObjectItem(recording, "request");
    const cJSON *method = cJSON_GetObjectItem(request, "method");
    const cJSON *files = cJSON_GetObjectItem(request, "files");
    WebRequest out = {.post = strcmp(method->valuestring, "POST") == 0,
                      .path = mem_strdup(cJSON_GetObjectItem(request, "path")->valuestring)};
    add_recorded(&out.form, cJSON_GetObjectItem(request, "form"));
    if (files && files->child)
        add_upload(&out, files->child->string, "BZh9 games");
    dispatch(&out);
}

/* ---- Comparison ---- */

/* What chance, time and machines decide; of these the type alone counts. */
static bool is_volatile(const char *key) {
    static const char *const keys[] = {"secret", "creation",      "updated", "created", "dev",
                                       "base",   "genfens_seeds", "flip",    "comment", "c",
                                       "r"};
    for (size_t i = 0; key && i < COUNT(keys); i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static bool is_truth(const cJSON *item) {
    return cJSON_IsTrue(item) || cJSON_IsFalse(item);
}

static void compare(const cJSON *wanted, const cJSON *got, const char *where, bool values);

/* Has the object all of the keys, and no other but "batches", by which this server says that it
 * knows the numbers of batches? */
static void compare_objects(const cJSON *wanted, const cJSON *got, const char *where, bool values) {
    const cJSON *item;
    cJSON_ArrayForEach(item, wanted) {
        char inner[PATH_SIZE];
        snprintf(inner, sizeof inner, "%s.%s", where, item->string);
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(got, item->string);
        ck_assert_msg(other != NULL, "%s: %s is missing", compared, inner);
        compare(item, other, inner, values && (cJSON_IsObject(item) || !is_volatile(item->string)));
    }
    cJSON_ArrayForEach(item, got) {
        bool known = cJSON_GetObjectItemCaseSensitive(wanted, item->string) ||
                     strcmp(item->string, "batches") == 0;
        ck_assert_msg(known, "%s: %s.%s is not in the recording", compared, where, item->string);
    }
}

static void compare(const cJSON *wanted, const cJSON *got, const char *where, bool values) {
    if (is_truth(wanted)) {
        ck_assert_msg(is_truth(got) && (!values || cJSON_IsTrue(wanted) == cJSON_IsTrue(got)),
                      "%s: %s is another truth", compared, where);
        return;
    }
    ck_assert_msg((wanted->type & 0xff) == (got->type & 0xff), "%s: %s has another type", compared,
                  where);
    if (cJSON_IsObject(wanted)) {
        compare_objects(wanted, got, where, values);
    } else if (cJSON_IsArray(wanted)) {
        ck_assert_msg(cJSON_GetArraySize(wanted) == cJSON_GetArraySize(got),
                      "%s: %s has %d items, not %d", compared, where, cJSON_GetArraySize(got),
                      cJSON_GetArraySize(wanted));
        for (int i = 0; i < cJSON_GetArraySize(wanted); i++)
            compare(cJSON_GetArrayItem(wanted, i), cJSON_GetArrayItem(got, i), where, values);
    } else if (values && cJSON_IsNumber(wanted)) {
        ck_assert_msg(fabs(wanted->valuedouble - got->valuedouble) < 1e-9,
                      "%s: %s is %.17g, not %.17g", compared, where, got->valuedouble,
                      wanted->valuedouble);
    } else if (values && cJSON_IsString(wanted)) {
        ck_assert_msg(strcmp(wanted->valuestring, got->valuestring) == 0,
                      "%s: %s is '%s', not '%s'", compared, where, got->valuestring,
                      wanted->valuestring);
    }
}

static void compare_answer(const cJSON *recording) {
    const cJSON *response = cJSON_GetObjectItem(recording, "response");
    const cJSON *body = cJSON_GetObjectItem(response, "body");
    const char *type = cJSON_GetObjectItem(response, "content_type")->valuestring;
    int status = rig.answer.status ? (int)rig.answer.status : WEB_OK;
    ck_assert_int_eq(status, cJSON_GetObjectItem(response, "status")->valueint);
    ck_assert_msg(strncmp(rig.answer.type, type, strlen(type)) == 0, "%s: type %s, not %s",
                  compared, rig.answer.type, type);
    if (!cJSON_IsObject(body))
        return; /* A text or bytes: looked at by a test of its own. */
    cJSON *got = cJSON_Parse(rig_page(&rig));
    ck_assert_msg(got != NULL, "%s: no JSON: %s", compared, rig_page(&rig));
    compare(body, got, "answer", true);
    const cJSON *named = cJSON_GetObjectItem(got, "secret");
    if (named)
        snprintf(secret, sizeof secret, "%s", named->valuestring);
    cJSON_Delete(got);
}

/* ---- The recordings, in their order ---- */

static void begin_sprt(void) {
    only(2);
}
static void begin_games(void) {
    only(3);
}
static void begin_cyclic(void) {
    only(4);
}
static void begin_timed(void) {
    only(5);
}
static void begin_datagen(void) {
    only(6);
}
static void begin_tuning(void) {
    only(7);
}
static void begin_multiple(void) {
    run_sql("UPDATE tests SET spsa_distribution = 'MULTIPLE', spsa_reporting = 'BULK' WHERE id = 7",
            SQL_NO_VALUES);
}
static void begin_faults(void) {
    only(8);
}

/* What happens at the server before some of the recorded requests. */
static const struct {
    const char *name;
    void (*before)(void);
} steps[] = {{"01-build-info.json", NULL},
             {"02-runner-version.json", NULL},
             {"03-client-version.json", NULL},
             {"04-bad-credentials.json", NULL},
             {"05-worker-info-bad-version.json", NULL},
             {"06-worker-info-bad-credentials.json", NULL},
             {"07-worker-info.json", NULL},
             {"08-workload-none.json", NULL},
             {"09-bad-machine.json", NULL},
             {"10-bad-secret.json", NULL},
             {"11-workload-sprt.json", begin_sprt},
             {"12-workload-sprt-next.json", NULL},
             {"13-submit-nps.json", NULL},
             {"14-heartbeat.json", NULL},
             {"15-submit-results.json", NULL},
             {"16-workload-api-info.json", NULL},
             {"17-workload-api-results.json", NULL},
             {"18-workload-api-summary.json", NULL},
             {"19-submit-results-passing.json", NULL},
             {"20-submit-results-after-end.json", NULL},
             {"21-heartbeat-after-end.json", NULL},
             {"22-workload-games.json", begin_games},
             {"23-workload-cyclic-tc.json", begin_cyclic},
             {"24-workload-movetime.json", begin_timed},
             {"25-workload-datagen.json", begin_datagen},
             {"26-workload-spsa-single-batched.json", begin_tuning},
             {"27-workload-spsa-multiple-bulk.json", begin_multiple},
             {"28-submit-results-spsa.json", NULL},
             {"29-spsa-digest.json", NULL},
             {"30-workload-for-errors.json", begin_faults},
             {"31-build-fail.json", NULL},
             {"32-engine-error.json", NULL},
             {"33-submit-pgn.json", NULL},
             {"34-workload-blacklisted.json", NULL},
             {"35-bench-error.json", NULL},
             {"36-api-config.json", NULL},
             {"37-api-config-engine.json", NULL},
             {"38-api-buildinfo.json", NULL},
             {"39-network-missing.json", NULL},
             {"40-network-download.json", add_network},
             {"41-api-networks.json", NULL}};

START_TEST(every_recorded_request_gets_the_recorded_answer) {
    if (!recordings_available()) {
        fprintf(stderr, "left out: the recorded exchanges, which are not here\n");
        return;
    }
    start();
    add_recorded_tests();
    for (size_t i = 0; i < COUNT(steps); i++) {
        compared = steps[i].name;
        cJSON *recording = recording_load(compared);
        if (steps[i].before)
            steps[i].before();
        send_recorded(recording);
        compare_answer(recording);
        cJSON_Delete(recording);
    }
    Error err = {{0}};
    ck_assert_msg(database_check(rig.serve.database, &err), "%s", err.text);
    stop();
}
END_TEST

/* ---- Beyond the recordings ---- */

static const char info[] =
    "{\"client_ver\": 49, \"machine_name\": \"box\", \"os_name\": \"Linux\", \"concurrency\": 4,"
    " \"sockets\": 1, \"physical_cores\": 4, \"cpu_flags\": [\"POPCNT\"], \"compilers\":"
    " {\"Weiss\": [\"gcc\", \"12.2.0\"]}, \"tokens\": {}}";

/* A worker's place: the numbers of its machine and its row. */
typedef struct {
    int64_t machine;
    char secret[65];
    int64_t result;
} Worker;

/* The answer as JSON, which the caller deletes. */
static cJSON *post(const char *path, WebFields *form) {
    WebRequest request = {.post = true, .path = mem_strdup(path), .form = *form};
    *form = (WebFields){0};
    dispatch(&request);
    cJSON *answer = cJSON_Parse(rig_page(&rig));
    ck_assert_msg(answer != NULL, "%s: no JSON: %s", path, rig_page(&rig));
    return answer;
}

static void add_number(WebFields *form, const char *name, int64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    web_fields_add(form, name, text);
}

static double number_in(const cJSON *answer, const char *name) {
    const cJSON *item = cJSON_GetObjectItem(answer, name);
    ck_assert_msg(cJSON_IsNumber(item), "%s is no number in %s", name, rig_page(&rig));
    return item->valuedouble;
}

static Worker a_worker(const char *user, const char *password) {
    Worker worker = {0};
    WebFields form = {0};
    web_fields_add(&form, "username", user);
    web_fields_add(&form, "password", password);
    web_fields_add(&form, "system_info", info);
    cJSON *answer = post("/clientWorkerInfo/", &form);
    worker.machine = (int64_t)number_in(answer, "machine_id");
    snprintf(worker.secret, sizeof worker.secret, "%s",
             cJSON_GetObjectItem(answer, "secret")->valuestring);
    ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(answer, "batches")));
    cJSON_Delete(answer);
    return worker;
}

static WebFields form_of(const Worker *worker) {
    WebFields form = {0};
    add_number(&form, "machine_id", worker->machine);
    web_fields_add(&form, "secret", worker->secret);
    return form;
}

/* The first opening of the workload that the worker gets; 0: there is no work. */
static int64_t get_work(Worker *worker, int64_t *openings) {
    WebFields form = form_of(worker);
    cJSON *answer = post("/clientGetWorkload/", &form);
    const cJSON *workload = cJSON_GetObjectItem(answer, "workload");
    int64_t first = 0;
    if (workload) {
        const cJSON *spread = cJSON_GetObjectItem(workload, "distribution");
        first = (int64_t)number_in(cJSON_GetObjectItem(workload, "test"), "book_index");
        worker->result = (int64_t)number_in(cJSON_GetObjectItem(workload, "result"), "id");
        *openings = (int64_t)(number_in(spread, "runner-count") *
                              number_in(spread, "rounds-per-runner") / 2);
    }
    cJSON_Delete(answer);
    return first;
}

/* The form of a batch of four pairs, two of them even, without its number. */
static WebFields batch_of(const Worker *worker, int64_t test_id) {
    WebFields form = form_of(worker);
    add_number(&form, "test_id", test_id);
    add_number(&form, "result_id", worker->result);
    web_fields_add(&form, "trinomial", "2 3 3");
    web_fields_add(&form, "pentanomial", "0 1 2 0 1");
    web_fields_add(&form, "crashes", "0");
    web_fields_add(&form, "timelosses", "1");
    web_fields_add(&form, "illegals", "0");
    web_fields_add(&form, "spsa_delta", "");
    return form;
}

/* The error in the answer; "" when there is none. Valid until the next call. */
static const char *error_of(const char *path, WebFields *form) {
    static char text[PATH_SIZE];
    cJSON *answer = post(path, form);
    const cJSON *error = cJSON_GetObjectItem(answer, "error");
    snprintf(text, sizeof text, "%s", error ? error->valuestring : "");
    cJSON_Delete(answer);
    return text;
}

/* A server with one active test, and a worker on the test. */
static int64_t start_with_worker(Worker *worker) {
    int64_t openings;
    start();
    Test test = recorded_test("GAMES", "N=2000");
    test.approved = true;
    int64_t id = keep(&test);
    *worker = a_worker(TESTER, TESTER_PASSWORD);
    ck_assert_int_eq(get_work(worker, &openings), 1);
    return id;
}

START_TEST(an_engine_that_needs_no_cpu_flag_has_an_empty_list_in_its_workload) {
    start();
    Words *flags = &rig.serve.catalog.engines[0].cpuflags;
    words_free(flags);
    *flags = (Words){0};
    Test test = recorded_test("GAMES", "N=2000");
    test.approved = true;
    keep(&test);
    Worker worker = a_worker(TESTER, TESTER_PASSWORD);
    WebFields form = form_of(&worker);
    cJSON *answer = post("/clientGetWorkload/", &form);
    const cJSON *work = cJSON_GetObjectItem(cJSON_GetObjectItem(answer, "workload"), "test");
    const cJSON *build = cJSON_GetObjectItem(cJSON_GetObjectItem(work, "dev"), "build");
    const cJSON *list = cJSON_GetObjectItem(build, "cpuflags");
    ck_assert_msg(cJSON_IsArray(list), "no list in %s", rig_page(&rig));
    ck_assert_int_eq(cJSON_GetArraySize(list), 0);
    cJSON_Delete(answer);
    stop();
}
END_TEST

START_TEST(a_batch_whose_number_was_seen_is_answered_and_not_added_again) {
    Worker worker;
    int64_t id = start_with_worker(&worker);
    for (int i = 0; i < 3; i++) {
        WebFields form = batch_of(&worker, id);
        web_fields_add(&form, "batch", "0f3a");
        ck_assert_str_eq(error_of("/clientSubmitResults/", &form), "");
    }
    ck_assert_int_eq(ask("SELECT wins + losses + draws FROM tests"), 8);
    WebFields other = batch_of(&worker, id);
    web_fields_add(&other, "batch", "0f3b");
    ck_assert_str_eq(error_of("/clientSubmitResults/", &other), "");
    for (int i = 0; i < 2; i++) { /* A worker that sends no numbers. */
        WebFields form = batch_of(&worker, id);
        ck_assert_str_eq(error_of("/clientSubmitResults/", &form), "");
    }
    ck_assert_int_eq(ask("SELECT wins + losses + draws FROM tests"), 32);
    ck_assert_int_eq(ask("SELECT timelosses FROM rows"), 4);
    stop();
}
END_TEST

START_TEST(results_go_out_with_a_new_machine_of_the_same_user_alone) {
    Worker worker;
    int64_t id = start_with_worker(&worker);
    Worker again = a_worker(TESTER, TESTER_PASSWORD), stranger = a_worker(RIG_USER, RIG_PASSWORD);
    again.result = stranger.result = worker.result;
    WebFields form = batch_of(&again, id);
    ck_assert_str_eq(error_of("/clientSubmitResults/", &form), "");
    form = batch_of(&stranger, id);
    ck_assert_msg(strstr(error_of("/clientSubmitResults/", &form), "result_id"), "no refusal");
    ck_assert_int_eq(ask("SELECT wins + losses + draws FROM tests"), 8);
    ck_assert_int_eq(ask("SELECT count(*) FROM rows"), 1);
    stop();
}
END_TEST

START_TEST(a_field_that_is_missing_or_wrong_is_named_and_nothing_is_kept) {
    static const struct {
        const char *name, *value, *why;
    } cases[] = {
        {"test_id", "999", "test_id"},
        {"test_id", "one", "test_id"},
        {"test_id", "", "test_id"},
        {"result_id", "-1", "result_id"},
        {"result_id", "99999999999999999999", "result_id"},
        {"trinomial", "2 3", "trinomial"},
        {"trinomial", "2 3 -3", "trinomial"},
        {"trinomial", "2 3 3 1", "trinomial"},
        {"trinomial", "{\"l\": 2}", "trinomial"},
        {"trinomial", "2 3 1", "trinomial"}, /* Not the games of the pairs. */
        {"pentanomial", "0 1 2 0", "pentanomial"},
        {"pentanomial", "", "pentanomial"},
        {"pentanomial", "0 1 2 0 99999999999", "pentanomial"},
        {"crashes", "many", "crashes"},
        {"illegals", "1.5", "illegals"},
        {"batch", "0123456789012345678901234567890123456789012345678901234567890123456789",
         "batch"},
    };
    Worker worker;
    int64_t id = start_with_worker(&worker);
    for (size_t i = 0; i < COUNT(cases); i++) {
        WebFields good = batch_of(&worker, id), form = {0};
        for (size_t k = 0; k < good.names.count; k++)
            if (strcmp(good.names.items[k], cases[i].name) != 0)
                web_fields_add(&form, good.names.items[k], good.values.items[k]);
        web_fields_add(&form, cases[i].name, cases[i].value);
        web_fields_free(&good);
        const char *error = error_of("/clientSubmitResults/", &form);
        ck_assert_msg(strstr(error, cases[i].why), "%s=%s: '%s' says nothing of %s", cases[i].name,
                      cases[i].value, error, cases[i].why);
    }
    ck_assert_int_eq(ask("SELECT wins + losses + draws FROM tests"), 0);
    ck_assert_int_eq(ask("SELECT count(*) FROM batches"), 0);
    stop();
}
END_TEST

START_TEST(a_tuning_refuses_deltas_of_another_number_of_parameters) {
    static const char *const wrong[] = {"[1.5]", "[1, 2, 3]",  "1.5", "[1, \"2\"]",
                                        "[1, 2", "[1, 1e999]", "{}",  "null"};
    start();
    Test tuning = recorded_test("SPSA", "N=2000");
    tuning.approved = true;
    int64_t id = keep(&tuning), openings;
    add_parameters(id);
    Worker worker = a_worker(TESTER, TESTER_PASSWORD);
    ck_assert_int_eq(get_work(&worker, &openings), 1);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        WebFields good = batch_of(&worker, id), form = {0};
        for (size_t k = 0; k + 1 < good.names.count; k++)
            web_fields_add(&form, good.names.items[k], good.values.items[k]);
        web_fields_add(&form, "spsa_delta", wrong[i]);
        web_fields_free(&good);
        ck_assert_msg(error_of("/clientSubmitResults/", &form)[0] != '\0', "%s was taken",
                      wrong[i]);
    }
    ck_assert_int_eq(ask("SELECT wins FROM tests"), 0);
    ck_assert_int_eq(ask("SELECT count(*) FROM parameters WHERE value <> start"), 0);
    stop();
}
END_TEST

START_TEST(openings_of_a_worker_that_vanished_go_to_the_next_one) {
    Worker worker;
    int64_t openings = 0;
    int64_t id = start_with_worker(&worker); /* Openings 1 to 32. */
    WebFields form = batch_of(&worker, id);  /* Four pairs. */
    ck_assert_str_eq(error_of("/clientSubmitResults/", &form), "");
    rig.now += MACHINE_VANISHED_SECONDS + 1;
    Worker next = a_worker(TESTER, TESTER_PASSWORD);
    ck_assert_int_eq(get_work(&next, &openings), 5);
    ck_assert_int_eq(openings, 28);
    ck_assert_int_eq(get_work(&next, &openings), 33);
    ck_assert_int_eq(openings, 32);
    stop();
}
END_TEST

START_TEST(a_single_opening_that_was_lost_is_no_workload_of_two_games) {
    int64_t openings = 0;
    start();
    Test test = recorded_test("DATAGEN", "N=2000");
    test.play_reverses = false;
    test.approved = true;
    int64_t id = keep(&test);
    Worker worker = a_worker(TESTER, TESTER_PASSWORD);
    ck_assert_int_eq(get_work(&worker, &openings), 1);
    const int64_t all = 2 * openings; /* Each pair's place takes two. */
    WebFields form = form_of(&worker);
    char games[PATH_SIZE];
    snprintf(games, sizeof games, "0 %lld 0", (long long)all - 1);
    add_number(&form, "test_id", id);
    add_number(&form, "result_id", worker.result);
    web_fields_add(&form, "trinomial", games);
    web_fields_add(&form, "pentanomial", "0 0 0 0 0");
    static const char *const zeros[] = {"crashes", "timelosses", "illegals"};
    for (size_t i = 0; i < COUNT(zeros); i++)
        web_fields_add(&form, zeros[i], "0");
    ck_assert_str_eq(error_of("/clientSubmitResults/", &form), "");
    rig.now += MACHINE_VANISHED_SECONDS + 1;
    Worker next = a_worker(TESTER, TESTER_PASSWORD);
    ck_assert_int_eq(get_work(&next, &openings), all + 1);
    stop();
}
END_TEST

START_TEST(workers_register_again_when_the_engines_have_changed) {
    Worker worker;
    start_with_worker(&worker);
    rig.serve.catalog.checksum[0] ^= 1;
    WebFields form = form_of(&worker);
    ck_assert_str_eq(error_of("/clientGetWorkload/", &form),
                     "Bad Client Version: Server Configuration Changed");
    stop();
}
END_TEST

START_TEST(a_user_who_was_disabled_gets_no_work) {
    Worker worker;
    start_with_worker(&worker);
    run_sql("UPDATE users SET enabled = 0", SQL_NO_VALUES);
    WebFields form = form_of(&worker);
    ck_assert_str_eq(error_of("/clientGetWorkload/", &form), "Bad Credentials");
    stop();
}
END_TEST

/* Gives the test `count` parameters. */
static void add_many_parameters(int64_t test, int count) {
    SpsaParameters parameters = {0};
    Text text = {0};
    Error err = {{0}};
    for (int i = 0; i < count; i++)
        text_addf(&text, "Number%d, int, 100, 0, 200, 10, 0.002\n", i);
    ck_assert_msg(spsa_add_parameters(&parameters, text_string(&text), &err), "%s", err.text);
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    store_add_parameters(t, test, &parameters);
    ck_assert_msg(transaction_end(t, &err), "%s", err.text);
    spsa_free_parameters(&parameters);
    text_free(&text);
}

START_TEST(a_tuning_too_large_for_a_machine_s_runners_is_passed_over) {
    Worker worker;
    int64_t openings, games = start_with_worker(&worker);
    Test test = recorded_test("SPSA", "N=2000");
    test.spsa = (SpsaSchedule){0.602, 0.101, 0.1, 5000, 8};
    set(&test.spsa_distribution, "MULTIPLE");
    test.approved = true;
    test.priority = 1;
    int64_t tuning = keep(&test);
    add_many_parameters(tuning, 1000);
    run_sql("UPDATE machines SET concurrency = 4096, "
            "info = json_set(info, '$.concurrency', 4096, '$.physical_cores', 4096)",
            SQL_NO_VALUES);
    ck_assert_int_gt(get_work(&worker, &openings), 0);
    ck_assert_int_eq(ask("SELECT test_id FROM machines"), games);
    only(tuning);
    WebFields form = form_of(&worker);
    ck_assert_str_eq(error_of("/clientGetWorkload/", &form),
                     "test 2: 1000 parameters for 2048 match runners are more than 100000 values: "
                     "run this worker with fewer threads");
    run_sql("UPDATE machines SET concurrency = 8, info = json_set(info, '$.concurrency', 8)",
            SQL_NO_VALUES);
    ck_assert_int_gt(get_work(&worker, &openings), 0);
    stop();
}
END_TEST

START_TEST(blacklisted_tests_are_not_handed_out_and_odd_entries_mean_nothing) {
    Worker worker;
    int64_t openings, id = start_with_worker(&worker);
    static const char *const odd[] = {"", "-1", "x", "1e3", "99999999999999999999"};
    WebFields form = form_of(&worker);
    for (size_t i = 0; i < COUNT(odd); i++)
        web_fields_add(&form, "blacklist", odd[i]);
    cJSON *answer = post("/clientGetWorkload/", &form);
    ck_assert_ptr_nonnull(cJSON_GetObjectItem(answer, "workload"));
    cJSON_Delete(answer);
    form = form_of(&worker);
    web_fields_add(&form, "blacklist", "77");
    add_number(&form, "blacklist", id);
    answer = post("/clientGetWorkload/", &form);
    ck_assert_ptr_null(cJSON_GetObjectItem(answer, "workload"));
    cJSON_Delete(answer);
    ck_assert_int_gt(get_work(&worker, &openings), 0);
    stop();
}
END_TEST

START_TEST(of_a_long_log_the_start_is_kept_and_the_cut_said) {
    Worker worker;
    int64_t id = start_with_worker(&worker);
    enum { KEPT = 65536 };
    Text log = {0};
    text_add(&log, "first\n");
    while (log.length < KEPT - 1)
        text_add_char(&log, 'x');
    text_add(&log, "\xc3\xa9 and more"); /* A letter of two bytes at the cut. */
    WebFields form = form_of(&worker);
    add_number(&form, "test_id", id);
    web_fields_add(&form, "error", "Disconnect");
    web_fields_add(&form, "logs", text_string(&log));
    ck_assert_str_eq(error_of("/clientSubmitError/", &form), "");
    Text wanted = {0};
    text_add_bytes(&wanted, text_string(&log), KEPT - 1);
    text_addf(&wanted, "\n... (the server keeps the first %d bytes of %zu)\n", KEPT - 1,
              log.length);
    Event event;
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_READ);
    ck_assert(store_event(t, 1, &event));
    transaction_cancel(t);
    ck_assert_msg(strcmp(event.log, text_string(&wanted)) == 0, "%zu bytes, the end: %s",
                  strlen(event.log), event.log + strlen(event.log) - 80);
    store_free_event(&event);
    text_free(&wanted);
    text_free(&log);
    stop();
}
END_TEST

START_TEST(a_registration_too_long_to_be_kept_is_refused) {
    start();
    Text long_info = {0};
    WebFields form = {0};
    text_add(&long_info, info);
    while (long_info.length <= 65536)
        text_add_char(&long_info, ' ');
    web_fields_add(&form, "username", TESTER);
    web_fields_add(&form, "password", TESTER_PASSWORD);
    web_fields_add(&form, "system_info", text_string(&long_info));
    ck_assert_str_eq(error_of("/clientWorkerInfo/", &form),
                     "system_info: 65537 bytes, more than 65536");
    ck_assert_int_eq(ask("SELECT count(*) FROM machines"), 0);
    text_free(&long_info);
    stop();
}
END_TEST

START_TEST(games_that_are_no_bzip2_are_refused) {
    Worker worker;
    int64_t id = start_with_worker(&worker);
    for (int good = 0; good < 2; good++) {
        WebRequest request = {.post = true, .path = mem_strdup("/clientSubmitPGN/")};
        request.form = form_of(&worker);
        add_number(&request.form, "test_id", id);
        add_number(&request.form, "result_id", worker.result);
        add_number(&request.form, "book_index", 1);
        add_upload(&request, "file", good ? "BZh91" : "[Event \"x\"]");
        dispatch(&request);
        ck_assert_msg((strstr(rig_page(&rig), "bzip2") == NULL) == good, "%s", rig_page(&rig));
    }
    ck_assert_int_eq(ask("SELECT count(*) FROM pgns"), 1);
    stop();
}
END_TEST

/* May the sender of this form bring a file of games? */
static bool may_send_games(WebFields form) {
    WebRequest request = {.post = true, .path = mem_strdup("/clientSubmitPGN/"), .form = form};
    const WebRoute *route = web_route(&rig.routes, &request);
    bool may = route->file->may_send(&rig.serve, &request);
    web_request_free(&request);
    return may;
}

/* Expects that the file of a worker is dropped after a change of the database. */
static void expect_no_games_after(const char *change) {
    Worker worker;
    start_with_worker(&worker);
    ck_assert(may_send_games(form_of(&worker)));
    run_sql(change, SQL_NO_VALUES);
    ck_assert_msg(!may_send_games(form_of(&worker)), "may send games after: %s", change);
    stop();
}

START_TEST(a_machine_whose_requests_are_refused_may_send_no_games) {
    expect_no_games_after("UPDATE users SET enabled = 0");
    expect_no_games_after("UPDATE machines SET client_version = client_version - 1");
    expect_no_games_after("UPDATE machines SET config = 'other'");
}
END_TEST

START_TEST(only_a_machine_with_its_secret_may_send_games) {
    Worker worker;
    start_with_worker(&worker);
    ck_assert(may_send_games(form_of(&worker)));
    worker.secret[0] = worker.secret[0] == 'a' ? 'b' : 'a';
    ck_assert(!may_send_games(form_of(&worker)));
    worker.machine++;
    ck_assert(!may_send_games(form_of(&worker)));
    ck_assert(!may_send_games((WebFields){0}));
    stop();
}
END_TEST

START_TEST(games_that_came_before_the_secret_are_refused_with_the_reason) {
    Worker worker;
    int64_t id = start_with_worker(&worker);
    WebFields form = form_of(&worker);
    add_number(&form, "test_id", id);
    add_number(&form, "result_id", worker.result);
    add_number(&form, "book_index", 1);
    ck_assert_str_eq(error_of("/clientSubmitPGN/", &form),
                     "file: missing, or before machine_id and secret");
    stop();
}
END_TEST

/* ---- New tests ---- */

/* The server's own copy of a repository "weiss" with the branches of the recorded forms. */
static void add_repository(void) {
    char command[1024];
    Error err = {{0}};
    Words repos = {0};
    Text word = {0};
    snprintf(command, sizeof command,
             "cd %s && { git init -q -b master upstream && cd upstream && "
             "git -c user.name=A -c user.email=a@localhost commit -q --allow-empty -m 'Begin' "
             "-m 'Bench: 77' && git branch lmr-killer; } >shell.log 2>&1",
             rig.folder);
    ck_assert_int_eq(system(command), 0);
    text_addf(&word, "weiss=%s/upstream", rig.folder);
    words_add(&repos, text_string(&word));
    sources_free(rig.serve.sources);
    rig.serve.sources = sources_open(&(SourcesSpec){.data = rig.folder, .repos = &repos}, &err);
    ck_assert_msg(rig.serve.sources != NULL, "%s", err.text);
    words_free(&repos);
    text_free(&word);
}

/* The recorded form, of an engine and a repository that are here. */
static WebFields recorded_form(const cJSON *recording) {
    WebFields form = {0};
    const cJSON *item;
    cJSON_ArrayForEach(item, recording_form(recording)) {
        size_t length = strlen(item->string);
        bool engine = length > 7 && strcmp(item->string + length - 7, "_engine") == 0;
        bool repo = length > 5 && strcmp(item->string + length - 5, "_repo") == 0;
        bool password = strcmp(item->string, "password") == 0 && item->valuestring[1] != '\0';
        web_fields_add(&form, item->string,
                       engine     ? "Weiss"
                       : repo     ? "weiss"
                       : password ? TESTER_PASSWORD
                                  : item->valuestring);
    }
    return form;
}

START_TEST(a_script_of_nobody_is_told_so_and_leaves_no_session) {
    start();
    WebRequest request = {.post = true, .path = mem_strdup("/scripts/")};
    web_fields_add(&request.form, "action", "CREATE_TEST");
    web_fields_add(&request.form, "username", TESTER);
    web_fields_add(&request.form, "password", "not this one");
    dispatch(&request);
    ck_assert_str_eq(rig_location(&rig), "/login/");
    ck_assert_int_eq(ask("SELECT count(*) FROM sessions"), 0);
    WebRequest next = {.path = mem_strdup("/login/")};
    const char *cookie = web_fields_get(&rig.answer.headers, "Set-Cookie");
    ck_assert_msg(cookie && text_starts_with(cookie, "refusal=2;"), "%s", cookie);
    web_fields_add(&next.cookies, "refusal", "2");
    Visit visit;
    visit_open(rig.serve.people, &next, rig.now, &visit);
    ck_assert_str_eq(visit.message, "Only enabled users can create tests");
    visit_free(&visit);
    web_request_free(&next);
    stop();
}
END_TEST

static const struct {
    const char *name;
    const char *location;
} scripts[] = {{"42-create-test.json", "/index/"},
               {"43-create-test-bad-branch.json", "/test/new/"},
               {"44-create-test-bad-password.json", "/login/"},
               {"45-create-test-bad-bounds.json", "/test/new/"}};

START_TEST(scripts_are_sent_where_the_recorded_ones_were_sent) {
    if (!recordings_available()) {
        fprintf(stderr, "left out: the recorded scripts, which are not here\n");
        return;
    }
    start();
    add_repository();
    for (size_t i = 0; i < COUNT(scripts); i++) {
        cJSON *recording = recording_load(scripts[i].name);
        WebRequest request = {
            .post = true, .path = mem_strdup("/scripts/"), .form = recorded_form(recording)};
        dispatch(&request);
        ck_assert_int_eq(rig.answer.status, WEB_FOUND);
        ck_assert_str_eq(rig_location(&rig), scripts[i].location);
        cJSON_Delete(recording);
    }
    ck_assert_int_eq(ask("SELECT count(*) FROM tests"), 1);
    ck_assert_int_eq(ask("SELECT dev_bench FROM tests"), 77);
    ck_assert_int_eq(ask("SELECT alpha = 0.05 AND beta = 0.1 FROM tests"), 1);
    stop();
}
END_TEST

/* The lines of reasons that the server of the recordings gave, 0 for none, in forms/. */
static const struct {
    const char *name;
    TestFormKind kind;
    bool accepted;
} forms[] = {{"../forms/49-create-tune.json", TESTFORM_TUNE, true},
             {"../forms/50-create-tune-bad-inputs.json", TESTFORM_TUNE, false},
             {"../forms/52-create-datagen.json", TESTFORM_DATAGEN, true}};

START_TEST(forms_are_taken_and_refused_as_the_recorded_ones_were) {
    if (!recordings_available()) {
        fprintf(stderr, "left out: the recorded forms, which are not here\n");
        return;
    }
    start();
    add_repository();
    User user = {.name = (char *)TESTER, .approver = true};
    for (size_t i = 0; i < COUNT(forms); i++) {
        cJSON *recording = recording_load(forms[i].name);
        WebFields form = recorded_form(recording);
        Text reasons = {0};
        int64_t id = newtest_create(&rig.serve, &user, &form, forms[i].kind, &reasons);
        ck_assert_msg((id != 0) == forms[i].accepted, "%s: %s", forms[i].name,
                      text_string(&reasons));
        ck_assert_int_eq(reasons.length == 0, forms[i].accepted);
        text_free(&reasons);
        web_fields_free(&form);
        cJSON_Delete(recording);
    }
    ck_assert_int_eq(ask("SELECT count(*) FROM parameters"), 3);
    ck_assert_int_eq(ask("SELECT max_games FROM tests WHERE kind = 'DATAGEN'"), 1000);
    stop();
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_batch_whose_number_was_seen_is_answered_and_not_added_again);
    tcase_add_test(tests, results_go_out_with_a_new_machine_of_the_same_user_alone);
    tcase_add_test(tests, a_field_that_is_missing_or_wrong_is_named_and_nothing_is_kept);
    tcase_add_test(tests, a_tuning_refuses_deltas_of_another_number_of_parameters);
    tcase_add_test(tests, openings_of_a_worker_that_vanished_go_to_the_next_one);
    tcase_add_test(tests, a_single_opening_that_was_lost_is_no_workload_of_two_games);
    tcase_add_test(tests, an_engine_that_needs_no_cpu_flag_has_an_empty_list_in_its_workload);
    tcase_add_test(tests, workers_register_again_when_the_engines_have_changed);
    tcase_add_test(tests, a_user_who_was_disabled_gets_no_work);
    tcase_add_test(tests, a_tuning_too_large_for_a_machine_s_runners_is_passed_over);
    tcase_add_test(tests, blacklisted_tests_are_not_handed_out_and_odd_entries_mean_nothing);
    tcase_add_test(tests, of_a_long_log_the_start_is_kept_and_the_cut_said);
    tcase_add_test(tests, a_registration_too_long_to_be_kept_is_refused);
    tcase_add_test(tests, games_that_are_no_bzip2_are_refused);
    tcase_add_test(tests, only_a_machine_with_its_secret_may_send_games);
    tcase_add_test(tests, a_machine_whose_requests_are_refused_may_send_no_games);
    tcase_add_test(tests, games_that_came_before_the_secret_are_refused_with_the_reason);
    tcase_add_test(tests, a_script_of_nobody_is_told_so_and_leaves_no_session);
    tcase_add_test(tests, scripts_are_sent_where_the_recorded_ones_were_sent);
    tcase_add_test(tests, forms_are_taken_and_refused_as_the_recorded_ones_were);
    tcase_add_test(tests, every_recorded_request_gets_the_recorded_answer);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv); /* git runs as a child. */
    return run_tests("protocol of the server", add_tests);
}
