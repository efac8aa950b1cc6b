/* SPDX-License-Identifier: MIT */
/* Every recorded exchange of an OpenBench server: the worker composes its request field by field,
 * and takes its answer. A recording that no row claims fails. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "openbench/api.h"
#include "openbench/engineconfig.h"
#include "openbench/sysinfo.h"
#include "session/plan.h"
#include "tools/files.h"
#include "tools/recordings.h"
#include "runner.h"

#define SECRET "526be8d69ec9cd1fe0b8f06cc7fd1245ad79628bc196022c36e2e1271794aa82"

static const ApiAccount account = {.base_url = "http://h/",
                                   .username = "tester",
                                   .password = "secret",
                                   .machine_id = 2,
                                   .secret = SECRET};
static const ApiAccount wrong_account = {.base_url = "http://h/",
                                         .username = "tester",
                                         .password = "wrong",
                                         .machine_id = 2,
                                         .secret = "nope"};
static const ApiAccount reader = {.base_url = "http://h/"};
static const ApiAccount strange_account = {
    .base_url = "http://h/", .machine_id = 999999, .secret = "x"};

/* ---- What the worker sends ---- */

static void compose_build_info(HttpRequest *request) {
    api_build_info(&account, request);
}
static void compose_runner_version(HttpRequest *request) {
    api_runner_version(&account, request);
}
static void compose_version(HttpRequest *request) {
    api_client_version(&account, request);
}
static void compose_wrong_version(HttpRequest *request) {
    api_client_version(&wrong_account, request);
}
static void compose_worker_info(HttpRequest *request) {
    api_worker_info(&account, "{}", request);
}
static void compose_wrong_worker_info(HttpRequest *request) {
    api_worker_info(&wrong_account, "{}", request);
}
static void compose_workload(HttpRequest *request) {
    api_get_workload(&account, &(IntList){0}, request);
}
static void compose_strange_workload(HttpRequest *request) {
    api_get_workload(&strange_account, &(IntList){0}, request);
}
static void compose_secret_workload(HttpRequest *request) {
    api_get_workload(&wrong_account, &(IntList){0}, request);
}
static void compose_blacklist(HttpRequest *request) {
    int64_t id = 8;
    api_get_workload(&account, &(IntList){&id, 1}, request);
}
static void compose_nps(HttpRequest *request) {
    api_submit_nps(&account, &(ApiNps){650000, 640000, 660000}, request);
}
static void compose_heartbeat(HttpRequest *request) {
    api_heartbeat(&account, 2, request);
}
static void compose_results(HttpRequest *request) {
    ApiResults results = {.test_id = 2,
                          .result_id = 2,
                          .losses = 3,
                          .draws = 4,
                          .wins = 5,
                          .penta = {{0, 1, 3, 1, 1}},
                          .spsa_delta = ""};
    api_submit_results(&account, &results, request);
}
static void compose_passing(HttpRequest *request) {
    ApiResults results = {.test_id = 2,
                          .result_id = 2,
                          .losses = 1000,
                          .draws = 4000,
                          .wins = 3000,
                          .penta = {{16, 557, 1220, 1853, 354}},
                          .spsa_delta = ""};
    api_submit_results(&account, &results, request);
}
static void compose_pair(int64_t test_id, const char *delta, HttpRequest *request) {
    ApiResults results = {.test_id = test_id,
                          .result_id = test_id,
                          .losses = 1,
                          .wins = 1,
                          .penta = {{0, 0, 1, 0, 0}},
                          .spsa_delta = delta};
    api_submit_results(&account, &results, request);
}
static void compose_late(HttpRequest *request) {
    compose_pair(2, "", request);
}
static void compose_spsa(HttpRequest *request) {
    compose_pair(7, "[1.5, -0.002]", request);
}
static void compose_test_info(HttpRequest *request) {
    api_test_info(&account, 2, request);
}
static void compose_test_results(HttpRequest *request) {
    api_test_results(&account, 2, request);
}
static void compose_build_fail(HttpRequest *request) {
    api_submit_error(&account, &(ApiFault){8, "[Weiss] dev-branch build failed", "gcc: error: ..."},
                     request);
}
static void compose_engine_error(HttpRequest *request) {
    api_submit_error(&account, &(ApiFault){8, "Disconnect", "[Event \"?\"]\n..."}, request);
}
static void compose_pgn(HttpRequest *request) {
    ApiPgn pgn = {.test_id = 8, .result_id = 8, .book_index = 1, .file = "/tmp/x.bz2"};
    api_submit_pgn(&account, &pgn, request);
}
static void compose_bench_error(HttpRequest *request) {
    api_bench_error(&account, &(ApiFault){8, "[Weiss-AAAAAAAA] Wrong Bench: 123", NULL}, request);
}
static void compose_missing_network(HttpRequest *request) {
    api_network(&account, "Weiss", "DEADBEEF", request);
}
static void compose_network(HttpRequest *request) {
    api_network(&account, "Weiss", "9F86D081", request);
}

