/* SPDX-License-Identifier: MIT */
/* A worker's requests at a server that refuses, forgets, changes its version or is not there. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "openbench/http.h"
#include "tools/files.h"
#include "tools/openbench_double.h"
#include "tools/worker_rig.h"
#include "runner.h"

#define RESULTS "/clientSubmitResults/"
#define WORKLOAD "/clientGetWorkload/"
#define FAULT "/clientSubmitError/"
#define BEAT "/clientHeartbeat/"
#define VERSION "/clientVersionRef/"
#define REGISTRATION "/clientWorkerInfo/"

static const char invalid_secret[] = "{\"error\": \"Bad Client Version: Invalid Secret Token\"}";

/* ---- Faults of the server ---- */

START_TEST(a_wrong_password_is_one_line) {
    rig_run((const char *const[]){"--once", "-P", "wrong", NULL}, 1);
    rig_expect_log("refuses user tester: Bad Credentials");
    ck_assert_uint_eq(double_count(rig_server, REGISTRATION), 0);
}
END_TEST

START_TEST(another_version_is_named) {
    double_replace(
        rig_server, VERSION, DOUBLE_INSTEAD, 200,
        "{\"client_version\": 50, \"client_repo_url\": \"\", \"client_repo_ref\": \"\"}");
    rig_run(rig_once, 1);
    rig_expect_log("wants client version 50; this worker speaks 49 (--client-version 50 tries");
    double_replace(rig_server, REGISTRATION, DOUBLE_INSTEAD, 200,
                   "{\"error\": \"Bad Client Version: Expected 51\"}");
    rig_run(rig_once, 1);
    rig_expect_log("wants client version 51; this worker speaks 49 (--client-version 51 tries");
}
END_TEST

START_TEST(a_version_that_was_given_and_is_refused_is_named) {
    double_replace(rig_server, REGISTRATION, DOUBLE_INSTEAD, 200,
                   "{\"error\": \"Bad Client Version: Expected 49\"}");
    rig_run((const char *const[]){"--once", "--client-version", "1", NULL}, 1);
    rig_expect_log("refuses client version 1 and wants 49: leave --client-version out\n");
    double_replace(rig_server, REGISTRATION, DOUBLE_INSTEAD, 200,
                   "{\"error\": \"Bad Client Version: Expected 50\"}");
    rig_run((const char *const[]){"--once", "--client-version", "1", NULL}, 1);
    rig_expect_log("refuses client version 1 and wants 50 (--client-version 50 tries anyway)\n");
}
END_TEST

START_TEST(a_server_that_is_down_is_waited_for) {
    rig_start((const char *const[]){"-S", "http://127.0.0.1:1", NULL});
    rig_wait_log("trying again in");
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
    {429, "{\"error\": \"Too many passwords are being tried.\"}"},
    {0, ""},
};

START_TEST(answers_that_are_none_are_asked_for_again) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    const char *const paths[] = {
        VERSION,    "/clientGetBuildInfo/", REGISTRATION, WORKLOAD, "/book.zip",
        "/dev.zip", "/clientSubmitNPS/"};
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

START_TEST(a_single_round_does_not_ask_for_ever) {
    for (int i = 0; i < 50; i++)
        double_replace(rig_server, _i ? WORKLOAD : "/clientGetBuildInfo/", DOUBLE_INSTEAD,
                       i % 2 ? 500 : 200, "<html>Maintenance</html>");
    rig_run((const char *const[]){"--once", "--retry-ms", "1", "--retry-max-ms", "2", NULL}, 1);
    rig_expect_log("giving up");
}
END_TEST

/* The server gives the test again and again to who does not turn it down. */
START_TEST(a_workload_that_cannot_be_read_is_turned_down) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5, .type = "NEWKIND"});
    rig_offer(&(RigOffer){.id = 6});
    rig_run(rig_once, 1);
    rig_expect_log("test 5: this worker cannot play its workload: workload.test.type: \"NEWKIND\"");
    rig_expect_field(WORKLOAD, 1, "blacklist", "5");
    rig_expect_games(16);
}
END_TEST

