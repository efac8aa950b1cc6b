/* SPDX-License-Identifier: MIT */
/* `obworker work` from end to end, over HTTP, against a small server that keeps what it receives:
 * real archives, real builds, real games (of a scripted engine), real reports. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "build/bench.h"
#include "base/tree.h"
#include "openbench/http.h"
#include "tools/openbench_double.h"
#include "tools/recordings.h"
#include "tools/worker_rig.h"
#include "tools/zip.h"
#include "runner.h"

enum { PATH_SIZE = 256, LOG_LIMIT = 4 << 20 };

#define RESULTS "/clientSubmitResults/"
#define WORKLOAD "/clientGetWorkload/"
#define FAULT "/clientSubmitError/"

/* ---- The straight path ---- */

START_TEST(a_workload_is_fetched_built_checked_played_and_reported) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, "/clientVersionRef/"), 1);
    ck_assert_uint_eq(double_count(rig_server, "/clientGetBuildInfo/"), 1);
    ck_assert_uint_eq(double_count(rig_server, "/clientWorkerInfo/"), 1);
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 2);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitNPS/"), 1);
    rig_expect_field("/clientSubmitNPS/", 0, "nps", "1000000");
    rig_expect_field("/clientSubmitNPS/", 0, "dev_nps", "1000000");
    rig_expect_field("/clientSubmitNPS/", 0, "base_nps", "1000000");
    rig_expect_field("/clientSubmitNPS/", 0, "secret", "secret-2");
    rig_expect_field(RESULTS, 0, "test_id", "5");
    rig_expect_field(RESULTS, 0, "result_id", "105");
    rig_expect_field(RESULTS, 0, "spsa_delta", "");
    rig_expect_games(16);
    ck_assert_uint_eq(double_count(rig_server, FAULT), 0);
    ck_assert_uint_eq(double_count(rig_server, "/clientBenchError/"), 0);
    /* What was built and fetched is kept. */
    rig_offer(&(RigOffer){.id = 5, .book_index = 9});
    rig_run(rig_once, 0);
    rig_expect_games(32);
    ck_assert_uint_eq(double_count(rig_server, "/dev.zip"), 1);
    ck_assert_uint_eq(double_count(rig_server, "/base.zip"), 1);
    ck_assert_uint_eq(double_count(rig_server, "/book.zip"), 1);
}
END_TEST

START_TEST(the_machine_is_described) {
    rig_run(rig_once, 0);
    char *text = double_field(rig_server, "/clientWorkerInfo/", 0, "system_info", 0);
    cJSON *info = cJSON_Parse(text);
    ck_assert_msg(info != NULL, "%s", text);
    const cJSON *compilers = cJSON_GetObjectItemCaseSensitive(info, "compilers");
    const cJSON *tiny = cJSON_GetObjectItemCaseSensitive(compilers, "Tiny");
    ck_assert_int_eq(cJSON_GetArraySize(tiny), 2);
    /* The first of the list that is here. */
    ck_assert_str_eq(cJSON_GetArrayItem(tiny, 0)->valuestring, "gcc");
    ck_assert_str_ne(cJSON_GetArrayItem(tiny, 1)->valuestring, "");
    /* An engine whose source needs a token is not offered without one. */
    ck_assert_ptr_null(cJSON_GetObjectItemCaseSensitive(compilers, "Hidden Tiny"));
    ck_assert_msg(strstr(text, "\"tokens\":{}") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "\"os_name\":\"Linux\"") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "\"python_ver\":\"obworker ") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "\"fastchess_ver\":\"obworker ") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "\"noisy\":false,\"focus\":[]") != NULL, "%s", text);
    ck_assert_int_eq(cJSON_GetObjectItemCaseSensitive(info, "concurrency")->valueint, 2);
    ck_assert_int_eq(cJSON_GetObjectItemCaseSensitive(info, "client_ver")->valueint, 49);
    ck_assert_int_gt(cJSON_GetObjectItemCaseSensitive(info, "ram_total_mb")->valueint, 0);
    ck_assert_int_gt(cJSON_GetObjectItemCaseSensitive(info, "logical_cores")->valueint, 0);
    const char *mac = cJSON_GetObjectItemCaseSensitive(info, "mac_address")->valuestring;
    ck_assert_msg(strspn(mac, "0123456789ABCDEF") == strlen(mac) && strlen(mac) > 6, "%s", mac);
    /* The number stays the same. */
    rig_run((const char *const[]){"--once", "-I", "box7", "--noisy", "--focus", "Tiny", NULL}, 0);
    char *again = double_field(rig_server, "/clientWorkerInfo/", 1, "system_info", 0);
    ck_assert_msg(strstr(again, mac) != NULL, "%s not in %s", mac, again);
    ck_assert_msg(strstr(again, "\"machine_name\":\"box7\"") != NULL, "%s", again);
    ck_assert_msg(strstr(again, "\"noisy\":true,\"focus\":[\"Tiny\"]") != NULL, "%s", again);
    cJSON_Delete(info);
    free(text);
    free(again);
}
END_TEST

/* A number of the index-th registration. */
static int announced(size_t index, const char *key) {
    char *text = double_field(rig_server, "/clientWorkerInfo/", index, "system_info", 0);
    ck_assert_ptr_nonnull(text);
    cJSON *info = cJSON_Parse(text);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(info, key);
    ck_assert_msg(cJSON_IsNumber(item), "no number %s in %s", key, text);
    int number = item->valueint;
    cJSON_Delete(info);
    free(text);
    return number;
}

