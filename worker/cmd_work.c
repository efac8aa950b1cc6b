/* SPDX-License-Identifier: MIT */
/* obworker work: contributes this machine's CPU time to an OpenBench server. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "base/datadir.h"
#include "base/file.h"
#include "base/config.h"
#include "base/count.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text.h"
#include "commands.h"
#include "openbench/login.h"
#include "openbench/http.h"
#include "session/check.h"
#include "session/prepare.h"
#include "session/session.h"

enum { MAX_THREADS = 4096, MAX_WAIT_MS = 86400000 };

typedef struct {
    LoginOptions login;
    const char *threads;
    int64_t sockets;
    const char *config;
    const char *status;
    const char *log_format;
    const char *identity;
    const char *syzygy;
    OptionList focus;
    bool fleet;
    bool noisy;
    bool clean;
    bool no_downloads;
    bool keep_delivered;
    const char *passed_on; /* The password of the program that this one replaces, as a file. */
    const char *state;
    const char *sandbox;
    bool build_network;
    int64_t max_workloads;
    int64_t client_version;
    int64_t cache_mb;
    int64_t disk_mb;
    int64_t rebench_minutes;
    bool once;
    bool check;
    bool json;
    SessionWaits waits;
    CommonOptions common;
} WorkOptions;

#define FIELD(field) offsetof(WorkOptions, field)

/* The option by which a program that starts anew has its password; --help does not show it. The
 * user's own --password-file stays beside it, since builds and engines must not read that file. */
static const char PASSED_ON[] = "password-passed-on";

/* Options for tests; --help does not show them. */
#define WAIT_OPTION(field, title, standard)                                                        \
    INTEGER_OPTION(title, "MS", FIELD(waits) + offsetof(SessionWaits, field), 1, MAX_WAIT_MS, NULL),

static const Option options[] = {
    OPTION_SECTION("The server"),
    OPTION_LOGIN(FIELD(login)),
    TEXT_OPTION("identity", "NAME", FIELD(identity),
                "the machine's name on the server (default: the host's)", .letter = 'I'),
    INTEGER_OPTION("client-version", "N", FIELD(client_version), 1, 1e9,
                   "say that this is client version N, whatever the server wants"),
    FLAG_OPTION("no-client-downloads", FIELD(no_downloads),
                "accepted: this worker never replaces itself"),
    OPTION_SECTION("What this machine gives"),
    TEXT_OPTION("threads", "N|auto", FIELD(threads),
                "threads to play with; auto (the default): one a physical core, no more than a "
                "limit of the service or the container allows",
                .letter = 'T'),
    INTEGER_OPTION("nsockets", "N", FIELD(sockets), 1, MAX_THREADS,
                   "number of CPU sockets to report to the server (default 1)", .letter = 'N'),
    TEXT_OPTION("syzygy", "DIR", FIELD(syzygy), "folder of Syzygy tables"),
    WORDS_OPTION("focus", "ENGINE...", FIELD(focus), "engines to prefer"),
    FLAG_OPTION("noisy", FIELD(noisy),
                "timing on this machine is not reliable: take no tests with clocks"),
    OPTION_SECTION("When it ends"),
    FLAG_OPTION("once", FIELD(once), "end when there is no work"),
    FLAG_OPTION("fleet", FIELD(fleet), "end when there is no work, as --once"),
    INTEGER_OPTION("max-workloads", "N", FIELD(max_workloads), 1, 1e9, "end after N workloads"),
    FLAG_OPTION("check", FIELD(check),
                "look at everything that work needs, say what would be refused, and end"),
    FLAG_OPTION("json", FIELD(json), "with --check: print a JSON object in place of the lines"),
    OPTION_SECTION("Folders and what is kept"),
    TEXT_OPTION("state", "DIR", FIELD(state),
                "where engines and books are kept (default $XDG_STATE_HOME/obworker)"),
    INTEGER_OPTION("cache-limit", "MB", FIELD(cache_mb), 1, 1e9,
                   "keep no more engines, sources, networks and books than this (default 8192)"),
    FLAG_OPTION("clean", FIELD(clean),
                "throw away kept books, networks, sources and engines first"),
    FLAG_OPTION("keep-delivered", FIELD(keep_delivered),
                "keep the journals of delivered results, in the state folder's outbox/delivered"),
    INTEGER_OPTION("rebench-minutes", "N", FIELD(rebench_minutes), 1, 1e6,
                   "measure an engine's speed again after N minutes, for clocks (default 60)"),
    OPTION_SECTION("The sandbox"),
    CHOICE_OPTION(
        "sandbox", "on|off|auto", FIELD(sandbox),
        "shut builds and engines in: as far as this system can (auto, the default), on (else do "
        "not start), or not at all"),
    INTEGER_OPTION("disk-limit", "MB", FIELD(disk_mb), 1, 1e9,
                   "end a build or an engine in the sandbox whose files take more (default 8192)"),
    FLAG_OPTION("build-network", FIELD(build_network),
                "builds in the sandbox have the network (cargo may need it)"),
    OPTION_SECTION("Settings and messages"),
    TEXT_OPTION("config", "FILE", FIELD(config), "more options, one a line: threads = 4"),
    TEXT_OPTION("status", "FILE", FIELD(status), "keep a JSON file that says what is being done"),
    CHOICE_OPTION("log-format", "text|json", FIELD(log_format),
                  "how the lines on stderr are written (default text)"),
    OPTION_COMMON(FIELD(common)),
    TEXT_OPTION(PASSED_ON, "FILE", FIELD(passed_on), NULL),
    SESSION_WAITS(WAIT_OPTION)};

