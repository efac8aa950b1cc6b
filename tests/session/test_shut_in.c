/* SPDX-License-Identifier: MIT */
/* `obworker work` in the sandbox: a build that looks around, an engine that plays all the same, one
 * that wants more than it may have. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/count.h"
#include "base/file.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "runner.h"
#include "tools/files.h"
#include "tools/ordinary.h"
#include "tools/without.h"
#include "tools/worker_rig.h"

/* Whether this system can do it all; else the test says what it leaves out. */
static bool is_complete(void) {
    Sandbox sandbox;
    Text missing = {0};
    Error err = {0};
    ck_assert(sandbox_open(&sandbox, "auto", &missing, &err));
    if (missing.length > 0)
        printf("left out: %s\n", text_string(&missing));
    sandbox_free(&sandbox);
    bool complete = missing.length == 0;
    text_free(&missing);
    return complete;
}

/* Whether it is, and games can be played in it. */
static bool plays_here(void) {
#ifdef RD_ASAN
    puts("left out: games in the sandbox, whose limit of memory a sanitizer does not live with");
    return false;
#else
    return is_complete();
#endif
}

/* The rig's engine runs the scripted engine from elsewhere: it is a program on the PATH. */
static void put_engine_on_path(void) {
    Text path = {0};
    text_addf(&path, "%s/tests/bin:%s", getenv("builddir"), getenv("PATH"));
    setenv("PATH", text_string(&path), 1);
    text_free(&path);
}

/* A build that fails when it can read the password, write beside its tree, or see its user's home.
 */
static void serve_curious_build(void) {
    char *password = rig_path("password");
    char *note = rig_path("note");
    Text look = {0};
    text_addf(&look,
              "! cat '%s' 2>/dev/null && ! touch '%s' 2>/dev/null && touch ../note && "
              "test \"$$HOME\" != '%s' && touch \"$$HOME/note\" && ",
              password, note, getenv("HOME"));
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\",", text_string(&look));
    text_free(&look);
    free(password);
    free(note);
}

START_TEST(a_build_cannot_look_around) {
    static const char *const off[] = {"--max-workloads", "1", NULL};
    if (!is_complete())
        return;
    put_engine_on_path();
    serve_curious_build();
    rig_offer(&(RigOffer){.id = 5});
    rig_start(off);
    rig_wait();
    rig_expect_log("dev-branch build failed");
    rig_expect_games(0);
    if (plays_here()) {
        rig_offer(&(RigOffer){.id = 6});
        rig_run((const char *const[]){"--once", "--sandbox", "on", NULL}, 0);
        rig_expect_games(16);
    }
}
END_TEST

/* A folder of programs opens the folder above it, but not the token there. */
START_TEST(a_build_cannot_read_a_token_in_the_working_folder) {
    if (!plays_here())
        return;
    char *folder = rig_path("work");
    char *programs = rig_path("work/bin");
    char *token = rig_path("work/credentials.hiddentiny");
    Text look = {0};
    Text path = {0};
    put_engine_on_path();
    ck_assert(file_make_folders(programs, NULL) &&
              file_write_atomic(token, "ghp_abc123\n", 11, 0600, NULL));
    text_addf(&path, "%s:%s", programs, getenv("PATH"));
    setenv("PATH", text_string(&path), 1);
    text_addf(&look, "! cat '%s' && ", token);
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", text_string(&look));
    rig_offer(&(RigOffer){.id = 5});
    ck_assert_int_eq(chdir(folder), 0);
    rig_run((const char *const[]){"--once", "--sandbox", "on", NULL}, 0);
    rig_expect_games(16);
    text_free(&look);
    text_free(&path);
    free(token);
    free(programs);
    free(folder);
}
END_TEST

/* The program that a hangup starts anew has its password from a pipe. The password's file is hidden
 * all the same. */
