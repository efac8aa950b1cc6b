/* SPDX-License-Identifier: MIT */
/* The requests of a session: when each is due, what it sends, and what its answer leads to. The
 * table at the end says what goes first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/options.h"
#include "openbench/sysinfo.h"
#include "session/state.h"
#include "session/token.h"

enum {
    TRIES_ONCE = 5 /* With --once: so many times a server that is not there is tried. */
};

/* ---- Every request ---- */

/* A kind of request of the session's own. */
typedef struct {
    const char *name;
    bool registers; /* Part of the registration; the others wait for its end. */
    /* Whether one is due, and of which job; as in Request. */
    bool (*due)(Session *, Job **about, uint64_t now, uint64_t *when);
    void (*compose)(Session *, HttpRequest *);
    /* What an answer without an error means; false with err set: it is not one, try again. */
    bool (*answered)(Session *, const ApiAnswer *, Error *err);
    /* The server said no. */
    void (*refused)(Session *, const Error *);
    /* Nothing depends on the answer: a fault is no reason to try again. */
    bool idle;
} SessionRow;

static const SessionRow session_rows[SESSION_ROWS];

static const SessionRow *row_of(const SessionRowOwner *owner) {
    return &session_rows[owner - owner->session->rows];
}

static bool is_due(void *user, uint64_t now, uint64_t *when) {
    const SessionRowOwner *owner = user;
    Job *about = NULL;
    Session *s = owner->session;
    const SessionRow *row = row_of(owner);
    return !s->finishing && row->registers != session_is_registered(s) &&
           row->due(s, &about, now, when);
}

static void compose(void *user, HttpRequest *request) {
    const SessionRowOwner *owner = user;
    Session *s = owner->session;
    uint64_t when = 0;
    s->asked = NULL;
    row_of(owner)->due(s, &s->asked, uv_now(s->loop), &when);
    row_of(owner)->compose(s, request);
}

/* The user does not want to wait for another try. */
static void give_up(Session *s, const char *name, const Error *err) {
    log_error(s->log, "%s: %s: %s; giving up", s->config.base_url, name, err->text);
    session_finish(s, s->stop ? EXIT_DONE : EXIT_FAILED);
}

static void ask_later(Session *s, const SessionRow *row, const Error *err) {
    if (s->finishing)
        return;
    if (row->idle)
        log_debug(s->log, "%s: %s", row->name, err->text);
    else if (s->stop >= STOP_GAMES_NOW)
        give_up(s, row->name, err);
    else
        queue_later(s->queue, err);
}

bool session_unreachable(const Request *request, const Error *err, int times, bool trusted,
                         void *user) {
    Session *s = user;
    bool own = request->owner != s->outbox;
    if (!trusted && !s->account.machine_id) {
        /* The server was never right: somebody has to put it right. */
        log_error(s->log, "%s: %s: %s", s->config.base_url, request->name, err->text);
        session_finish(s, EXIT_FAILED);
    } else if (own && (s->stop >= STOP_GAMES_NOW ||
                       (s->config.once && !session_is_registered(s) && times >= TRIES_ONCE))) {
        give_up(s, request->name, err);
    }
    return !s->finishing;
}

/* The session is stale: register anew, then go on with what is due. The first time at once, then
 * after waits that grow until the server answers something else. */
void session_registration_lost(Session *s, const char *name, const Error *err) {
    if (!session_is_registered(s))
        return;
    int64_t wait = backoff_next(&s->stale, uv_hrtime() / CLOCK_NS_PER_US);
    wait = s->stale.faults > 1 ? wait : 0;
    if (wait > 0)
        log_warn(s->log, "%s: %s; registering again in %.1f s", name, err->text,
                 (double)wait / CLOCK_MS_PER_SECOND);
    else
        log_warn(s->log, "%s: %s; registering again", name, err->text);
    s->registration = REGISTRATION_VERSION;
    s->register_at = uv_now(s->loop) + (uint64_t)wait;
    outbox_set_ready(s->outbox, false);
}