START_TEST(sockets_are_announced_and_a_fleet_ends_without_work) {
    rig_run((const char *const[]){"--fleet", "-N", "3", NULL}, 0);
    ck_assert_int_eq(announced(0, "sockets"), 3);
    ck_assert_int_eq(announced(0, "concurrency"), 2);
    ck_assert_int_eq(announced(0, "syzygy_max"), 0);
    rig_expect_log("there is no work");
    rig_run((const char *const[]){"-T", "auto", "--once", NULL}, 0);
    ck_assert_int_ge(announced(1, "concurrency"), 1);
    ck_assert_int_le(announced(1, "concurrency"), (int)sysconf(_SC_NPROCESSORS_ONLN));
}
END_TEST

/* By the tables' names: what is in them is the match's matter. */
START_TEST(tables_are_announced_when_none_is_missing) {
    static const char *const tables[] = {"KQvK", "KRvK", "KBvK", "KNvK", "KPvK"};
    char *folder = rig_path("tables");
    Text path = {0};
    Error err = {0};
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < COUNT(tables); i++) {
        text_clear(&path);
        text_addf(&path, "%s/%s.rtbw", folder, tables[i]);
        ck_assert(file_write_atomic(text_string(&path), "", 0, 0600, &err));
    }
    rig_run((const char *const[]){"--once", "--syzygy", folder, NULL}, 0);
    Text log = rig_log();
    if (strstr(text_string(&log), "built without Fathom")) {
        printf("session: no Fathom in this build: the announcement of tables is left out\n");
        ck_assert_int_eq(announced(0, "syzygy_max"), 0);
    } else {
        ck_assert_int_eq(announced(0, "syzygy_max"), 3);
        ck_assert_int_eq(unlink(text_string(&path)), 0);
        rig_run((const char *const[]){"--once", "--syzygy", folder, NULL}, 0);
        ck_assert_int_eq(announced(1, "syzygy_max"), 0);
        rig_expect_log("not all tables of three men are there");
    }
    text_free(&log);
    text_free(&path);
    free(folder);
}
END_TEST

START_TEST(the_next_workload_follows) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6, .type = "GAMES", .runners = 1, .rounds = 4});
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 3);
    rig_expect_games(16 + 4);
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6});
    rig_run((const char *const[]){"--max-workloads", "1", NULL}, 0);
    rig_expect_games(16 + 4 + 16);
}
END_TEST

/* ---- SPSA ---- */

START_TEST(spsa_values_reach_the_engines_and_deltas_the_server) {
    char *log = rig_path("dev.log");
    Text words = {0};
    text_addf(&words, "\"side=dev\", \"plan=60,20\", \"delay=1\", \"log=%s\",", log);
    rig_serve_engine("/dev.zip", RIG_BENCH, text_string(&words), "");
    rig_offer(&(RigOffer){.id = 5,
                          .type = "SPSA",
                          .spsa =
                              "{\"Hash\": {\"index\": 0, \"dev\": [11, 22], \"base\": [22, 11], "
                              "\"flip\": [1, 1], \"c\": 4.0, \"r\": 0.25}}",
                          .reporting = _i ? "BULK" : "BATCHED"});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    DoubleTotals t = double_totals(rig_server);
    double sum = 0;
    for (size_t i = 0; i < double_count(rig_server, RESULTS); i++) {
        char *delta = double_field(rig_server, RESULTS, i, "spsa_delta", 0);
        ck_assert_msg(delta[0] == '[' && delta[strlen(delta) - 1] == ']', "%s", delta);
        sum += strtod(delta + 1, NULL);
        free(delta);
    }
    ck_assert_double_eq(sum, (double)(t.tri[2] - t.tri[0]));
    ck_assert_int_ne(t.tri[2], t.tri[0]);
    if (_i)
        ck_assert_int_eq(t.submissions, 1);
    Text heard = {0};
    Error err = {0};
    ck_assert_msg(file_read(log, LOG_LIMIT, &heard, &err), "%s", err.text);
    ck_assert(strstr(text_string(&heard), "setoption name Hash value 11") != NULL);
    ck_assert(strstr(text_string(&heard), "setoption name Hash value 22") != NULL);
    text_free(&heard);
    text_free(&words);
    free(log);
}
END_TEST

/* Parameters come in any order, and their deltas go in that of their index. */
START_TEST(deltas_are_reported_as_they_come_in_the_order_of_the_index) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=60,20\", \"delay=2\",", "");
    rig_offer(&(RigOffer){
        .id = 5,
        .type = "SPSA",
        .rounds = 100000,
        .spsa =
            "{\"Threads\": {\"index\": 1, \"dev\": [1, 2], \"base\": [2, 1], \"flip\": [-1, -1], "
            "\"c\": 4.0, \"r\": 0.5}, \"Hash\": {\"index\": 0, \"dev\": [11, 22], \"base\": "
            "[22, 11], \"flip\": [1, 1], \"c\": 4.0, \"r\": 0.25}}",
        .reporting = "BATCHED"});
    rig_start(rig_once);
    ck_assert(double_wait(rig_server, RESULTS, 3, RIG_PATIENCE_S));
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    for (size_t i = 0; i < double_count(rig_server, RESULTS); i++) {
        char *trinomial = double_field(rig_server, RESULTS, i, "trinomial", 0);
        char *delta = double_field(rig_server, RESULTS, i, "spsa_delta", 0);
        int losses, draws, wins;
        Text wanted = {0};
        ck_assert_int_eq(sscanf(trinomial, "%d %d %d", &losses, &draws, &wins), 3);
        text_addf(&wanted, "[%d, %d]", wins - losses, -2 * (wins - losses));
        ck_assert_str_eq(delta, text_string(&wanted));
        text_free(&wanted);
        free(trinomial);
        free(delta);
    }
}
END_TEST