START_TEST(a_build_cannot_read_the_password_after_a_hangup) {
    if (!plays_here() || left_out_in_emulation("a hangup", "the new program needs qemu"))
        return;
    char *programs = rig_path("keys/bin");
    char *password = rig_path("keys/password");
    char *settings = rig_path("work.conf");
    Text look = {0};
    Text path = {0};
    Text line = {0};
    put_engine_on_path();
    text_addf(&line, "password-file = %s\n", password);
    ck_assert(file_make_folders(programs, NULL) &&
              file_write_atomic(password, "secret\n", 7, 0600, NULL) &&
              file_write_atomic(settings, line.data, line.length, 0600, NULL));
    text_addf(&path, "%s:%s", programs, getenv("PATH"));
    setenv("PATH", text_string(&path), 1);
    text_addf(&look, "! cat '%s' && ", password);
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", text_string(&look));
    rig_start((const char *const[]){"--config", settings, "--sandbox", "on", NULL});
    ck_assert(double_wait(rig_server, "/clientGetWorkload/", 1, RIG_PATIENCE_S));
    kill(rig_worker, SIGHUP);
    ck_assert(double_wait(rig_server, "/clientWorkerInfo/", 2, RIG_PATIENCE_S));
    rig_offer(&(RigOffer){.id = 5});
    rig_wait_log("8 of 8 pairs played");
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    text_free(&line);
    text_free(&look);
    text_free(&path);
    free(settings);
    free(password);
    free(programs);
}
END_TEST

/* A build that fails when it can write beside its tree, or, where nothing but Landlock forbids
 * reading, read the password; an engine that plays. */
static void serve_build_without(int layer) {
    char *password = rig_path("password");
    char *note = rig_path("note");
    Text look = {0};
    text_addf(&look, "! touch '%s' 2>/dev/null && touch \"$$HOME/note\" && ", note);
    if (layer != WITHOUT_LANDLOCK)
        text_addf(&look, "! cat '%s' 2>/dev/null && ", password);
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", text_string(&look));
    text_free(&look);
    free(password);
    free(note);
}

/* A kernel without one of the layers: the log names it, builds and engines are shut in by the
 * others, and the games are played. */
START_TEST(work_goes_on_without_a_layer) {
    Text named = {0};
    if (!plays_here())
        return;
    put_engine_on_path();
    serve_build_without(_i);
    rig_offer(&(RigOffer){.id = 5});
    ck_assert(without(_i));
    rig_run((const char *const[]){"--once", "--sandbox", "auto", NULL}, 0);
    text_addf(&named, "; missing: %s", WITHOUT[_i].name);
    rig_expect_log(text_string(&named));
    rig_expect_games(16);
    text_free(&named);
}
END_TEST

/* The rig's folder is first on the PATH, with a compiler in it that leaves a note beside itself. */
static void put_curious_compiler_on_path(void) {
    char *folder = rig_path("tools");
    char *compiler = rig_path("tools/curious-cc");
    Text path = {0};
    Text script = {0};
    text_addf(&path, "%s:%s", folder, getenv("PATH"));
    text_addf(&script,
              "#!/bin/sh\ntouch '%s/note' 2>/dev/null\ntouch \"$HOME/note\" && "
              "test \"$HOME\" != '%s' && echo curious 7.5.3\n",
              folder, getenv("HOME"));
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    ck_assert_int_eq(chmod(folder, 0777), 0);
    put_bytes(compiler, text_string(&script), script.length, 0755);
    setenv("PATH", text_string(&path), 1);
    text_free(&script);
    text_free(&path);
    free(compiler);
    free(folder);
}

START_TEST(a_compiler_that_the_server_names_is_asked_inside) {
    if (!is_complete())
        return;
    put_curious_compiler_on_path();
    double_set_build_info(rig_server,
                          "{\"Tiny\": {\"path\": \"src\", \"compilers\": [\"curious-cc>=7.5\"], "
                          "\"cpuflags\": [], \"systems\": [\"Linux\"], \"private\": false}}");
    rig_start((const char *const[]){"--check", "--sandbox", "on", NULL});
    rig_wait();
    char *note = rig_path("tools/note");
    Text out = rig_read("out");
    ck_assert_msg(strstr(text_string(&out), "ok       compiler     curious-cc 7.5.3"), "%s",
                  text_string(&out));
    ck_assert_int_ne(access(note, F_OK), 0);
    text_free(&out);
    free(note);
}
END_TEST

