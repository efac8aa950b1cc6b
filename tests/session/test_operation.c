/* SPDX-License-Identifier: MIT */
/* `obworker work` as its user meets it: configuration, passwords, the status file, --check. */
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <cjson/cJSON.h>

#include "base/affinity.h"
#include "base/config.h"
#include "base/file.h"
#include "base/memory.h"
#include "session/cache.h"
#include "tools/files.h"
#include "tools/terminal.h"
#include "tools/worker_rig.h"
#include "runner.h"

enum { TEXT_LIMIT = 1 << 20, POLLS = RIG_PATIENCE_S * 100 };

#define RESULTS "/clientSubmitResults/"
#define WORKLOAD "/clientGetWorkload/"

static void write_file(const char *name, const char *text, mode_t mode) {
    char *path = rig_path(name);
    put_bytes(path, text, strlen(text), mode);
    free(path);
}

/* ---- The configuration file ---- */

static const struct {
    const char *text, *words; /* NULL: refused */
    const char *error;
} configs[] = {
    {"", "", NULL},
    {"threads = 4\n", "--threads=4,", NULL},
    {"  # a comment\n\n\tnoisy\t\r\nidentity=my box  \n", "--noisy,--identity=my box,", NULL},
    {"focus = A\nfocus = B C", "--focus=A,--focus=B C,", NULL},
    {"password = a=b #c", "--password=a=b #c,", NULL},
    {"syzygy =", "--syzygy=,", NULL},
    {"threads 4", NULL, "line 1: expected '=' after 'threads'"},
    {"noisy\n--threads=4", NULL, "line 2: '--threads' is not the name of an option"},
    {"noisy\n= 4", NULL, "line 2: '' is not the name of an option"},
    {"Threads = 4", NULL, "line 1: 'Threads' is not the name of an option"},
};

static bool take_any(char *word, Error *err) {
    (void)word;
    (void)err;
    return true;
}

START_TEST(a_configuration_is_read) {
    Words words = {0};
    Text joined = {0};
    Error err = {0};
    write_file("config", configs[_i].text, 0600);
    char *path = rig_path("config");
    bool ok = config_read(path, take_any, &words, &err);
    for (size_t i = 0; i < words.count; i++)
        text_addf(&joined, "%s,", words.items[i]);
    ck_assert_msg(ok == (configs[_i].words != NULL), "%s: %s", configs[_i].text, err.text);
    if (ok)
        ck_assert_str_eq(text_string(&joined), configs[_i].words);
    else
        ck_assert_msg(strstr(err.text, configs[_i].error) != NULL, "%s", err.text);
    words_free(&words);
    text_free(&joined);
    free(path);
}
END_TEST

START_TEST(a_configuration_gives_options_and_the_password) {
    char *path = rig_path("config");
    write_file("config",
               "password = secret\nnoisy\nidentity = box of the file\nfocus = Tiny\nfocus = B\n",
               0600);
    rig_run((const char *const[]){"--config", path, "--once", "-I", "box of the line", "--focus",
                                  "Hidden Tiny", NULL},
            0);
    char *info = double_field(rig_server, "/clientWorkerInfo/", 0, "system_info", 0);
    ck_assert_msg(strstr(info, "\"noisy\":true") != NULL, "%s", info);
    /* The command line wins. */
    ck_assert_msg(strstr(info, "box of the line") != NULL, "%s", info);
    ck_assert_msg(strstr(info, "\"focus\":[\"Hidden Tiny\"]") != NULL, "%s", info);
    free(info);
    /* Options may be shortened, this one too. */
    rig_run((const char *const[]){"--conf", path, "--once", NULL}, 0);
    info = double_field(rig_server, "/clientWorkerInfo/", 1, "system_info", 0);
    ck_assert_msg(strstr(info, "box of the file") != NULL, "%s", info);
    ck_assert_msg(strstr(info, "\"focus\":[\"Tiny\",\"B\"]") != NULL, "%s", info);
    free(info);
    free(path);
}
END_TEST

static const struct {
    const char *text;
    mode_t mode;
    const char *line;
} refused[] = {
    {"password = secret\nconfig = x\n", 0600,
     "config: line 2: 'config' may stand only on the command line"},
    {"password = secret\n", 0640, "config: others may read or change it (chmod 600 it)"},
    {"password = secret\n", 0602, "config: others may read or change it (chmod 600 it)"},
    {"password = secret\nspeed = 3\n", 0600, "config: line 2: unknown option --speed"},
    {"# how\n\nmax-work = 3\n", 0600, "config: line 3: --max-work: is no option"},
    {"password = secret\nmax-workloads = x\n", 0600, "config: line 2: --max-workloads: "},
    {"threads = 1 # one\n", 0600, "config: line 1: --threads: '1 # one' is not a whole number"},
    {"nsockets = 0\n", 0600, "config: line 1: --nsockets: "},
    {"password = secret\nhelp\n", 0600, "config: line 2: help is no option for a file"},
    {"two words\n", 0600, "config: line 1: expected '=' after 'two'"},
    {"password = secret\nidentity =\n", 0600, "config: line 2: --identity: is empty"},
    {"password =\n", 0600, "config: line 1: --password: is empty"},
};

START_TEST(a_folder_is_no_configuration) {
    char *path = rig_path("folder");
    ck_assert_int_eq(mkdir(path, 0755), 0);
    rig_run((const char *const[]){"--config", path, "--once", NULL}, 2);
    rig_expect_log("folder: is a folder");
    free(path);
}
END_TEST

START_TEST(a_configuration_that_is_not_right_is_refused) {
    char *path = rig_path("config");
    write_file("config", refused[_i].text, refused[_i].mode);
    rig_run((const char *const[]){"--config", path, "--once", NULL}, 2);
    rig_expect_log(refused[_i].line);
    ck_assert_uint_eq(double_count(rig_server, "/clientVersionRef/"), 0);
    free(path);
}
END_TEST

