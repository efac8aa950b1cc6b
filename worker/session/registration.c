/* SPDX-License-Identifier: MIT */
#include "session/registration.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/program.h"
#include "openbench/sysinfo.h"
#include "session/token.h"

enum {
    PROBES_ONCE = 5,   /* Searches for compilers that may fail in a row, with --once. */
    IDLE_PATIENCE = 15 /* Answers without work before missing compilers are looked for again. */
};

/* Names the versions that do not agree, and how --client-version may help. */
static void refuse_version(Registration *r, int64_t wanted) {
    const SessionConfig *config = &r->host->config;
    Text spoken = {0};
    Text hint = {0};
    api_spoken(&spoken);
    if (!api_speaks(wanted))
        text_addf(&hint, " (--client-version %" PRId64 " tries anyway)", wanted);
    else if (config->client_version > 0)
        text_add(&hint, ": leave --client-version out");
    if (config->client_version > 0)
        log_error(r->host->log, "%s refuses client version %" PRId64 " and wants %" PRId64 "%s",
                  config->base_url, config->client_version, wanted, text_string(&hint));
    else
        log_error(r->host->log, "%s wants client version %" PRId64 "; this worker speaks %s%s",
                  config->base_url, wanted, text_string(&spoken), text_string(&hint));
    text_free(&hint);
    text_free(&spoken);
    r->events->refused(r->user);
}

/* ---- The questions ---- */

static void compose_version(Registration *r, HttpRequest *request) {
    api_client_version(&r->account, request);
}

static bool answered_version(Registration *r, const ApiAnswer *answer, Error *err) {
    int64_t version;
    if (!api_read_client_version(answer, &version, err))
        return false;
    bool forced = r->host->config.client_version > 0;
    r->client_version = forced ? r->host->config.client_version : version;
    if (!forced && !api_speaks(version)) {
        refuse_version(r, version);
        return true;
    }
    if (!api_speaks(r->client_version) || r->client_version != version)
        log_warn(r->host->log,
                 "saying client version %" PRId64 " as told; the server wants %" PRId64,
                 r->client_version, version);
    r->stage = REGISTRATION_BUILD_INFO;
    return true;
}

static void compose_build_info(Registration *r, HttpRequest *request) {
    api_build_info(&r->account, request);
}

/* Begins the registration once more, because of a fault in what is named: after the first fault at
 * once, after later ones with a wait that grows. */
static void begin_again(Registration *r, const char *name, const Error *err) {
    int64_t wait = backoff_next(&r->stale, uv_hrtime() / CLOCK_NS_PER_US);
    wait = r->stale.faults > 1 ? wait : 0;
    if (wait > 0)
        log_warn(r->host->log, "%s: %s; registering again in %.1f s", name, err->text,
                 (double)wait / (double)CLOCK_MS_PER_SECOND);
    else
        log_warn(r->host->log, "%s: %s; registering again", name, err->text);
    r->stage = REGISTRATION_VERSION;
    r->begin_at = uv_now(r->host->loop) + (uint64_t)wait;
}

/* What the server is to be told of this machine, allocated. *engines: how many can be built. */
static char *describe_machine(const Registration *r, size_t *engines) {
    SysinfoCompiler *compilers = mem_calloc(r->build_info.count + 1, sizeof *compilers);
    size_t count = 0;
    Words tokens = {0};
    char make[PROGRAM_PATH_MAX];
    bool has_make = program_find("make", make, NULL);
    for (size_t i = 0; i < r->build_info.count; i++) {
        const EngineInfo *engine = &r->build_info.engines[i];
        const Tool *tool =
            has_make ? toolchain_choose(&r->toolchain, &engine->recipe.compilers) : NULL;
        if (!engine->is_private && tool)
            compilers[count++] = (SysinfoCompiler){engine->name, tool->name, tool->version};
        else if (engine->is_private && token_exists(r->host->config.state_dir, engine->name))
            words_add(&tokens, engine->name);
    }
    Sysinfo info = {.compilers = compilers,
                    .compiler_count = count,
                    .tokens = &tokens,
                    .cpu_flags = &r->host->machine.cpu_flags,
                    .cpu_name = r->host->machine.cpu_name,
                    .isa_name = r->toolchain.isa_name ? r->toolchain.isa_name : "Unknown",
                    .os_name = r->host->machine.os_name,
                    .os_ver = r->host->machine.os_ver,
                    .worker_version = r->host->config.version,
                    .mac_address = r->host->mac,
                    .logical_cores = r->host->machine.logical_cores,
                    .physical_cores = r->host->machine.physical_cores,
                    .ram_total_mb = r->host->machine.ram_total_mb,
                    .machine_name =
                        r->host->config.identity ? r->host->config.identity : r->host->machine.host,
                    .concurrency = r->host->threads,
                    .sockets = r->host->config.sockets,
                    .syzygy_max = r->host->syzygy_max,
                    .noisy = r->host->config.noisy,
                    .focus = &r->host->config.focus,
                    .cxx_compiler = r->toolchain.cxx_compiler,
                    .client_version = r->client_version};
    *engines = count + tokens.count;
    char *text = sysinfo_format(&info);
    words_free(&tokens);
    free(compilers);
    return text;
}

