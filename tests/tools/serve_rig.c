/* SPDX-License-Identifier: MIT */
#include "tools/serve_rig.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/tree.h"
#include "serve/visit.h"
#include "tools/cookies.h"
#include "tools/files.h"

enum { DAY_S = 86400 };

static void fail_with(const char *what, const Error *err) {
    fprintf(stderr, "%s: %s\n", what, err->text);
    abort();
}

static int64_t rig_clock(void *user) {
    return *(int64_t *)user;
}

void rig_set_began(ServeRig *rig, int64_t seconds) {
    int64_t now_ns = clock_now_ns();
    hearing_begin(&rig->serve.hearing, now_ns - seconds * CLOCK_NS_PER_SECOND, rig->now - seconds);
    rig->serve.hearing.last_ns = now_ns;
}

void rig_pass(ServeRig *rig, int64_t seconds) {
    rig->now += seconds;
    rig_set_began(rig, DAY_S);
}

void rig_start(ServeRig *rig, const WebRoute *const *tables, size_t count) {
    Error err = {{0}};
    Words none = {0};
    Text path = {0};
    *rig = (ServeRig){.now = 1800000000, .routes = {tables, count}};
    temporary_folder(rig->folder, sizeof rig->folder, "reductio-serve");
    Serve *serve = &rig->serve;
    serve->data = rig->folder;
    serve->clock = rig_clock;
    serve->clock_user = &rig->now;
    rig_set_began(rig, DAY_S);
    pthread_mutex_init(&serve->log_mutex, NULL);
    pthread_mutex_init(&serve->packing, NULL);
    rig->log_file = tmpfile();
    if (!rig->log_file)
        abort();
    log_init(&rig->log, rig->log_file, LOG_NORMAL);
    serve->log = &rig->log;
    text_addf(&path, "%s/database", rig->folder);
    serve->database = database_open(text_string(&path), &err);
    if (!serve->database)
        fail_with("the database", &err);
    serve->people = people_new(serve->database);
    serve->sources = sources_open(&(SourcesSpec){.data = rig->folder, .repos = &none}, &err);
    if (!serve->sources)
        fail_with("the sources", &err);
    CatalogSpec spec = {.data = rig->folder, .sources = serve->sources};
    if (!catalog_open(&spec, &serve->catalog, &err))
        fail_with("the catalog", &err);
    if (!people_add(serve->people, RIG_USER, RIG_PASSWORD, true, rig->now, NULL, &err))
        fail_with("the user", &err);
    text_free(&path);
}

void rig_add_repository(ServeRig *rig, const char *name, const char *branch, const char *script) {
    Error err = {0};
    Words repos = {0};
    Text text = {0};
    text_addf(&text,
              "cd %s && { git init -q -b %s upstream && cd upstream && git config user.name A &&"
              " git config user.email a@localhost &&"
              " git commit -q --allow-empty -m Begin -m 'Bench: 77' && %s; } >shell.log 2>&1",
              rig->folder, branch, script);
    if (system(text_string(&text)) != 0)
        abort();
    text_clear(&text);
    text_addf(&text, "%s=%s/upstream", name, rig->folder);
    words_add(&repos, text_string(&text));
    sources_free(rig->serve.sources);
    rig->serve.sources = sources_open(&(SourcesSpec){.data = rig->folder, .repos = &repos}, &err);
    if (!rig->serve.sources)
        fail_with("the repository", &err);
    words_free(&repos);
    text_free(&text);
}

void rig_configure(const ServeRig *rig, const char *name, const char *text) {
    char *path = text_format("%s/config/%s", rig->folder, name);
    put_text(path, text);
    free(path);
}

void rig_stop(ServeRig *rig) {
    Serve *serve = &rig->serve;
    web_answer_free(&rig->answer);
    web_fields_free(&rig->cookies);
    catalog_free(&serve->catalog);
    sources_free(serve->sources);
    people_free(serve->people);
    database_close(serve->database);
    pthread_mutex_destroy(&serve->log_mutex);
    pthread_mutex_destroy(&serve->packing);
    log_free(&rig->log);
    fclose(rig->log_file);
    tree_remove(rig->folder, NULL);
}

/* ---- The browser ---- */

/* Adds "name=value&name=value". */
static void add_fields(WebFields *fields, const char *text) {
    while (*text != '\0') {
        size_t length = strcspn(text, "&");
        size_t name_length = strcspn(text, "=");
        char *name = mem_strndup(text, name_length < length ? name_length : length);
        char *value = name_length < length
                          ? mem_strndup(text + name_length + 1, length - name_length - 1)
                          : mem_strdup("");
        web_fields_add(fields, name, value);
        free(name);
        free(value);
        text += length + (text[length] != '\0');
    }
}