/* One that leads elsewhere is none of the server's words, and is not followed. */
START_TEST(a_redirect_ends_a_first_registration_and_is_else_waited_out) {
    static const char version[] =
        "{\"client_version\": 49, \"client_repo_url\": \"\", \"client_repo_ref\": \"\"}";
    const char *const paths[] = {WORKLOAD, "/clientSubmitNPS/", RESULTS, BEAT};
    double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 302, "/portal/");
    rig_run((const char *const[]){NULL}, 1);
    rig_expect_log("asking which client version is wanted: redirected to ");
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 200, version);
    double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 302, "/portal/");
    for (size_t i = 0; i < COUNT(paths); i++)
        double_replace(rig_server, paths[i], DOUBLE_INSTEAD, 302, "/portal/");
    double_replace(rig_server, "/clientSubmitNPS/", DOUBLE_INSTEAD, 200, invalid_secret);
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
    double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 200, body);
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
    double_replace(rig_server, WORKLOAD, DOUBLE_INSTEAD, 200, unknown_machine);
    rig_run(rig_once, 0);
    rig_expect_log("asking for work: Bad Client Version: Bad Machine Id; trying again in");
    rig_expect_log("reporting the speed: Bad Client Version: Bad Machine Id; trying again in");
    ck_assert_uint_eq(double_count(rig_server, REGISTRATION), 1);
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
    ck_assert_uint_eq(double_count(rig_server, REGISTRATION), 3);
    rig_expect_games(16);
    /* The result still names where it belongs; the machine is the new one. */
    size_t last = double_count(rig_server, RESULTS) - 1;
    rig_expect_field(RESULTS, last, "result_id", "105");
    rig_expect_field(RESULTS, last, "machine_id", "4");
    /* The server is not asked for the machine that it does not know. */
    char *info = double_field(rig_server, REGISTRATION, 2, "system_info", 0);
    ck_assert_msg(strstr(info, "\"machine_id\":null") != NULL, "%s", info);
    free(info);
}
END_TEST

/* The server takes a machine that is silent for two minutes to be gone. */
START_TEST(heartbeats_are_sent_while_results_wait) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=1\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    if (_i) /* Then the batch is sent again, and not the counts read. */
        double_know_batches(rig_server);
    double_replace(rig_server, RESULTS, DOUBLE_AFTERWARDS, 500, "");
    rig_start((const char *const[]){"--verify-ms", "600000", "--retry-ms", "600000",
                                    "--retry-max-ms", "600000", NULL});
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    size_t before = double_count(rig_server, BEAT);
    ck_assert(double_wait(rig_server, BEAT, before + 3, RIG_PATIENCE_S));
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 1);
    kill(rig_worker, SIGKILL);
    rig_wait();
}
END_TEST

/* How many milliseconds a worker takes to send so many requests of the path. It is ended then. */
static int64_t time_of(const char *path, size_t count, const char *const *words) {
    int64_t start = clock_now_ns();
    rig_start(words);
    ck_assert(double_wait(rig_server, path, count, RIG_PATIENCE_S));
    int64_t ms = clock_elapsed_ms(start, clock_now_ns());
    kill(rig_worker, SIGKILL);
    rig_wait();
    return ms;
}

/* The bench lasts. */
START_TEST(heartbeats_keep_their_distance) {
    enum { BEATS = 16, REPORT_MS = 200 };
    rig_serve_dev();
    rig_hold_benches(true);
    rig_offer(&(RigOffer){.id = 5, .time_control = "5.0+0.1"});
    ck_assert_int_ge(time_of(BEAT, BEATS, (const char *const[]){"--report-ms", "200", NULL}),
                     BEATS * REPORT_MS);
}
END_TEST

START_TEST(a_server_that_refuses_to_give_work_is_not_asked_at_once) {
    enum { TIMES = 11, IDLE_MS = 300 };
    for (int i = 0; i < TIMES; i++)
        double_replace(rig_server, WORKLOAD, DOUBLE_INSTEAD, 200, "{\"error\": \"Not for you\"}");
    ck_assert_int_ge(time_of(WORKLOAD, TIMES, (const char *const[]){"--idle-ms", "300", NULL}),
                     (TIMES - 1) * IDLE_MS);
}
END_TEST