/* ---- What the worker makes of the answers ---- */

static void takes_build_info(const ApiAnswer *answer) {
    BuildInfo info;
    Error err = {0};
    ck_assert_msg(build_info_parse(answer->json, &info, &err), "%s", err.text);
    ck_assert_uint_eq(info.count, 1);
    ck_assert_str_eq(info.engines[0].name, "Weiss");
    ck_assert_str_eq(info.engines[0].recipe.path, "src");
    ck_assert_str_eq(info.engines[0].recipe.compilers.items[0], "gcc");
    ck_assert_str_eq(info.engines[0].recipe.cpuflags.items[0], "POPCNT");
    ck_assert(!info.engines[0].is_private);
    build_info_free(&info);
}

static void takes_runner_version(const ApiAnswer *answer) {
    char *version;
    Error err = {0};
    ck_assert_msg(api_read_runner_version(answer, &version, &err), "%s", err.text);
    ck_assert_str_eq(version, "1.8.1");
    free(version);
}

static void takes_version(const ApiAnswer *answer) {
    int64_t version;
    Error err = {0};
    ck_assert_msg(api_read_client_version(answer, &version, &err), "%s", err.text);
    ck_assert_int_eq(version, 49);
    ck_assert(api_speaks(version));
}

static void takes_expected_version(const ApiAnswer *answer) {
    ck_assert_int_eq(answer->expected_version, 49);
}

static void takes_registration(const ApiAnswer *answer) {
    int64_t machine;
    char *secret;
    Error err = {0};
    ck_assert_msg(api_read_registration(answer, &machine, &secret, &err), "%s", err.text);
    ck_assert_int_eq(machine, 2);
    ck_assert_str_eq(secret, SECRET);
    free(secret);
}

static void takes_no_work(const ApiAnswer *answer) {
    Workload w;
    bool none;
    Error err = {0};
    ck_assert_msg(workload_parse(answer->json, &w, &none, &err), "%s", err.text);
    ck_assert(none);
}

static void takes_going_on(const ApiAnswer *answer) {
    ck_assert(!api_read_stop(answer));
}

static void takes_stop(const ApiAnswer *answer) {
    ck_assert(api_read_stop(answer));
}

static void takes_test_info(const ApiAnswer *answer) {
    ApiTestInfo info;
    Error err = {0};
    ck_assert_msg(api_read_test_info(answer, &info, &err), "%s", err.text);
    ck_assert_int_eq(info.games, 12);
    ck_assert(info.sprt);
    ck_assert_double_eq_tol(info.llr, 0.045092, 1e-6);
    ck_assert_double_eq_tol(info.llr_lower, -2.251292, 1e-6);
    ck_assert_double_eq_tol(info.llr_upper, 2.890372, 1e-6);
}

static void takes_counts(const ApiAnswer *answer) {
    static const int64_t wanted[] = {0, 1, 3, 1, 1};
    ApiTestCounts counts;
    Error err = {0};
    ck_assert_msg(api_read_test_results(answer, 2, &counts, &err), "%s", err.text);
    ck_assert_mem_eq(counts.own.n, wanted, sizeof wanted);
}