static const OptionTable table = {
    .command = "obworker work",
    .synopsis = "-U NAME --password-file FILE -S URL [options]",
    .about =
        "Plays the games of an OpenBench server's tests: fetches, builds, checks, plays pairs "
        "and reports, until interrupted (once: the games that complete a pair are finished; twice: "
        "they are stopped).",
    .options = options,
    .count = sizeof options / sizeof *options,
    .operands = OPTION_NO_OPERANDS,
};

/* The running worker, and the facts that decide its end. */
typedef struct {
    uv_loop_t loop;
    uv_signal_t signals[4];
    Log log;
    Session *session;
    int status;
    bool again;    /* SIGHUP: start the program anew at the end. */
    bool stopping; /* SIGINT or SIGTERM has come. */
    char *held;    /* The password until login_take overwrites it; NULL: none was given. */
    Login login;
    char *state_dir;
    char *syzygy; /* NULL: no tables. */
    Sandbox sandbox;
} Worker;

/* ---- The configuration file ---- */

/* The file's options followed by the command line's, which win. The Line must live as long as the
 * options. */
typedef struct {
    Words file; /* The command's name, then the file's options. */
    char **argv;
    int argc;
    bool password; /* The command line has a password, and no file of one. */
    bool focus;    /* The command line has --focus. */
} Line;

/* The value of --config on the command line, or NULL. What is wrong there is told later. */
static const char *find_config(int argc, char **argv, Line *line) {
    WorkOptions trial = {0};
    Error err = {0};
    bool help = false;
    const char *found =
        options_parse(&table, argc, argv, &trial, &help, &err) ? trial.config : NULL;
    const char *password = trial.login.password;
    line->password =
        password && !trial.login.password_file && password != getenv("OPENBENCH_PASSWORD");
    line->focus = trial.focus.count > 0;
    options_free(&table, &trial);
    return found;
}

static bool read_threads(const char *text, int *out, Error *err) {
    int64_t value;
    if (!text || strcmp(text, "auto") == 0)
        return true;
    if (!text_to_int(text, 1, MAX_THREADS, "--threads", &value, err)) {
        Error cause = *err;
        return error_set(err, "%s, nor auto", cause.text);
    }
    *out = (int)value;
    return true;
}