START_TEST(the_check_says_whether_builds_have_the_network) {
    static const char words[] = "; builds have the network";
    if (!is_complete())
        return;
    rig_start(
        (const char *const[]){"--check", "--sandbox", "on", _i ? "--build-network" : NULL, NULL});
    rig_wait();
    Text out = rig_read("out");
    ck_assert_msg(strstr(text_string(&out), "builds and engines are shut in") != NULL, "%s",
                  text_string(&out));
    ck_assert_msg((strstr(text_string(&out), words) != NULL) == (_i != 0), "%s", text_string(&out));
    text_free(&out);
}
END_TEST

/* The folder for scratch folders is gone, as where somebody clears up, or has no room. */
START_TEST(a_build_that_cannot_be_started_is_no_fault_of_the_engine) {
    char *temporary = rig_path("temporary");
    if (is_complete()) {
        put_engine_on_path();
        rig_serve_dev();
        ck_assert_int_eq(mkdir(temporary, 0700), 0);
        setenv("TMPDIR", temporary, 1);
        rig_start((const char *const[]){"--max-workloads", "1", "--sandbox", "on", NULL});
        rig_wait_log("registered at");
        ck_assert_int_eq(rmdir(temporary), 0);
        rig_offer(&(RigOffer){.id = 5});
        rig_wait();
        rig_expect_log("temporary: no folder for the sandbox can be made in it");
        rig_expect_games(0);
        ck_assert_uint_eq(double_count(rig_server, "/clientSubmitError/"), 0);
    }
    free(temporary);
}
END_TEST

START_TEST(a_machine_that_cannot_start_compilers_now_registers_later) {
    char *temporary = rig_path("temporary");
    if (is_complete()) {
        ck_assert_int_eq(mkdir(temporary, 0700), 0);
        setenv("TMPDIR", temporary, 1);
        double_go_down(rig_server, 0);
        rig_start((const char *const[]){"--sandbox", "on", NULL});
        rig_wait_log("trying again in");
        ck_assert_int_eq(rmdir(temporary), 0);
        double_come_back(rig_server);
        rig_wait_log("temporary: no folder for the sandbox can be made in it");
        ck_assert_uint_eq(double_count(rig_server, "/clientWorkerInfo/"), 0);
        ck_assert_int_eq(mkdir(temporary, 0700), 0);
        rig_wait_log("registered at");
        char *info = double_field(rig_server, "/clientWorkerInfo/", 0, "system_info", 0);
        ck_assert_msg(strstr(info, "\"Tiny\":[\"gcc\"") != NULL, "%s", info);
        free(info);
        kill(rig_worker, SIGTERM);
        rig_expect_status(0);
    }
    free(temporary);
}
END_TEST

START_TEST(a_build_that_fills_the_disk_is_ended) {
    if (!is_complete())
        return;
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\",",
                     "for i in 1 2 3; do head -c 5000000 /dev/zero > fill$$i; done; sleep 60; ");
    rig_offer(&(RigOffer){.id = 5});
    rig_start((const char *const[]){"--max-workloads", "1", "--sandbox", "on", "--disk-limit", "10",
                                    NULL});
    rig_wait();
    rig_expect_log("the limit is 10 MB (--disk-limit)");
    rig_expect_log("dev-branch build failed");
    rig_expect_games(0);
}
END_TEST

/* It ends when it cannot write its log, as it would for any other reason. */
START_TEST(an_engine_that_wants_more_is_reported) {
    char *log = rig_path("engine.log");
    Text words = {0};
    if (is_complete()) {
        put_engine_on_path();
        text_addf(&words, "\"side=dev\", \"log=%s\",", log);
        rig_serve_engine("/dev.zip", RIG_BENCH, text_string(&words), "");
        rig_offer(&(RigOffer){.id = 5});
        rig_start((const char *const[]){"--max-workloads", "1", "--sandbox", "on", NULL});
        rig_wait();
        rig_expect_log("it ended before it was ready");
        rig_expect_games(0);
        ck_assert_int_ne(access(log, F_OK), 0);
    }
    text_free(&words);
    free(log);
}
END_TEST

