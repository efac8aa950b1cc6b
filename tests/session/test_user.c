/* SPDX-License-Identifier: MIT */
/* `obworker work` and its user: signals, a kill, a folder that others may not read, passwords,
 * options. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/cputime.h"
#include "base/file.h"
#include "base/text.h"
#include "tools/files.h"
#include "tools/openbench_double.h"
#include "tools/ordinary.h"
#include "tools/worker_rig.h"
#include "tools/zip.h"
#include "runner.h"

enum { LOG_LIMIT = 4 << 20 };

#define RESULTS "/clientSubmitResults/"
#define WORKLOAD "/clientGetWorkload/"
#define FAULT "/clientSubmitError/"

/* ---- The worker ends without warning ---- */

/* Returns when the journal has games that the server does not have. */
static void wait_for_unsent_games(void) {
    enum { POLLS = 100000, NAP_NS = 1000000 };
    for (int i = 0; i < POLLS; i++) {
        DoubleTotals t = double_totals(rig_server);
        if (rig_kept_games() > t.tri[0] + t.tri[1] + t.tri[2])
            return;
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    }
    ck_abort_msg("no pair was played after the report");
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
    wait_for_unsent_games();
    kill(rig_worker, SIGKILL);
    ck_assert_int_eq(rig_wait(), 128 + SIGKILL);
    /* A server may still be adding it: its counts are not looked at so soon, but for the look
     * before the first batch. */
    ck_assert_uint_eq(double_count(rig_server, "/api/workload/5/results/"), 1);
    int64_t before = rig_kept_games();
    ck_assert_int_gt(before, 0);
    ck_assert_int_eq(rig_journals("state/outbox", NULL, NULL), 1);
    rig_run((const char *const[]){"--once", "--keep-delivered", NULL}, 0);
    ck_assert_int_eq(rig_kept_games(), before);
    ck_assert_int_eq(rig_journals("state/outbox", NULL, NULL), 0);
    ck_assert_int_eq(rig_journals("state/outbox/delivered", NULL, NULL), 1);
    rig_expect_games(before);
    rig_expect_log("games of an earlier run wait in ");
}
END_TEST

/* ---- The user ---- */

/* How often the engines have heard these words, by what they have written down. */
static int count_heard(const char *path, const char *words) {
    Text heard = {0};
    if (!file_read(path, LOG_LIMIT, &heard, NULL))
        return 0;
    int count = count_of(text_string(&heard), words);
    text_free(&heard);
    return count;
}

/* Returns when they have heard them so often. */
static void wait_until_heard(const char *path, const char *words, int count) {
    for (int i = 0; i < RIG_PATIENCE_S * 100 && count_heard(path, words) < count; i++)
        nap();
    ck_assert_int_ge(count_heard(path, words), count);
}

START_TEST(an_interrupt_finishes_and_reports_the_games_in_play) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=3\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    rig_start((const char *const[]){"--once", "--keep-delivered", NULL});
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    wait_for_unsent_games();
    kill(rig_worker, SIGINT);
    rig_wait_log("finishing the games that complete a pair");
    rig_expect_status(0);
    rig_expect_games(rig_kept_games());
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 1);
}
END_TEST

/* Two games are in play, which wait for tickets: of their pairs both games have begun. */
START_TEST(a_second_interrupt_stops_the_games_and_reports_the_pairs_before) {
    enum { GAMES = 6, IN_PLAY = 2 };
    char *heard = rig_path("tickets.log");
    rig_serve_dev_with_tickets(GAMES);
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    rig_start((const char *const[]){"--once", "--report-ms", "600000", "--keep-delivered", NULL});
    ck_assert(double_wait(rig_server, "/clientSubmitNPS/", 1, RIG_PATIENCE_S)); /* Proved. */
    wait_until_heard(heard, " ucinewgame\n", GAMES + IN_PLAY);
    kill(rig_worker, SIGTERM);
    rig_wait_log("finishing the games that complete a pair");
    kill(rig_worker, SIGTERM);
    rig_wait_log("stopping the games");
    rig_expect_status(0);
    ck_assert_int_gt(rig_kept_games(), 0);
    rig_expect_games(rig_kept_games());
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 1);
    free(heard);
}
END_TEST

