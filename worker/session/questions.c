/* SPDX-License-Identifier: MIT */
/* The dialogue with the server: every question, what it sends and what its answer leads to. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "openbench/sysinfo.h"
#include "session/state.h"
#include "session/token.h"

enum {
    MS_PER_SECOND = 1000,
    TRIES_ONCE = 5 /* With --once: so many times a server that is not there is tried. */
};

/* ---- Asking ---- */

static void on_answer(HttpResponse *response, void *user);

static void send_question(Session *s) {
    HttpRequest request;
    s->question->compose(s, &request);
    s->call = http_start(s->loop, &request, on_answer, s);
}

void session_on_wait(uv_timer_t *timer) {
    Session *s = timer->data;
    if (s->question)
        send_question(s);
    else
        session_pump(s);
}

void session_ask(Session *s, const Question *question, Job *about) {
    s->question = question;
    s->asked = about;
    send_question(s);
}

static int64_t next_wait(Session *s) {
    return backoff_next(&s->backoff, uv_hrtime() / 1000);
}

/* Asks the same again after a while. */
static void ask_later(Session *s, const Error *err) {
    if (s->stop >= STOP_GAMES_NOW ||
        (s->config.once && !s->registered && s->unreachable_in_a_row >= TRIES_ONCE)) {
        log_error(s->log, "%s: %s: %s; giving up", s->config.base_url, s->question->what,
                  err->text);
        session_finish(s, s->stop ? EXIT_DONE : EXIT_FAILED);
        return;
    }
    int64_t wait = next_wait(s);
    log_warn(s->log, "%s: %s: %s; trying again in %.1f s", s->config.base_url, s->question->what,
             err->text, (double)wait / MS_PER_SECOND);
    uv_timer_start(&s->wait_timer, session_on_wait, (uint64_t)wait, 0);
}

/* The session is stale: register anew, then go on with what is due. The first time at once, then
 * after waits that grow until the server answers something else. */
void session_registration_lost(Session *s, const char *what, const Error *err) {
    if (!s->registered)
        return;
    int64_t wait = ++s->stale_in_a_row > 1 && !s->question ? next_wait(s) : 0;
    if (wait > 0)
        log_warn(s->log, "%s: %s; registering again in %.1f s", what, err->text,
                 (double)wait / MS_PER_SECOND);
    else
        log_warn(s->log, "%s: %s; registering again", what, err->text);
    s->registered = false;
    s->have_build_info = false;
    outbox_set_ready(s->outbox, false);
    if (wait > 0)
        uv_timer_start(&s->wait_timer, session_on_wait, (uint64_t)wait, 0);
}

static void register_again(Session *s, const Error *err) {
    const char *what = s->question->what;
    s->question = NULL;
    session_registration_lost(s, what, err);
    session_pump(s);
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

/* No words of the server's: a redirect, a certificate. Where it was right before it may be so
 * again, else somebody has to put it right. */
static void distrust(Session *s, const Error *err) {
    if (s->account.machine_id) {
        ask_later(s, err);
        return;
    }
    log_error(s->log, "%s: %s: %s", s->config.base_url, s->question->what, err->text);
    session_finish(s, EXIT_FAILED);
}

static void act_on(Session *s, const HttpResponse *response, const ApiAnswer *answer) {
    const Question *question = s->question;
    Error err = answer->error;
    bool reached = response->outcome == HTTP_DONE || response->sent;
    s->unreachable_in_a_row = reached ? 0 : s->unreachable_in_a_row + 1;
    if (response->outcome == HTTP_REFUSED && !question->lost) {
        distrust(s, &err);
        return;
    }
    switch (answer->verdict) {
    case API_OK:
        s->question = NULL;
        if (question->answered(s, answer, &err)) {
            if (!question->registers) {
                backoff_reset(&s->backoff);
                s->stale_in_a_row = 0;
            }
            session_pump(s);
            return;
        }
        s->question = question;
        ask_later(s, &err);
        return;
    case API_RETRY:
        if (question->lost && response->sent && s->stop < STOP_GAMES_NOW) {
            log_warn(s->log, "%s: %s: its answer did not come (%s)", s->config.base_url,
                     question->what, err.text);
            s->question = NULL;
            question->lost(s);
            session_pump(s);
        } else {
            ask_later(s, &err);
        }
        return;
    case API_REGISTER:
    case API_WRONG_VERSION:
        /* A server that was updated says another version: it may be one that we speak. */
        if (!question->registers) {
            register_again(s, &err);
            return;
        }
        if (answer->verdict == API_WRONG_VERSION) {
            refuse_version(s, answer->expected_version);
        } else {
            /* The server changes while it is being told who we are: from the start. */
            s->question = &question_version;
            ask_later(s, &err);
        }
        return;
    case API_REFUSED:
        break;
    }
    s->question = NULL;
    question->refused(s, &err);
    session_pump(s);
}

static void on_answer(HttpResponse *response, void *user) {
    Session *s = user;
    s->call = NULL;
    if (s->finishing) {
        session_finish(s, s->status);
        return;
    }
    ApiAnswer answer;
    api_judge(response, &answer);
    act_on(s, response, &answer);
    api_answer_free(&answer);
}

/* ---- Registration ---- */

static void refused_for_good(Session *s, const Error *err) {
    log_error(s->log, "%s refuses user %s: %s", s->config.base_url, s->config.username, err->text);
    session_finish(s, EXIT_FAILED);
}

static void compose_version(Session *s, HttpRequest *request) {
    api_client_version(&s->account, request);
}

static const Question question_build_info;
static const Question question_worker_info;

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
    session_ask(s, &question_build_info, NULL);
    return true;
}