/* The worker said of no wait that it lasts so many seconds or longer; 0: it said of no wait. */
static void expect_waits_below(double seconds) {
    Text log = rig_log();
    for (const char *at = text_string(&log); (at = strstr(at, "again in "));) {
        at += strlen("again in ");
        ck_assert_msg(strtod(at, NULL) < seconds, "a wait of %.1f s", strtod(at, NULL));
    }
    text_free(&log);
}

/* A fault now and then is no row of faults. */
START_TEST(a_wait_after_a_good_answer_begins_short_again) {
    enum { TIMES = 6 };
    for (int i = 0; i < TIMES; i++) {
        double_replace(rig_server, WORKLOAD, DOUBLE_INSTEAD, 500, "");
        double_replace(rig_server, WORKLOAD, DOUBLE_INSTEAD, 200, "{}");
    }
    rig_start((const char *const[]){"--idle-ms", "10", "--retry-ms", "100", "--retry-max-ms",
                                    "10000", NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 2 * TIMES, RIG_PATIENCE_S));
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    rig_expect_log("asking for work: the server answers with HTTP status 500");
    expect_waits_below(0.3);
}
END_TEST

/* Waits until a request of the path about this test has come. */
static void wait_for_test(const char *path, const char *test_id) {
    bool came = false;
    size_t i = 0;
    for (int tries = 0; !came && tries < RIG_PATIENCE_S * 100; tries++) {
        nap();
        for (; !came && i < double_count(rig_server, path); i++) {
            char *value = double_field(rig_server, path, i, "test_id", 0);
            came = value != NULL && strcmp(value, test_id) == 0;
            free(value);
        }
    }
    ck_assert_msg(came, "no request of %s about test %s", path, test_id);
}

/* Neither test's engine can be built, and the server never takes the report about test 5. */
START_TEST(a_report_that_is_never_taken_holds_up_no_other) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "", "exit 1; ");
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6});
    double_fail(rig_server, FAULT, 5);
    rig_start((const char *const[]){NULL});
    wait_for_test(FAULT, "6");
    /* The other one is still tried. */
    ck_assert(double_wait(rig_server, FAULT, double_count(rig_server, FAULT) + 1, RIG_PATIENCE_S));
    double_fail(rig_server, FAULT, 0);
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
}
END_TEST

/* The report about test 5 is never taken, and the build of test 6 lasts. */
START_TEST(heartbeats_are_sent_while_a_workload_is_prepared_beside_a_report) {
    char *gate = rig_path("gate");
    Text url = {0};
    Text wait = {0};
    Error err = {0};
    ck_assert_msg(file_write_atomic(gate, "", 0, 0600, &err), "%s", err.text);
    text_addf(&url, "%s/other.zip", double_url(rig_server));
    text_addf(&wait, "while test -e '%s'; do sleep 0.1; done; ", gate);
    rig_serve_engine("/dev.zip", RIG_BENCH, "", "exit 1; ");
    rig_serve_engine("/other.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", text_string(&wait));
    rig_offer(&(RigOffer){.id = 5});
    rig_offer(&(RigOffer){.id = 6, .dev_source = text_string(&url)});
    double_fail(rig_server, FAULT, 5);
    rig_start((const char *const[]){NULL});
    wait_for_test(BEAT, "6");
    ck_assert_int_eq(unlink(gate), 0);
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    double_fail(rig_server, FAULT, 0);
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    text_free(&wait);
    text_free(&url);
    free(gate);
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

/* Other machines report results during each of the first readings: three before the first batch,
 * and those about the batch whose answer is lost. */
START_TEST(counts_that_never_stand_still_are_told) {
    enum { READINGS = 3 + 10 };
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    for (int i = 0; i < 2 * READINGS; i++)
        double_replace(rig_server, "/api/workload/5/info/", DOUBLE_INSTEAD, 200,
                       i % 2 ? "{\"info\": {\"penta\": [0, 0, 0, 1, 0]}}"
                             : "{\"info\": {\"penta\": [0, 0, 0, 0, 0]}}");
    double_replace(rig_server, RESULTS, DOUBLE_AFTERWARDS, 500, "");
    rig_run((const char *const[]){"--once", "--report-ms", "100000", NULL}, 0);
    rig_expect_log("test 5: the server's counts change during each reading");
    rig_expect_games(16);
}
END_TEST

/* ---- Registration ---- */

/* Every error that says so, even while registering: from the start, with what is built anew, and
 * never the end. */
START_TEST(a_server_that_changes_while_it_is_registered_at_is_asked_again) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, REGISTRATION, DOUBLE_INSTEAD, 200,
                   "{\"error\": \"Bad Client Version: Server Configuration Changed\"}");
    double_replace(rig_server, WORKLOAD, DOUBLE_INSTEAD, 200, invalid_secret);
    rig_run(rig_once, 0);
    rig_expect_games(16);
    ck_assert_uint_eq(double_count(rig_server, VERSION), 3);
    ck_assert_uint_eq(double_count(rig_server, "/clientGetBuildInfo/"), 3);
    ck_assert_uint_eq(double_count(rig_server, REGISTRATION), 3);
}
END_TEST