/* The games are over, and the server does not hear of it. */
START_TEST(a_worker_whose_server_is_gone_ends_when_it_is_told_to) {
    enum { TRIES = 60, GAMES = 8 };
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = GAMES / 2});
    for (int i = 0; i < TRIES; i++)
        double_replace(rig_server, "/clientSubmitNPS/", DOUBLE_INSTEAD, 0, "");
    rig_start((const char *const[]){"--keep-delivered", NULL});
    ck_assert(double_wait(rig_server, "/clientSubmitNPS/", 1, RIG_PATIENCE_S));
    while (rig_kept_games() < GAMES)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    ck_assert_uint_lt(double_count(rig_server, "/clientSubmitNPS/"), TRIES);
}
END_TEST

START_TEST(a_worker_that_waits_for_the_server_to_have_its_results_says_so) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, RESULTS, DOUBLE_AFTERWARDS, 0, "");
    /* One report has all games: a second one would wait for the doubt about the first to end. */
    rig_start((const char *const[]){"--verify-ms", "600000", "--report-ms", "600000",
                                    "--keep-delivered", NULL});
    rig_wait_log("no proper answer came");
    kill(rig_worker, SIGINT);
    rig_wait_log("counts tell whether it has the results; once more ends");
    kill(rig_worker, SIGINT); /* The wait for another look at the counts is over. */
    rig_expect_status(0);
    rig_expect_games(16);
}
END_TEST

/* After trouble, the worker's next try would come much later. */
static void start_patient_worker(void) {
    rig_start((const char *const[]){"--retry-ms", "600000", "--retry-max-ms", "600000",
                                    "--report-ms", "600000", "--keep-delivered", NULL});
}

/* The server has a moment of trouble when the results come. */
static void start_with_refused_results(void) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_know_batches(rig_server);
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 503, "");
    start_patient_worker();
    rig_wait_log("trying again in");
}

START_TEST(a_second_interrupt_tries_a_last_time_to_send_the_results) {
    start_with_refused_results();
    kill(rig_worker, SIGINT);
    rig_wait_log("waiting until the server has the results; once more tries a last time");
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 2);
    rig_expect_games(16);
}
END_TEST

START_TEST(a_second_interrupt_tries_a_last_time_to_reach_the_server) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=3\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    double_know_batches(rig_server);
    start_patient_worker();
    wait_for_unsent_games();
    double_go_down(rig_server, 0);
    kill(rig_worker, SIGINT);
    rig_wait_log("finishing the games that complete a pair");
    rig_wait_log("trying again in");
    double_come_back(rig_server);
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    ck_assert_int_gt(rig_kept_games(), 0);
    rig_expect_games(rig_kept_games());
}
END_TEST

START_TEST(a_second_interrupt_tries_a_last_time_to_report_a_fault) {
    char *mark = rig_path("died");
    Text words = {0};
    text_addf(&words, "\"side=dev\", \"plan=40,30\", \"fault=crash\", \"once=%s\",", mark);
    rig_serve_engine("/dev.zip", RIG_BENCH, text_string(&words), "");
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, FAULT, DOUBLE_INSTEAD, 503, "");
    start_patient_worker();
    rig_wait_log("trying again in");
    while (rig_journals("state/outbox/delivered", NULL, NULL) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    kill(rig_worker, SIGINT);
    kill(rig_worker, SIGTERM); /* Another signal, so that they are two. */
    rig_expect_status(0);
    ck_assert_uint_eq(double_count(rig_server, FAULT), 2);
    text_free(&words);
    free(mark);
}
END_TEST