/* The workload, and how it is played by an engine that is twice as fast as the test's scale. */
static void read_workload(const ApiAnswer *answer, Workload *w, Plan *plan) {
    bool none;
    Error err = {0};
    ck_assert_msg(workload_parse(answer->json, w, &none, &err), "%s", err.text);
    ck_assert(!none);
    ck_assert_str_eq(w->dev.engine, "Weiss");
    ck_assert_int_eq(w->dev.bench, 10408355);
    ck_assert_int_eq(w->runner_count * w->concurrency_per, 4);
    PlanFacts facts = {.dev_nps = 2 * w->scale_nps, .base_nps = 2 * w->scale_nps};
    ck_assert_msg(plan_make(w, &facts, plan, &err), "%s", err.text);
    ck_assert_int_eq(plan->concurrency, 4);
    ck_assert_int_eq(plan->pairs, w->type == WORKLOAD_SPSA && w->runner_count == 2 ? 16 : 32);
}

static void expect_workload(const ApiAnswer *answer, WorkloadType type, const char *time_control,
                            int64_t first_opening) {
    Workload w;
    Plan plan;
    char text[TIMECONTROL_TEXT_MAX];
    read_workload(answer, &w, &plan);
    ck_assert_int_eq(w.type, type);
    timecontrol_format(&plan.time_control[SIDE_DEV], text);
    ck_assert_str_eq(text, time_control);
    timecontrol_format(&plan.time_control[SIDE_BASE], text);
    ck_assert_str_eq(text, time_control);
    ck_assert_int_eq(plan.first_opening, first_opening);
    plan_free(&plan);
    workload_free(&w);
}

static void takes_sprt(const ApiAnswer *answer) {
    expect_workload(answer, WORKLOAD_SPRT, "N=2000", 0);
}
/* Each workload begins where the one before it ended. */
static void takes_next_sprt(const ApiAnswer *answer) {
    expect_workload(answer, WORKLOAD_SPRT, "N=2000", 32);
}
static void takes_games(const ApiAnswer *answer) {
    expect_workload(answer, WORKLOAD_GAMES, "4.0+0.04s", 0);
}
static void takes_cyclic(const ApiAnswer *answer) {
    expect_workload(answer, WORKLOAD_SPRT, "40/5.0+0.05s", 0);
}
static void takes_movetime(const ApiAnswer *answer) {
    expect_workload(answer, WORKLOAD_SPRT, "MT=50", 0);
}

static void takes_datagen(const ApiAnswer *answer) {
    Workload w;
    Plan plan;
    expect_workload(answer, WORKLOAD_DATAGEN, "N=5000", 0);
    read_workload(answer, &w, &plan);
    ck_assert(plan.no_reverses);
    ck_assert_int_eq(workload_positions(&w), 64);
    ck_assert_uint_eq(w.genfens_seeds.count, 4);
    ck_assert_int_eq(w.genfens_seeds.items[3], 386623777);
    ck_assert_str_eq(w.genfens_args, "random_plies=8");
    ck_assert_ptr_null(w.book.sha);
    plan_free(&plan);
    workload_free(&w);
}

/* The values of the last runner's first parameter reach both engines as they are. */
static void expect_spsa(const ApiAnswer *answer, const char *reporting, const char *dev,
                        const char *base) {
    Workload w;
    Plan plan;
    read_workload(answer, &w, &plan);
    ck_assert_int_eq(w.type, WORKLOAD_SPSA);
    ck_assert_str_eq(w.reporting_type, reporting);
    ck_assert_uint_eq(w.spsa_count, 2);
    ck_assert_uint_eq(w.spsa[0].dev.count, (size_t)w.runner_count);
    size_t at = (size_t)(w.runner_count - 1) * plan.spsa_count;
    ck_assert_str_eq(plan.spsa[SIDE_DEV][at].name, "LmrBase");
    ck_assert_str_eq(plan.spsa[SIDE_DEV][at].value, dev);
    ck_assert_str_eq(plan.spsa[SIDE_BASE][at].value, base);
    plan_free(&plan);
    workload_free(&w);
}

static void takes_single_spsa(const ApiAnswer *answer) {
    expect_spsa(answer, "BATCHED", "922", "638");
}
static void takes_multiple_spsa(const ApiAnswer *answer) {
    expect_spsa(answer, "BULK", "638", "922");
}

static void takes_config(const ApiAnswer *answer) {
    ApiServerConfig config;
    Error err = {0};
    ck_assert_msg(api_read_config(answer, &config, &err), "%s", err.text);
    ck_assert_uint_eq(config.engines.count, 1);
    ck_assert_str_eq(config.engines.items[0], "Weiss");
    ck_assert_uint_eq(config.books.count, 1);
    ck_assert_str_eq(config.books.items[0], "8moves_v3.epd");
    api_config_free(&config);
}