START_TEST(a_credential_of_the_service_manager_may_show_rights_of_a_group) {
    char *folder = rig_path("credentials");
    char *path = rig_path("credentials/config");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    write_file("credentials/config", "password = secret\n", 0440);
    ck_assert_int_eq(setenv("CREDENTIALS_DIRECTORY", folder, 1), 0);
    rig_run((const char *const[]){"--config", path, "--once", NULL}, 0);
    ck_assert_int_eq(chmod(path, 0444), 0);
    rig_run((const char *const[]){"--config", path, "--once", NULL}, 2);
    rig_expect_log("config: others may read or change it (chmod 600 it)");
    free(path);
    free(folder);
}
END_TEST

START_TEST(a_configuration_of_somebody_else_is_refused) {
    char *path = rig_path("config");
    write_file("config", "password = secret\n", 0600);
    if (geteuid() != 0 || chown(path, 65534, 65534) != 0) {
        puts("operation: only root can give files away: another's configuration is left out");
    } else {
        rig_run((const char *const[]){"--config", path, "--once", NULL}, 2);
        rig_expect_log("config: belongs to someone else (chown it, or copy it)");
    }
    free(path);
}
END_TEST

START_TEST(a_password_file_that_others_may_read_or_that_is_empty_is_told) {
    char *path = rig_path("config");
    char *open_file = rig_path("open");
    Text config = {0};
    write_file("open", "secret\n", 0644);
    text_addf(&config, "password-file = %s\n", open_file);
    write_file("config", text_string(&config), 0600);
    rig_run((const char *const[]){"--config", path, "--once", NULL}, 0);
    rig_expect_log("warning: others may read ");
    ck_assert_int_eq(chmod(open_file, 0600), 0);
    rig_run((const char *const[]){"--config", path, "--once", NULL}, 0);
    Text log = rig_log();
    ck_assert_ptr_null(strstr(text_string(&log), "others may read"));
    write_file("open", "\nsecret\n", 0600);
    rig_run((const char *const[]){"--config", path, "--once", NULL}, 2);
    rig_expect_log("open: its first line is empty");
    text_free(&log);
    text_free(&config);
    free(open_file);
    free(path);
}
END_TEST

START_TEST(a_password_of_the_command_line_wins_over_the_configuration) {
    char *path = rig_path("config");
    char *bad = rig_path("bad");
    Text config = {0};
    write_file("bad", "wrong\n", 0600);
    text_addf(&config, "password-file = %s\n", bad);
    write_file("config", text_string(&config), 0600);
    rig_run((const char *const[]){"--config", path, "-P", "secret", "--once", NULL}, 0);
    rig_expect_field("/clientVersionRef/", 0, "password", "secret");
    text_free(&config);
    free(bad);
    free(path);
}
END_TEST

/* ---- The prompt ---- */

/* Reads what the terminal shows until it has these words, or no more comes. */
static bool read_until(int terminal, const char *words, Text *shown) {
    char part[256];
    ssize_t got;
    while (!strstr(text_string(shown), words) && (got = read(terminal, part, sizeof part)) > 0)
        text_add_bytes(shown, part, (size_t)got);
    return strstr(text_string(shown), words) != NULL;
}

/* Starts the worker at a terminal, and waits until it asks for the password. */
static int start_at_prompt(Text *shown) {
    int terminal;
    char *state = rig_path("state");
    rig_worker = forkpty(&terminal, NULL, NULL, NULL);
    ck_assert_int_ge(rig_worker, 0);
    if (rig_worker == 0) {
        unsetenv("OPENBENCH_PASSWORD");
        execl(getenv("OBWORKER"), "obworker", "work", "-U", "tester", "-S", double_url(rig_server),
              "--state", state, "--once", "-T", "1", (char *)0);
        _exit(127);
    }
    ck_assert_msg(read_until(terminal, "Password of tester at http://127.0.0.1", shown), "%s",
                  text_string(shown));
    ck_assert(read_until(terminal, ": ", shown));
    free(state);
    return terminal;
}

START_TEST(the_password_is_asked_for_and_not_shown) {
    Text shown = {0};
    int terminal = start_at_prompt(&shown);
    ck_assert_int_eq(write(terminal, "secret\n", 7), 7);
    read_until(terminal, "there is no work", &shown);
    ck_assert_int_eq(rig_wait(), 0);
    ck_assert_msg(!strstr(text_string(&shown), "secret"), "%s", text_string(&shown));
    rig_expect_field("/clientVersionRef/", 0, "password", "secret");
    close(terminal);
    text_free(&shown);
}
END_TEST

START_TEST(an_interrupt_ends_the_prompt_at_once) {
    Text shown = {0};
    struct termios after;
    int terminal = start_at_prompt(&shown);
    ck_assert_int_eq(write(terminal, "sec\x03", 4), 4);
    ck_assert_msg(read_until(terminal, "the password: interrupted", &shown), "%s",
                  text_string(&shown));
    ck_assert_int_eq(tcgetattr(terminal, &after), 0);
    ck_assert(after.c_lflag & ECHO);
    ck_assert_int_eq(rig_wait(), 2);
    close(terminal);
    text_free(&shown);
}
END_TEST

/* ---- The environment ---- */