/* A question for work is on its way, and fails. */
START_TEST(a_fault_after_a_second_interrupt_leaves_the_results_their_last_try) {
    start_with_refused_results();
    double_hold(rig_server, WORKLOAD);
    ck_assert(double_wait_asked(rig_server, RIG_PATIENCE_S));
    kill(rig_worker, SIGINT);
    rig_wait_log("waiting until the server has the results; once more tries a last time");
    kill(rig_worker, SIGINT);
    rig_wait_log("sending the results a last time");
    double_replace(rig_server, WORKLOAD, DOUBLE_INSTEAD, 503, "");
    double_hold(rig_server, NULL);
    rig_expect_status(0);
    ck_assert_uint_eq(double_count(rig_server, RESULTS), 2);
    rig_expect_games(16);
}
END_TEST

/* The games are over, or in play. */
START_TEST(a_second_interrupt_does_not_wait_for_a_bench) {
    rig_serve_dev();
    rig_hold_benches(true);
    rig_offer(&(RigOffer){.id = 5, .rounds = _i ? 100000 : 0});
    rig_start((const char *const[]){"--keep-delivered", NULL});
    if (_i)
        wait_for_unsent_games();
    else
        rig_wait_log("8 of 8 pairs played\n"); /* The match is over, not its last pair alone. */
    kill(rig_worker, SIGINT);
    rig_wait_log(_i ? "finishing the games that complete a pair"
                    : "waiting for the benches of the engines");
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    rig_expect_games(0);
    int64_t kept = rig_kept_games();
    ck_assert_int_gt(kept, 0);
    rig_hold_benches(false);
    rig_offer(&(RigOffer){.id = 5, .book_index = 9});
    rig_run((const char *const[]){"--once", "--keep-delivered", NULL}, 0);
    rig_expect_games(kept + 16);
}
END_TEST

static const char stale_registration[] =
    "{\"error\": \"Bad Client Version: Server Configuration Changed\"}";

/* A registration that was lost waits, after an answer of no use or after it was lost again. */
START_TEST(a_second_interrupt_tries_a_last_time_to_register) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    start_patient_worker();
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    if (_i)
        double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, stale_registration);
    else
        double_replace(rig_server, "/clientVersionRef/", DOUBLE_INSTEAD, 503, "");
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, stale_registration);
    rig_wait_log(_i ? "registering again in" : "trying again in");
    kill(rig_worker, SIGINT);
    rig_wait_log("waiting until the server has the results; once more tries a last time");
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    ck_assert_uint_eq(double_count(rig_server, "/clientVersionRef/"), 3);
    rig_expect_games(16);
}
END_TEST

/* The server's settings have changed since the registration, so the last results need another. */
START_TEST(an_interrupted_worker_registers_again_for_its_last_results) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=3\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    rig_start((const char *const[]){"--report-ms", "600000", "--keep-delivered", NULL});
    wait_for_unsent_games();
    double_replace(rig_server, RESULTS, DOUBLE_INSTEAD, 200, stale_registration);
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    ck_assert_uint_eq(double_count(rig_server, "/clientWorkerInfo/"), 2);
    rig_expect_games(rig_kept_games());
}
END_TEST