static void compose_config(HttpRequest *request) {
    api_config(&account, request);
}

/* Reads the engine, and what a form is with one of its presets. */
static void expect_presets(bool read, EngineConfig *config, const Error *err) {
    TestForm form = {.kind = TESTFORM_TEST};
    Words unknown = {0};
    Error why = {0};
    ck_assert_msg(read, "%s", err->text);
    ck_assert_str_eq(config->name, "Weiss");
    ck_assert_str_eq(config->source, "https://github.com/TerjeKir/weiss");
    ck_assert_int_eq(config->nps, 1090000);
    ck_assert_msg(engineconfig_apply(config, "stc simplify", &form, &unknown, &why), "%s",
                  why.text);
    ck_assert_uint_eq(unknown.count, 0);
    ck_assert_str_eq(testform_get(&form, "dev_options"), "Threads=1 Hash=32 Minimal=true");
    ck_assert_str_eq(testform_get(&form, "base_time_control"), "10.0+0.10");
    ck_assert_str_eq(testform_get(&form, "workload_size"), "32");
    ck_assert_str_eq(testform_get(&form, "test_bounds"), "[-3.00, 0.00]");
    ck_assert_str_eq(testform_get(&form, "base_branch"), "master");
    ck_assert_str_eq(testform_get(&form, "draw_adj"), "movenumber=32 movecount=8 score=10");
    ck_assert_ptr_null(testform_get(&form, "info"));
    testform_free(&form);
    engineconfig_free(config);
}

static void takes_config_of_engine(const ApiAnswer *answer) {
    EngineConfig config;
    Error err = {0};
    bool read = engineconfig_read(answer, "Weiss", &config, &err);
    expect_presets(read, &config, &err);
}
static void takes_all_configs(const ApiAnswer *answer) {
    EngineConfig config;
    Error err = {0};
    bool read = engineconfig_find(answer, "https://github.com/TerjeKir/weiss.git/", "Reductio",
                                  &config, &err);
    expect_presets(read, &config, &err);
    ck_assert(engineconfig_find(answer, "https://github.com/other/engine", NULL, &config, &err));
    ck_assert_ptr_null(config.name);
    ck_assert(engineconfig_find(answer, NULL, "Reductio", &config, &err));
    ck_assert_ptr_null(config.name);
}

static void compose_config_of_engine(HttpRequest *request) {
    api_config_engine(&reader, "Weiss", request);
}
static void compose_all_configs(HttpRequest *request) {
    api_all_configs(&reader, request);
}

/* ---- The table ---- */

/* One recording. */
typedef struct {
    const char *file;
    void (*compose)(HttpRequest *);
    ApiVerdict verdict;
    void (*takes)(const ApiAnswer *); /* NULL: the verdict is all */
} Claim;