/* Before the machine is registered, and after. */
static const char *const stale_answers[] = {REGISTRATION, WORKLOAD};

/* A server that takes nobody is not asked all the time, though it answers some of the questions. */
START_TEST(a_server_that_keeps_forgetting_is_asked_more_and_more_rarely) {
    enum { TIMES = 4 };
    double before = 0;
    int waits = 0;
    for (int i = 0; i < TIMES; i++)
        double_replace(rig_server, stale_answers[_i], DOUBLE_INSTEAD, 200, invalid_secret);
    rig_run((const char *const[]){"--once", "--retry-ms", "100", "--retry-max-ms", "10000", NULL},
            0);
    Text log = rig_log();
    for (const char *at = text_string(&log); (at = strstr(at, "again in "));) {
        at += strlen("again in ");
        double wait = strtod(at, NULL);
        ck_assert_msg(wait >= before, "%.1f s after %.1f s", wait, before);
        before = wait;
        waits++;
    }
    ck_assert_msg(before > 0.25, "the last wait is %.1f s", before); /* The first is 0.1 s. */
    /* One that was registered registers anew at once, the first time. */
    ck_assert_int_eq(waits, _i ? TIMES - 1 : TIMES);
    text_free(&log);
}
END_TEST

/* The server registers this worker once and then no more. */
static void register_once(const char *stale) {
    enum { FAULTS = 1000 };
    double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 200, "{\"client_version\": 49}");
    double_replace(rig_server, stale, DOUBLE_INSTEAD, 200, invalid_secret);
    for (int i = 0; i < FAULTS; i++)
        double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 500, "<html>");
}

/* The results wait for the next start. */
START_TEST(the_last_results_wait_for_no_registration_that_does_not_come) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    register_once(RESULTS);
    rig_run((const char *const[]){"--max-workloads", "1", "--report-ms", "600000", "--retry-ms",
                                  "20", "--retry-max-ms", "20", NULL},
            1);
    rig_expect_log("16 games are kept in ");
    ck_assert_uint_eq(double_count(rig_server, REGISTRATION), 1);
    double_forgive(rig_server, VERSION);
    rig_run(rig_once, 0);
    rig_expect_games(16);
}
END_TEST

/* The engine cannot be built. */
START_TEST(the_last_reports_wait_for_no_registration_that_does_not_come) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "", "exit 1; ");
    rig_offer(&(RigOffer){.id = 5});
    register_once(FAULT);
    rig_start((const char *const[]){"--retry-ms", "20", "--retry-max-ms", "20", NULL});
    ck_assert(double_wait(rig_server, VERSION, 3, RIG_PATIENCE_S));
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    ck_assert_uint_eq(double_count(rig_server, REGISTRATION), 1);
}
END_TEST