/* The question for the next workload is on its way when the end is asked for. */
START_TEST(a_workload_that_comes_after_an_interrupt_is_not_waited_for) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"plan=0,100\", \"delay=40\",", "");
    rig_offer(&(RigOffer){.id = 5, .base_source = "dev", .rounds = 20});
    rig_start((const char *const[]){"--keep-delivered", NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    double_hold(rig_server, WORKLOAD);
    ck_assert(double_wait_asked(rig_server, RIG_PATIENCE_S));
    rig_offer(&(RigOffer){.id = 6, .base_source = "dev", .rounds = 20});
    kill(rig_worker, SIGINT);
    rig_wait_log("finishing the games that complete a pair");
    double_hold(rig_server, NULL);
    rig_expect_status(0);
    Text log = rig_log();
    ck_assert_ptr_null(strstr(text_string(&log), "test 6"));
    text_free(&log);
    ck_assert_int_gt(rig_kept_games(), 0);
    rig_expect_games(rig_kept_games());
}
END_TEST

/* Whether a thread blocks SIGHUP, SIGINT and SIGTERM; name: that of its folder in /proc. */
static bool blocks_ends(const char *folder, const char *name) {
    char path[400];
    char line[256];
    unsigned long long blocked = 0;
    bool found = false;
    snprintf(path, sizeof path, "%s/%s/status", folder, name);
    FILE *status = fopen(path, "r");
    ck_assert_msg(status, "%s: %s", path, strerror(errno));
    while (!found && fgets(line, sizeof line, status))
        found = sscanf(line, "SigBlk: %llx", &blocked) == 1;
    fclose(status);
    ck_assert_msg(found, "%s has no line SigBlk", path);
    unsigned long long ends = 1ULL << (SIGHUP - 1) | 1ULL << (SIGINT - 1) | 1ULL << (SIGTERM - 1);
    return (blocked & ends) == ends;
}

/* A signal that comes while the worker ends would otherwise kill it through another thread. */
START_TEST(no_thread_but_the_loops_takes_the_signals_of_an_end) {
    if (left_out_in_emulation("threads and signals", "qemu keeps masks of its own"))
        return;
    char folder[64];
    int others = 0;
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    snprintf(folder, sizeof folder, "/proc/%d/task", (int)rig_worker);
    DIR *threads = opendir(folder);
    ck_assert_ptr_nonnull(threads);
    for (struct dirent *thread; (thread = readdir(threads));) {
        if (thread->d_name[0] == '.')
            continue;
        bool loops = atoi(thread->d_name) == rig_worker;
        ck_assert_msg(blocks_ends(folder, thread->d_name) == !loops,
                      "thread %s of worker %d %s the signals", thread->d_name, (int)rig_worker,
                      loops ? "blocks" : "does not block");
        others += !loops;
    }
    closedir(threads);
    ck_assert_int_gt(others, 0);
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
}
END_TEST

/* What an engine is told for each move. */
static const char MOVE[] = " go ";

/* A game is drawn after ten moves of each side. */
enum { WHOLE_GAME = 20, QUICK_MS = 40, NEVER_MS = 1000000 };

/* A pair's second game in play, both games of a pair, and the first alone. */
static const struct {
    int delay_ms, runners;
    int asked; /* Moves asked for before the first interrupt. */
    int interrupts;
} in_play[] = {{QUICK_MS, 1, WHOLE_GAME + 1, 1}, {NEVER_MS, 2, 2, 2}, {NEVER_MS, 1, 1, 1}};

START_TEST(games_are_finished_at_first_where_pairs_can_count_and_stopped_at_last) {
    char *heard = rig_path("heard");
    Text words = {0};
    text_addf(&words, "\"plan=0,100\", \"delay=%d\", \"log=%s\",", in_play[_i].delay_ms, heard);
    rig_serve_engine("/dev.zip", RIG_BENCH, text_string(&words), "");
    rig_offer(
        &(RigOffer){.id = 5, .base_source = "dev", .runners = in_play[_i].runners, .rounds = 1000});
    rig_start((const char *const[]){NULL});
    wait_until_heard(heard, MOVE, in_play[_i].asked);
    kill(rig_worker, SIGINT);
    if (in_play[_i].interrupts == 2) {
        rig_wait_log("finishing the games that complete a pair"); /* So that they are two. */
        kill(rig_worker, SIGINT);
    }
    rig_expect_status(0);
    if (in_play[_i].delay_ms == NEVER_MS) {
        /* A game that goes on ends by a stall, which is reported. */
        ck_assert_uint_eq(double_count(rig_server, FAULT), 0);
        ck_assert_int_eq(count_heard(heard, MOVE), in_play[_i].asked);
    } else
        ck_assert_int_ge(count_heard(heard, MOVE), 2 * WHOLE_GAME);
    Text log = rig_log();
    ck_assert_msg(!strstr(text_string(&log), "error:"), "%s", text_string(&log));
    text_free(&log);
    text_free(&words);
    free(heard);
}
END_TEST

/* Sends a signal to a process, and then to all below it: guards and engines. */
static void signal_all(pid_t pid, int number) {
    enum { CHILDREN_MAX = 4096 };
    char children[CHILDREN_MAX];
    char *end;
    char path[64];
    kill(pid, number);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    file_read_start(path, children, sizeof children);
    for (char *at = children; *at != '\0'; at = end) {
        long child = strtol(at, &end, 10);
        if (child <= 0)
            return;
        signal_all((pid_t)child, number);
    }
}

/* Ctrl-Z, and a stop of which the worker learns by its clock alone. The engines do not stop with
 * the worker, and their answers wait for it longer than their clocks; or all stop together. */
START_TEST(time_in_which_a_worker_is_stopped_counts_for_no_engine) {
    enum { STOPPED_S = 5 };
    static const struct {
        int number;
        bool all;
    } stops[] = {{SIGTSTP, false}, {SIGSTOP, false}, {SIGSTOP, true}};
    if (stops[_i].number == SIGSTOP && cpu_time_busy() == 0)
        return;
    char *heard = rig_path("heard");
    Text words = {0};
    int status;
    text_addf(&words, "\"plan=0,100\", \"delay=100\", \"log=%s\",", heard);
    rig_serve_engine("/dev.zip", RIG_BENCH, text_string(&words), "");
    rig_offer(&(RigOffer){.id = 5, .base_source = "dev", .time_control = "4+0.1", .rounds = 2});
    rig_start(rig_once);
    wait_until_heard(heard, MOVE, 1);
    if (stops[_i].all)
        signal_all(rig_worker, stops[_i].number);
    else
        kill(rig_worker, stops[_i].number);
    ck_assert_int_eq(waitpid(rig_worker, &status, WUNTRACED), rig_worker);
    ck_assert(WIFSTOPPED(status));
    nanosleep(&(struct timespec){.tv_sec = STOPPED_S}, NULL);
    if (stops[_i].all)
        signal_all(rig_worker, SIGCONT);
    else
        kill(rig_worker, SIGCONT);
    rig_expect_status(0);
    if (stops[_i].number == SIGSTOP)
        rig_expect_log("this process stood still for ");
    ck_assert_int_eq(double_totals(rig_server).timelosses, 0);
    rig_expect_games(4);
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
    rig_expect_log(_i ? "there is a file openbench.exit in the working folder: ending; remove it "
                        "before the next start"
                      : "/state/openbench.exit: ending; remove it before the next start");
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 0);
    free(state);
    free(here);
    free(path);
    free(worker);
}
END_TEST