/* Refuses an empty value where options_parse does not. */
static bool check_value(const char *word, Error *err) {
    static const char *const empty[] = {"--server=", "--username=", "--password=", "--identity="};
    for (size_t i = 0; i < COUNT(empty); i++)
        if (strcmp(word, empty[i]) == 0)
            return error_set(err, "%.*s: is empty", (int)strlen(word) - 1, word);
    return true;
}

/* Is a line of the file an option with a valid value? */
static bool check_line(char *word, Error *err) {
    char *argv[] = {(char *)"work", word};
    WorkOptions trial = {0};
    bool help = false;
    int count;
    bool ok =
        check_value(word, err) && options_parse(&table, 2, argv, &trial, &help, err) &&
        options_is_whole(&table, word, err) &&
        (trial.config == NULL || error_set(err, "'config' may stand only on the command line")) &&
        read_threads(trial.threads, &count, err);
    options_free(&table, &trial);
    return help ? error_set(err, "help is no option for a file") : ok;
}

/* Does the command line win over this word of the file? A later value of an option wins by itself,
 * but the values of --focus add up. */
static bool is_overruled(const Line *line, const char *word) {
    static const char focus[] = "--focus=";
    return line->focus && strncmp(word, focus, sizeof focus - 1) == 0;
}

/* Reads the file of --config, and puts its options before those of the command line. */
static bool read_config(int argc, char **argv, Line *line, Error *err) {
    const char *path = find_config(argc, argv, line);
    words_add(&line->file, argv[0]);
    if (path && !config_read(path, check_line, &line->file, err))
        return error_prefix(err, "--config");
    int count = (int)line->file.count;
    line->argv = mem_calloc((size_t)(count + argc), sizeof *line->argv);
    for (int i = 0; i < count; i++)
        if (!is_overruled(line, line->file.items[i]))
            line->argv[line->argc++] = line->file.items[i];
    for (int i = 1; i < argc; i++)
        line->argv[line->argc++] = argv[i];
    return true;
}

static void free_line(Line *line) {
    words_free(&line->file);
    free(line->argv);
}

/* ---- The other options ---- */

/* The state folder as an absolute path. Allocated. */
static char *state_folder(const char *given, Error *err) {
    if (!given) {
        char *folder = statedir_path(err);
        if (!folder)
            error_prefix(err, "--state: is missing");
        return folder;
    }
    char *path = file_absolute(given);
    if (path == NULL)
        error_set(err, "--state: the current folder is gone");
    return path;
}

/* The folders of Syzygy tables, from the root: engines run in folders of their own. Allocated; NULL
 * where none is named. */
static char *syzygy_folders(const char *given) {
    Text out = {0};
    while (given != NULL && *given != '\0') {
        size_t length = strcspn(given, ":");
        char *part = mem_strndup(given, length);
        char *whole = length > 0 ? file_absolute(part) : NULL;
        if (length > 0)
            text_addf(&out, "%s%s", out.length > 0 ? ":" : "", whole != NULL ? whole : part);
        free(part);
        free(whole);
        given += length + (given[length] == ':');
    }
    return out.length > 0 ? text_take(&out) : NULL;
}