static void compose_build_info(Session *s, HttpRequest *request) {
    api_build_info(&s->account, request);
}

static void on_probed(void *user) {
    Session *s = user;
    s->probe = NULL;
    if (s->finishing)
        session_finish(s, s->status);
    else
        session_ask(s, &question_worker_info, NULL);
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
    s->have_build_info = true;
    s->probe = toolchain_probe(s->loop, &s->toolchain, s->config.sandbox, (const char *const *)names.items,
                               names.count, on_probed, s);
    words_free(&names);
    return true;
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
    s->registered = true;
    log_info(s->log, "registered at %s as machine %" PRId64 " with %d thread%s", s->config.base_url,
             machine_id, s->threads, text_plural(s->threads));
    outbox_set_ready(s->outbox, true);
    return true;
}

const Question question_version = {.what = "asking which client version is wanted",
                                   .registers = true,
                                   .compose = compose_version,
                                   .answered = answered_version,
                                   .refused = refused_for_good};

static const Question question_build_info = {.what = "asking how engines are built",
                                             .registers = true,
                                             .compose = compose_build_info,
                                             .answered = answered_build_info,
                                             .refused = refused_for_good};

static const Question question_worker_info = {.what = "registering",
                                              .registers = true,
                                              .compose = compose_worker_info,
                                              .answered = answered_worker_info,
                                              .refused = refused_for_good};

/* ---- Work ---- */

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
            session_enter_idle_wait(s);
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
        session_enter_idle_wait(s);
    }
}

const Question question_workload = {.what = "asking for work",
                                    .compose = compose_workload,
                                    .answered = answered_workload,
                                    .refused = refused_workload};

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

const Question question_nps = {.what = "reporting the speed",
                               .compose = compose_nps,
                               .answered = answered_nps,
                               .refused = refused_report};

static void compose_heartbeat(Session *s, HttpRequest *request) {
    api_heartbeat(&s->account, s->asked->workload.test_id, request);
}

static bool answered_heartbeat(Session *s, const ApiAnswer *answer, Error *err) {
    (void)err;
    stop_test(s, answer);
    return true;
}

const Question question_heartbeat = {.what = "sending a heartbeat",
                                     .compose = compose_heartbeat,
                                     .answered = answered_heartbeat,
                                     .refused = refused_report};

/* ---- How the test stands ---- */

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

static void lost_info(Session *s) {
    (void)s;
}

const Question question_info = {.what = "asking how the test stands",
                                .compose = compose_info,
                                .answered = answered_info,
                                .refused = refused_info,
                                .lost = lost_info};

/* ---- Faults ---- */

static void drop_fault(Session *s) {
    free(s->asked->faults[0].error);
    free(s->asked->faults[0].logs);
    s->asked->fault_count--;
    memmove(s->asked->faults, s->asked->faults + 1,
            s->asked->fault_count * sizeof *s->asked->faults);
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

const Question question_fault = {.what = "reporting a fault",
                                 .compose = compose_fault,
                                 .answered = answered_fault,
                                 .refused = refused_fault};

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

const Question question_bench_error = {.what = "reporting a wrong bench",
                                       .compose = compose_bench_error,
                                       .answered = answered_bench_error,
                                       .refused = refused_bench_error};