/* The server is not there, or registers nobody. */
START_TEST(a_file_of_the_agreed_name_ends_it_without_a_server) {
    enum { FAULTS = 1000 };
    char *state = rig_path("state");
    char *path = rig_path("state/openbench.exit");
    Error err = {0};
    ck_assert(file_make_folders(state, &err));
    ck_assert(file_write_atomic(path, "", 0, 0600, &err));
    for (int i = 0; i < FAULTS; i++)
        double_replace(rig_server, "/clientVersionRef/", DOUBLE_INSTEAD, 500, "<html>");
    rig_run(_i ? (const char *const[]){NULL}
               : (const char *const[]){"-S", "http://127.0.0.1:1", NULL},
            0);
    rig_expect_log("/state/openbench.exit: ending");
    free(state);
    free(path);
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

/* Whether the arguments of the worker, as other processes see them, have these words. */
static bool is_in_arguments(const char *words) {
    char path[64];
    char line[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)rig_worker);
    int descriptor = open(path, O_RDONLY);
    ssize_t length = read(descriptor, line, sizeof line - 1);
    close(descriptor);
    return length > 0 && memmem(line, (size_t)length, words, strlen(words)) != NULL;
}

/* Also where a file with another is taken. */
START_TEST(the_password_is_wiped_from_the_arguments) {
    if (left_out_in_emulation("wiped arguments", "qemu keeps a copy"))
        return;
    char *file = rig_path("password");
    rig_start(_i ? (const char *const[]){"-P", "secret", "--password-file", file, NULL}
                 : (const char *const[]){"-P", "secret", NULL});
    free(file);
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    ck_assert(is_in_arguments("tester"));
    ck_assert(!is_in_arguments("secret"));
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
}
END_TEST

