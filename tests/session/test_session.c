/* SPDX-License-Identifier: MIT */
/* `obworker work` from end to end, over HTTP, against a small server that keeps what it receives:
 * real archives, real builds, real games (of a scripted engine), real reports. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "build/bench.h"
#include "base/tree.h"
#include "match/syzygy.h"
#include "tools/files.h"
#include "tools/openbench_double.h"
#include "tools/recordings.h"
#include "tools/worker_rig.h"
#include "runner.h"

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
    rig_run(
        (const char *const[]){"--once", "-I", "box7", "--noisy", "--focus", "Tiny", "tiny", NULL},
        0);
    rig_expect_log("warning: --focus tiny: the server has no engine of this name");
    char *again = double_field(rig_server, "/clientWorkerInfo/", 1, "system_info", 0);
    ck_assert_msg(strstr(again, mac) != NULL, "%s not in %s", mac, again);
    ck_assert_msg(strstr(again, "\"machine_name\":\"box7\"") != NULL, "%s", again);
    ck_assert_msg(strstr(again, "\"noisy\":true,\"focus\":[\"Tiny\",\"tiny\"]") != NULL, "%s",
                  again);
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
    rig_run((const char *const[]){"--fleet", "-N", "2", NULL}, 0);
    ck_assert_int_eq(announced(0, "sockets"), 2);
    ck_assert_int_eq(announced(0, "concurrency"), 2);
    ck_assert_int_eq(announced(0, "syzygy_max"), 0);
    rig_expect_log("there is no work");
    rig_run((const char *const[]){"-T", "auto", "--once", NULL}, 0);
    ck_assert_int_ge(announced(1, "concurrency"), 1);
    ck_assert_int_le(announced(1, "concurrency"), (int)sysconf(_SC_NPROCESSORS_ONLN));
}
END_TEST

/* A folder with all tables of three men, which are empty. The path of the last is added to *last.
 */
static char *make_tables(Text *last) {
    static const char *const tables[] = {"KQvK", "KRvK", "KBvK", "KNvK", "KPvK"};
    char *folder = rig_path("tables");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < COUNT(tables); i++) {
        text_clear(last);
        text_addf(last, "%s/%s.rtbw", folder, tables[i]);
        put_text(text_string(last), "");
    }
    return folder;
}

/* By the tables' names: what is in them is the match's matter. */
START_TEST(tables_are_announced_when_none_is_missing) {
    Text path = {0};
    char *folder = make_tables(&path);
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

START_TEST(the_server_gets_no_more_games_at_a_time_than_threads) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .runners = 8});
    rig_run(rig_once, 0);
    rig_expect_log("test 5: the server wants 8 games at a time, and --threads is 2: 2 at a time");
    rig_expect_log(", 2 games at a time, clocks x");
    rig_expect_games(64);
}
END_TEST

START_TEST(one_pair_is_told_as_one) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .runners = 1, .rounds = 2});
    rig_run(rig_once, 0);
    rig_expect_log(", 1 pair from opening ");
    rig_expect_log("test 5: 1 of 1 pair played; ");
    rig_expect_log("test 5: 1 of 1 pair played\n");
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
    Text heard = read_whole(log);
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

/* Servers also write a folder of the tree with slashes around it. */
START_TEST(a_folder_with_a_slash_in_front_is_one_of_the_tree) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .path = "/src/"});
    rig_run(rig_once, 0);
    rig_expect_games(16);
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

static const struct {
    RigOffer offer;
    const char *edit, *error, *logs;
} unbuildable[] = {
    {{.id = 5, .path = "nosuch"},
     "",
     "[Tiny] dev-branch build failed",
     "there is no folder nosuch in the source http"},
    {{.id = 5, .path = "src/Makefile"},
     "",
     "[Tiny] dev-branch build failed",
     "there is no folder src/Makefile in the source http"},
    {{.id = 5, .time_control = "5.0+0.1"},
     "sed -i 's/1000000 nps/0 nps/' engine.c; ",
     "[Tiny-AAAAAAAA] its bench tells 0 nodes a second: no clock can be scaled by that",
     ""},
};