START_TEST(spsa_of_an_option_that_is_not_there_is_an_error) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5,
                          .type = "SPSA",
                          .spsa = "{\"NoSuch\": {\"index\": 0, \"dev\": [1, 2], \"base\": [2, 1], "
                                  "\"flip\": [1, 1], \"c\": 4.0, \"r\": 0.25}}"});
    rig_run(rig_once, 1);
    rig_expect_games(0);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    char *error = double_field(rig_server, FAULT, 0, "error", 0);
    ck_assert_msg(error && strstr(error, "NoSuch") != NULL, "%s", error ? error : "nothing");
    free(error);
}
END_TEST

/* ---- Our own engine, as a server would have it played ---- */

START_TEST(our_own_engine_is_built_from_its_tree_and_played) {
    rig_serve_own("/dev.zip");
    rig_serve_own("/own.zip");
    int bench = (int)rig_own_bench();
    rig_offer(&(RigOffer){.id = 5,
                          .dev_bench = bench,
                          .base_bench = bench,
                          .base_source = "own",
                          .path = "engine",
                          .time_control = "0.5+0.01",
                          .rounds = 4});
    rig_run(rig_once, 0);
    rig_expect_games(8);
    ck_assert_int_eq(double_totals(rig_server).crashes + double_totals(rig_server).illegals, 0);
}
END_TEST

/* ---- Faults of the test ---- */

START_TEST(a_finished_test_is_stopped_at_once) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"delay=3\",", "");
    double_stop_at(rig_server, 1);
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    rig_run(rig_once, 0);
    rig_expect_log("test 5 is over");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 1);
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 2);
    /* Over is not wrong: it is not on the blacklist. */
    ck_assert_ptr_null(double_field(rig_server, WORKLOAD, 1, "blacklist", 0));
}
END_TEST

START_TEST(a_wrong_bench_is_reported_and_nothing_is_played) {
    rig_serve_dev();
    rig_offer(&(RigOffer){
        .id = 5, .dev_bench = RIG_BENCH + (_i == 0), .base_bench = RIG_BENCH + (_i == 1)});
    rig_run(rig_once, 1);
    ck_assert_uint_eq(double_count(rig_server, "/clientBenchError/"), 1);
    rig_expect_field("/clientBenchError/", 0, "error",
                     _i ? "[Tiny-BBBBBBBB] Wrong Bench: 4242"
                        : "[Tiny-AAAAAAAA] Wrong Bench: 4242");
    rig_expect_field("/clientBenchError/", 0, "test_id", "5");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitNPS/"), 0);
}
END_TEST

START_TEST(a_failed_build_is_reported_with_its_log) {
    rig_serve_dev();
    rig_serve_engine("/broken.zip", RIG_BENCH, "", "echo 'int main(' >engine.c; ");
    Text url = {0};
    text_addf(&url, "%s/broken.zip", double_url(rig_server));
    rig_offer(&(RigOffer){
        .id = 5, .dev_source = _i ? NULL : text_string(&url), .base_source = _i ? "broken" : NULL});
    rig_run(rig_once, 1);
    text_free(&url);
    ck_assert_uint_eq(double_count(rig_server, FAULT), 1);
    rig_expect_field(FAULT, 0, "error",
                     _i ? "[Tiny] base-branch build failed" : "[Tiny] dev-branch build failed");
    char *logs = double_field(rig_server, FAULT, 0, "logs", 0);
    ck_assert_msg(strstr(logs, "engine.c:1") != NULL, "%s", logs);
    free(logs);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
}
END_TEST

/* The server and its users can do nothing about it. */
START_TEST(a_build_for_which_the_disk_has_no_room_is_nobody_elses_fault) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "",
                     "echo 'as: engine.o: No space left on device' >&2; exit 1; ");
    rig_offer(&(RigOffer){.id = 5});
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 2, RIG_PATIENCE_S));
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    rig_expect_log("test 5: [Tiny] dev-branch is not built: no space left in /tmp/");
    ck_assert_uint_eq(double_count(rig_server, FAULT), 0);
    ck_assert_ptr_null(double_field(rig_server, WORKLOAD, 1, "blacklist", 0));
}
END_TEST

START_TEST(a_book_with_a_wrong_hash_is_not_played) {
    rig_serve_dev();
    rig_offer(&(RigOffer){
        .id = 5, .book_sha = "1f055af431656f09ee6a09d2448e0b876125f78bb7b404fca2031c403a1541e5"});
    rig_run(rig_once, 1);
    rig_expect_log("book book.epd from");
    rig_expect_log("but the server says 1f055af4");
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
}
END_TEST

static const struct {
    RigOffer offer;
    const char *words;
} unplayable[] = {
    {{.id = 5, .time_control = "soon"}, "soon"},
    {{.id = 5, .options = "Threads"}, "option \\\"Threads\\\" is not Name=Value"},
};

START_TEST(what_cannot_be_played_is_refused_by_name) {
    rig_serve_dev();
    rig_offer(&unplayable[_i].offer);
    rig_run(rig_once, 1);
    Text words = {0};
    for (const char *c = unplayable[_i].words; *c; c++)
        if (*c != '\\')
            text_add_char(&words, *c);
    rig_expect_log(text_string(&words));
    text_free(&words);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, "/dev.zip"), 0);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
}
END_TEST