static void work_by_environment(const char *state) {
    char *log = rig_path("log");
    setenv("OPENBENCH_USERNAME", "tester", 1);
    setenv("OPENBENCH_PASSWORD", "secret", 1);
    setenv("OPENBENCH_SERVER", double_url(rig_server), 1);
    dup2(open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    execl(getenv("OBWORKER"), "obworker", "work", "--state", state, "-T", "1",
          "--no-client-downloads", (char *)0);
    _exit(127);
}

START_TEST(the_environment_gives_the_login_and_keeps_no_password) {
    char path[64];
    char words[1 << 16];
    char *state = rig_path("state");
    rig_worker = fork();
    ck_assert_int_ge(rig_worker, 0);
    if (rig_worker == 0)
        work_by_environment(state);
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    rig_expect_field("/clientVersionRef/", 0, "username", "tester");
    rig_expect_field("/clientVersionRef/", 0, "password", "secret");
    snprintf(path, sizeof path, "/proc/%d/environ", (int)rig_worker);
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0)
        puts("operation: only root sees a worker's environment: that it is wiped is left out");
    ssize_t length = descriptor < 0 ? 0 : read(descriptor, words, sizeof words);
    close(descriptor);
    if (descriptor >= 0 &&
        !left_out_in_emulation("that the environment is wiped", "qemu keeps a copy")) {
        ck_assert_int_gt(length, 0);
        ck_assert_ptr_nonnull(memmem(words, (size_t)length, "OPENBENCH_PASSWORD=", 19));
        ck_assert_ptr_null(memmem(words, (size_t)length, "secret", 6));
    }
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    free(state);
}
END_TEST

/* ---- The status file ---- */

/* The file as JSON, which it is at every moment; NULL: it is not there yet. */
static cJSON *read_status(const char *path) {
    Text text = {0};
    if (!file_read(path, TEXT_LIMIT, &text, NULL))
        return NULL;
    cJSON *status = cJSON_Parse(text_string(&text));
    ck_assert_msg(status != NULL, "not JSON: %s", text_string(&text));
    text_free(&text);
    return status;
}

static const char *status_text(const cJSON *status, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(status, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static double status_number(const cJSON *status, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(status, key);
    ck_assert_msg(cJSON_IsNumber(item), "no number %s", key);
    return item->valuedouble;
}

/* The status once it has this state and key. */
static cJSON *await_status(const char *path, const char *state, const char *key) {
    for (int i = 0; i < POLLS; i++, nap()) {
        cJSON *status = read_status(path);
        if (strcmp(status_text(status, "state"), state) == 0 &&
            cJSON_GetObjectItemCaseSensitive(status, key))
            return status;
        cJSON_Delete(status);
    }
    Text log = rig_log();
    ck_abort_msg("no state %s with %s:\n%.3000s", state, key, text_string(&log));
}

static const char test_info[] =
    "{\"info\": {\"test_mode\": \"SPRT\", \"games\": 40, \"currentllr\": 0.5, \"lowerllr\": -2.25, "
    "\"upperllr\": 2.89, \"penta\": [0, 0, 0, 0, 0]}}";

START_TEST(the_status_file_says_what_is_done) {
    char *path = rig_path("status.json");
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=5\",", "");
    double_serve(rig_server, "/api/workload/5/info/", "application/json", test_info,
                 sizeof test_info - 1);
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    rig_start((const char *const[]){"--status", path, "--status-ms", "20", NULL});
    cJSON *status = await_status(path, "playing", "llr");
    ck_assert_str_eq(status_text(status, "dev"), "dev-branch");
    ck_assert_str_eq(status_text(status, "base_engine"), "Tiny");
    ck_assert_str_eq(status_text(status, "test_type"), "SPRT");
    ck_assert(text_starts_with(status_text(status, "server"), double_url(rig_server)));
    ck_assert_double_eq(status_number(status, "test_id"), 5);
    ck_assert_double_eq(status_number(status, "machine_id"), 2);
    ck_assert_double_eq(status_number(status, "pairs"), 100000);
    ck_assert_double_gt(status_number(status, "pairs_played"), 0);
    ck_assert_double_eq(status_number(status, "server_games"), 40);
    ck_assert_double_eq(status_number(status, "llr"), 0.5);
    ck_assert_double_eq(status_number(status, "llr_upper"), 2.89);
    ck_assert_double_gt(status_number(status, "games_uploaded"), 0);
    ck_assert_str_ne(status_text(status, "last_upload"), "");
    ck_assert_str_ne(status_text(status, "next_action"), "");
    ck_assert_str_ne(status_text(status, "updated"), "");
    cJSON_Delete(status);
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    status = read_status(path);
    ck_assert_str_eq(status_text(status, "state"), "ended");
    cJSON_Delete(status);
    /* Twice before the first batch, for the test's totals, and once for the file. */
    ck_assert_uint_eq(double_count(rig_server, "/api/workload/5/info/"), 3);
    free(path);
}
END_TEST

START_TEST(the_last_status_file_counts_the_games_that_are_left) {
    char *path = rig_path("status.json");
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_know_batches(rig_server);
    for (int i = 0; i < 2; i++)
        double_replace(rig_server, "/clientSubmitResults/", DOUBLE_INSTEAD, 503, "");
    rig_start((const char *const[]){"--status", path, "--retry-ms", "600000", "--retry-max-ms",
                                    "600000", "--report-ms", "600000", NULL});
    rig_wait_log("trying again in");
    kill(rig_worker, SIGINT);
    rig_wait_log("waiting until the server has the results");
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    rig_expect_log("16 games are kept in ");
    cJSON *status = read_status(path);
    ck_assert_str_eq(status_text(status, "state"), "ended");
    ck_assert_double_eq(status_number(status, "games_waiting"), 16);
    cJSON_Delete(status);
    free(path);
}
END_TEST

/* The same results are refused time and again, but it is one workload. */
START_TEST(a_workload_whose_results_are_refused_has_failed_once) {
    enum { REFUSALS = 3 };
    char *path = rig_path("status.json");
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    for (int i = 0; i < REFUSALS; i++)
        double_replace(rig_server, "/clientSubmitResults/", DOUBLE_INSTEAD, 200,
                       "{\"error\": \"Not today\"}");
    rig_start((const char *const[]){"--status", path, "--status-ms", "20", "--refused-ms", "20",
                                    "--report-ms", "600000", NULL});
    ck_assert(double_wait(rig_server, "/clientSubmitResults/", REFUSALS + 1, RIG_PATIENCE_S));
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    cJSON *status = read_status(path);
    ck_assert_double_eq(status_number(status, "workloads_failed"), 1);
    cJSON_Delete(status);
    rig_expect_games(16);
    free(path);
}
END_TEST

/* A worker without work waits for days, on a disk that it was lent. The first looks may still see
 * changes. */
START_TEST(a_status_that_stays_the_same_is_not_written_again) {
    enum { SPANS = 10, SPAN_MS = 2500 };
    char *path = rig_path("status.json");
    bool same = false;
    rig_start(
        (const char *const[]){"--status", path, "--status-ms", "20", "--idle-ms", "600000", NULL});
    cJSON *before = await_status(path, "idle", "next_action_at");
    for (int i = 0; i < SPANS && !same; i++) {
        usleep(SPAN_MS * 1000);
        cJSON *after = read_status(path);
        same = strcmp(status_text(before, "updated"), status_text(after, "updated")) == 0;
        cJSON_Delete(before);
        before = after;
    }
    cJSON_Delete(before);
    ck_assert(same);
    kill(rig_worker, SIGINT);
    rig_expect_status(0);
    free(path);
}
END_TEST

START_TEST(waiting_has_a_time_in_the_status_file) {
    char *path = rig_path("status.json");
    rig_start(
        (const char *const[]){"--status", path, "--status-ms", "20", "--idle-ms", "60000", NULL});
    cJSON *status = await_status(path, "idle", "next_action_at");
    ck_assert_str_eq(status_text(status, "next_action"), "asking for work");
    cJSON_Delete(status);
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    ck_assert_uint_eq(double_count(rig_server, WORKLOAD), 1);
    free(path);
}
END_TEST

/* A report has failed, and is tried again long before results are due. */
START_TEST(the_next_action_is_the_one_that_comes_next) {
    char *path = rig_path("status.json");
    bool said = false;
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=5\",", "");
    rig_offer(&(RigOffer){.id = 5, .rounds = 100000});
    double_replace(rig_server, "/clientSubmitNPS/", DOUBLE_INSTEAD, 503, "");
    rig_start((const char *const[]){"--status", path, "--status-ms", "20", "--retry-ms", "600000",
                                    "--retry-max-ms", "600000", "--report-ms", "6000000", NULL});
    rig_wait_log("reporting the speed: ");
    for (int i = 0; i < POLLS && !said; i++, nap()) {
        cJSON *status = await_status(path, "playing", "next_action_at");
        said = strcmp(status_text(status, "next_action"), "reporting the speed") == 0;
        cJSON_Delete(status);
    }
    ck_assert(said);
    kill(rig_worker, SIGKILL);
    rig_wait();
    free(path);
}
END_TEST