static const Claim claims[] = {
    {"01-build-info.json", compose_build_info, API_OK, takes_build_info},
    {"02-runner-version.json", compose_runner_version, API_OK, takes_runner_version},
    {"03-client-version.json", compose_version, API_OK, takes_version},
    {"04-bad-credentials.json", compose_wrong_version, API_REFUSED, NULL},
    {"05-worker-info-bad-version.json", compose_worker_info, API_WRONG_VERSION,
     takes_expected_version},
    {"06-worker-info-bad-credentials.json", compose_wrong_worker_info, API_REFUSED, NULL},
    {"07-worker-info.json", compose_worker_info, API_OK, takes_registration},
    {"08-workload-none.json", compose_workload, API_OK, takes_no_work},
    {"09-bad-machine.json", compose_strange_workload, API_UNKNOWN_MACHINE, NULL},
    {"10-bad-secret.json", compose_secret_workload, API_REGISTER, NULL},
    {"11-workload-sprt.json", compose_workload, API_OK, takes_sprt},
    {"12-workload-sprt-next.json", compose_workload, API_OK, takes_next_sprt},
    {"13-submit-nps.json", compose_nps, API_OK, takes_going_on},
    {"14-heartbeat.json", compose_heartbeat, API_OK, takes_going_on},
    {"15-submit-results.json", compose_results, API_OK, takes_going_on},
    {"16-workload-api-info.json", compose_test_info, API_OK, takes_test_info},
    {"17-workload-api-results.json", compose_test_results, API_OK, takes_counts},
    {"19-submit-results-passing.json", compose_passing, API_OK, takes_stop},
    {"20-submit-results-after-end.json", compose_late, API_OK, takes_stop},
    {"21-heartbeat-after-end.json", compose_heartbeat, API_OK, takes_stop},
    {"22-workload-games.json", compose_workload, API_OK, takes_games},
    {"23-workload-cyclic-tc.json", compose_workload, API_OK, takes_cyclic},
    {"24-workload-movetime.json", compose_workload, API_OK, takes_movetime},
    {"25-workload-datagen.json", compose_workload, API_OK, takes_datagen},
    {"26-workload-spsa-single-batched.json", compose_workload, API_OK, takes_single_spsa},
    {"27-workload-spsa-multiple-bulk.json", compose_workload, API_OK, takes_multiple_spsa},
    {"28-submit-results-spsa.json", compose_spsa, API_OK, takes_going_on},
    {"30-workload-for-errors.json", compose_workload, API_OK, takes_sprt},
    {"31-build-fail.json", compose_build_fail, API_OK, NULL},
    {"32-engine-error.json", compose_engine_error, API_OK, takes_going_on},
    {"33-submit-pgn.json", compose_pgn, API_OK, takes_going_on},
    {"34-workload-blacklisted.json", compose_blacklist, API_OK, takes_no_work},
    {"35-bench-error.json", compose_bench_error, API_OK, takes_going_on},
    {"36-api-config.json", compose_config, API_OK, takes_config},
    {"37-api-config-engine.json", compose_config_of_engine, API_OK, takes_config_of_engine},
    {"38-api-buildinfo.json", compose_all_configs, API_OK, takes_all_configs},
    {"39-network-missing.json", compose_missing_network, API_REFUSED, NULL},
    {"40-network-download.json", compose_network, API_OK, NULL},
};

/* What is asked by people who submit and read tests: test_submit and test_servertest have it. */
static const char *const not_of_the_worker[] = {
    "18-workload-api-summary.json",   "29-spsa-digest.json",
    "41-api-networks.json",           "42-create-test.json",
    "43-create-test-bad-branch.json", "44-create-test-bad-password.json",
    "45-create-test-bad-bounds.json",
};

static bool is_claimed(const char *file) {
    for (size_t i = 0; i < COUNT(claims); i++)
        if (strcmp(claims[i].file, file) == 0)
            return true;
    for (size_t i = 0; i < COUNT(not_of_the_worker); i++)
        if (strcmp(not_of_the_worker[i], file) == 0)
            return true;
    return false;
}

START_TEST(every_recording_is_claimed) {
    const char *folder = recordings_folder();
    int found = 0;
    DIR *dir = opendir(folder);
    ck_assert_msg(dir != NULL, "%s", folder);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        ck_assert_msg(is_claimed(entry->d_name), "no test claims %s", entry->d_name);
        found++;
    }
    closedir(dir);
    ck_assert_int_eq(found, COUNT(claims) + COUNT(not_of_the_worker));
}
END_TEST

/* ---- Comparing ---- */

/* A value as a form has it. Allocated. */
static char *value_text(const cJSON *value) {
    Text text = {0};
    if (cJSON_IsString(value))
        text_add(&text, value->valuestring);
    else
        text_addf(&text, "%.0f", value->valuedouble);
    return text_take(&text);
}

/* How many fields the request has, and whether one of them is this. */
static bool has_field(const HttpRequest *request, const char *name, const char *value,
                      int *fields) {
    Text piece = {0};
    bool found = false;
    *fields = 0;
    http_form_add(&piece, name, value);
    for (const char *at = request->form; at; at = strchr(at, '&')) {
        at += *at == '&';
        size_t length = strcspn(at, "&");
        found = found || (length == piece.length && strncmp(at, text_string(&piece), length) == 0);
        ++*fields;
    }
    for (size_t i = 0; i < request->parts.count; i++) {
        const HttpPart *part = &request->parts.items[i];
        found = found || (!part->filename && strcmp(part->name, name) == 0 &&
                          strcmp(part->value, value) == 0);
        *fields += !part->filename;
    }
    text_free(&piece);
    return found;
}