static void refuse_version(Session *s, int64_t wanted) {
    Text spoken = {0};
    api_spoken(&spoken);
    log_error(s->log,
              "%s wants client version %" PRId64
              "; this worker speaks %s (--client-version %" PRId64 " tries anyway)",
              s->config.base_url, wanted, text_string(&spoken), wanted);
    text_free(&spoken);
    session_finish(s, EXIT_FAILED);
}

/* The server wants a registration, or another version. */
static void on_stale(Session *s, const SessionRow *row, const ApiAnswer *answer) {
    if (!row->registers) {
        /* A server that was updated says another version: it may be one that we speak. */
        session_registration_lost(s, row->name, &answer->error);
    } else if (answer->verdict == API_WRONG_VERSION) {
        refuse_version(s, answer->expected_version);
    } else {
        /* The server changes while it is being told who we are: from the start. */
        s->registration = REGISTRATION_VERSION;
        ask_later(s, row, &answer->error);
    }
}

static void answered(void *user, RequestOutcome outcome, const ApiAnswer *answer) {
    const SessionRowOwner *owner = user;
    const SessionRow *row = row_of(owner);
    Session *s = owner->session;
    Error err = answer->error;
    switch (outcome) {
    case REQUEST_ANSWERED:
        if (!row->answered(s, answer, &err))
            ask_later(s, row, &err);
        else if (!row->registers)
            backoff_reset(&s->stale);
        break;
    case REQUEST_REFUSED:
        row->refused(s, &err);
        break;
    case REQUEST_STALE:
        on_stale(s, row, answer);
        break;
    case REQUEST_FAULT:
        ask_later(s, row, &err);
        break;
    case REQUEST_UNDONE:
        break;
    }
    s->asked = NULL;
}

/* ---- Registration ---- */

static void refused_for_good(Session *s, const Error *err) {
    log_error(s->log, "%s refuses user %s: %s", s->config.base_url, s->config.username, err->text);
    session_finish(s, EXIT_FAILED);
}

static bool version_due(Session *s, Job **about, uint64_t now, uint64_t *when) {
    (void)about;
    if (s->registration != REGISTRATION_VERSION || s->probe)
        return false;
    *when = s->register_at;
    return s->register_at <= now;
}

static void compose_version(Session *s, HttpRequest *request) {
    api_client_version(&s->account, request);
}

static bool answered_version(Session *s, const ApiAnswer *answer, Error *err) {
    int64_t version;
    if (!api_read_client_version(answer, &version, err))
        return false;
    bool forced = s->config.client_version > 0;
    s->client_version = forced ? s->config.client_version : version;
    if (!forced && !api_speaks(version)) {
        refuse_version(s, version);
        return true;
    }
    if (!api_speaks(s->client_version) || s->client_version != version)
        log_warn(s->log, "saying client version %" PRId64 " as told; the server wants %" PRId64,
                 s->client_version, version);
    s->registration = REGISTRATION_BUILD_INFO;
    return true;
}

static bool build_info_due(Session *s, Job **about, uint64_t now, uint64_t *when) {
    (void)about;
    (void)now;
    (void)when;
    return s->registration == REGISTRATION_BUILD_INFO;
}

static void compose_build_info(Session *s, HttpRequest *request) {
    api_build_info(&s->account, request);
}

static void on_probed(void *user) {
    Session *s = user;
    s->probe = NULL;
    if (s->finishing) {
        session_finish(s, s->status);
        return;
    }
    s->registration = REGISTRATION_WORKER_INFO;
    session_pump(s);
}

static bool answered_build_info(Session *s, const ApiAnswer *answer, Error *err) {
    build_info_free(&s->build_info);
    if (!build_info_parse(answer->json, &s->build_info, err)) {
        build_info_free(&s->build_info);
        return false;
    }
    Words names = {0};
    for (size_t i = 0; i < s->build_info.count; i++)
        toolchain_wished_names(&s->build_info.engines[i].recipe.compilers, &names);
    s->registration = REGISTRATION_PROBE;
    s->probe = toolchain_probe(s->loop, &s->toolchain, s->config.sandbox,
                               (const char *const *)names.items, names.count, on_probed, s);
    words_free(&names);
    return true;
}