START_TEST(an_engine_that_dies_is_reported_with_its_game) {
    char *mark = rig_path("died");
    Text words = {0};
    text_addf(&words, "\"side=dev\", \"plan=40,30\", \"fault=crash\", \"once=%s\",", mark);
    rig_serve_engine("/dev.zip", RIG_BENCH, text_string(&words), "");
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    ck_assert_int_eq(double_totals(rig_server).crashes, 1);
    ck_assert_uint_eq(double_count(rig_server, FAULT), 1);
    rig_expect_field(FAULT, 0, "error", "Disconnect");
    char *pgn = double_field(rig_server, FAULT, 0, "logs", 0);
    ck_assert_msg(strstr(pgn, "[Result \"") != NULL && strstr(pgn, "disconnects") != NULL, "%s",
                  pgn);
    free(pgn);
    text_free(&words);
    free(mark);
}
END_TEST

START_TEST(an_engine_that_does_not_start_ends_the_workload) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"start=exit\",", "");
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 1);
    ck_assert_uint_ge(double_count(rig_server, FAULT), 1);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    rig_expect_games(0);
}
END_TEST

/* ---- Faults of the server ---- */

START_TEST(a_wrong_password_is_one_line) {
    rig_run((const char *const[]){"--once", "-P", "wrong", NULL}, 1);
    rig_expect_log("refuses user tester: Bad Credentials");
    ck_assert_uint_eq(double_count(rig_server, "/clientWorkerInfo/"), 0);
}
END_TEST

START_TEST(another_version_is_named) {
    double_replace(
        rig_server, "/clientVersionRef/", DOUBLE_INSTEAD, 200,
        "{\"client_version\": 50, \"client_repo_url\": \"\", \"client_repo_ref\": \"\"}");
    rig_run(rig_once, 1);
    rig_expect_log("wants client version 50; this worker speaks 49 (--client-version 50 tries");
    double_replace(rig_server, "/clientWorkerInfo/", DOUBLE_INSTEAD, 200,
                   "{\"error\": \"Bad Client Version: Expected 51\"}");
    rig_run(rig_once, 1);
    rig_expect_log("wants client version 51; this worker speaks 49");
}
END_TEST

START_TEST(a_server_that_is_down_is_waited_for) {
    rig_start((const char *const[]){"-S", "http://127.0.0.1:1", NULL});
    for (int i = 0; i < RIG_PATIENCE_S * 100; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        char *path = rig_path("log");
        Text text = {0};
        bool said = file_read(path, LOG_LIMIT, &text, NULL) &&
                    strstr(text_string(&text), "trying again in") != NULL;
        text_free(&text);
        free(path);
        if (said)
            break;
    }
    rig_expect_log("http://127.0.0.1:1/: asking which client version is wanted");
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    /* But not for ever by one who wants a single round. */
    rig_run((const char *const[]){"--once", "-S", "http://127.0.0.1:1", NULL}, 1);
    rig_expect_log("giving up");
}
END_TEST

static const struct {
    int status;
    const char *body;
} garbage[] = {
    {500, "<html>Server Error</html>"},
    {200, "<html>Maintenance</html>"},
    {200, ""},
    {200, "{\"workload\": {\"result\": {\"id\""},
    {200, "{\"workload\": {\"result\": 5}}"},
    {502, "{}"},
    {0, ""},
};

START_TEST(answers_that_are_none_are_asked_for_again) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    const char *const paths[] = {
        "/clientVersionRef/", "/clientGetBuildInfo/", "/clientWorkerInfo/", WORKLOAD, "/book.zip",
        "/dev.zip",           "/clientSubmitNPS/"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        for (size_t k = 0; k < sizeof garbage / sizeof *garbage; k += i % 2 + 1)
            if (paths[i][1] == 'c' || k == 0)
                double_replace(rig_server, paths[i], DOUBLE_INSTEAD, garbage[k].status,
                               garbage[k].body);
    rig_run(rig_once, 0);
    rig_expect_games(16);
    rig_expect_log("trying again in");
}
END_TEST

/* One that leads elsewhere is none of the server's words, and is not followed. */
START_TEST(a_redirect_ends_a_first_registration_and_is_else_waited_out) {
    static const char version[] =
        "{\"client_version\": 49, \"client_repo_url\": \"\", \"client_repo_ref\": \"\"}";
    const char *const paths[] = {WORKLOAD, "/clientSubmitNPS/", RESULTS, "/clientHeartbeat/"};
    double_replace(rig_server, "/clientVersionRef/", DOUBLE_INSTEAD, 302, "/portal/");
    rig_run((const char *const[]){NULL}, 1);
    rig_expect_log("asking which client version is wanted: redirected to ");
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, "/clientVersionRef/", DOUBLE_INSTEAD, 200, version);
    double_replace(rig_server, "/clientVersionRef/", DOUBLE_INSTEAD, 302, "/portal/");
    for (size_t i = 0; i < COUNT(paths); i++)
        double_replace(rig_server, paths[i], DOUBLE_INSTEAD, 302, "/portal/");
    double_replace(rig_server, "/clientSubmitNPS/", DOUBLE_INSTEAD, 200,
                   "{\"error\": \"Bad Client Version: Invalid Secret Token\"}");
    rig_run(rig_once, 0);
    rig_expect_log("asking for work: redirected to ");
    rig_expect_log("reporting the speed: redirected to ");
    rig_expect_log("asking which client version is wanted: redirected to ");
    rig_expect_games(16);
    ck_assert_uint_eq(double_count(rig_server, "/portal/"), 0);
}
END_TEST