void rig_add_upload(const ServeRig *rig, WebRequest *request, const char *name,
                    const char *file_name, const char *content) {
    char *path = text_format("%s/upload", rig->folder);
    put_text(path, content);
    request->uploads = mem_calloc(1, sizeof *request->uploads);
    request->upload_count = 1;
    request->uploads[0] =
        (WebUpload){mem_strdup(name), mem_strdup(file_name), path, strlen(content)};
}

void rig_ask(ServeRig *rig, WebRequest *request) {
    if (!request->peer)
        request->peer = mem_strdup("127.0.0.1");
    for (size_t i = 0; i < rig->cookies.names.count; i++)
        web_fields_add(&request->cookies, rig->cookies.names.items[i],
                       rig->cookies.values.items[i]);
    web_answer_free(&rig->answer);
    web_dispatch(&rig->routes, &rig->serve, request, &rig->answer);
    keep_cookies(&rig->cookies, &rig->answer);
    web_request_free(request);
}

void rig_get(ServeRig *rig, const char *path) {
    size_t length = strcspn(path, "?");
    WebRequest request = {.path = mem_strndup(path, length)};
    if (path[length] == '?')
        add_fields(&request.query, path + length + 1);
    rig_ask(rig, &request);
}

void rig_send(ServeRig *rig, const char *path, WebFields *form) {
    WebRequest request = {.post = true, .path = mem_strdup(path), .form = *form};
    WebRequest visiting = {.cookies = rig->cookies};
    Visit visit;
    visit_open(rig->serve.people, &visiting, rig->now, &visit);
    web_fields_add(&request.form, VISIT_TOKEN_FIELD, visit.csrf);
    visit_free(&visit);
    *form = (WebFields){0};
    rig_ask(rig, &request);
}

void rig_post(ServeRig *rig, const char *path, const char *form) {
    WebFields fields = {0};
    add_fields(&fields, form);
    rig_send(rig, path, &fields);
}

void rig_sign_in(ServeRig *rig, const char *name, const char *password) {
    WebFields fields = {0};
    rig_get(rig, "/login/");
    web_fields_add(&fields, "username", name);
    web_fields_add(&fields, "password", password);
    rig_send(rig, "/login/", &fields);
}

const char *rig_page(const ServeRig *rig) {
    return text_string(&rig->answer.body);
}

const char *rig_location(const ServeRig *rig) {
    const char *location = web_fields_get(&rig->answer.headers, "Location");
    return location ? location : "";
}

/* ---- Records ---- */

static char *copy(const char *text) {
    return mem_strdup(text);
}

static TestSide side_of(const char *text, char digit) {
    char sha[41];
    memset(sha, digit, 40);
    sha[40] = '\0';
    return (TestSide){.engine = copy("reductio"),
                      .repo = copy(text),
                      .branch = copy(text),
                      .source = copy("/source/x.zip"),
                      .sha = copy(sha),
                      .bench = 1234567,
                      .network = copy(""),
                      .netname = copy(text),
                      .options = copy("Threads=1 Hash=16"),
                      .time_control = copy("8.0+0.08")};
}

Test rig_test(const char *kind, const char *text) {
    bool spsa = strcmp(kind, "SPSA") == 0;
    return (Test){.author = copy(RIG_USER),
                  .kind = copy(kind),
                  .sides = {side_of(text, 'd'), side_of(text, 'b')},
                  .info = copy(text),
                  .book_name = copy(text),
                  .upload_pgns = copy("FALSE"),
                  .workload_size = 32,
                  .throughput = 1000,
                  .syzygy_wdl = copy("OPTIONAL"),
                  .syzygy_adj = copy("OPTIONAL"),
                  .win_adj = copy(text),
                  .draw_adj = copy(text),
                  .scale_method = copy("BASE"),
                  .scale_nps = 1000000,
                  .elo0 = 0,
                  .elo1 = 5,
                  .alpha = 0.05,
                  .beta = 0.05,
                  .max_games = strcmp(kind, "SPRT") == 0 || spsa ? 0 : 1000,
                  .genfens_args = copy(text),
                  .spsa_reporting = copy(spsa ? "BATCHED" : ""),
                  .spsa_distribution = copy(spsa ? "SINGLE" : ""),
                  .spsa = {0.602, 0.101, 0.1, spsa ? 100 : 0, spsa ? 8 : 0},
                  .book_index = 1,
                  .approved = true,
                  .approver = copy(""),
                  .created = 1799990000,
                  .updated = 1799990000};
}

int64_t rig_add_test(ServeRig *rig, Test *test) {
    Error err = {{0}};
    Transaction *t = transaction_begin(rig->serve.database, TRANSACTION_WRITE);
    int64_t id = store_add_test(t, test);
    if (!transaction_end(t, &err))
        fail_with("a test", &err);
    store_free_test(test);
    return id;
}