static bool worker_info_due(Session *s, Job **about, uint64_t now, uint64_t *when) {
    (void)about;
    (void)now;
    (void)when;
    return s->registration == REGISTRATION_WORKER_INFO;
}

static void compose_worker_info(Session *s, HttpRequest *request) {
    SysinfoCompiler *compilers = mem_calloc(s->build_info.count + 1, sizeof *compilers);
    size_t count = 0;
    Words tokens = {0};
    for (size_t i = 0; i < s->build_info.count; i++) {
        const EngineInfo *engine = &s->build_info.engines[i];
        const Tool *tool = toolchain_choose(&s->toolchain, &engine->recipe.compilers);
        if (!engine->is_private && tool)
            compilers[count++] = (SysinfoCompiler){engine->name, tool->name, tool->version};
        else if (engine->is_private && token_exists(s->config.state_dir, engine->name))
            words_add(&tokens, engine->name);
    }
    Sysinfo info = {.compilers = compilers,
                    .compiler_count = count,
                    .tokens = &tokens,
                    .cpu_flags = &s->machine.cpu_flags,
                    .cpu_name = s->machine.cpu_name,
                    .isa_name = s->toolchain.isa_name ? s->toolchain.isa_name : "Unknown",
                    .os_name = s->machine.os_name,
                    .os_ver = s->machine.os_ver,
                    .worker_version = s->config.version,
                    .mac_address = s->mac,
                    .logical_cores = s->machine.logical_cores,
                    .physical_cores = s->machine.physical_cores,
                    .ram_total_mb = s->machine.ram_total_mb,
                    .machine_id = s->account.machine_id,
                    .machine_name = s->config.identity ? s->config.identity : s->machine.host,
                    .concurrency = s->threads,
                    .sockets = s->config.sockets,
                    .syzygy_max = s->syzygy_max,
                    .noisy = s->config.noisy,
                    .focus = &s->config.focus,
                    .cxx_compiler = s->toolchain.cxx_compiler,
                    .client_version = s->client_version};
    char *text = sysinfo_format(&info);
    api_worker_info(&s->account, text, request);
    free(text);
    words_free(&tokens);
    free(compilers);
}

static bool answered_worker_info(Session *s, const ApiAnswer *answer, Error *err) {
    int64_t machine_id;
    char *secret;
    if (!api_read_registration(answer, &machine_id, &secret, err))
        return false;
    free(s->secret);
    s->secret = secret;
    s->account.secret = secret;
    s->account.machine_id = machine_id;
    s->registration = REGISTRATION_DONE;
    log_info(s->log, "registered at %s as machine %" PRId64 " with %d thread%s", s->config.base_url,
             machine_id, s->threads, text_plural(s->threads));
    outbox_set_ready(s->outbox, true);
    return true;
}

/* ---- Work ---- */

static bool workload_due(Session *s, Job **about, uint64_t now, uint64_t *when) {
    (void)about;
    if (!session_wants_work(s))
        return false;
    *when = s->ask_at;
    return s->ask_at <= now;
}

static void compose_workload(Session *s, HttpRequest *request) {
    api_get_workload(&s->account, &s->blacklist, request);
}

static bool answered_workload(Session *s, const ApiAnswer *answer, Error *err) {
    bool none;
    Workload workload;
    if (!workload_parse(answer->json, &workload, &none, err)) {
        workload_free(&workload);
        return false;
    }
    if (none) {
        workload_free(&workload);
        s->no_more = s->config.once;
        if (s->no_more)
            log_info(s->log, "there is no work");
        else
            session_ask_after_idle(s);
        return true;
    }
    Job *job = job_new(s);
    job->workload = workload;
    job->machine = s->account.machine_id;
    job_prepare(job);
    return true;
}

/* The server's own words, and another try later: it may change its mind. */
static void refused_workload(Session *s, const Error *err) {
    log_error(s->log, "%s: asking for work: %s", s->config.base_url, err->text);
    if (s->config.once) {
        s->workloads_failed++;
        s->no_more = true;
    } else {
        session_ask_after_idle(s);
    }
}