START_TEST(an_answer_that_is_too_long_is_asked_for_again) {
    char *body = mem_alloc(HTTP_ANSWER_LIMIT + 2);
    memset(body, ' ', HTTP_ANSWER_LIMIT + 1);
    body[HTTP_ANSWER_LIMIT + 1] = '\0';
    double_replace(rig_server, "/clientVersionRef/", DOUBLE_INSTEAD, 200, body);
    double_replace(rig_server, WORKLOAD, DOUBLE_INSTEAD, 200, body);
    rig_run(rig_once, 0);
    rig_expect_log("wanted: longer than 16777216 bytes; trying again in");
    rig_expect_log("asking for work: longer than 16777216 bytes; trying again in");
    free(body);
}
END_TEST

static const char unknown_machine[] = "{\"error\": \"Bad Client Version: Bad Machine Id\"}";

/* A server whose database is locked says so too: once is not enough. */
START_TEST(a_machine_that_is_not_known_once_is_asked_again_first) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, "/clientSubmitNPS/", DOUBLE_INSTEAD, 200, unknown_machine);
    rig_run(rig_once, 0);
    rig_expect_log("reporting the speed: Bad Client Version: Bad Machine Id; trying again in");
    ck_assert_uint_eq(double_count(rig_server, "/clientWorkerInfo/"), 1);
    ck_assert_uint_eq(double_count(rig_server, "/clientSubmitNPS/"), 2);
    rig_expect_games(16);
}
END_TEST

START_TEST(a_machine_that_is_forgotten_registers_again) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    for (int i = 0; i < 2; i++)
        double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, unknown_machine);
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200,
                   "{\"error\": \"Bad Client Version: Server Configuration Changed\"}");
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, "/clientWorkerInfo/"), 3);
    rig_expect_games(16);
    /* The result still names where it belongs; the machine is the new one. */
    size_t last = double_count(rig_server, RESULTS) - 1;
    rig_expect_field(RESULTS, last, "result_id", "105");
    rig_expect_field(RESULTS, last, "machine_id", "4");
}
END_TEST

/* The answer to a batch is lost in every way, before and after it was added: each game counts once.
 */
START_TEST(a_batch_whose_answer_is_lost_counts_once) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=1\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 16});
    rig_offer(&(RigOffer){.id = 5, .rounds = 16, .book_index = 17});
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        double_replace(rig_server, RESULTS, (DoubleMoment)(i % 2), garbage[i].status,
                       garbage[i].body);
        if (garbage[i].body[0] == '{' && garbage[i].status == 200)
            continue;
        double_replace(rig_server, RESULTS, (DoubleMoment)((i + 1) % 2), garbage[i].status,
                       garbage[i].body);
    }
    rig_run(rig_once, 0);
    rig_expect_games(64);
    ck_assert_uint_gt(double_count(rig_server, "/api/workload/5/results/"), 0);
}
END_TEST

/* ---- The worker ends without warning ---- */

/* The files of a folder of the outbox. */
static int count_files(const char *name) {
    char *path = rig_path(name);
    DIR *dir = opendir(path);
    int count = 0;
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        count += strstr(entry->d_name, ".journal") != NULL;
    if (dir)
        closedir(dir);
    free(path);
    return count;
}

/* Nothing that a killed worker has finished is lost, and nothing of it counts twice. */
START_TEST(what_a_killed_worker_has_finished_is_delivered_by_the_next) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=3\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    /* Added, but the worker does not hear of it. */
    if (_i)
        double_replace(rig_server, RESULTS, DOUBLE_AFTERWARDS, 500, "<html>");
    rig_start((const char *const[]){"--keep-delivered", "--verify-ms", _i ? "60000" : "100", NULL});
    ck_assert(double_wait(rig_server, RESULTS, _i ? 1 : 2, RIG_PATIENCE_S));
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    kill(rig_worker, SIGKILL);
    ck_assert_int_eq(rig_wait(), 128 + SIGKILL);
    /* A server may still be adding it: its counts are not looked at so soon, but for the look
     * before the first batch. */
    ck_assert_uint_eq(double_count(rig_server, "/api/workload/5/results/"), 1);
    int64_t before = rig_kept_games();
    ck_assert_int_gt(before, 0);
    ck_assert_int_eq(count_files("state/outbox"), 1);
    rig_run((const char *const[]){"--once", "--keep-delivered", NULL}, 0);
    ck_assert_int_eq(rig_kept_games(), before);
    ck_assert_int_eq(count_files("state/outbox"), 0);
    ck_assert_int_eq(count_files("state/outbox/delivered"), 1);
    rig_expect_games(before);
    rig_expect_log("games of an earlier run wait in ");
}
END_TEST

/* ---- The user ---- */

START_TEST(an_interrupt_finishes_and_reports_the_games_in_play) {
    rig_serve_engine("/dev.zip", RIG_BENCH,
                     _i ? "\"side=dev\", \"plan=40,30\", \"delay=20\","
                        : "\"side=dev\", \"plan=40,30\", \"delay=3\",",
                     "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    rig_start(rig_once);
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    kill(rig_worker, _i ? SIGTERM : SIGINT);
    if (_i) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        kill(rig_worker, SIGTERM);
    }
    rig_expect_status(0);
    DoubleTotals t = double_totals(rig_server);
    ck_assert_int_gt(t.tri[0] + t.tri[1] + t.tri[2], 0);
    rig_expect_games(t.tri[0] + t.tri[1] + t.tri[2]);
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 1);
}
END_TEST