/* The folder is made when nothing of the status changes any more. */
START_TEST(a_status_file_that_could_not_be_written_is_tried_again) {
    enum { QUIET_MS = 1000 };
    char *folder = rig_path("later");
    char *path = rig_path("later/status.json");
    rig_start(
        (const char *const[]){"--status", path, "--status-ms", "20", "--idle-ms", "600000", NULL});
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    rig_wait_log("warning: --status: ");
    usleep(QUIET_MS * 1000);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    cJSON_Delete(await_status(path, "idle", "next_action_at"));
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    free(path);
    free(folder);
}
END_TEST

START_TEST(a_status_file_that_cannot_be_written_is_told_once) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    rig_run((const char *const[]){"--once", "--status", "/nonexistent/folder/x", "--status-ms", "5",
                                  NULL},
            0);
    rig_expect_log("warning: --status: /nonexistent/folder/x");
    Text log = rig_log();
    const char *first = strstr(text_string(&log), "--status:");
    ck_assert_ptr_null(strstr(first + 1, "--status:"));
    text_free(&log);
    rig_expect_games(16);
}
END_TEST

/* ---- The view ---- */

static void work_on(const Terminal *terminal, const char *state) {
    setsid();
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        dup2(terminal->slave, fd);
    close(terminal->master);
    setenv("TERM", "xterm", 1);
    setenv("OPENBENCH_PASSWORD", "secret", 1);
    execl(getenv("OBWORKER"), "obworker", "work", "-U", "tester", "-S", double_url(rig_server),
          "--state", state, "-T", "1", "--report-ms", "100", "--sandbox", "off", (char *)0);
    _exit(127);
}

START_TEST(a_terminal_shows_how_things_stand) {
    static const char *const wanted[] = {
        "Server  http://127.0.0.1:",
        "machine 2, 1 thread   playing",
        "Test    5 SPRT   dev-branch [Tiny] against base-branch [Tiny]",
        "of 400 games",
        "games/h",
        "LLR     +0.50 (-2.25, +2.89) after 40 games",
        "games, lastly 20",
        "Next    "};
    static Terminal terminal;
    if (!terminal_open(&terminal, 100, 30))
        return;
    char *state = rig_path("state");
    rig_serve_engine("/dev.zip", RIG_BENCH, "\"side=dev\", \"plan=40,30\", \"delay=5\",", "");
    double_serve(rig_server, "/api/workload/5/info/", "application/json", test_info,
                 sizeof test_info - 1);
    rig_offer(&(RigOffer){.id = 5, .runners = 1, .rounds = 400});
    rig_worker = fork();
    ck_assert_int_ge(rig_worker, 0);
    if (rig_worker == 0)
        work_on(&terminal, state);
    Text screen = {0};
    size_t seen = 0;
    for (int i = 0; i < POLLS && seen < COUNT(wanted); i++) {
        terminal_read(&terminal, 100);
        text_clear(&screen);
        terminal_text(&terminal, &screen);
        for (seen = 0; seen < COUNT(wanted) && strstr(text_string(&screen), wanted[seen]);)
            seen++;
    }
    ck_assert_msg(seen == COUNT(wanted), "no \"%s\" on the screen:\n%s", wanted[seen],
                  text_string(&screen));
    kill(rig_worker, SIGKILL);
    waitpid(rig_worker, NULL, 0);
    terminal_close(&terminal);
    text_free(&screen);
    free(state);
}
END_TEST