/* Two before the registration and two after its loss; three would be too many. */
START_TEST(faults_before_a_registration_do_not_count_after_it) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    for (int i = 0; i < 2; i++)
        double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 500, "");
    double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 200, "{\"client_version\": 49}");
    for (int i = 0; i < 2; i++)
        double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 500, "");
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, invalid_secret);
    rig_run((const char *const[]){"--max-workloads", "1", "--report-ms", "600000", NULL}, 0);
    rig_expect_games(16);
}
END_TEST

/* The server was not there at first, and later fails once. */
START_TEST(tries_before_a_server_was_reached_do_not_count_after_it) {
    enum { TRIES = 4 };
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 500, "");
    double_go_down(rig_server, 0);
    rig_start((const char *const[]){"--max-workloads", "1", "--report-ms", "600000", NULL});
    int said = 0;
    for (int naps = 0; said < TRIES && naps < RIG_PATIENCE_S * 100; naps++) {
        Text log = rig_log();
        nap();
        said = count_of(text_string(&log), "trying again");
        text_free(&log);
    }
    ck_assert_int_ge(said, TRIES);
    double_come_back(rig_server);
    rig_expect_status(0);
    rig_expect_games(16);
}
END_TEST

/* Each loss is the first one after a good answer. */
START_TEST(a_registration_that_was_good_is_made_anew_at_once) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, WORKLOAD, DOUBLE_INSTEAD, 200, invalid_secret);
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, invalid_secret);
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, REGISTRATION), 3);
    expect_waits_below(0);
    rig_expect_games(16);
}
END_TEST

/* The speed, which is told before the first game, finds that the registration is lost. */
START_TEST(results_wait_for_another_registration) {
    rig_serve_dev_with_tickets(0);
    rig_offer(&(RigOffer){.id = 5, .time_control = "5.0+0.1"});
    double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 200, "{\"client_version\": 49}");
    for (int i = 0; i < 8; i++)
        double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 500, "");
    double_replace(rig_server, "/clientSubmitNPS/", DOUBLE_INSTEAD, 200, invalid_secret);
    rig_start((const char *const[]){"--once", "--report-ms", "10", NULL});
    ck_assert(double_wait(rig_server, "/clientSubmitNPS/", 1, RIG_PATIENCE_S));
    rig_give_tickets(16);
    rig_expect_status(0);
    rig_expect_field(RESULTS, 0, "machine_id", "3");
    rig_expect_games(16);
}
END_TEST

START_TEST(a_single_round_does_not_register_for_ever) {
    enum { TIMES = 50 };
    for (int i = 0; i < TIMES; i++)
        double_replace(rig_server, WORKLOAD, DOUBLE_INSTEAD, 200, invalid_secret);
    rig_run((const char *const[]){"--once", "--retry-ms", "1", "--retry-max-ms", "2", NULL}, 1);
    rig_expect_log("asking for work: Bad Client Version: Invalid Secret Token; giving up");
}
END_TEST

/* ---- Versions ---- */

static const char version_50[] =
    "{\"client_version\": 50, \"client_repo_url\": \"\", \"client_repo_ref\": \"\"}";

START_TEST(a_version_that_is_not_known_can_be_tried) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 200, version_50);
    rig_run((const char *const[]){"--once", "--client-version", "50", NULL}, 0);
    rig_expect_log("saying client version 50 as told");
    char *info = double_field(rig_server, REGISTRATION, 0, "system_info", 0);
    ck_assert_msg(strstr(info, "\"client_ver\":50") != NULL, "%s", info);
    free(info);
    rig_expect_games(16);
}
END_TEST

/* A server that is updated under way: the games in play are finished and delivered when it turns
 * out to speak what we speak, and the worker ends with one line when it does not. */