/* How many moves the engines were asked for, by what they have written down. */
static int moves_asked(const char *path) {
    Text heard = {0};
    int count = 0;
    if (!file_read(path, LOG_LIMIT, &heard, NULL))
        return 0;
    for (const char *at = text_string(&heard); (at = strstr(at, " go ")); at++)
        count++;
    text_free(&heard);
    return count;
}

/* A game is drawn after ten moves of each side. */
enum { WHOLE_GAME = 20, QUICK_MS = 40, NEVER_MS = 1000000 };

START_TEST(a_game_in_play_is_finished_at_first_and_stopped_at_last) {
    char *heard = rig_path("heard");
    Text words = {0};
    text_addf(&words, "\"plan=0,100\", \"delay=%d\", \"log=%s\",", _i ? NEVER_MS : QUICK_MS, heard);
    rig_serve_engine("/dev.zip", RIG_BENCH, text_string(&words), "");
    rig_offer(&(RigOffer){.id = 5, .base_source = "dev", .runners = 1, .rounds = 1000});
    rig_start((const char *const[]){NULL});
    for (int i = 0; i < RIG_PATIENCE_S * 100 && moves_asked(heard) == 0; i++)
        usleep(10000);
    ck_assert_int_gt(moves_asked(heard), 0);
    kill(rig_worker, SIGINT);
    if (_i) {
        usleep(50000); /* so that they are two */
        kill(rig_worker, SIGINT);
    }
    rig_expect_status(0);
    if (_i)
        ck_assert_int_eq(moves_asked(heard), 1);
    else
        ck_assert_int_ge(moves_asked(heard), WHOLE_GAME);
    Text log = rig_log();
    ck_assert_msg(!strstr(text_string(&log), "error:"), "%s", text_string(&log));
    text_free(&log);
    text_free(&words);
    free(heard);
}
END_TEST

/* In the state folder, or where it was started. */
START_TEST(a_file_of_the_agreed_name_ends_it) {
    char *state = rig_path("state");
    char *here = rig_path("");
    char *path = rig_path(_i ? "openbench.exit" : "state/openbench.exit");
    char *worker = realpath(getenv("OBWORKER"), NULL);
    Error err = {0};
    ck_assert(file_make_folders(state, &err));
    setenv("OBWORKER", worker, 1);
    ck_assert_int_eq(chdir(here), 0);
    ck_assert(file_write_atomic(path, "", 0, 0600, &err));
    rig_run((const char *const[]){NULL}, 0);
    rig_expect_log("there is a file openbench.exit");
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 0);
    free(state);
    free(here);
    free(path);
    free(worker);
}
END_TEST

START_TEST(a_state_folder_is_private_and_used_by_one) {
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    pid_t first = rig_worker;
    char *state = rig_path("state");
    struct stat status;
    ck_assert_int_eq(stat(state, &status), 0);
    ck_assert_uint_eq(status.st_mode & 0777, 0700);
    rig_run(rig_once, 1);
    rig_expect_log("another worker uses this folder");
    rig_worker = first;
    kill(rig_worker, SIGTERM);
    ck_assert_int_eq(rig_wait(), 0);
    free(state);
}
END_TEST

/* Also where a file with another is taken. */
START_TEST(the_password_is_wiped_from_the_arguments) {
    char *file = rig_path("password");
    rig_start(_i ? (const char *const[]){"-P", "secret", "--password-file", file, NULL}
                 : (const char *const[]){"-P", "secret", NULL});
    free(file);
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    char path[64];
    char line[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)rig_worker);
    int descriptor = open(path, O_RDONLY);
    ssize_t length = read(descriptor, line, sizeof line - 1);
    close(descriptor);
    ck_assert_int_gt(length, 0);
    for (ssize_t i = 0; i < length; i++)
        if (line[i] == '\0')
            line[i] = ' ';
    ck_assert_msg(strstr(line, "tester") && !strstr(line, "secret"), "%s", line);
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
}
END_TEST

/* The test allows core files, as a developer's shell may. */
START_TEST(a_core_file_would_not_have_the_password) {
    struct rlimit most;
    char path[64];
    char line[256];
    bool found = false;
    ck_assert_int_eq(getrlimit(RLIMIT_CORE, &most), 0);
    most.rlim_cur = most.rlim_max;
    setrlimit(RLIMIT_CORE, &most);
    if (most.rlim_max == 0)
        printf("session: core files are not possible here anyway\n");
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    snprintf(path, sizeof path, "/proc/%d/limits", (int)rig_worker);
    FILE *limits = fopen(path, "r");
    ck_assert_ptr_nonnull(limits);
    while (!found && fgets(line, sizeof line, limits))
        found = strncmp(line, "Max core file size", 18) == 0;
    fclose(limits);
    ck_assert(found);
    long soft = -1;
    long hard = -1;
    ck_assert_msg(sscanf(line + 18, "%ld %ld", &soft, &hard) == 2 && soft == 0 && hard == 0, "%s",
                  line);
    int status;
    kill(rig_worker, SIGABRT);
    ck_assert_int_eq(waitpid(rig_worker, &status, 0), rig_worker);
    ck_assert(WIFSIGNALED(status) && !WCOREDUMP(status));
}
END_TEST

/* A user who is nobody in particular; nothing need belong to it. */
enum { SOME_USER = 65534 };

/* To root every process looks alike, so root becomes an ordinary user here, to whom the test's
 * folder then belongs, with a worker in it that this user may read. False: that is not possible. */