/* Every recorded field is in the request with its value, and no other field. */
static void compare_fields(const Claim *claim, const HttpRequest *request, const cJSON *recorded) {
    int wanted = 0;
    int fields = 0;
    const cJSON *field;
    cJSON_ArrayForEach(field, recorded) {
        int copies = cJSON_IsArray(field) ? cJSON_GetArraySize(field) : 1;
        wanted += copies;
        for (int i = 0; i < copies; i++) {
            char *value = value_text(cJSON_IsArray(field) ? cJSON_GetArrayItem(field, i) : field);
            bool found = has_field(request, field->string, value, &fields);
            bool own = strcmp(field->string, "system_info") == 0; /* this machine's */
            ck_assert_msg(found || own, "%s: no %s=%s in %s", claim->file, field->string, value,
                          request->form ? request->form : "the parts");
            free(value);
        }
    }
    ck_assert_int_eq(fields, wanted);
}

/* Every recorded file is a part under its name. */
static void compare_files(const HttpRequest *request, const cJSON *files) {
    const cJSON *file;
    size_t sent = 0;
    for (size_t i = 0; i < request->parts.count; i++)
        sent += request->parts.items[i].filename != NULL;
    ck_assert_uint_eq(sent, (size_t)cJSON_GetArraySize(files));
    cJSON_ArrayForEach(file, files) {
        bool found = false;
        for (size_t i = 0; i < request->parts.count; i++)
            found = found || (request->parts.items[i].filename &&
                              strcmp(request->parts.items[i].name, file->string) == 0 &&
                              strcmp(request->parts.items[i].filename, file->valuestring) == 0);
        ck_assert_msg(found, "no file %s", file->string);
    }
}

START_TEST(requests_are_as_recorded) {
    const Claim *claim = &claims[_i];
    cJSON *recording = recording_load(claim->file);
    const cJSON *recorded = cJSON_GetObjectItemCaseSensitive(recording, "request");
    const char *method = cJSON_GetObjectItemCaseSensitive(recorded, "method")->valuestring;
    HttpRequest request;
    claim->compose(&request);
    Text url = {0};
    text_addf(&url, "http://h%s", cJSON_GetObjectItemCaseSensitive(recorded, "path")->valuestring);
    ck_assert_str_eq(request.url, text_string(&url));
    bool post = request.form || request.parts.count;
    /* The pages about tests were recorded as GETs; some servers want a login for them. */
    bool with_login =
        post && text_starts_with(request.url, "http://h/api/") && strcmp(method, "GET") == 0;
    ck_assert_str_eq(post && !with_login ? "POST" : "GET", method);
    if (post && !with_login) {
        compare_fields(claim, &request, recording_form(recording));
        compare_files(&request, cJSON_GetObjectItemCaseSensitive(recorded, "files"));
    }
    http_request_free(&request);
    text_free(&url);
    cJSON_Delete(recording);
}
END_TEST

START_TEST(answers_are_taken_as_recorded) {
    const Claim *claim = &claims[_i];
    cJSON *recording = recording_load(claim->file);
    HttpResponse response = {.outcome = HTTP_DONE, .status = 200};
    char *body = recording_body(recording);
    ApiAnswer answer;
    text_add(&response.body, body);
    /* A network's bytes are no answer to be judged: they go to a file. */
    bool raw = strcmp(body, "\"test\"") == 0;
    if (!raw) {
        api_judge(&response, &answer);
        ck_assert_msg(answer.verdict == claim->verdict, "%s: verdict %d, wanted %d: %s",
                      claim->file, (int)answer.verdict, (int)claim->verdict, answer.error.text);
        if (claim->takes)
            claim->takes(&answer);
        api_answer_free(&answer);
    }
    http_response_free(&response);
    free(body);
    cJSON_Delete(recording);
}
END_TEST