START_TEST(a_server_that_changes_its_version_is_asked_again) {
    static const char error[] = "{\"error\": \"Bad Client Version: Expected 50\"}";
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, error);
    rig_run(rig_once, 0);
    ck_assert_uint_eq(double_count(rig_server, REGISTRATION), 2);
    rig_expect_games(16);
    rig_offer(&(RigOffer){.id = 6});
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, error);
    double_replace(rig_server, VERSION, DOUBLE_AFTERWARDS, 200, "{\"client_version\": 49}");
    double_replace(rig_server, VERSION, DOUBLE_INSTEAD, 200, version_50);
    rig_run(rig_once, 1);
    rig_expect_log("wants client version 50; this worker speaks 49");
    rig_expect_log(" games are kept in ");
    /* The next start brings what was played. */
    int64_t kept = rig_kept_games();
    ck_assert_int_gt(kept, 0);
    rig_run(rig_once, 0);
    rig_expect_games(16 + kept);
}
END_TEST

/* An answer that belongs to another page is no receipt: the batch is looked up, and sent again
 * where it was not added. */
START_TEST(an_answer_to_something_else_is_no_receipt) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, RESULTS, _i ? DOUBLE_AFTERWARDS : DOUBLE_INSTEAD, 200,
                   "{\"workload\": {\"result\": 5}}");
    rig_run(rig_once, 0);
    rig_expect_log(
        "test 5: reporting results: no proper answer came (the answer belongs to another "
        "request): the test's counts will tell whether the server has these results\n");
    rig_expect_games(16);
}
END_TEST

int main(void) {
    if (!rig_ready("requests"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("requests");
    TCase *tc = rig_case(suite, "server");
    tcase_add_test(tc, a_wrong_password_is_one_line);
    tcase_add_test(tc, another_version_is_named);
    tcase_add_test(tc, a_version_that_was_given_and_is_refused_is_named);
    tcase_add_test(tc, a_server_that_is_down_is_waited_for);
    tcase_add_test(tc, answers_that_are_none_are_asked_for_again);
    tcase_add_loop_test(tc, a_single_round_does_not_ask_for_ever, 0, 2);
    tcase_add_test(tc, a_workload_that_cannot_be_read_is_turned_down);
    tcase_add_test(tc, a_redirect_ends_a_first_registration_and_is_else_waited_out);
    tcase_add_test(tc, an_answer_that_is_too_long_is_asked_for_again);
    tcase_add_test(tc, a_machine_that_is_not_known_once_is_asked_again_first);
    tcase_add_test(tc, a_machine_that_is_forgotten_registers_again);
    tcase_add_loop_test(tc, heartbeats_are_sent_while_results_wait, 0, 2);
    tcase_add_test(tc, heartbeats_keep_their_distance);
    tcase_add_test(tc, a_server_that_refuses_to_give_work_is_not_asked_at_once);
    tcase_add_test(tc, a_wait_after_a_good_answer_begins_short_again);
    tcase_add_test(tc, a_report_that_is_never_taken_holds_up_no_other);
    tcase_add_test(tc, heartbeats_are_sent_while_a_workload_is_prepared_beside_a_report);
    tcase_add_test(tc, a_batch_whose_answer_is_lost_counts_once);
    tcase_add_test(tc, counts_that_never_stand_still_are_told);
    tc = rig_case(suite, "registration");
    tcase_add_test(tc, a_server_that_changes_while_it_is_registered_at_is_asked_again);
    tcase_add_loop_test(tc, a_server_that_keeps_forgetting_is_asked_more_and_more_rarely, 0,
                        COUNT(stale_answers));
    tcase_add_test(tc, the_last_results_wait_for_no_registration_that_does_not_come);
    tcase_add_test(tc, the_last_reports_wait_for_no_registration_that_does_not_come);
    tcase_add_test(tc, faults_before_a_registration_do_not_count_after_it);
    tcase_add_test(tc, tries_before_a_server_was_reached_do_not_count_after_it);
    tcase_add_test(tc, a_registration_that_was_good_is_made_anew_at_once);
    tcase_add_test(tc, results_wait_for_another_registration);
    tcase_add_test(tc, a_single_round_does_not_register_for_ever);
    tc = rig_case(suite, "versions");
    tcase_add_test(tc, a_version_that_is_not_known_can_be_tried);
    tcase_add_test(tc, a_server_that_changes_its_version_is_asked_again);
    tcase_add_loop_test(tc, an_answer_to_something_else_is_no_receipt, 0, 2);
    return run_suite(suite);
}