/* An engine that ends when it can read a file, or a folder, which is none of its business. */
static void serve_reader(const char *path) {
    Text read = {0};
    text_addf(
        &read,
        "sed -i 's|const char .program = |if (argc == 1 \\&\\& fopen(\"%s\", \"r\")) return 7; "
        "&|; s|static int genfens.*|& if (fopen(\"%s\", \"r\")) return 7;|' engine.c; ",
        path, path);
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", text_string(&read));
    text_free(&read);
}

START_TEST(engines_do_not_read_each_other) {
    char *engines = rig_path("state/engines");
    if (plays_here()) {
        put_engine_on_path();
        serve_reader(engines);
        rig_offer(&(RigOffer){.id = 5});
        rig_run((const char *const[]){"--once", "--sandbox", "on", NULL}, 0);
        rig_expect_games(16);
    }
    free(engines);
}
END_TEST

/* A state folder that other users may pass: engines of root's keep no capability to be found. */
START_TEST(engines_keep_no_right_of_roots) {
    if (!plays_here())
        return;
    char *state = rig_path("state");
    char *folder = rig_path(".");
    put_engine_on_path();
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",",
                     "sed -i 's|const char .program = |if (argc == 1 \\&\\& system(\"grep -q "
                     "CapEff:.0000000000000000 /proc/self/status\")) return 7; &|; "
                     "s|#include <stdio.h>|&\\n#include <stdlib.h>|' engine.c; ");
    ck_assert(mkdir(state, 0711) == 0 && chmod(state, 0711) == 0 && chmod(folder, 0711) == 0);
    rig_offer(&(RigOffer){.id = 5});
    rig_run((const char *const[]){"--once", "--sandbox", "on", NULL}, 0);
    rig_expect_games(16);
    free(state);
    free(folder);
}
END_TEST

static const char *const namings[] = {"EvalFile=%s", "x=%s"};

START_TEST(what_a_server_names_is_not_opened_to_an_engine) {
    char *note = rig_path("note.txt");
    Text named = {0};
    Text options = {0};
    if (plays_here()) {
        put_engine_on_path();
        put_text(note, "x");
        serve_reader(note);
        text_addf(&named, namings[_i], note);
        text_addf(&options, "Threads=1 Hash=8 %s", _i ? "" : text_string(&named));
        rig_offer(&(RigOffer){.id = 5,
                              .options = text_string(&options),
                              .type = _i ? "DATAGEN" : NULL,
                              .genfens_args = _i ? text_string(&named) : NULL,
                              .extra = _i ? ", \"genfens_seeds\": [71, 72]" : NULL,
                              .play_reverses = true});
        rig_run((const char *const[]){"--once", "--sandbox", "on", NULL}, 0);
        rig_expect_games(16);
    }
    text_free(&named);
    text_free(&options);
    free(note);
}
END_TEST

/* Most have it built in; one that has not would seem to have a wrong bench, which ends its test for
 * everyone. */
static const RigOffer readers[] = {
    {.id = 5, .network = "9F86D081"},
    {.id = 5, .network = "9F86D081", .time_control = "5.0+0.05"},
    {.id = 5,
     .network = "9F86D081",
     .type = "DATAGEN",
     .genfens_args = "",
     .extra = ", \"genfens_seeds\": [71, 72]",
     .play_reverses = true},
};

START_TEST(an_engine_reads_its_network) {
    if (!plays_here())
        return;
    put_engine_on_path();
    double_serve(rig_server, "/api/networks/Tiny/9F86D081/", "application/octet-stream", "test", 4);
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",",
                     "sed -i 's|int bench =|if (!fopen(\"$(EVALFILE)\", \"r\")) return 7; &|' "
                     "engine.c; ");
    rig_offer(&readers[_i]);
    rig_run((const char *const[]){"--once", "--sandbox", "on", NULL}, 0);
    rig_expect_games(16);
}
END_TEST