/* ---- What is kept ---- */

/* A file of so many bytes, last used so many hours ago. */
static char *make_kept(const char *name, size_t bytes, int hours) {
    char *text = mem_alloc(bytes + 1);
    memset(text, 'x', bytes);
    text[bytes] = '\0';
    write_file(name, text, 0644);
    free(text);
    char *path = rig_path(name);
    struct timespec when = {.tv_sec = time(NULL) - (time_t)hours * 3600};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, (struct timespec[]){when, when}, 0), 0);
    return path;
}

START_TEST(what_was_used_longest_ago_goes_first) {
    char *folder = rig_path("kept");
    Error err = {0};
    ck_assert(file_make_folders(folder, &err));
    char *old = make_kept("kept/old", 100, 9);
    char *older = make_kept("kept/older", 100, 10);
    char *in_use = make_kept("kept/in_use", 100, 11);
    char *young = make_kept("kept/young", 100, 1);
    const char *const folders[] = {folder, "/nonexistent/folder"};
    const char *const keep[] = {NULL, in_use};
    int removed;
    ck_assert_msg(cache_trim(folders, 2, 400, keep, 2, &removed, &err), "%s", err.text);
    ck_assert_int_eq(removed, 0);
    ck_assert_msg(cache_trim(folders, 2, 399, keep, 2, &removed, &err), "%s", err.text);
    ck_assert_int_eq(removed, 1);
    ck_assert(!file_exists(older) && file_exists(old) && file_exists(in_use));
    cache_use(old);
    ck_assert_msg(cache_trim(folders, 2, 200, keep, 2, &removed, &err), "%s", err.text);
    ck_assert(!file_exists(young) && file_exists(old));
    ck_assert(cache_trim(folders, 2, 0, keep, 2, &removed, &err));
    ck_assert(!file_exists(old) && file_exists(in_use));
    free(folder);
    free(old);
    free(older);
    free(in_use);
    free(young);
}
END_TEST

START_TEST(a_workload_makes_room_but_keeps_what_it_uses) {
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    rig_run(rig_once, 0);
    char *old = make_kept("state/books/old.epd", 2 << 20, 9);
    rig_offer(&(RigOffer){.id = 6});
    rig_run((const char *const[]){"--once", "--cache-limit", "1", NULL}, 0);
    ck_assert(!file_exists(old));
    rig_expect_games(32);
    ck_assert_uint_eq(double_count(rig_server, "/dev.zip"), 1);
    ck_assert_uint_eq(double_count(rig_server, "/book.zip"), 1);
    rig_offer(&(RigOffer){.id = 7});
    rig_run((const char *const[]){"--once", "--clean", NULL}, 0);
    rig_expect_games(48);
    ck_assert_uint_eq(double_count(rig_server, "/dev.zip"), 2);
    ck_assert_uint_eq(double_count(rig_server, "/book.zip"), 2);
    free(old);
}
END_TEST

/* ---- The log ---- */

START_TEST(the_log_can_be_json) {
    static const char *const wanted[] = {"\"level\":\"info\",\"message\":\"registered at ",
                                         "\"level\":\"warning\",\"message\":\"",
                                         "\"warning\",\"message\":\"others may read ", NULL};
    char *shown = rig_path("shown");
    char *config = rig_path("config");
    char *text = text_format("password-file = %s\n", shown);
    write_file("shown", "secret\n", 0644);
    write_file("config", text, 0600);
    rig_serve_dev();
    rig_offer(&(RigOffer){.id = 5});
    double_replace(rig_server, WORKLOAD, DOUBLE_INSTEAD, 500, "\"\x1b<html>");
    rig_run((const char *const[]){"--once", "--log-format", "json", "--config", config, NULL}, 0);
    Text log = rig_log();
    for (char *line = log.data; *line;) {
        size_t length = strcspn(line, "\n");
        line[length] = '\0';
        cJSON *object = cJSON_Parse(line);
        ck_assert_msg(object != NULL, "not JSON: %s", line);
        ck_assert_int_eq(cJSON_GetArraySize(object), 3);
        ck_assert_str_ne(status_text(object, "message"), "");
        ck_assert_str_ne(status_text(object, "time"), "");
        cJSON_Delete(object);
        line[length] = '\n';
        line += length + 1;
    }
    for (size_t i = 0; wanted[i]; i++)
        rig_expect_log(wanted[i]);
    text_free(&log);
    free(text);
    free(config);
    free(shown);
}
END_TEST

/* ---- --check ---- */

static void expect_in_out(bool expected, const char *words) {
    Text out = rig_read("out");
    ck_assert_msg((strstr(text_string(&out), words) != NULL) == expected, "%s \"%s\" in:\n%.3000s",
                  expected ? "no" : "unwanted", words, text_string(&out));
    text_free(&out);
}

static void expect_out(const char *words) {
    expect_in_out(true, words);
}

