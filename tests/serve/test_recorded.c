/* SPDX-License-Identifier: MIT */
/* Every recorded exchange of an OpenBench server, with this server: the recorded requests get
 * answers of the same status, keys, types and, but for what chance, time and machines decide,
 * values. The recorded scripts and forms of new tests lead where they led. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/memory.h"
#include "serve/newtest.h"
#include "tools/protocol_rig.h"
#include "tools/recordings.h"
#include "runner.h"

enum { PATH_SIZE = 256 };

#define RECORDED_SECRET "526be8d69ec9cd1fe0b8f06cc7fd1245ad79628bc196022c36e2e1271794aa82"

static char secret[65] = "none"; /* Of the machine that registered. */
static const char *compared;     /* The recording's name. */

/* Tests 1 to 8, a machine 1 and a row 1, so that the recorded numbers are those of this server. */
static void add_recorded_tests(void) {
    Test first = protocol_test("SPRT", "N=2000"), sprt = protocol_test("SPRT", "N=2000");
    Test games = protocol_test("GAMES", "8.0+0.08");
    Test cyclic = protocol_test("SPRT", "40/10.0+0.10"), timed = protocol_test("SPRT", "MT=100");
    Test datagen = protocol_test("DATAGEN", "N=5000"), tuning = protocol_test("SPSA", "N=2000");
    Test faults = protocol_test("SPRT", "N=2000");
    protocol_set(&games.upload_pgns, "VERBOSE");
    protocol_set(&games.win_adj, "None");
    protocol_set(&games.draw_adj, "None");
    protocol_set(&games.syzygy_wdl, "DISABLED");
    protocol_set(&games.syzygy_adj, "DISABLED");
    tuning.spsa = (SpsaSchedule){0.602, 0.101, 0.1, 5000, 8};
    Test *const all[] = {&first, &sprt, &games, &cyclic, &timed, &datagen, &tuning, &faults};
    for (size_t i = 0; i < COUNT(all); i++)
        ck_assert_int_eq(protocol_add_test(all[i]), (int64_t)i + 1);
    protocol_add_parameters(7);
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

static void send_recorded(const cJSON *recording) {
    const cJSON *request = cJSON_GetObjectItem(recording, "request");
    const cJSON *method = cJSON_GetObjectItem(request, "method");
    const cJSON *files = cJSON_GetObjectItem(request, "files");
    WebRequest out = {.post = strcmp(method->valuestring, "POST") == 0,
                      .path = mem_strdup(cJSON_GetObjectItem(request, "path")->valuestring)};
    add_recorded(&out.form, cJSON_GetObjectItem(request, "form"));
    if (files && files->child)
        rig_add_upload(&rig, &out, files->child->string, "../../games.pgn", "BZh9 games");
    protocol_dispatch(&out);
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
    protocol_only(2);
}
static void begin_games(void) {
    protocol_only(3);
}
static void begin_cyclic(void) {
    protocol_only(4);
}
static void begin_timed(void) {
    protocol_only(5);
}
static void begin_datagen(void) {
    protocol_only(6);
}
static void begin_tuning(void) {
    protocol_only(7);
}
static void begin_multiple(void) {
    protocol_run_sql(
        "UPDATE tests SET spsa_distribution = 'MULTIPLE', spsa_reporting = 'BULK' WHERE id = 7",
        SQL_NO_VALUES);
}
static void begin_faults(void) {
    protocol_only(8);
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
    protocol_start();
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
    protocol_stop();
}
END_TEST

/* ---- New tests ---- */

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

static const struct {
    const char *name;
    const char *location;
} scripts[] = {{"42-create-test.json", "/index/"},
               {"43-create-test-bad-branch.json", "/test/new/"},
               {"44-create-test-bad-password.json", "/login/"},
               {"45-create-test-bad-bounds.json", "/test/new/"}};

START_TEST(scripts_are_sent_where_the_recorded_ones_were_sent) {
    protocol_start();
    rig_add_repository(&rig, "weiss", "master", "git branch lmr-killer");
    for (size_t i = 0; i < COUNT(scripts); i++) {
        cJSON *recording = recording_load(scripts[i].name);
        WebRequest request = {
            .post = true, .path = mem_strdup("/scripts/"), .form = recorded_form(recording)};
        protocol_dispatch(&request);
        ck_assert_int_eq(rig.answer.status, WEB_FOUND);
        ck_assert_str_eq(rig_location(&rig), scripts[i].location);
        cJSON_Delete(recording);
    }
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM tests"), 1);
    ck_assert_int_eq(protocol_ask("SELECT dev_bench FROM tests"), 77);
    ck_assert_int_eq(protocol_ask("SELECT alpha = 0.05 AND beta = 0.1 FROM tests"), 1);
    protocol_stop();
}
END_TEST

/* The forms of forms/, and whether the server of the recordings took them. */
static const struct {
    const char *name;
    TestFormKind kind;
    bool accepted;
} forms[] = {{"../forms/49-create-tune.json", TESTFORM_TUNE, true},
             {"../forms/50-create-tune-bad-inputs.json", TESTFORM_TUNE, false},
             {"../forms/52-create-datagen.json", TESTFORM_DATAGEN, true}};

START_TEST(forms_are_taken_and_refused_as_the_recorded_ones_were) {
    protocol_start();
    rig_add_repository(&rig, "weiss", "master", "git branch lmr-killer");
    User user = {.name = (char *)TESTER, .approver = true};
    for (size_t i = 0; i < COUNT(forms); i++) {
        cJSON *recording = recording_load(forms[i].name);
        WebRequest request = {.form = recorded_form(recording)};
        Text reasons = {0};
        int64_t id = newtest_create(&rig.serve, &user, &request, forms[i].kind, &reasons);
        ck_assert_msg((id != 0) == forms[i].accepted, "%s: %s", forms[i].name,
                      text_string(&reasons));
        ck_assert_int_eq(reasons.length == 0, forms[i].accepted);
        text_free(&reasons);
        web_request_free(&request);
        cJSON_Delete(recording);
    }
    ck_assert_int_eq(protocol_ask("SELECT count(*) FROM parameters"), 3);
    ck_assert_int_eq(protocol_ask("SELECT max_games FROM tests WHERE kind = 'DATAGEN'"), 1000);
    protocol_stop();
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, scripts_are_sent_where_the_recorded_ones_were_sent);
    tcase_add_test(tests, forms_are_taken_and_refused_as_the_recorded_ones_were);
    tcase_add_test(tests, every_recorded_request_gets_the_recorded_answer);
}

int main(int argc, char **argv) {
    child_trampoline(argc, argv); /* git runs as a child. */
    if (!recordings_available())
        return leave_out("the recorded exchanges", "they are not here");
    return run_tests("recorded exchanges", add_tests);
}