/* Makes a scratch folder of a program now gone, with a lock that this process holds. */
static bool hold_leftover(const char *folder, pid_t gone, int number) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char *scratch = text_format("%s/obworker-%d-aaaa%02d", folder, (int)gone, number);
    char *lock = text_format("%s/lock", scratch);
    bool ok = mkdir(scratch, 0700) == 0 &&
              fcntl(open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600), F_SETLK, &whole) == 0;
    free(lock);
    free(scratch);
    return ok;
}

/* Makes the start of a sandbox with this folder last longer than a test's patience: the sandbox
 * waits five seconds for each lock. Returns the process that holds the locks. */
static pid_t hold_leftovers(const char *folder) {
    enum { FOLDERS = 60 };
    char byte;
    int ready[2];
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(gone, NULL, 0), gone);
    ck_assert_int_eq(pipe(ready), 0);
    pid_t holder = fork();
    if (holder == 0) {
        bool ok = true;
        for (int i = 0; i < FOLDERS; i++)
            ok = ok && hold_leftover(folder, gone, i);
        if (ok && write(ready[1], "r", 1) == 1)
            pause();
        _exit(1);
    }
    close(ready[1]);
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return holder;
}

START_TEST(the_password_is_wiped_before_old_folders_are_removed) {
    if (left_out_in_emulation("wiped arguments", "qemu keeps a copy"))
        return;
    char *folder = rig_path("scratch");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    pid_t holder = hold_leftovers(folder);
    setenv("TMPDIR", folder, 1);
    rig_start((const char *const[]){"-P", "secret", "--sandbox", "auto", NULL});
    bool wiped = false;
    for (int i = 0; !wiped && i < RIG_PATIENCE_S * 100; i++, nap())
        wiped = is_in_arguments("tester") && !is_in_arguments("secret");
    kill(rig_worker, SIGKILL);
    rig_wait();
    kill(holder, SIGKILL);
    ck_assert_int_eq(waitpid(holder, NULL, 0), holder);
    ck_assert_msg(wiped, "the password is still in the arguments");
    free(folder);
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
    bool is = ordinary_become(folder);
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
    if (!confine_exists()) {
        puts("left out: this build keeps no other process of the user from reading its memory");
        return;
    }
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

/* The folder of the state takes no file. Another machine may keep what came from `path`: the test
 * goes on elsewhere, and here after a while. */
static void expect_put_off(const char *name, const char *path, const RigOffer *offer) {
    char *folder = rig_path(name);
    ck_assert(file_make_folders(folder, NULL));
    ck_assert_int_eq(chmod(folder, 0555), 0);
    rig_offer(offer);
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 3, RIG_PATIENCE_S));
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    rig_expect_log("Permission denied");
    ck_assert_uint_eq(double_count(rig_server, path), 1);
    ck_assert_ptr_null(double_field(rig_server, WORKLOAD, 2, "blacklist", 0)); /* Put off once. */
    ck_assert_int_eq(chmod(folder, 0755), 0);
    free(folder);
}

START_TEST(a_book_that_cannot_be_kept_is_this_machines_fault) {
    if (!be_ordinary()) {
        puts("left out: this process cannot become an ordinary user");
        return;
    }
    expect_put_off("state/books", "/book.zip", &(RigOffer){.id = 5});
}
END_TEST