/* The first job of which this is to be told. */
static bool find_job(const Session *s, bool (*has)(const Job *), Job **about) {
    for (*about = s->jobs; *about; *about = (*about)->next)
        if (!(*about)->unproved && has(*about))
            return true;
    return false;
}

static void refused_report(Session *s, const Error *err) {
    log_error(s->log, "test %" PRId64 ": the server refuses: %s", s->asked->workload.test_id,
              err->text);
    s->workloads_failed++;
    session_blacklist(s, s->asked->workload.test_id);
    job_abandon(s->asked);
}

static void stop_test(Session *s, const ApiAnswer *answer) {
    if (!api_read_stop(answer) || s->asked->abandoned)
        return;
    log_info(s->log, "test %" PRId64 " is over", s->asked->workload.test_id);
    outbox_drop(s->outbox, s->asked->workload.test_id);
    jobs_abandon_test(s, s->asked->workload.test_id);
}

static bool has_nps(const Job *job) {
    return job->nps_due;
}

static bool nps_due(Session *s, Job **about, uint64_t now, uint64_t *when) {
    (void)now;
    (void)when;
    return find_job(s, has_nps, about);
}

static void compose_nps(Session *s, HttpRequest *request) {
    ApiNps nps = {.dev_nps = s->asked->prepared.engines[SIDE_DEV].nps,
                  .base_nps = s->asked->prepared.engines[SIDE_BASE].nps};
    nps.nps = (nps.dev_nps + nps.base_nps) / 2;
    api_submit_nps(&s->account, &nps, request);
}

static bool answered_nps(Session *s, const ApiAnswer *answer, Error *err) {
    (void)err;
    s->asked->nps_due = false;
    stop_test(s, answer);
    return true;
}

static bool heartbeat_due(Session *s, Job **about, uint64_t now, uint64_t *when) {
    (void)now;
    *about = jobs_shown(s);
    if (*about)
        *when = s->report_at;
    return s->report_due && *about && (*about)->phase != PHASE_WIND_UP;
}

static void compose_heartbeat(Session *s, HttpRequest *request) {
    s->report_due = false;
    api_heartbeat(&s->account, s->asked->workload.test_id, request);
}

static bool answered_heartbeat(Session *s, const ApiAnswer *answer, Error *err) {
    (void)err;
    stop_test(s, answer);
    return true;
}

/* ---- How the test stands ---- */

static bool info_due(Session *s, Job **about, uint64_t now, uint64_t *when) {
    (void)now;
    (void)when;
    *about = jobs_shown(s);
    return s->info_due && *about && (*about)->phase == PHASE_PLAY;
}

static void compose_info(Session *s, HttpRequest *request) {
    s->info_due = false;
    s->info_after = uv_now(s->loop) + (uint64_t)s->config.waits.info;
    api_test_info(&s->account, s->asked->workload.test_id, request);
}

/* Nothing depends on it: what cannot be read is not asked for again before its time. */
static bool answered_info(Session *s, const ApiAnswer *answer, Error *err) {
    s->info_test = api_read_test_info(answer, &s->info, err) ? s->asked->workload.test_id : 0;
    if (!s->info_test)
        log_debug(s->log, "asking how test %" PRId64 " stands: %s", s->asked->workload.test_id,
                  err->text);
    return true;
}

static void refused_info(Session *s, const Error *err) {
    log_debug(s->log, "asking how test %" PRId64 " stands: %s", s->asked->workload.test_id,
              err->text);
}

/* ---- Faults ---- */

static void drop_fault(Session *s) {
    free(s->asked->faults[0].error);
    free(s->asked->faults[0].logs);
    s->asked->fault_count--;
    memmove(s->asked->faults, s->asked->faults + 1,
            s->asked->fault_count * sizeof *s->asked->faults);
}

static bool has_fault(const Job *job) {
    return job->fault_count > 0;
}

static bool fault_due(Session *s, Job **about, uint64_t now, uint64_t *when) {
    (void)now;
    (void)when;
    return find_job(s, has_fault, about);
}