static const char *const time_controls[] = {"N=2000", "5.0+0.05"};

/* That may be the sandbox's doing, and a bench error would end the test for everyone. */
START_TEST(a_bench_that_does_not_run_in_the_sandbox_ends_no_test) {
    if (!plays_here())
        return;
    put_engine_on_path();
    /* It plays, for long. */
    rig_serve_engine(
        "/dev.zip", RIG_BENCH, "\"delay=3\",",
        "sed -i 's|while (bench|if (bench \\&\\& !fopen(\"log\", \"w\")) return 7; &|' "
        "engine.c; ");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000, .time_control = time_controls[_i]});
    rig_start((const char *const[]){"--sandbox", "on", NULL});
    ck_assert(double_wait(rig_server, "/clientSubmitError/", 1, RIG_PATIENCE_S));
    /* One question may be on its way. */
    size_t asked = double_count(rig_server, "/clientGetWorkload/") + 1;
    ck_assert(double_wait(rig_server, "/clientGetWorkload/", asked + 1, RIG_PATIENCE_S));
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    rig_expect_field("/clientSubmitError/", 0, "error",
                     "[Tiny-AAAAAAAA] Failed to Execute Benchmark");
    rig_expect_field("/clientSubmitError/", 0, "logs",
                     "in the worker's sandbox: exited with status 7\n");
    rig_expect_field("/clientGetWorkload/", asked, "blacklist", "5");
    ck_assert_uint_eq(double_count(rig_server, "/clientBenchError/"), 0);
    rig_expect_games(0);
}
END_TEST

/* "on" where it is not complete says why, and nothing else happens. */
START_TEST(on_means_on) {
    bool complete = is_complete();
    rig_run((const char *const[]){"--once", "--sandbox", "on", NULL}, complete ? 0 : 1);
    if (!complete)
        rig_expect_log("error: --sandbox on: ");
}
END_TEST

int main(int argc, char **argv) {
    child_trampoline(argc, argv);
    if (!confine_exists())
        return leave_out("shut_in", "this build has no sandbox");
    if (!rig_ready("shut_in"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("shut_in");
    TCase *tc = rig_case(suite, "sandbox");
    tcase_add_test(tc, a_build_cannot_look_around);
    tcase_add_test(tc, a_build_cannot_read_a_token_in_the_working_folder);
    tcase_add_test(tc, a_build_cannot_read_the_password_after_a_hangup);
    tcase_add_loop_test(tc, work_goes_on_without_a_layer, 0, WITHOUT_COUNT);
    tcase_add_loop_test(tc, the_check_says_whether_builds_have_the_network, 0, 2);
    tcase_add_test(tc, a_build_that_cannot_be_started_is_no_fault_of_the_engine);
    tcase_add_test(tc, a_machine_that_cannot_start_compilers_now_registers_later);
    tcase_add_test(tc, a_build_that_fills_the_disk_is_ended);
    tcase_add_test(tc, a_compiler_that_the_server_names_is_asked_inside);
    tcase_add_test(tc, an_engine_that_wants_more_is_reported);
    tcase_add_test(tc, engines_do_not_read_each_other);
    tcase_add_test(tc, engines_keep_no_right_of_roots);
    tcase_add_loop_test(tc, what_a_server_names_is_not_opened_to_an_engine, 0, COUNT(namings));
    tcase_add_loop_test(tc, an_engine_reads_its_network, 0, COUNT(readers));
    tcase_add_loop_test(tc, a_bench_that_does_not_run_in_the_sandbox_ends_no_test, 0,
                        COUNT(time_controls));
    tcase_add_test(tc, on_means_on);
    int status = run_suite(suite);
    return geteuid() != 0 || ordinary_again(argv[0]) ? status : EXIT_FAILURE;
}