static bool configure(const WorkOptions *given, const Line *line, Worker *worker,
                      SessionConfig *config, Error *err) {
    LoginOptions login = given->login;
    if (line->password) /* A password file of the configuration would win over the password. */
        login.password_file = NULL;
    if (given->passed_on)
        login.password_file = given->passed_on;
    worker->syzygy = syzygy_folders(given->syzygy);
    *config = (SessionConfig){.sockets = (int)given->sockets,
                              .identity = given->identity,
                              .syzygy = worker->syzygy,
                              .noisy = given->noisy,
                              .clean = given->clean,
                              .once = given->once || given->fleet,
                              .max_workloads = given->max_workloads,
                              .client_version = given->client_version,
                              .cache_mb = given->cache_mb,
                              .keep_delivered = given->keep_delivered,
                              .rebench_minutes = given->rebench_minutes,
                              .status_file = given->status,
                              .watched = given->status || worker->log.terminal,
                              .version = "obworker " PACKAGE_VERSION,
                              .waits = given->waits,
                              .log = &worker->log};
    const OptionUse json = {"json", given->json, given->check, "needs --check"};
    if (!options_check_uses(&json, 1, err) ||
        !sandbox_check_limit(given->sandbox, given->disk_mb, err) ||
        !login_take(&login, &worker->log, &worker->login, err) ||
        !read_threads(given->threads, &config->threads, err))
        return false;
    if (given->identity && !given->identity[0])
        return error_set(err, "--identity: is empty");
    worker->state_dir = state_folder(given->state, err);
    if (!worker->state_dir)
        return false;
    for (size_t i = 0; i < given->focus.count; i++)
        words_add(&config->focus, given->focus.items[i]);
    config->username = worker->login.username;
    config->base_url = worker->login.base_url;
    config->password = worker->login.password;
    config->state_dir = worker->state_dir;
    config->build_network = given->build_network;
    return true;
}

/* Logs the sandbox's layers, and warns of its gaps. */
static void tell_sandbox(Worker *worker, const Text *missing) {
    Text layers = {0};
    if (worker->sandbox.on) {
        sandbox_describe(&worker->sandbox.layers, geteuid() == 0, &layers);
        log_info(&worker->log, "sandbox: %s", text_string(&layers));
    }
    if (missing->length > 0)
        log_warn(&worker->log, "%s", text_string(missing));
    text_free(&layers);
}

/* Hides the worker's own files from builds and engines, and shows the Syzygy tables. */
static void fill_sandbox(const WorkOptions *given, Worker *worker, SessionConfig *config) {
    prepare_hide(worker->state_dir, &worker->sandbox);
    sandbox_hide(&worker->sandbox, given->login.password_file);
    sandbox_hide(&worker->sandbox, given->config);
    sandbox_show(&worker->sandbox, worker->syzygy);
    config->sandbox = &worker->sandbox;
}

/* ---- Running ---- */

static void on_signal(uv_signal_t *handle, int number) {
    Worker *worker = handle->data;
    if (number == SIGTSTP) {
        session_resumed(worker->session, log_suspend(&worker->log));
    } else if (number != SIGHUP) {
        worker->again = false;
        worker->stopping = true;
        session_interrupt(worker->session);
    } else if (!worker->stopping) { /* Who stops a worker may close its terminal before the end. */
        worker->again = true;
        session_end_after_workload(worker->session);
    }
}

/* Blocks or unblocks (how: SIG_BLOCK, SIG_UNBLOCK) the signals that end a worker. */
static void block_signals(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(how, &set, NULL);
}

/* Starts the threads of libuv's pool with the signals blocked. A thread inherits the mask, so the
 * loop's thread alone takes signals, and close_signals can keep them out. */
static bool start_pool(Error *err) {
    block_signals(SIG_BLOCK);
    bool ok = loop_start_pool(err);
    block_signals(SIG_UNBLOCK);
    return ok;
}

/* Blocks signals once the end has begun: another signal would end with a wrong status. */
static void close_signals(Worker *worker) {
    block_signals(SIG_BLOCK);
    for (size_t i = 0; i < sizeof worker->signals / sizeof *worker->signals; i++)
        uv_close((uv_handle_t *)&worker->signals[i], NULL);
}

static void on_done(Session *session, int status, void *user) {
    Worker *worker = user;
    session_free(session);
    worker->session = NULL;
    worker->status = status;
    close_signals(worker);
}

static void listen_to_signals(Worker *worker) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uv_signal_init(&worker->loop, &worker->signals[i]);
        worker->signals[i].data = worker;
        uv_signal_start(&worker->signals[i], on_signal, numbers[i]);
    }
}