static void serve_check(void) {
    static const char runner[] = "{\"fastchess_min_version\": \"1.8.1\"}";
    static const char config[] = "{\"engines\": [\"Tiny\"], \"books\": {\"b.epd\": {}}}";
    double_serve(rig_server, "/clientMatchRunnerVersionRef/", "application/json", runner,
                 sizeof runner - 1);
    double_serve(rig_server, "/api/config/", "application/json", config, sizeof config - 1);
}

START_TEST(a_check_looks_at_everything_and_registers_nothing) {
    serve_check();
    rig_run((const char *const[]){"--check", "--noisy", NULL}, 0);
    expect_out("warning  sandbox      off: ");
    expect_out("wants client version 49; this worker speaks 49");
    expect_out("the server knows tester");
    expect_out("of which the server wants 1.8.1 or later");
    expect_out("the server has 1 engine and 1 book");
    expect_out("ok       clock        within 30 s of the server's");
    expect_out("warning  compiler     no-such-compiler is not here");
    expect_out("ok       make         /");
    expect_out("ok       engine       Tiny: with gcc");
    expect_out("warning  engine       Hidden Tiny: refused: not for Linux");
    expect_out("1 of the server's 2 can be played here");
    expect_out("tests with a clock are refused (--noisy)");
    ck_assert_uint_eq(double_count(rig_server, "/clientWorkerInfo/"), 0);
    char *state = rig_path("state");
    ck_assert_int_ne(access(state, F_OK), 0);
    free(state);
}
END_TEST

START_TEST(a_check_is_a_document_for_scripts) {
    serve_check();
    rig_run((const char *const[]){"--check", "--json", NULL}, 0);
    expect_out("{\"check\":\"make\",\"result\":\"ok\",\"text\":\"/");
    expect_out("{\"check\":\"engine\",\"result\":\"warning\",\"text\":\"Hidden Tiny: refused: not "
               "for Linux");
    expect_out("],\"ready\":true}\n");
    expect_in_out(false, "ok       ");
    rig_run((const char *const[]){"--json", NULL}, 2);
    rig_expect_log("--json: needs --check");
}
END_TEST

/* This process and its workers may use one CPU from now on. */
static void use_one_cpu(void) {
    CpuList cpus = {0};
    affinity_allowed(&cpus);
    cpus.count = 1;
    ck_assert(affinity_bind(&cpus));
    cpulist_free(&cpus);
}

START_TEST(a_check_says_that_one_thread_plays_no_tunings) {
    serve_check();
    rig_run((const char *const[]){"--check", "-T", "1", NULL}, 0);
    expect_out("warning  threads      1: servers give no tunings to it");
    rig_run((const char *const[]){"--check", NULL}, 0);
    expect_in_out(false, "tunings");
    if (!affinity_exists()) {
        puts("operation: no process is bound to CPUs here: one core is left out");
        return;
    }
    use_one_cpu();
    rig_run((const char *const[]){"--check", "-T", "auto", NULL}, 0);
    expect_out("warning  threads      1: servers give no tunings to it");
}
END_TEST

START_TEST(a_check_warns_of_a_version_that_the_server_may_refuse) {
    serve_check();
    rig_run((const char *const[]){"--check", "--client-version", "1", NULL}, 0);
    expect_out("warning  server       http");
    expect_out("wants client version 49 and may refuse version 1, which is said as told");
    rig_run((const char *const[]){"--check", "--client-version", "49", NULL}, 0);
    expect_out("ok       server       http");
    double_replace(rig_server, "/clientVersionRef/", DOUBLE_INSTEAD, 200,
                   "{\"client_version\": 50}");
    rig_run((const char *const[]){"--check", "--client-version", "50", NULL}, 0);
    expect_out("warning  server       http");
    expect_out("wants client version 50; this worker speaks 49");
}
END_TEST

START_TEST(a_check_names_engines_in_focus_that_the_server_does_not_have) {
    serve_check();
    rig_run((const char *const[]){"--check", "--focus", "tiny", "Hidden Tiny", "Tiny", NULL}, 0);
    expect_out("warning  focus        tiny: the server has no engine of this name");
    expect_in_out(false, "Tiny: the server has no engine");
}
END_TEST

/* A server of another kind lacks two of them, or answers with something else. */
START_TEST(a_check_warns_of_answers_that_work_does_without) {
    static const char none[] = "{}";
    if (_i == 1) {
        double_serve(rig_server, "/clientMatchRunnerVersionRef/", "application/json", none,
                     sizeof none - 1);
        double_serve(rig_server, "/api/config/", "application/json", none, sizeof none - 1);
    }
    rig_run((const char *const[]){"--check", NULL}, 0);
    expect_out("warning  runner       http");
    expect_out("warning  tests        http");
}
END_TEST

START_TEST(a_check_tells_what_is_wrong_with_this_machine) {
    serve_check();
    double_set_clock(rig_server, _i ? -3600 : 3600);
    rig_run((const char *const[]){"--check", "--state", "/dev/null/state", "-T", "4000", "-N",
                                  "4001", "--syzygy", ":/nonexistent:", NULL},
            1);
    expect_out(_i ? "warning  clock        3" : "warning  clock        -3");
    expect_out(" s from the server's: certificates and the times of games will be wrong");
    expect_out("FAULT    state        /dev/null/state: Not a directory");
    expect_out("warning  threads      4000 on ");
    expect_out("FAULT    sockets      --nsockets 4001: more than the threads (4000)");
    expect_out("warning  syzygy       /nonexistent: ");
}
END_TEST