START_TEST(a_program_that_cannot_be_kept_is_this_machines_fault) {
    if (!be_ordinary()) {
        puts("left out: this process cannot become an ordinary user");
        return;
    }
    ZipEntry entry = {"tiny", ZIP_FILE, "\177ELF"};
    Text zip = zip_make(&entry, 1);
    double_serve(rig_server, "/dev.zip", "application/zip", zip.data, zip.length);
    rig_keep_token(double_url(rig_server));
    expect_put_off("state/engines", "/dev.zip", &(RigOffer){.id = 5, .is_private = true});
    text_free(&zip);
}
END_TEST

/* The test's server is the proxy, so nobody looks for the name. */
START_TEST(a_password_that_would_cross_the_network_is_warned_of) {
    setenv("http_proxy", double_url(rig_server), 1);
    rig_start((const char *const[]){"-S", "http://obworker.invalid", NULL});
    rig_wait_log("http://obworker.invalid/: plain http: your password crosses the network "
                 "unencrypted");
    kill(rig_worker, SIGTERM);
    rig_wait();
    rig_run(rig_once, 0);
    Text log = rig_log();
    ck_assert_msg(!strstr(text_string(&log), "unencrypted"), "%s", text_string(&log));
    text_free(&log);
}
END_TEST

START_TEST(a_hangup_starts_it_anew_with_its_password) {
    if (left_out_in_emulation("a hangup", "the program that starts anew needs qemu"))
        return;
    rig_start((const char *const[]){"-P", "secret", "--", NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    kill(rig_worker, SIGHUP);
    ck_assert(double_wait(rig_server, "/clientWorkerInfo/", 2, RIG_PATIENCE_S));
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
}
END_TEST

/* The terminal is closed while the games in play are finished. */
START_TEST(a_hangup_after_an_interrupt_starts_nothing_anew) {
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=3\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, RESULTS, 1, RIG_PATIENCE_S));
    kill(rig_worker, SIGINT);
    rig_wait_log("finishing the games that complete a pair");
    kill(rig_worker, SIGHUP);
    rig_expect_status(0);
    ck_assert_uint_eq(double_count(rig_server, "/clientWorkerInfo/"), 1);
}
END_TEST