static bool be_ordinary(void) {
    if (geteuid() != 0)
        return true;
    char *folder = rig_path("");
    char *copy = rig_path("obworker");
    Text command = {0};
    text_addf(&command, "cp '%s' '%s' && chmod 755 '%s'", getenv("OBWORKER"), copy, copy);
    ck_assert_int_eq(system(text_string(&command)), 0);
    setenv("OBWORKER", copy, 1);
    bool is = chown(folder, SOME_USER, SOME_USER) == 0 &&
              setresgid(SOME_USER, SOME_USER, SOME_USER) == 0 &&
              setresuid(SOME_USER, SOME_USER, SOME_USER) == 0;
    text_free(&command);
    free(copy);
    free(folder);
    return is;
}

/* Whether this user may look into the process: its memory, and what it was started with. */
static bool may_read(pid_t process, const char *what) {
    char path[64];
    char byte;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, what);
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0)
        return false;
    /* At its beginning there is no memory: that is no refusal. */
    bool may = read(descriptor, &byte, 1) >= 0 || errno == EIO;
    close(descriptor);
    return may;
}

/* A process of the same user that guards nothing, once it is a program of its own. */
static pid_t start_sleeper(void) {
    int ends[2];
    char byte;
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_ne(fcntl(ends[1], F_SETFD, FD_CLOEXEC), -1);
    pid_t sleeper = fork();
    ck_assert_int_ge(sleeper, 0);
    if (sleeper == 0) {
        execlp("sleep", "sleep", "1000", (char *)0);
        _exit(127);
    }
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    return sleeper;
}

START_TEST(no_process_of_the_user_reads_the_workers_memory) {
    static const char *const guarded[] = {"mem", "environ"};
    if (!be_ordinary()) {
        puts("session: root cannot be another user here: who reads a worker's memory is left out");
        return;
    }
    pid_t sleeper = start_sleeper();
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    for (size_t i = 0; i < COUNT(guarded); i++) {
        if (may_read(sleeper, guarded[i]))
            ck_assert_msg(!may_read(rig_worker, guarded[i]), "its %s can be read", guarded[i]);
        else
            printf("session: nobody reads another process's %s here anyway\n", guarded[i]);
    }
    kill(sleeper, SIGKILL);
    waitpid(sleeper, NULL, 0);
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
}
END_TEST

/* Another machine may keep the book: the test goes on elsewhere, and here after a while. */
START_TEST(a_book_that_cannot_be_kept_is_this_machines_fault) {
    if (!be_ordinary()) {
        puts("left out: this process cannot become an ordinary user");
        return;
    }
    char *books = rig_path("state/books");
    ck_assert(file_make_folders(books, NULL));
    ck_assert_int_eq(chmod(books, 0555), 0);
    rig_offer(&(RigOffer){.id = 5});
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 2, RIG_PATIENCE_S));
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    rig_expect_log("Permission denied");
    ck_assert_uint_eq(double_count(rig_server, "/book.zip"), 1);
    ck_assert_ptr_null(double_field(rig_server, WORKLOAD, 1, "blacklist", 0));
    ck_assert_int_eq(chmod(books, 0755), 0);
    free(books);
}
END_TEST

/* The name leads nowhere, so the password goes nowhere either. */
START_TEST(a_password_that_would_cross_the_network_is_warned_of) {
    char *path = rig_path("log");
    rig_start((const char *const[]){"-S", "http://obworker.invalid", NULL});
    bool warned = false;
    for (int i = 0; i < RIG_PATIENCE_S * 100 && !warned; i++) {
        usleep(10000);
        if (!file_exists(path))
            continue;
        Text log = rig_log();
        warned = strstr(text_string(&log), "http://obworker.invalid/: plain http: your password "
                                           "crosses the network unencrypted") != NULL;
        text_free(&log);
    }
    free(path);
    kill(rig_worker, SIGTERM);
    rig_wait();
    ck_assert(warned);
    rig_run(rig_once, 0);
    Text log = rig_log();
    ck_assert_msg(!strstr(text_string(&log), "unencrypted"), "%s", text_string(&log));
    text_free(&log);
}
END_TEST

START_TEST(a_hangup_starts_it_anew_with_its_password) {
    rig_start((const char *const[]){"-P", "secret", NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    kill(rig_worker, SIGHUP);
    ck_assert(double_wait(rig_server, "/clientWorkerInfo/", 2, RIG_PATIENCE_S));
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
}
END_TEST

START_TEST(a_hangup_waits_for_the_end_of_the_workload) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=3\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 40});
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    kill(rig_worker, SIGHUP);
    ck_assert(double_wait(rig_server, "/clientWorkerInfo/", 2, RIG_PATIENCE_S));
    rig_expect_games(80);
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
}
END_TEST

static const struct {
    const char *words[3];
    const char *line;
} refused[] = {
    {{"--sandbox", "yes", NULL}, "--sandbox: 'yes' is not one of on|off|auto"},
    {{"-T", "0", NULL}, "--threads"},
    {{"-S", "nonsense://x", NULL}, "is not the address of an http or https server"},
    {{"--no-such-option", NULL, NULL}, "--no-such-option"},
};

START_TEST(what_is_not_there_is_refused_as_usage) {
    rig_run(refused[_i].words, 2);
    rig_expect_log(refused[_i].line);
    ck_assert_uint_eq(double_count(rig_server, "/clientVersionRef/"), 0);
}
END_TEST

/* ---- Against the recordings ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in order, with ',' after each. */
static char *sorted(const char *names) {
    Words words = {0};
    Text out = {0};
    while (*names) {
        size_t length = strcspn(names, ",");
        char *name = mem_strndup(names, length);
        words_add(&words, name);
        free(name);
        names += length + (names[length] == ',');
    }
    if (words.count)
        qsort(words.items, words.count, sizeof *words.items, by_name);
    for (size_t i = 0; i < words.count; i++)
        text_addf(&out, "%s,", words.items[i]);
    words_free(&words);
    return text_take(&out);
}