START_TEST(a_state_folder_that_cannot_be_is_told) {
    char *file = rig_path("file");
    serve_check();
    write_file("file", "", 0600);
    rig_run((const char *const[]){"--check", "--state", file, NULL}, 1);
    expect_out("FAULT    state        ");
    expect_out("/file: is not a folder");
    rig_run((const char *const[]){"--state", file, "--once", NULL}, 1);
    rig_expect_log("--state: ");
    if (access("/proc/self", F_OK) == 0) {
        rig_run((const char *const[]){"--check", "--state", "/proc/x", NULL}, 1);
        expect_out("FAULT    state        /proc: no folder can be made there: ");
        rig_run((const char *const[]){"--state", "/proc/x", "--once", NULL}, 1);
        rig_expect_log("--state: /proc/x: ");
    } else
        puts("operation: no /proc here: a state folder that cannot be made is left out");
    free(file);
}
END_TEST

static const struct {
    const char *name, *words;
} unfit[] = {
    {"a b", "/a b: builds and engines do not take a path with a blank in it"},
    {"50%", "/50%: builds and engines do not take a path with '%' in it"},
    {"a$b", " do not take a path with '$' in it"},
    {"#1/state", " do not take a path with '#' in it"},
    {"a\"b", " do not take a path with '\"' in it"},
    {"a:b", " do not take a path with ':' in it"},
};

/* make and its shell would take the path of a network apart, and each build would fail. */
START_TEST(a_state_folder_whose_path_builds_do_not_take_is_refused) {
    char *state = rig_path(unfit[_i].name);
    serve_check();
    rig_run((const char *const[]){"--check", "--state", state, NULL}, 1);
    expect_out("FAULT    state        /");
    expect_out(unfit[_i].words);
    rig_run((const char *const[]){"--state", state, "--once", NULL}, 1);
    rig_expect_log(unfit[_i].words);
    rig_expect_log(" in it: move the state folder, with the results that wait in it, and name it "
                   "with --state\n");
    ck_assert(!file_exists(state));
    ck_assert_uint_eq(double_count(rig_server, "/clientWorkerInfo/"), 0);
    free(state);
}
END_TEST

START_TEST(a_check_warns_of_a_worker_that_has_the_state_folder) {
    serve_check();
    rig_start((const char *const[]){"--idle-ms", "60000", NULL}); /* It asks nothing meanwhile. */
    ck_assert(double_wait(rig_server, WORKLOAD, 1, RIG_PATIENCE_S));
    pid_t first = rig_worker;
    rig_run((const char *const[]){"--check", NULL}, 0);
    expect_out(": another worker uses it: a second one would not start\n");
    rig_worker = first;
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
    rig_run((const char *const[]){"--check", NULL}, 0);
    expect_in_out(false, "another worker");
}
END_TEST

static const struct {
    const char *path, *body, *line;
} faults[] = {
    {"/clientVersionRef/", "{\"error\": \"Bad Credentials\"}",
     " refuses user tester: Bad Credentials"},
    {"/clientVersionRef/", "{\"client_version\": 50}", "(--client-version tries anyway)"},
    {"/clientGetBuildInfo/", "<html>", "FAULT    engines"},
    {"/clientGetBuildInfo/",
     "{\"Tiny\": {\"path\": \"src\", \"compilers\": [\"gcc>=99.0\"], \"cpuflags\": [], "
     "\"systems\": [\"Linux\"], \"private\": false}}",
     "Tiny: refused: none of its compilers is here or new enough"},
    {"/clientGetBuildInfo/",
     "{\"Tiny\": {\"path\": \"src\", \"compilers\": [\"gcc\"], \"cpuflags\": [\"AVX9999\"], "
     "\"systems\": [\"Linux\"], \"private\": false}}",
     "Tiny: refused: needs AVX9999, which this CPU does not have"},
    {"/clientGetBuildInfo/",
     "{\"Tiny\": {\"path\": \"src\", \"compilers\": [\"gcc\"], \"cpuflags\": [], "
     "\"systems\": [\"Linux\"], \"private\": true}}",
     "Tiny: refused: private, and there is no token for it"},
};

START_TEST(a_check_says_what_would_be_refused) {
    serve_check();
    double_replace(rig_server, faults[_i].path, DOUBLE_INSTEAD, 200, faults[_i].body);
    rig_run((const char *const[]){"--check", NULL}, 1);
    expect_out(faults[_i].line);
    expect_out("FAULT");
}
END_TEST

/* The PATH has a compiler and nothing else. */
START_TEST(a_machine_without_make_builds_nothing) {
    static const char compiler[] = "#!/bin/sh\necho gcc 12.2.0\n";
    char *folder = rig_path("tools");
    serve_check();
    ck_assert_int_eq(mkdir(folder, 0755), 0);
    write_file("tools/gcc", compiler, 0755);
    setenv("PATH", folder, 1);
    rig_run((const char *const[]){"--check", NULL}, 1);
    expect_out("FAULT    make         make: no such program on PATH");
    expect_out("warning  engine       Tiny: refused: make is not here");
    rig_run(rig_once, 0);
    rig_expect_log("warning: no engine of the server can be built here");
    char *info = double_field(rig_server, "/clientWorkerInfo/", 0, "system_info", 0);
    ck_assert_msg(strstr(info, "\"compilers\":{}") != NULL, "%s", info);
    free(info);
    free(folder);
}
END_TEST

#define BUILT_BY(compiler)                                                                         \
    "{\"path\": \"src\", \"compilers\": [\"" compiler "\"], \"cpuflags\": [], \"systems\": [], "   \
    "\"private\": false}"

/* The server's engines. The worker looks for their compilers in a new folder "tools" first. */
static void offer_engines(const char *engines) {
    char *folder = rig_path("tools");
    char *path = text_format("%s:%s", folder, getenv("PATH"));
    double_set_build_info(rig_server, engines);
    ck_assert_int_eq(mkdir(folder, 0755), 0);
    setenv("PATH", path, 1);
    free(path);
    free(folder);
}

/* The only compiler is installed later; or one of two tells nothing at first, as on a machine that
 * is too busy. */