/* A service manager starts a worker again that has failed, but not one that has ended well. */
START_TEST(a_worker_that_cannot_start_anew_has_failed) {
    if (left_out_in_emulation("a hangup", "the program that starts anew needs qemu"))
        return;
    enum { PROGRAM_LIMIT = 1 << 28 };
    const char *program = getenv("OBWORKER");
    char *copy = rig_path("copy");
    Text bytes = {0};
    Error err = {0};
    ck_assert_msg(file_read(program, PROGRAM_LIMIT, &bytes, &err) &&
                      file_write_atomic(copy, bytes.data, bytes.length, 0700, &err),
                  "%s", err.text);
    setenv("OBWORKER", copy, 1);
    rig_start((const char *const[]){NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    unlink(copy);
    kill(rig_worker, SIGHUP);
    rig_expect_status(1);
    rig_expect_log("starting again: ");
    text_free(&bytes);
    free(copy);
}
END_TEST

START_TEST(a_hangup_waits_for_the_end_of_the_workload) {
    if (left_out_in_emulation("a hangup", "the program that starts anew needs qemu"))
        return;
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
    {{"-U", "", NULL}, "--username: is empty"},
    {{"-P", "", NULL}, "--password: is empty"},
    {{"-I", "", NULL}, "--identity: is empty"},
    {{"-S", "nonsense://x", NULL}, "is not the address of an http or https server"},
    {{"--no-such-option", NULL, NULL}, "--no-such-option"},
    {{"--sandbox=off", "--disk-limit=5", NULL}, "--disk-limit: the sandbox watches the disk space"},
};

START_TEST(what_is_not_there_is_refused_as_usage) {
    rig_run(refused[_i].words, 2);
    rig_expect_log(refused[_i].line);
    ck_assert_uint_eq(double_count(rig_server, "/clientVersionRef/"), 0);
}
END_TEST

/* A server divides the threads by the sockets. */
START_TEST(more_sockets_than_threads_are_refused) {
    rig_run((const char *const[]){"--once", "-T", "1", "-N", "2", NULL}, 1);
    rig_expect_log("error: --nsockets 2: more than the threads (1)");
    ck_assert_uint_eq(double_count(rig_server, "/clientVersionRef/"), 0);
}
END_TEST

int main(void) {
    if (!rig_ready("user"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("user");
    TCase *tc = rig_case(suite, "kill");
    tcase_add_loop_test(tc, what_a_killed_worker_has_finished_is_delivered_by_the_next, 0, 2);
    tc = rig_case(suite, "user");
    tcase_add_test(tc, an_interrupt_finishes_and_reports_the_games_in_play);
    tcase_add_test(tc, a_second_interrupt_stops_the_games_and_reports_the_pairs_before);
    tcase_add_test(tc, a_worker_whose_server_is_gone_ends_when_it_is_told_to);
    tcase_add_test(tc, a_worker_that_waits_for_the_server_to_have_its_results_says_so);
    tcase_add_test(tc, a_second_interrupt_tries_a_last_time_to_send_the_results);
    tcase_add_test(tc, a_second_interrupt_tries_a_last_time_to_reach_the_server);
    tcase_add_test(tc, a_second_interrupt_tries_a_last_time_to_report_a_fault);
    tcase_add_test(tc, a_fault_after_a_second_interrupt_leaves_the_results_their_last_try);
    tcase_add_loop_test(tc, a_second_interrupt_does_not_wait_for_a_bench, 0, 2);
    tcase_add_loop_test(tc, a_second_interrupt_tries_a_last_time_to_register, 0, 2);
    tcase_add_test(tc, an_interrupted_worker_registers_again_for_its_last_results);
    tcase_add_test(tc, a_workload_that_comes_after_an_interrupt_is_not_waited_for);
    tcase_add_test(tc, no_thread_but_the_loops_takes_the_signals_of_an_end);
    tcase_add_loop_test(tc, games_are_finished_at_first_where_pairs_can_count_and_stopped_at_last,
                        0, COUNT(in_play));
    tcase_add_loop_test(tc, time_in_which_a_worker_is_stopped_counts_for_no_engine, 0, 3);
    tcase_add_loop_test(tc, a_file_of_the_agreed_name_ends_it, 0, 2);
    tcase_add_loop_test(tc, a_file_of_the_agreed_name_ends_it_without_a_server, 0, 2);
    tcase_add_test(tc, a_state_folder_is_private_and_used_by_one);
    tcase_add_loop_test(tc, the_password_is_wiped_from_the_arguments, 0, 2);
    tcase_add_test(tc, the_password_is_wiped_before_old_folders_are_removed);
    tcase_add_test(tc, a_core_file_would_not_have_the_password);
    tcase_add_test(tc, no_process_of_the_user_reads_the_workers_memory);
    tcase_add_test(tc, a_book_that_cannot_be_kept_is_this_machines_fault);
    tcase_add_test(tc, a_program_that_cannot_be_kept_is_this_machines_fault);
    tcase_add_test(tc, a_password_that_would_cross_the_network_is_warned_of);
    tcase_add_test(tc, a_hangup_starts_it_anew_with_its_password);
    tcase_add_test(tc, a_hangup_after_an_interrupt_starts_nothing_anew);
    tcase_add_test(tc, a_worker_that_cannot_start_anew_has_failed);
    tcase_add_test(tc, a_hangup_waits_for_the_end_of_the_workload);
    tcase_add_loop_test(tc, what_is_not_there_is_refused_as_usage, 0, COUNT(refused));
    tcase_add_test(tc, more_sockets_than_threads_are_refused);
    return run_suite(suite);
}