/* Goes on to register. A registration that holds and says the same stays instead, since a server
 * makes a new machine of each registration. */
static void announce(Registration *r) {
    char *text = describe_machine(r, &r->announced);
    r->holds = r->holds && strcmp(text, r->announcement) == 0;
    r->stage = r->holds ? REGISTRATION_DONE : REGISTRATION_WORKER_INFO;
    free(text);
    if (!r->holds)
        return;
    r->faults = 0;
    r->events->known(true, r->user);
}

/* A server gives no work to a machine without compilers, so a machine that cannot start them now
 * does not register. */
static void on_probed(const Error *fault, void *user) {
    Registration *r = user;
    r->probe = NULL;
    if (!fault) {
        announce(r);
    } else if (r->host->config.once && r->stale.faults >= PROBES_ONCE) {
        log_error(r->host->log, "looking for compilers: %s; giving up", fault->text);
        r->events->refused(r->user);
        return;
    } else {
        begin_again(r, "looking for compilers", fault);
    }
    r->events->changed(r->user);
}

/* Warns of names in --focus that no engine of the server has. */
static void check_focus(const Registration *r) {
    Words unknown = {0};
    build_info_unknown(&r->build_info, &r->host->config.focus, &unknown);
    for (size_t i = 0; i < unknown.count; i++)
        log_warn(r->host->log, "--focus %s: the server has no engine of this name",
                 unknown.items[i]);
    words_free(&unknown);
}

static bool answered_build_info(Registration *r, const ApiAnswer *answer, Error *err) {
    build_info_free(&r->build_info);
    if (!build_info_parse(answer->json, &r->build_info, err)) {
        build_info_free(&r->build_info);
        return false;
    }
    check_focus(r);
    Words names = {0};
    for (size_t i = 0; i < r->build_info.count; i++)
        toolchain_wished_names(&r->build_info.engines[i].recipe.compilers, &names);
    r->stage = REGISTRATION_PROBE;
    r->probe = toolchain_probe(r->host->loop, &r->toolchain, r->host->config.sandbox,
                               (const char *const *)names.items, names.count, on_probed, r);
    words_free(&names);
    return true;
}

static void compose_worker_info(Registration *r, HttpRequest *request) {
    /* Anew for each try: a token may have come meanwhile. */
    free(r->announcement);
    r->announcement = describe_machine(r, &r->announced);
    api_worker_info(&r->account, r->announcement, request);
}

static bool answered_worker_info(Registration *r, const ApiAnswer *answer, Error *err) {
    int64_t machine_id;
    char *secret;
    if (!api_read_registration(answer, &machine_id, &secret, err))
        return false;
    free(r->secret);
    r->secret = secret;
    r->account.secret = secret;
    r->account.machine_id = machine_id;
    r->account.knows_batches = api_knows_batches(answer);
    r->stage = REGISTRATION_DONE;
    r->holds = true;
    r->faults = 0;
    log_info(r->host->log, "registered at %s as machine %" PRId64 " with %d thread%s",
             r->host->config.base_url, machine_id, r->host->threads, text_plural(r->host->threads));
    if (r->announced == 0)
        log_warn(r->host->log, "no engine of the server can be built here; obworker work --check "
                               "says why");
    r->events->known(true, r->user);
    return true;
}

/* ---- The rows ---- */

static const struct {
    const char *name;
    void (*compose)(Registration *, HttpRequest *);
    /* Takes an answer without an error. False with err set: the answer is unusable, try again. */
    bool (*answered)(Registration *, const ApiAnswer *, Error *err);
} questions[REGISTRATION_QUESTIONS] = {
    [REGISTRATION_VERSION] = {"asking which client version is wanted", compose_version,
                              answered_version},
    [REGISTRATION_BUILD_INFO] = {"asking how engines are built", compose_build_info,
                                 answered_build_info},
    [REGISTRATION_WORKER_INFO] = {"registering", compose_worker_info, answered_worker_info},
};

static size_t question_of(const RegistrationRow *row) {
    return (size_t)(row - row->registration->rows);
}