START_TEST(a_fault_of_the_test_is_told_its_author) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "", unbuildable[_i].edit);
    rig_offer(&unbuildable[_i].offer);
    rig_run(rig_once, 1);
    ck_assert_uint_eq(double_count(rig_server, FAULT), 1);
    rig_expect_field(FAULT, 0, "error", unbuildable[_i].error);
    char *logs = double_field(rig_server, FAULT, 0, "logs", 0);
    ck_assert_msg(strstr(logs, unbuildable[_i].logs) != NULL, "%s", logs);
    free(logs);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, "/dev.zip"), 1);
}
END_TEST

/* The compiler names the state folder without the symbolic link, and a program any folder of
 * tables. */
START_TEST(no_folder_of_this_machine_reaches_the_server) {
    char *home = rig_path("");
    char *link = rig_path("link");
    char *state = rig_path("link/state");
    ck_assert_int_eq(symlink(home, link), 0);
    home[strlen(home) - 1] = '\0';
    const char *user = getenv("HOME");
    char *tools = text_format("%s/.rustup", user != NULL ? user : "");
    char *edit = text_format(
        "echo $(CURDIR) and /tables/one/KQvK and /tables/two/KQvK and %s; exit 1; ", tools);
    rig_serve_engine("/dev.zip", RIG_BENCH, "", edit);
    rig_offer(&(RigOffer){.id = 5});
    rig_run((const char *const[]){"--once", "--state", state, "--syzygy", "/tables/one:/tables/two",
                                  NULL},
            1);
    char *logs = double_field(rig_server, FAULT, 0, "logs", 0);
    ck_assert_msg(strstr(logs, home) == NULL && strstr(logs, ".../") != NULL, "%s", logs);
    if (syzygy_available()) /* Else the worker leaves the folders out. */
        ck_assert_msg(strstr(logs, "and .../KQvK and .../KQvK") != NULL, "%s", logs);
    if (user != NULL && strlen(user) > 1)
        ck_assert_msg(strstr(logs, tools) == NULL && strstr(logs, " .../.rustup") != NULL, "%s",
                      logs);
    free(logs);
    free(tools);
    free(edit);
    free(home);
    free(link);
    free(state);
}
END_TEST

/* The words may be the source's: the disk has room, nothing is removed, and the server is told. */
START_TEST(words_about_a_full_disk_are_not_enough) {
    const char *words = _i ? "Disk quota exceeded" : "No space left on device";
    char *fault = text_format("echo 'as: engine.o: %s' >&2; exit 1; ", words);
    char *folder = rig_path("state/networks");
    char *kept = rig_path("state/networks/0123ABCD");
    Error err = {0};
    ck_assert_msg(file_make_folders(folder, &err) && file_write_atomic(kept, "old", 3, 0600, &err),
                  "%s", err.text);
    rig_serve_engine("/dev.zip", RIG_BENCH, "", fault);
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 1);
    rig_expect_log("as: engine.o: ");
    rig_expect_log("the whole output is in ");
    rig_expect_field(FAULT, 0, "error", "[Tiny] dev-branch build failed");
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert(file_exists(kept));
    free(kept);
    free(folder);
    free(fault);
}
END_TEST

static const char *const shortages[] = {
    "make: fork: Resource temporarily unavailable",
    "cc1: out of memory allocating 65536 bytes",
    "gcc: fatal error: Killed signal terminated program cc1",
    "collect2: fatal error: ld terminated with signal 9 [Killed]",
};

/* Many compilers at a time were too much for this machine. */
START_TEST(a_build_short_of_processes_or_memory_is_made_again_by_one_job_at_a_time) {
    Text words = {0};
    text_addf(&words, "case '$(MAKEFLAGS)' in *-j1*) ;; *) echo '%s' >&2; exit 1;; esac; ",
              shortages[_i]);
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", text_string(&words));
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    text_free(&words);
}
END_TEST

START_TEST(a_build_that_stays_short_of_memory_fails) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "", "echo 'cc1: out of memory' >&2; exit 1; ");
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 1);
    rig_expect_log(", one job at a time");
    ck_assert_uint_eq(double_count(rig_server, FAULT), 1);
    rig_expect_field(FAULT, 0, "error", "[Tiny] dev-branch build failed");
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
}
END_TEST