static void compose_fault(Session *s, HttpRequest *request) {
    ApiFault fault = {.test_id = s->asked->workload.test_id,
                      .error = s->asked->faults[0].error,
                      .logs = s->asked->faults[0].logs};
    api_submit_error(&s->account, &fault, request);
}

static bool answered_fault(Session *s, const ApiAnswer *answer, Error *err) {
    (void)err;
    drop_fault(s);
    stop_test(s, answer);
    return true;
}

static void refused_fault(Session *s, const Error *err) {
    log_warn(s->log, "reporting a fault: %s", err->text);
    drop_fault(s);
}

static bool has_bench_error(const Job *job) {
    return job->bench_error != NULL;
}

static bool bench_error_due(Session *s, Job **about, uint64_t now, uint64_t *when) {
    (void)now;
    (void)when;
    return find_job(s, has_bench_error, about);
}

static void compose_bench_error(Session *s, HttpRequest *request) {
    ApiFault fault = {.test_id = s->asked->workload.test_id, .error = s->asked->bench_error};
    api_bench_error(&s->account, &fault, request);
}

static bool answered_bench_error(Session *s, const ApiAnswer *answer, Error *err) {
    (void)answer;
    (void)err;
    free(s->asked->bench_error);
    s->asked->bench_error = NULL;
    return true;
}

static void refused_bench_error(Session *s, const Error *err) {
    log_warn(s->log, "reporting a wrong bench: %s", err->text);
    free(s->asked->bench_error);
    s->asked->bench_error = NULL;
}

/* ---- The table ---- */

static const SessionRow session_rows[SESSION_ROWS] = {
    [ROW_VERSION] = {"asking which client version is wanted", true, version_due, compose_version,
                     answered_version, refused_for_good, false},
    [ROW_BUILD_INFO] = {"asking how engines are built", true, build_info_due, compose_build_info,
                        answered_build_info, refused_for_good, false},
    [ROW_WORKER_INFO] = {"registering", true, worker_info_due, compose_worker_info,
                         answered_worker_info, refused_for_good, false},
    [ROW_FAULT] = {"reporting a fault", false, fault_due, compose_fault, answered_fault,
                   refused_fault, false},
    [ROW_BENCH_ERROR] = {"reporting a wrong bench", false, bench_error_due, compose_bench_error,
                         answered_bench_error, refused_bench_error, false},
    [ROW_NPS] = {"reporting the speed", false, nps_due, compose_nps, answered_nps, refused_report,
                 false},
    [ROW_WORKLOAD] = {"asking for work", false, workload_due, compose_workload, answered_workload,
                      refused_workload, false},
    [ROW_HEARTBEAT] = {"sending a heartbeat", false, heartbeat_due, compose_heartbeat,
                       answered_heartbeat, refused_report, false},
    [ROW_INFO] = {"asking how the test stands", false, info_due, compose_info, answered_info,
                  refused_info, true},
};

static Request own_request(Session *s, SessionRowName which) {
    s->rows[which].session = s;
    return (Request){.name = session_rows[which].name,
                     .due = is_due,
                     .compose = compose,
                     .answered = answered,
                     .owner = &s->rows[which]};
}

void session_fill_table(Session *s) {
    const Request table[SESSION_REQUESTS] = {
        own_request(s, ROW_VERSION),
        own_request(s, ROW_BUILD_INFO),
        own_request(s, ROW_WORKER_INFO),
        outbox_request(s->outbox, OUTBOX_READ),
        outbox_request(s->outbox, OUTBOX_SEND),
        own_request(s, ROW_FAULT),
        own_request(s, ROW_BENCH_ERROR),
        own_request(s, ROW_NPS),
        own_request(s, ROW_WORKLOAD),
        own_request(s, ROW_HEARTBEAT),
        own_request(s, ROW_INFO),
        outbox_request(s->outbox, OUTBOX_UPLOAD),
    };
    memcpy(s->table, table, sizeof table);
}

bool session_is_asking_for_work(const Session *s) {
    for (int i = 0; i < SESSION_REQUESTS; i++)
        if (s->table[i].owner == &s->rows[ROW_WORKLOAD])
            return queue_is_asking(s->queue, &s->table[i]);
    return false;
}