static const struct {
    const char *path, *file;
} kinds[] = {
    {"/clientVersionRef/", "03-client-version.json"},
    {"/clientWorkerInfo/", "07-worker-info.json"},
    {WORKLOAD, "08-workload-none.json"},
    {"/clientSubmitNPS/", "13-submit-nps.json"},
    {"/clientHeartbeat/", "14-heartbeat.json"},
    {RESULTS, "15-submit-results.json"},
};

START_TEST(what_was_sent_has_the_recorded_fields) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"delay=15\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 2});
    rig_run(rig_once, 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        cJSON *recording = recording_load(kinds[i].file);
        Text names = {0};
        const cJSON *field;
        cJSON_ArrayForEach(field, recording_form(recording))
            text_addf(&names, "%s,", field->string);
        char *got = double_field_names(rig_server, kinds[i].path, 0);
        char *got_sorted = sorted(got);
        char *wanted = sorted(text_string(&names));
        ck_assert_msg(strcmp(got_sorted, wanted) == 0, "%s: sent %s, recorded %s", kinds[i].path,
                      got_sorted, wanted);
        free(got);
        free(got_sorted);
        free(wanted);
        text_free(&names);
        cJSON_Delete(recording);
    }
}
END_TEST

int main(void) {
    if (!rig_ready("session"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("session");
    TCase *tc = rig_case(suite, "path");
    tcase_add_test(tc, a_workload_is_fetched_built_checked_played_and_reported);
    tcase_add_test(tc, the_machine_is_described);
    tcase_add_test(tc, sockets_are_announced_and_a_fleet_ends_without_work);
    tcase_add_test(tc, tables_are_announced_when_none_is_missing);
    tcase_add_test(tc, the_next_workload_follows);
    tcase_add_loop_test(tc, spsa_values_reach_the_engines_and_deltas_the_server, 0, 2);
    tcase_add_test(tc, deltas_are_reported_as_they_come_in_the_order_of_the_index);
    tcase_add_test(tc, spsa_of_an_option_that_is_not_there_is_an_error);
    if (getenv("RD_DEEP"))
        tcase_add_test(tc, our_own_engine_is_built_from_its_tree_and_played);
    else
        puts("session: building and playing our own engine's tree is left to make check-deep");
    tc = rig_case(suite, "tests");
    tcase_add_test(tc, a_finished_test_is_stopped_at_once);
    tcase_add_loop_test(tc, a_wrong_bench_is_reported_and_nothing_is_played, 0, 2);
    tcase_add_loop_test(tc, a_failed_build_is_reported_with_its_log, 0, 2);
    tcase_add_test(tc, a_build_for_which_the_disk_has_no_room_is_nobody_elses_fault);
    tcase_add_test(tc, a_book_with_a_wrong_hash_is_not_played);
    tcase_add_loop_test(tc, what_cannot_be_played_is_refused_by_name, 0, COUNT(unplayable));
    tcase_add_test(tc, an_engine_that_dies_is_reported_with_its_game);
    tcase_add_test(tc, an_engine_that_does_not_start_ends_the_workload);
    tc = rig_case(suite, "server");
    tcase_add_test(tc, a_wrong_password_is_one_line);
    tcase_add_test(tc, another_version_is_named);
    tcase_add_test(tc, a_server_that_is_down_is_waited_for);
    tcase_add_test(tc, answers_that_are_none_are_asked_for_again);
    tcase_add_test(tc, a_redirect_ends_a_first_registration_and_is_else_waited_out);
    tcase_add_test(tc, an_answer_that_is_too_long_is_asked_for_again);
    tcase_add_test(tc, a_machine_that_is_not_known_once_is_asked_again_first);
    tcase_add_test(tc, a_machine_that_is_forgotten_registers_again);
    tcase_add_test(tc, a_batch_whose_answer_is_lost_counts_once);
    tc = rig_case(suite, "kill");
    tcase_add_loop_test(tc, what_a_killed_worker_has_finished_is_delivered_by_the_next, 0, 2);
    tc = rig_case(suite, "user");
    tcase_add_loop_test(tc, an_interrupt_finishes_and_reports_the_games_in_play, 0, 2);
    tcase_add_loop_test(tc, a_game_in_play_is_finished_at_first_and_stopped_at_last, 0, 2);
    tcase_add_loop_test(tc, a_file_of_the_agreed_name_ends_it, 0, 2);
    tcase_add_test(tc, a_state_folder_is_private_and_used_by_one);
    tcase_add_loop_test(tc, the_password_is_wiped_from_the_arguments, 0, 2);
    tcase_add_test(tc, a_core_file_would_not_have_the_password);
    tcase_add_test(tc, no_process_of_the_user_reads_the_workers_memory);
    tcase_add_test(tc, a_book_that_cannot_be_kept_is_this_machines_fault);
    tcase_add_test(tc, a_password_that_would_cross_the_network_is_warned_of);
    tcase_add_test(tc, a_hangup_starts_it_anew_with_its_password);
    tcase_add_test(tc, a_hangup_waits_for_the_end_of_the_workload);
    tcase_add_loop_test(tc, what_is_not_there_is_refused_as_usage, 0, COUNT(refused));
    if (recordings_available()) {
        tc = rig_case(suite, "recorded");
        tcase_add_test(tc, what_was_sent_has_the_recorded_fields);
    } else {
        puts("session: no recorded exchanges here: comparing with them is left out");
    }
    return run_suite(suite);
}