/* The kernel kills where memory is short. A bench error would end the test for everyone. */
START_TEST(a_bench_that_is_killed_ends_no_test) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\",",
                     "sed -i 's|while (bench|if (bench) kill(getpid(), 9); &|; "
                     "s|#include <stdio.h>|&\\n#include <signal.h>|' engine.c; ");
    rig_offer(&(RigOffer){.id = 5, .time_control = "5.0+0.05"});
    rig_run(rig_once, 1);
    ck_assert_uint_eq(double_count(rig_server, "/clientBenchError/"), 0);
    rig_expect_field(FAULT, 0, "error", "[Tiny-AAAAAAAA] Failed to Execute Benchmark");
    rig_expect_field(FAULT, 0, "logs", "killed by signal 9 (Killed)\n");
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
}
END_TEST

/* GitHub answers with 403 or 429 who asks too often. Then wrong bytes come, which one more download
 * may mend, whatever came before. */
START_TEST(a_download_is_tried_again_after_answers_that_may_pass) {
    static const char *const paths[] = {"/book.zip", "/dev.zip", "/base.zip"};
    static const int statuses[] = {429, 403, 503};
    rig_serve_dev();
    for (size_t i = 0; i < COUNT(paths); i++)
        double_replace(rig_server, paths[i], DOUBLE_INSTEAD, statuses[i], "not now");
    for (size_t i = 0; i < COUNT(paths); i++)
        double_replace(rig_server, paths[i], DOUBLE_INSTEAD, 200, "no archive");
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    rig_expect_games(16);
    for (size_t i = 0; i < COUNT(paths); i++)
        ck_assert_uint_eq(double_count(rig_server, paths[i]), 3);
}
END_TEST

/* The server is asked for others. The test is wanted again when it has none, or when the games of
 * another have begun. */
START_TEST(a_test_whose_source_cannot_be_had_now_is_put_off) {
    enum { TRIES = 5 };
    bool other = _i == 1;
    rig_serve_dev();
    for (int i = 0; i < TRIES; i++)
        double_replace(rig_server, "/dev.zip", DOUBLE_INSTEAD, 503, "not now");
    rig_offer(&(RigOffer){.id = 5});
    if (other)
        rig_offer(&(RigOffer){.id = 6});
    rig_start((const char *const[]){"--idle-ms", "20", NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 3, RIG_PATIENCE_S));
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    ck_assert_ptr_null(double_field(rig_server, WORKLOAD, 0, "blacklist", 0));
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_ptr_null(double_field(rig_server, WORKLOAD, 2, "blacklist", 0));
    if (other)
        rig_expect_log("test 6 (SPRT): dev-branch against base-branch, ");
}
END_TEST

START_TEST(a_single_round_passes_over_a_test_that_is_put_off) {
    enum { TRIES = 5 };
    rig_serve_dev();
    for (int i = 0; i < TRIES; i++)
        double_replace(rig_server, "/dev.zip", DOUBLE_INSTEAD, 503, "not now");
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 1);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    rig_expect_log("there is no work");
    rig_expect_games(16);
}
END_TEST

/* This server does not heed what it is told. */
START_TEST(a_single_round_ends_when_a_test_that_is_put_off_comes_again_and_again) {
    enum { TRIES = 5 };
    rig_serve_dev();
    for (int i = 0; i < TRIES; i++)
        double_replace(rig_server, "/dev.zip", DOUBLE_INSTEAD, 503, "not now");
    rig_offer(&(RigOffer){.id = 5});
    double_offer_again(rig_server, true);
    rig_run(rig_once, 1);
    rig_expect_log("test 5 came, which this worker has turned down; giving up");
    ck_assert_uint_eq(double_count(rig_server, "/dev.zip"), TRIES);
    rig_expect_games(0);
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
    {{.id = 5, .options = "Threads"}, "option \"Threads\" is not Name=Value"},
};

START_TEST(what_cannot_be_played_is_refused_by_name) {
    rig_serve_dev();
    rig_offer(&unplayable[_i].offer);
    rig_run(rig_once, 1);
    rig_expect_log(unplayable[_i].words);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, "/dev.zip"), 0);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 0);
}
END_TEST