static int run(Worker *worker, const SessionConfig *config) {
    Error err = {0};
    if (!http_init(&err) || !start_pool(&err) || !loop_init(&worker->loop, &err)) {
        log_error(&worker->log, "%s", err.text);
        return EXIT_FAILED;
    }
    worker->status = EXIT_FAILED;
    listen_to_signals(worker);
    worker->session = session_start(&worker->loop, config, on_done, worker, &err);
    if (!worker->session) {
        log_error(&worker->log, "%s", err.text);
        close_signals(worker);
    }
    uv_run(&worker->loop, UV_RUN_DEFAULT);
    uv_loop_close(&worker->loop);
    http_cleanup();
    return worker->status;
}

static int run_check(Worker *worker, const SessionConfig *config, bool json) {
    Error err = {0};
    if (!http_init(&err) || !start_pool(&err)) {
        log_error(&worker->log, "%s", err.text);
        return EXIT_FAILED;
    }
    bool ok = session_check(config, json, stdout);
    http_cleanup();
    return ok ? EXIT_DONE : EXIT_FAILED;
}

/* Replaces this process by the program of the same name, which may be newer, with the same
 * arguments. The password goes through a file without a name. Returns only on failure. */
static void start_again(Worker *worker, const char *program, int argc, char **argv) {
    Error err = {0};
    Words words = {0};
    char *password = login_pass_on(&worker->login, &err);
    if (!password) {
        log_error(&worker->log, "starting again: %s", err.text);
        return;
    }
    words_add(&words, "obworker");
    int end = 0; /* Of the options: "--" or all words. */
    while (end < argc && strcmp(argv[end], "--") != 0)
        words_add(&words, argv[end++]);
    words_addf(&words, "--%s=%s", PASSED_ON, password);
    for (int i = end; i < argc; i++)
        words_add(&words, argv[i]);
    words_terminate(&words);
    block_signals(SIG_UNBLOCK);
    execv(program, words.items);
    log_error(&worker->log, "starting again: %s: %s", program, strerror(errno));
    words_free(&words);
    free(password);
}

static void free_worker(Worker *worker) {
    login_free(&worker->login);
    free(worker->held);
    free(worker->state_dir);
    free(worker->syzygy);
    sandbox_free(&worker->sandbox);
    log_free(&worker->log);
}

int cmd_work_main(int argc, char **argv) {
    WorkOptions given = {.sockets = 1, .sandbox = "auto", .log_format = "text"};
    Worker worker = {0};
    SessionConfig config = {0};
    Error err = {0};
    int status;
    char program[PATH_MAX] = "";
    Line line = {0};
    Text missing = {0};
    Error unsafe = {0};
    if (!read_config(argc, argv, &line, &err))
        status = options_usage_error(&table, &err);
    if (err.text[0] || !options_run(&table, line.argc, line.argv, &given, &status)) {
        free_line(&line);
        return status;
    }
    worker.held = login_hold(&given.login);
    log_init(&worker.log, stderr, options_log_level(&given.common));
    if (strcmp(given.log_format, "json") == 0)
        log_use_json(&worker.log);
    size_t length = sizeof program;
    uv_exepath(program, &length);
    /* The sandbox before the protection: a process that cannot be dumped gets no namespaces. */
    bool shut_in = sandbox_open(&worker.sandbox, given.sandbox, &missing, &unsafe) &&
                   sandbox_limit_disk(&worker.sandbox, given.disk_mb, &unsafe);
    login_protect();
    if (!configure(&given, &line, &worker, &config, &err)) {
        status = options_usage_error(&table, &err);
    } else if (!shut_in) {
        log_error(&worker.log, "%s", unsafe.text);
        status = EXIT_FAILED;
    } else {
        fill_sandbox(&given, &worker, &config);
        if (!given.check)
            tell_sandbox(&worker, &missing);
        status = given.check ? run_check(&worker, &config, given.json) : run(&worker, &config);
        if (worker.again && status == EXIT_DONE) {
            start_again(&worker, program, argc, argv);
            status = EXIT_FAILED;
        }
    }
    text_free(&missing);
    words_free(&config.focus);
    options_free(&table, &given);
    free_line(&line);
    free_worker(&worker);
    return status;
}
