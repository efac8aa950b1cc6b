/* SPDX-License-Identifier: MIT */
#include "session/check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/confine.h"
#include "base/file.h"
#include "base/json.h"
#include "base/loop.h"
#include "base/machine.h"
#include "base/program.h"
#include "build/toolchain.h"
#include "match/syzygy.h"
#include "openbench/api.h"
#include "session/host.h"
#include "session/token.h"

enum {
    CLOCK_OFF_S = 30, /* seconds of difference from the server's clock that give a warning */
    NAPS = 50,
    NAP_MS = 2,
    NAP_LATE_MS = 20,
    MB = 1 << 20,
    DISK_MIN_MB = 1024,
    COLUMN = 12
};

typedef enum { FINE, WARNING, FAULT } Verdict;

typedef struct {
    const SessionConfig *config;
    FILE *out;
    cJSON *checks; /* What was found so far; NULL: each finding is a line of `out`. */
    bool ok;
    ApiAccount account;
    Machine machine;
    Toolchain toolchain;
    bool has_make;
    BuildInfo engines;
} Check;

static void say(Check *c, Verdict verdict, const char *what, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void say(Check *c, Verdict verdict, const char *what, const char *fmt, ...) {
    static const char *const words[] = {[FINE] = "ok", [WARNING] = "warning", [FAULT] = "FAULT"};
    Error line = {0};
    va_list args;
    va_start(args, fmt);
    vsnprintf(line.text, sizeof line.text, fmt, args);
    va_end(args);
    c->ok = c->ok && verdict != FAULT;
    if (c->checks) {
        cJSON *check = cJSON_CreateObject();
        Text valid = {0};
        text_add_utf8(&valid, line.text);
        cJSON_AddStringToObject(check, "check", what);
        cJSON_AddStringToObject(check, "result", words[verdict]);
        cJSON_AddStringToObject(check, "text", text_string(&valid));
        text_free(&valid);
        cJSON_AddItemToArray(c->checks, check);
        return;
    }
    fprintf(c->out, "%-8s %-*s ", words[verdict], COLUMN, what);
    text_print(c->out, line.text);
    fputc('\n', c->out);
    fflush(c->out);
}

/* ---- This machine ---- */

static void check_machine(Check *c) {
    machine_read(&c->machine);
    const Machine *m = &c->machine;
    Error err = {0};
    say(c, FINE, "machine",
        "%s, %" PRId64 " physical of %" PRId64 " logical cores, %" PRId64 " usable, %" PRId64
        " MB of memory, %s %s",
        m->cpu_name, m->physical_cores, m->logical_cores, m->usable_cores, m->ram_total_mb,
        m->os_name, m->os_ver);
    if (c->config->threads > m->usable_cores)
        say(c, WARNING, "threads", "%d on %" PRId64 " usable core%s: timed games will suffer",
            c->config->threads, m->usable_cores, text_plural(m->usable_cores));
    if (host_threads(c->config, m) == 1)
        say(c, WARNING, "threads",
            "1: servers give no tunings to it, since each game of a pair takes a thread (-T 2)");
    if (!host_has_threads(c->config, m, &err))
        say(c, FAULT, "sockets", "%s", err.text);
    if (c->config->noisy)
        say(c, WARNING, "noisy", "tests with a clock are refused (--noisy)");
}

/* Measures how late a sleeping process wakes, which would be the error of a game's clock. */
static void check_timer(Check *c) {
    int64_t worst = 0;
    for (int i = 0; i < NAPS; i++) {
        int64_t start = clock_now_ns();
        nanosleep(&(struct timespec){.tv_nsec = NAP_MS * CLOCK_NS_PER_MS}, NULL);
        int64_t late = clock_elapsed_ms(start, clock_now_ns()) - NAP_MS;
        worst = late > worst ? late : worst;
    }
    say(c, worst > NAP_LATE_MS ? WARNING : FINE, "timer", "wakes at most %" PRId64 " ms late%s",
        worst, worst > NAP_LATE_MS ? ": this machine is busy, timed games will suffer" : "");
}

/* Can a folder be made in `dir`? False with errno set. The folder is removed again. */
static bool takes_folders(const char *dir) {
    char *probe = text_format("%s/check-XXXXXX", dir);
    bool made = mkdtemp(probe) != NULL;
    if (made)
        rmdir(probe);
    free(probe);
    return made;
}

/* Checks the state folder, or the folder above, in which work would make the state folder: a check
 * leaves nothing. */
static void check_state(Check *c) {
    char dir[PATH_MAX];
    struct statvfs fs;
    struct stat info;
    Error err = {0};
    if (!host_takes_path(c->config->state_dir, &err))
        say(c, FAULT, "state", "%s", err.text);
    snprintf(dir, sizeof dir, "%s", c->config->state_dir);
    while (stat(dir, &info) != 0 && errno == ENOENT && strcmp(dir, "/") != 0) {
        char *slash = strrchr(dir, '/');
        slash[slash == dir ? 1 : 0] = '\0'; /* "/" is above all. */
    }
    if (stat(dir, &info) != 0) {
        say(c, FAULT, "state", "%s: %s", dir, strerror(errno));
    } else if (!S_ISDIR(info.st_mode)) {
        say(c, FAULT, "state", "%s: is not a folder", dir);
    } else if (!takes_folders(dir)) {
        say(c, FAULT, "state", "%s: no folder can be made there: %s", dir, strerror(errno));
    } else if (file_disk_runs_nothing(dir)) {
        say(c, FAULT, "state", "%s: its disk runs no programs (noexec)", dir);
    } else if (statvfs(dir, &fs) != 0) {
        say(c, FAULT, "disk", "%s: %s", dir, strerror(errno));
    } else {
        uint64_t mb = (uint64_t)fs.f_bavail * fs.f_frsize / MB;
        say(c, mb < DISK_MIN_MB ? WARNING : FINE, "disk", "%" PRIu64 " MB free for %s%s", mb, dir,
            mb < DISK_MIN_MB ? ": engines and books may not fit" : "");
    }
}

/* Warns of a worker that has the state folder. */
static void check_lock(Check *c) {
    char *path = text_format("%s/lock", c->config->state_dir);
    int lock = open(path, O_RDONLY | O_CLOEXEC);
    if (lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        say(c, WARNING, "state", "%s: another worker uses it: a second one would not start",
            c->config->state_dir);
    if (lock >= 0)
        close(lock);
    free(path);
}

/* Tells whether builds and engines under root can reach the state folder without a right of root's.
 * The folder is made closed to other users. */
static void check_rights(Check *c) {
    const char *dir = c->config->state_dir;
    if (!c->config->sandbox->layers.own_user)
        return;
    if (confine_passes(dir))
        say(c, FINE, "rights", "builds and engines get to %s as users without any right", dir);
    else
        say(c, FINE, "rights",
            "builds and engines keep one right of root's, to read (CAP_DAC_READ_SEARCH), since "
            "other users do not get to %s",
            dir);
}

static void check_sandbox(Check *c) {
    const Sandbox *sandbox = c->config->sandbox;
    Text missing = {0};
    Text layers = {0};
    if (!sandbox || !sandbox->on) {
        say(c, WARNING, "sandbox", "off: %sbuilds and engines may do whatever you may",
            confine_exists() ? "" : "this system has none; ");
        return;
    }
    bool root = geteuid() == 0;
    sandbox_describe(&sandbox->layers, root, &layers);
    sandbox_missing(&sandbox->layers, root, &missing);
    if (missing.length)
        say(c, WARNING, "sandbox", "not complete: %s (%s)", text_string(&missing),
            text_string(&layers));
    else
        say(c, FINE, "sandbox", "builds and engines are shut in: %s%s", text_string(&layers),
            c->config->build_network ? "; builds have the network" : "");
    check_rights(c);
    text_free(&layers);
    text_free(&missing);
}

static void check_syzygy(Check *c) {
    const char *dir = c->config->syzygy;
    if (!dir) {
        say(c, WARNING, "syzygy", "no tables: tests that need them are refused (--syzygy DIR)");
    } else if (!syzygy_available()) {
        say(c, WARNING, "syzygy",
            "this obworker was built without Fathom: no tables are announced");
    } else {
        int men = syzygy_complete_men(dir);
        if (men == 0)
            say(c, WARNING, "syzygy", "%s: not all WDL tables of three men are there", dir);
        else
            say(c, FINE, "syzygy",
                "all WDL tables of up to %d men; tests that need more are refused", men);
    }
}

static void check_make(Check *c) {
    char path[PROGRAM_PATH_MAX];
    Error err = {0};
    c->has_make = program_find("make", path, &err);
    say(c, c->has_make ? FINE : FAULT, "make", "%s", c->has_make ? path : err.text);
}

/* ---- The server ---- */

/* Sends a request. False, after a line about it (a FAULT if `work` needs the answer, else a
 * WARNING), without a useful answer. `date` is given for the request that carries the login. */
static bool ask(Check *c, Verdict verdict, const char *what, HttpRequest *request,
                ApiAnswer *answer, int64_t *date) {
    bool login = date != NULL;
    HttpResponse response;
    http_perform(request, NULL, &response);
    api_judge(&response, answer);
    if (date)
        *date = response.date;
    http_response_free(&response);
    http_request_free(request);
    if (answer->verdict == API_OK)
        return true;
    if (answer->verdict == API_REFUSED && login)
        say(c, verdict, "login", "%s refuses user %s: %s", c->config->base_url, c->config->username,
            answer->error.text);
    else
        say(c, verdict, what, "%s: %s", c->config->base_url, answer->error.text);
    api_answer_free(answer);
    return false;
}

static void check_clock(Check *c, int64_t date) {
    int64_t off = (int64_t)time(NULL) - date;
    if (date == 0)
        say(c, WARNING, "clock", "the server does not tell its time");
    else if (off > CLOCK_OFF_S || off < -CLOCK_OFF_S)
        say(c, WARNING, "clock",
            "%" PRId64 " s from the server's: certificates and the times of games will be wrong",
            off);
    else
        say(c, FINE, "clock", "within %d s of the server's", CLOCK_OFF_S);
}

static bool check_version(Check *c) {
    HttpRequest request;
    ApiAnswer answer;
    int64_t date;
    int64_t version = 0;
    Error err = {0};
    Text spoken = {0};
    api_client_version(&c->account, &request);
    if (!ask(c, FAULT, "server", &request, &answer, &date))
        return false;
    api_spoken(&spoken);
    bool read = api_read_client_version(&answer, &version, &err);
    int64_t forced = c->config->client_version;
    if (!read)
        say(c, FAULT, "server", "%s: %s", c->config->base_url, err.text);
    else if (forced > 0 && forced != version)
        say(c, WARNING, "server",
            "%s wants client version %" PRId64 " and may refuse version %" PRId64
            ", which is said as told (--client-version)",
            c->config->base_url, version, forced);
    else if (api_speaks(version) || forced > 0)
        say(c, api_speaks(version) ? FINE : WARNING, "server",
            "%s wants client version %" PRId64 "; this worker speaks %s", c->config->base_url,
            version, text_string(&spoken));
    else
        say(c, FAULT, "server",
            "%s wants client version %" PRId64 "; this worker speaks %s (--client-version tries "
            "anyway)",
            c->config->base_url, version, text_string(&spoken));
    if (read)
        say(c, FINE, "login", "the server knows %s", c->config->username);
    check_clock(c, date);
    text_free(&spoken);
    api_answer_free(&answer);
    return read;
}

/* Tells the server's runner, and the number of its engines and books, which `work` does not ask
 * for. */
static void check_server(Check *c) {
    HttpRequest request;
    ApiAnswer answer;
    Error err = {0};
    char *runner;
    ApiServerConfig config;
    api_runner_version(&c->account, &request);
    if (ask(c, WARNING, "runner", &request, &answer, NULL)) {
        if (api_read_runner_version(&answer, &runner, &err))
            say(c, FINE, "runner",
                "by the rules of fastchess, of which the server wants %s or later", runner);
        else
            say(c, WARNING, "runner", "%s: %s", c->config->base_url, err.text);
        free(runner);
        api_answer_free(&answer);
    }
    api_config(&c->account, &request);
    if (ask(c, WARNING, "tests", &request, &answer, NULL)) {
        if (!api_read_config(&answer, &config, &err))
            say(c, WARNING, "tests", "%s: %s", c->config->base_url, err.text);
        else
            say(c, FINE, "tests", "the server has %zu engine%s and %zu book%s",
                config.engines.count, text_plural((int64_t)config.engines.count),
                config.books.count, text_plural((int64_t)config.books.count));
        api_config_free(&config);
        api_answer_free(&answer);
    }
}

/* ---- The engines ---- */

static void on_probed(const Error *fault, void *user) {
    if (fault)
        say(user, FAULT, "compiler", "%s", fault->text);
}

/* Probes every compiler that an engine of the server asks for. */
static void probe_compilers(Check *c) {
    uv_loop_t loop;
    Words names = {0};
    Error err = {0};
    if (!loop_init(&loop, &err)) {
        say(c, FAULT, "compiler", "%s", err.text);
        return;
    }
    for (size_t i = 0; i < c->engines.count; i++)
        toolchain_wished_names(&c->engines.engines[i].recipe.compilers, &names);
    toolchain_probe(&loop, &c->toolchain, c->config->sandbox, (const char *const *)names.items,
                    names.count, on_probed, c);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    words_free(&names);
    for (size_t i = 0; i < c->toolchain.count; i++) {
        const Tool *tool = &c->toolchain.tools[i];
        if (tool->version[0])
            say(c, FINE, "compiler", "%s %s", tool->name, tool->version);
        else
            say(c, WARNING, "compiler", "%s is not here", tool->name);
    }
    say(c, FINE, "isa", "%s", c->toolchain.isa_name ? c->toolchain.isa_name : "Unknown");
}

/* The first flag that this CPU does not have, or NULL. */
static const char *missing_flag(const Check *c, const BuildRecipe *recipe) {
    for (size_t i = 0; i < recipe->cpuflags.count; i++)
        if (!words_has(&c->machine.cpu_flags, recipe->cpuflags.items[i]))
            return recipe->cpuflags.items[i];
    return NULL;
}

static bool check_engine(Check *c, const EngineInfo *engine) {
    const BuildRecipe *recipe = &engine->recipe;
    const char *flag = missing_flag(c, recipe);
    const Tool *tool = toolchain_choose(&c->toolchain, &recipe->compilers);
    bool token = engine->is_private && token_exists(c->config->state_dir, engine->name);
    if (!words_has(&recipe->systems, c->machine.os_name))
        say(c, WARNING, "engine", "%s: refused: not for %s", engine->name, c->machine.os_name);
    else if (flag)
        say(c, WARNING, "engine", "%s: refused: needs %s, which this CPU does not have",
            engine->name, flag);
    else if (engine->is_private && !token)
        say(c, WARNING, "engine", "%s: refused: private, and there is no token for it",
            engine->name);
    else if (!engine->is_private && !c->has_make)
        say(c, WARNING, "engine", "%s: refused: make is not here", engine->name);
    else if (!engine->is_private && !tool)
        say(c, WARNING, "engine", "%s: refused: none of its compilers is here or new enough",
            engine->name);
    else {
        say(c, FINE, "engine", "%s: with %s", engine->name, token ? "its token" : tool->name);
        return true;
    }
    return false;
}

/* Warns of names in --focus that no engine of the server has. */
static void check_focus(Check *c) {
    Words unknown = {0};
    build_info_unknown(&c->engines, &c->config->focus, &unknown);
    for (size_t i = 0; i < unknown.count; i++)
        say(c, WARNING, "focus", "%s: the server has no engine of this name", unknown.items[i]);
    words_free(&unknown);
}

static void check_engines(Check *c) {
    HttpRequest request;
    ApiAnswer answer;
    Error err = {0};
    size_t playable = 0;
    api_build_info(&c->account, &request);
    if (!ask(c, FAULT, "engines", &request, &answer, NULL))
        return;
    if (!build_info_parse(answer.json, &c->engines, &err)) {
        say(c, FAULT, "engines", "%s: %s", c->config->base_url, err.text);
    } else {
        probe_compilers(c);
        for (size_t i = 0; i < c->engines.count; i++)
            playable += check_engine(c, &c->engines.engines[i]);
        check_focus(c);
        say(c, playable ? FINE : FAULT, "engines", "%zu of the server's %zu can be played here",
            playable, c->engines.count);
    }
    api_answer_free(&answer);
}

static void print_json(Check *c) {
    Text text = {0};
    cJSON *root = cJSON_CreateObject();
    cJSON_AddItemToObject(root, "checks", c->checks);
    cJSON_AddBoolToObject(root, "ready", c->ok);
    json_take(root, &text);
    fprintf(c->out, "%s\n", text_string(&text));
    text_free(&text);
}

bool session_check(const SessionConfig *config, bool json, FILE *out) {
    Check c = {.config = config,
               .out = out,
               .checks = json ? cJSON_CreateArray() : NULL,
               .ok = true,
               .account = {.base_url = config->base_url,
                           .username = config->username,
                           .password = config->password}};
    check_machine(&c);
    check_timer(&c);
    check_state(&c);
    check_lock(&c);
    check_syzygy(&c);
    check_make(&c);
    check_sandbox(&c);
    if (check_version(&c)) {
        check_server(&c);
        check_engines(&c);
    }
    if (json)
        print_json(&c);
    machine_free(&c.machine);
    toolchain_free(&c.toolchain);
    build_info_free(&c.engines);
    return c.ok;
}