/* The worker waits before it asks such a server again. */
START_TEST(a_server_that_knows_no_blacklist_is_not_asked_without_end) {
    rig_serve_dev();
    for (int i = 0; i < 3; i++)
        rig_offer(&unplayable[1].offer);
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 1);
    rig_expect_log("asking for work: test 5 came, which this worker has turned down; "
                   "trying again in ");
    rig_expect_games(16);
    /* Once for each offer, and once when there is no more. */
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 5);
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

/* The transcript has the options that the engine was given. */
START_TEST(a_reported_transcript_names_no_folder_of_this_machine) {
    Text path = {0};
    char *folder = make_tables(&path);
    rig_serve_engine("/dev.zip", RIG_BENCH,
                     "\"side=dev\", \"tables\", \"plan=40,30\", \"fault=crash\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 2, .syzygy_adj = "DISABLED"});
    rig_start((const char *const[]){"--once", "--syzygy", folder, NULL});
    rig_wait();
    char *logs = double_field(rig_server, FAULT, 0, "logs", 0);
    Text log = rig_log();
    ck_assert_msg(logs != NULL, "%s", text_string(&log));
    text_free(&log);
    ck_assert_msg(strstr(logs, "> setoption name SyzygyPath value ...\n") != NULL, "%s", logs);
    ck_assert_msg(strstr(logs, folder) == NULL, "%s", logs);
    free(logs);
    text_free(&path);
    free(folder);
}
END_TEST

START_TEST(an_engine_that_does_not_start_ends_the_workload) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"start=exit\",", "");
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 1);
    ck_assert_uint_eq(double_count(rig_server, FAULT), 1);
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    rig_expect_games(0);
    /* The server shows the words to everybody: no file of this machine has a place there. */
    rig_expect_log("; transcript: /");
    rig_expect_field(
        FAULT, 0, "error",
        "Tiny-dev: it ended before it was ready: exited with status 5; it said: cannot "
        "open the network file");
    char *logs = double_field(rig_server, FAULT, 0, "logs", 0);
    ck_assert_msg(logs && strstr(logs, "> uci") != NULL, "%s", logs ? logs : "nothing");
    ck_assert_msg(strchr(logs, '/') == NULL, "%s", logs);
    free(logs);
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
    tcase_add_test(tc, the_server_gets_no_more_games_at_a_time_than_threads);
    tcase_add_test(tc, one_pair_is_told_as_one);
    tcase_add_test(tc, a_folder_with_a_slash_in_front_is_one_of_the_tree);
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
    tcase_add_loop_test(tc, a_fault_of_the_test_is_told_its_author, 0, COUNT(unbuildable));
    tcase_add_test(tc, no_folder_of_this_machine_reaches_the_server);
    tcase_add_loop_test(tc, words_about_a_full_disk_are_not_enough, 0, 2);
    tcase_add_loop_test(tc, a_build_short_of_processes_or_memory_is_made_again_by_one_job_at_a_time,
                        0, COUNT(shortages));
    tcase_add_test(tc, a_build_that_stays_short_of_memory_fails);
    tcase_add_test(tc, a_bench_that_is_killed_ends_no_test);
    tcase_add_test(tc, a_download_is_tried_again_after_answers_that_may_pass);
    tcase_add_loop_test(tc, a_test_whose_source_cannot_be_had_now_is_put_off, 0, 2);
    tcase_add_test(tc, a_single_round_passes_over_a_test_that_is_put_off);
    tcase_add_test(tc, a_single_round_ends_when_a_test_that_is_put_off_comes_again_and_again);
    tcase_add_test(tc, a_book_with_a_wrong_hash_is_not_played);
    tcase_add_loop_test(tc, what_cannot_be_played_is_refused_by_name, 0, COUNT(unplayable));
    tcase_add_test(tc, a_server_that_knows_no_blacklist_is_not_asked_without_end);
    tcase_add_test(tc, an_engine_that_dies_is_reported_with_its_game);
    tcase_add_test(tc, a_reported_transcript_names_no_folder_of_this_machine);
    tcase_add_test(tc, an_engine_that_does_not_start_ends_the_workload);
    if (recordings_available()) {
        tc = rig_case(suite, "recorded");
        tcase_add_test(tc, what_was_sent_has_the_recorded_fields);
    } else {
        puts("session: no recorded exchanges here: comparing with them is left out");
    }
    return run_suite(suite);
}