START_TEST(system_information_has_the_recorded_keys_and_types) {
    cJSON *recording = recording_load("07-worker-info.json");
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(recording_form(recording), "system_info");
    cJSON *recorded = cJSON_Parse(field->valuestring);
    SysinfoCompiler compiler = {"Weiss", "gcc", "12.2.0"};
    Words none = {0};
    Sysinfo info = {.compilers = &compiler,
                    .compiler_count = 1,
                    .tokens = &none,
                    .cpu_flags = &none,
                    .cpu_name = "CPU",
                    .isa_name = "x86-64-avx2",
                    .os_name = "Linux",
                    .os_ver = "6.1.0",
                    .worker_version = "obworker",
                    .mac_address = "2FC00000001",
                    .machine_name = "box1",
                    .focus = &none,
                    .cxx_compiler = "g++",
                    .client_version = 49};
    char *text = sysinfo_format(&info);
    cJSON *ours = cJSON_Parse(text);
    ck_assert_ptr_nonnull(ours);
    ck_assert_int_eq(cJSON_GetArraySize(ours), cJSON_GetArraySize(recorded));
    const cJSON *key;
    cJSON_ArrayForEach(key, recorded) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(ours, key->string);
        ck_assert_msg(value != NULL, "%s is missing", key->string);
        int type = value->type & (cJSON_False | cJSON_True) ? cJSON_False : value->type;
        int wanted = key->type & (cJSON_False | cJSON_True) ? cJSON_False : key->type;
        ck_assert_msg(type == wanted, "%s: type %d, recorded %d", key->string, type, wanted);
    }
    cJSON_Delete(ours);
    cJSON_Delete(recorded);
    cJSON_Delete(recording);
    free(text);
}
END_TEST

/* The same keys, with values of the same kinds; what presets are called is not compared. */
static void compare_shape(const char *where, const cJSON *ours, const cJSON *recorded) {
    const cJSON *item;
    ck_assert_msg(ours != NULL, "%s is missing", where);
    ck_assert_msg((ours->type & 0xff) == (recorded->type & 0xff) ||
                      (cJSON_IsBool(ours) && cJSON_IsBool(recorded)),
                  "%s: of another type", where);
    if (!cJSON_IsObject(recorded) || strstr(where, "_presets"))
        return;
    ck_assert_msg(cJSON_GetArraySize(ours) == cJSON_GetArraySize(recorded), "%s: %d keys", where,
                  cJSON_GetArraySize(ours));
    cJSON_ArrayForEach(item, recorded) {
        Text place = {0};
        text_addf(&place, "%s.%s", where, item->string);
        compare_shape(text_string(&place), cJSON_GetObjectItemCaseSensitive(ours, item->string),
                      item);
        text_free(&place);
    }
}

/* Whether one of the presets has this key. */
static bool presets_know(const cJSON *presets, const char *key) {
    const cJSON *preset;
    cJSON_ArrayForEach(preset, presets) {
        if (cJSON_GetObjectItemCaseSensitive(preset, key))
            return true;
    }
    return false;
}

static void compare_presets(const cJSON *ours, const cJSON *recorded) {
    const cJSON *preset;
    const cJSON *item;
    cJSON_ArrayForEach(preset, ours) {
        cJSON_ArrayForEach(item, preset) ck_assert_msg(
            presets_know(recorded, item->string), "%s: no recorded preset has it", item->string);
    }
}

START_TEST(our_own_description_has_the_recorded_shape) {
    static const char *const kinds[] = {"test_presets", "tune_presets", "datagen_presets"};
    Text path = {0};
    Error err = {0};
    text_addf(&path, "%s/engine/openbench.json", getenv("srcdir"));
    Text text = read_whole(text_string(&path));
    cJSON *ours = json_parse(text_string(&text), text.length, &err);
    ck_assert_msg(ours != NULL, "%s", err.text);
    cJSON *recording = recording_load("37-api-config-engine.json");
    const cJSON *recorded = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(recording, "response"), "body");
    compare_shape("description", ours, recorded);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        compare_presets(cJSON_GetObjectItemCaseSensitive(ours, kinds[i]),
                        cJSON_GetObjectItemCaseSensitive(recorded, kinds[i]));
    cJSON_Delete(ours);
    cJSON_Delete(recording);
    text_free(&path);
    text_free(&text);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, our_own_description_has_the_recorded_shape);
    tcase_add_test(tests, every_recording_is_claimed);
    tcase_add_loop_test(tests, requests_are_as_recorded, 0, COUNT(claims));
    tcase_add_loop_test(tests, answers_are_taken_as_recorded, 0, COUNT(claims));
    tcase_add_test(tests, system_information_has_the_recorded_keys_and_types);
}

int main(void) {
    if (!recordings_available())
        return leave_out("the recorded exchanges", "they are not here");
    return run_tests("recordings", add_tests);
}