static bool is_due(void *owner, uint64_t now, uint64_t *when) {
    const RegistrationRow *row = owner;
    const Registration *r = row->registration;
    if (r->closed || (size_t)r->stage != question_of(row))
        return false;
    *when = r->begin_at;
    return r->begin_at <= now;
}

static void compose(void *owner, HttpRequest *request) {
    const RegistrationRow *row = owner;
    questions[question_of(row)].compose(row->registration, request);
}

static void refuse(Registration *r, const Error *err) {
    log_error(r->host->log, "%s refuses user %s: %s", r->host->config.base_url,
              r->host->config.username, err->text);
    r->events->refused(r->user);
}

static void ask_again(Registration *r, const char *name, const Error *err) {
    r->faults++;
    r->events->later(name, err, r->user);
}

/* The server wants another version, or changed during the registration: then begin again. */
static void on_stale(Registration *r, const char *name, const ApiAnswer *answer) {
    if (answer->verdict == API_WRONG_VERSION) {
        refuse_version(r, answer->expected_version);
        return;
    }
    r->stage = REGISTRATION_VERSION;
    ask_again(r, name, &answer->error);
}

static void answered(void *owner, RequestOutcome outcome, const ApiAnswer *answer) {
    const RegistrationRow *row = owner;
    Registration *r = row->registration;
    const char *name = questions[question_of(row)].name;
    Error err = answer->error;
    switch (outcome) {
    case REQUEST_ANSWERED:
        if (!questions[question_of(row)].answered(r, answer, &err))
            ask_again(r, name, &err);
        break;
    case REQUEST_REFUSED:
        refuse(r, &err);
        break;
    case REQUEST_STALE:
        on_stale(r, name, answer);
        break;
    case REQUEST_FAULT:
        ask_again(r, name, &err);
        break;
    case REQUEST_UNDONE:
        break;
    }
}

Request registration_request(Registration *r, RegistrationStage question) {
    r->rows[question].registration = r;
    return (Request){.name = questions[question].name,
                     .due = is_due,
                     .compose = compose,
                     .answered = answered,
                     .owner = &r->rows[question]};
}

/* ---- The whole ---- */

void registration_init(Registration *r, const Host *host) {
    const SessionConfig *config = &host->config;
    *r = (Registration){
        .host = host,
        .account = {.base_url = config->base_url,
                    .username = config->username,
                    .password = config->password},
        .stale = {.first_ms = config->waits.retry_first, .max_ms = config->waits.retry_max}};
}

void registration_open(Registration *r, const RegistrationEvents *events, void *user) {
    r->events = events;
    r->user = user;
}

bool registration_is_done(const Registration *r) {
    return r->stage == REGISTRATION_DONE;
}

bool registration_is_failing(const Registration *r, int patience) {
    return !registration_is_done(r) && (r->faults >= patience || r->stale.faults >= patience);
}

bool registration_is_likely(const Registration *r, int patience) {
    bool was_done = r->account.machine_id > 0;
    return registration_is_done(r) || (was_done && !registration_is_failing(r, patience));
}

void registration_lose(Registration *r, const char *name, const Error *err) {
    if (!registration_is_done(r))
        return;
    r->holds = false;
    begin_again(r, name, err);
    r->events->known(false, r->user);
}

/* Whether a wished tool is here, but has told no version. */
static bool has_silent_tool(const Toolchain *toolchain) {
    char path[PROGRAM_PATH_MAX];
    for (size_t i = 0; i < toolchain->count; i++)
        if (!toolchain->tools[i].version[0] && program_find(toolchain->tools[i].name, path, NULL))
            return true;
    return false;
}

void registration_note_no_work(Registration *r) {
    if (r->announced > 0 && !has_silent_tool(&r->toolchain))
        return;
    if (++r->idle < IDLE_PATIENCE)
        return;
    log_info(r->host->log,
             "there is no work, perhaps because compilers are missing: looking for them again");
    r->idle = 0;
    r->stage = REGISTRATION_VERSION;
    r->events->known(false, r->user);
}

void registration_is_good(Registration *r) {
    backoff_reset(&r->stale);
}

void registration_hurry(Registration *r) {
    r->begin_at = 0;
    r->faults = 0;
    backoff_reset(&r->stale);
}

void registration_close(Registration *r) {
    r->closed = true;
    toolchain_probe_cancel(r->probe);
    r->probe = NULL;
}

void registration_free(Registration *r) {
    build_info_free(&r->build_info);
    toolchain_free(&r->toolchain);
    free(r->announcement);
    free(r->secret);
}