START_TEST(compilers_that_are_missing_are_looked_for_again) {
    static const char *const engines[] = {
        "{\"Later\": " BUILT_BY("slow-cc") "}",
        "{\"Tiny\": " BUILT_BY("gcc") ", \"Later\": " BUILT_BY("slow-cc") "}"};
    offer_engines(engines[_i]);
    if (_i)
        write_file("tools/slow-cc", "#!/bin/sh\nexit 1\n", 0755);
    rig_start((const char *const[]){NULL});
    bool knows = false;
    for (size_t i = 0; !knows; i++) {
        ck_assert(double_wait(rig_server, "/clientWorkerInfo/", i + 1, RIG_PATIENCE_S));
        char *info = double_field(rig_server, "/clientWorkerInfo/", i, "system_info", 0);
        knows = strstr(info, "slow-cc") != NULL;
        ck_assert(i > 0 || !knows);
        free(info);
        write_file("tools/slow-cc", "#!/bin/sh\necho slow-cc 7.5.3\n", 0755);
    }
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
}
END_TEST

/* Each registration would make another machine on the server. */
START_TEST(a_worker_that_finds_no_other_compilers_stays_registered) {
    static const char *const engines[] = {
        "{\"Later\": " BUILT_BY("no-such-compiler") "}",
        "{\"Tiny\": " BUILT_BY("gcc") ", \"Later\": " BUILT_BY("silent-cc") "}"};
    offer_engines(engines[_i]);
    write_file("tools/silent-cc", "#!/bin/sh\nexit 1\n", 0755);
    rig_start((const char *const[]){"--idle-ms", "10", NULL});
    ck_assert(double_wait(rig_server, "/clientGetBuildInfo/", 3, RIG_PATIENCE_S));
    size_t asked = double_count(rig_server, WORKLOAD);
    ck_assert(double_wait(rig_server, WORKLOAD, asked + 1, RIG_PATIENCE_S));
    ck_assert_uint_eq(double_count(rig_server, "/clientWorkerInfo/"), 1);
    kill(rig_worker, SIGTERM);
    rig_expect_status(0);
}
END_TEST

int main(void) {
    if (!rig_ready("operation"))
        return EXIT_FAILURE;
    Suite *suite = suite_create("operation");
    TCase *tc = rig_case(suite, "configuration");
    tcase_add_loop_test(tc, a_configuration_is_read, 0, COUNT(configs));
    tcase_add_test(tc, a_configuration_gives_options_and_the_password);
    tcase_add_loop_test(tc, a_configuration_that_is_not_right_is_refused, 0, COUNT(refused));
    tcase_add_test(tc, a_folder_is_no_configuration);
    tcase_add_test(tc, a_configuration_of_somebody_else_is_refused);
    tcase_add_test(tc, a_credential_of_the_service_manager_may_show_rights_of_a_group);
    tcase_add_test(tc, a_password_of_the_command_line_wins_over_the_configuration);
    tcase_add_test(tc, a_password_file_that_others_may_read_or_that_is_empty_is_told);
    tcase_add_test(tc, the_password_is_asked_for_and_not_shown);
    tcase_add_test(tc, an_interrupt_ends_the_prompt_at_once);
    tcase_add_test(tc, the_environment_gives_the_login_and_keeps_no_password);
    tc = rig_case(suite, "status");
    tcase_add_test(tc, the_status_file_says_what_is_done);
    tcase_add_test(tc, the_last_status_file_counts_the_games_that_are_left);
    tcase_add_test(tc, a_workload_whose_results_are_refused_has_failed_once);
    tcase_add_test(tc, a_status_that_stays_the_same_is_not_written_again);
    tcase_add_test(tc, waiting_has_a_time_in_the_status_file);
    tcase_add_test(tc, the_next_action_is_the_one_that_comes_next);
    tcase_add_test(tc, a_status_file_that_could_not_be_written_is_tried_again);
    tcase_add_test(tc, a_status_file_that_cannot_be_written_is_told_once);
    tcase_add_test(tc, a_terminal_shows_how_things_stand);
    tcase_add_test(tc, the_log_can_be_json);
    tcase_add_test(tc, what_was_used_longest_ago_goes_first);
    tcase_add_test(tc, a_workload_makes_room_but_keeps_what_it_uses);
    tc = rig_case(suite, "check");
    tcase_add_test(tc, a_check_looks_at_everything_and_registers_nothing);
    tcase_add_test(tc, a_check_is_a_document_for_scripts);
    tcase_add_test(tc, a_check_says_that_one_thread_plays_no_tunings);
    tcase_add_test(tc, a_check_warns_of_a_version_that_the_server_may_refuse);
    tcase_add_test(tc, a_check_names_engines_in_focus_that_the_server_does_not_have);
    tcase_add_test(tc, a_state_folder_that_cannot_be_is_told);
    tcase_add_loop_test(tc, a_state_folder_whose_path_builds_do_not_take_is_refused, 0,
                        COUNT(unfit));
    tcase_add_test(tc, a_check_warns_of_a_worker_that_has_the_state_folder);
    tcase_add_loop_test(tc, a_check_warns_of_answers_that_work_does_without, 0, 2);
    tcase_add_loop_test(tc, a_check_tells_what_is_wrong_with_this_machine, 0, 2);
    tcase_add_test(tc, a_machine_without_make_builds_nothing);
    tcase_add_loop_test(tc, compilers_that_are_missing_are_looked_for_again, 0, 2);
    tcase_add_loop_test(tc, a_worker_that_finds_no_other_compilers_stays_registered, 0, 2);
    tcase_add_loop_test(tc, a_check_says_what_would_be_refused, 0, COUNT(faults));
    return run_suite(suite);
}