int64_t rig_add_machine(ServeRig *rig, int64_t test, const char *text) {
    Error err = {{0}};
    Transaction *t = transaction_begin(rig->serve.database, TRANSACTION_WRITE);
    Machine machine = {.user_id = 1,
                       .secret = (char *)"0",
                       .info = (char *)"{}",
                       .name = (char *)text,
                       .os_name = (char *)text,
                       .cpu_name = (char *)text,
                       .isa_name = (char *)text,
                       .client = (char *)text,
                       .config = (char *)"",
                       .concurrency = 4,
                       .created = rig->now,
                       .seen = rig->now,
                       .test_id = test,
                       .nps = 1500000};
    int64_t id = store_add_machine(t, &machine);
    store_set_machine_test(t, id, test, false);
    store_see_machine(t, id, rig->now);
    if (!transaction_end(t, &err))
        fail_with("a machine", &err);
    return id;
}

int64_t rig_add_results(ServeRig *rig, int64_t test, int64_t machine, int64_t pairs, double llr) {
    TestRow row;
    Error err = {{0}};
    Tally tally = {.wins = pairs, .losses = pairs / 2, .draws = pairs - pairs / 2, .crashes = 1};
    tally.penta.n[2] = pairs / 2;
    tally.penta.n[3] = pairs - pairs / 2;
    Transaction *t = transaction_begin(rig->serve.database, TRANSACTION_WRITE);
    int64_t id = store_row_of(t, test, machine, rig->now);
    if (!store_row(t, id, &row))
        fail_with("a row", &err);
    store_add_results(t, &row, &tally, llr, rig->now);
    store_free_row(&row);
    if (!transaction_end(t, &err))
        fail_with("results", &err);
    return id;
}

void rig_add_parameter(ServeRig *rig, int64_t test, const char *name, double start, double value) {
    Error err = {{0}};
    SpsaParameter parameter = {
        .name = (char *)name, .start = start, .max = 100, .c_end = 5, .r_end = 0.002};
    Transaction *t = transaction_begin(rig->serve.database, TRANSACTION_WRITE);
    store_add_parameters(t, test, &(SpsaParameters){&parameter, 1, 1});
    store_set_parameter(t, test, 0, value);
    if (!transaction_end(t, &err))
        fail_with("a parameter", &err);
}

void rig_add_error(ServeRig *rig, int64_t test, int64_t machine, const char *summary,
                   const char *log) {
    Error err = {{0}};
    Transaction *t = transaction_begin(rig->serve.database, TRANSACTION_WRITE);
    store_add_event(t, &(Event){.time = rig->now,
                                .is_error = true,
                                .author = (char *)RIG_USER,
                                .machine_id = machine,
                                .test_id = test,
                                .summary = (char *)summary,
                                .log = (char *)log});
    if (!transaction_end(t, &err))
        fail_with("an error", &err);
}

int64_t rig_number(const ServeRig *rig, const char *sql) {
    Error err = {0};
    Transaction *t = transaction_begin(rig->serve.database, TRANSACTION_READ);
    int64_t number = sql_number(t, sql, SQL_NO_VALUES);
    ck_assert_msg(transaction_end(t, &err), "%s", err.text);
    return number;
}

void rig_change(const ServeRig *rig, const char *sql) {
    Error err = {{0}};
    Transaction *t = transaction_begin(rig->serve.database, TRANSACTION_WRITE);
    sql_run(t, sql, SQL_NO_VALUES);
    ck_assert_msg(transaction_end(t, &err), "%s", err.text);
}

void rig_expect(const ServeRig *rig, const char *words) {
    ck_assert_msg(strstr(rig_page(rig), words) != NULL, "'%s' is not in: %.3000s", words,
                  rig_page(rig));
}

void rig_expect_logged(const ServeRig *rig, const char *words) {
    char log[4096];
    rewind(rig->log_file);
    log[fread(log, 1, sizeof log - 1, rig->log_file)] = '\0';
    ck_assert_msg(strstr(log, words) != NULL, "'%s' is not in the log: %s", words, log);
}

void rig_expect_fault(const ServeRig *rig, const char *words) {
    ck_assert_msg(rig->answer.status == WEB_UNAVAILABLE, "status %d: %s", (int)rig->answer.status,
                  rig_page(rig));
    ck_assert_int_eq(strncmp(rig_page(rig), WEB_FAULT_WORDS, strlen(WEB_FAULT_WORDS)), 0);
    ck_assert_str_eq(rig_page(rig) + strlen(WEB_FAULT_WORDS), "\n");
    rig_expect_logged(rig, words);
}

void rig_expect_not(const ServeRig *rig, const char *words) {
    ck_assert_msg(strstr(rig_page(rig), words) == NULL, "'%s' is in: %.3000s", words,
                  rig_page(rig));
}
