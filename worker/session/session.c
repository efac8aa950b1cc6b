#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"
#include "session/state.h"

enum { TIMERS = 3, MODE_PRIVATE = 0600, MODE_PRIVATE_FOLDER = 0700 };

/* A file of this name, here or in the state folder, ends the worker after its workload, as it does
 * the stock client. */
static const char exit_file[] = "openbench.exit";

/* ---- Reports ---- */

void session_blacklist(Session *s, int64_t test_id) {
    IntList *list = &s->blacklist;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == test_id)
            return;
    list->items = mem_resize(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = test_id;
}

void session_note_fault(Session *s, const char *error, const char *logs) {
    s->faults = mem_grow(s->faults, &s->fault_capacity, s->fault_count + 1, sizeof *s->faults);
    s->faults[s->fault_count++] = (FaultReport){mem_strdup(error), mem_strdup(logs)};
}

void session_drop_games(Session *s) {
    if (s->games.packing)
        return;
    gamefile_free(&s->games);
    s->games_tries = 0;
}

static void drop_reports(Session *s) {
    for (size_t i = 0; i < s->fault_count; i++) {
        free(s->faults[i].error);
        free(s->faults[i].logs);
    }
    s->fault_count = 0;
    free(s->bench_error);
    s->bench_error = NULL;
    s->pending = (Tally){0};
    s->sending = (Tally){0};
    free(s->pending_deltas);
    free(s->sending_deltas);
    s->pending_deltas = NULL;
    s->sending_deltas = NULL;
    s->verification = (Verification){0};
    s->report_due = false;
    s->nps_due = false;
}

Tally *session_acknowledged(Session *s) {
    for (size_t i = 0; i < s->acknowledged_count; i++) {
        Acknowledged *a = &s->acknowledged[i];
        if (a->test_id == s->workload.test_id && a->machine_id == s->workload_machine)
            return &a->tally;
    }
    s->acknowledged = mem_grow(s->acknowledged, &s->acknowledged_capacity,
                               s->acknowledged_count + 1, sizeof *s->acknowledged);
    Acknowledged *a = &s->acknowledged[s->acknowledged_count++];
    *a = (Acknowledged){.test_id = s->workload.test_id, .machine_id = s->workload_machine};
    return &a->tally;
}

static void on_report(uv_timer_t *timer) {
    Session *s = timer->data;
    s->report_due = true;
    session_pump(s);
}

/* ---- The workload's life ---- */

static void free_prepared(Session *s) {
    if (s->prepared.book_made)
        unlink(s->prepared.book);
    free((char *)s->prepared.book);
    for (int i = 0; i < MATCH_SIDES; i++)
        free((char *)s->prepared.binary[i]);
    s->prepared = (Prepared){0};
}

static void keep_prepared(Session *s, const Prepared *prepared) {
    s->prepared = *prepared;
    s->prepared.logs = NULL;
    s->prepared.book = mem_strdup(prepared->book);
    for (int i = 0; i < MATCH_SIDES; i++)
        s->prepared.binary[i] = mem_strdup(prepared->binary[i]);
}

/* A workload that cannot be played: told to the server where the protocol has words for it. */
static void note_failure(Session *s, const Prepared *prepared) {
    int64_t test = s->workload.test_id;
    s->workloads_failed++;
    log_error(s->log, "test %" PRId64 ": %s", test, prepared->error.text);
    switch (prepared->outcome) {
    case PREPARE_FAULT:
        session_note_fault(s, prepared->error.text, prepared->logs);
        session_blacklist(s, test);
        break;
    case PREPARE_BENCH_FAILED:
        s->bench_error = mem_strdup(prepared->error.text);
        session_blacklist(s, test);
        break;
    case PREPARE_IMPOSSIBLE:
        session_blacklist(s, test);
        break;
    case PREPARE_LATER:
        if (s->config.once)
            session_finish(s, EXIT_FAILED);
        else
            session_enter_idle_wait(s);
        break;
    case PREPARE_READY:
    case PREPARE_CANCELLED:
        break;
    }
}

static void on_prepared(const Prepared *prepared, void *user) {
    Session *s = user;
    s->prepare = NULL;
    if (s->finishing) {
        session_finish(s, s->status);
        return;
    }
    if (prepared->outcome == PREPARE_READY) {
        keep_prepared(s, prepared);
        s->phase = PHASE_READY;
        s->nps_due = true;
    } else {
        if (prepared->outcome != PREPARE_CANCELLED)
            note_failure(s, prepared);
        s->phase = PHASE_WIND_UP;
    }
    session_pump(s);
}

void session_enter_prepare(Session *s) {
    const Workload *w = &s->workload;
    Plan plan;
    Error err = {0};
    /* With speeds made up, so that this version cannot play is refused before
     * anything is fetched. */
    PlanFacts facts = {.dev_nps = w->scale_nps,
                       .base_nps = w->scale_nps,
                       .syzygy_path = s->config.syzygy,
                       .syzygy_max = s->syzygy_max};
    s->abandoned = false;
    s->pending_deltas = mem_calloc(w->spsa_count + 1, sizeof *s->pending_deltas);
    s->sending_deltas = mem_calloc(w->spsa_count + 1, sizeof *s->sending_deltas);
    s->faults_noted = 0;
    s->pairs_played = 0;
    s->report_due = false;
    uv_timer_start(&s->report_timer, on_report, (uint64_t)s->config.waits.report,
                   (uint64_t)s->config.waits.report);
    log_info(s->log, "test %" PRId64 " (%s): %s [%s] against %s [%s]", w->test_id, w->type_name,
             w->dev.name, w->dev.engine, w->base.name, w->base.engine);
    if (!plan_make(w, &facts, &plan, &err)) {
        Prepared impossible = {.outcome = PREPARE_IMPOSSIBLE, .error = err};
        note_failure(s, &impossible);
        s->phase = PHASE_WIND_UP;
    } else {
        s->phase = PHASE_PREPARE;
        s->prepare_context =
            (PrepareContext){.loop = s->loop,
                             .log = s->log,
                             .state_dir = s->config.state_dir,
                             .toolchain = &s->toolchain,
                             .account = &s->account,
                             .copies = s->threads,
                             .sandbox = s->config.sandbox,
                             .build_network = s->config.build_network,
                             .build_timeout_ms = (int)s->config.waits.build_timeout,
                             .bench_timeout_ms = (int)s->config.waits.bench_timeout,
                             .cpu_flags = &s->machine.cpu_flags,
                             .cache_limit = (uint64_t)s->config.cache_mb << 20,
                             .genfens_timeout_ms = (int)s->config.waits.genfens_timeout,
                             .retry = {.first_ms = s->config.waits.retry_first,
                                       .most_ms = s->config.waits.retry_most}};
        s->prepare = prepare_start(&s->prepare_context, w, on_prepared, s);
    }
    plan_free(&plan);
}

static void enter_play(Session *s) {
    Error err = {0};
    s->phase = PHASE_PLAY;
    if (session_play(s, &err))
        return;
    Prepared impossible = {.outcome = PREPARE_IMPOSSIBLE, .error = err};
    note_failure(s, &impossible);
    s->phase = PHASE_WIND_UP;
}

void session_enter_wind_up(Session *s) {
    s->phase = PHASE_WIND_UP;
    if (s->finishing)
        session_finish(s, s->status);
    else
        session_pump(s);
}

void session_abandon(Session *s) {
    s->abandoned = true;
    drop_reports(s);
    if (s->match)
        match_stop(s->match, MATCH_NOW);
    else if (s->prepare)
        prepare_cancel(s->prepare);
    else if (s->phase == PHASE_READY)
        s->phase = PHASE_WIND_UP;
}

static bool exit_file_exists(const Session *s) {
    Text path = {0};
    text_addf(&path, "%s/%s", s->config.state_dir, exit_file);
    bool found = file_exists(exit_file) || file_exists(text_string(&path));
    text_free(&path);
    return found;
}

/* Everything of the workload is reported. */
static void end_workload(Session *s) {
    uv_timer_stop(&s->report_timer);
    session_free_play(s);
    free_prepared(s);
    drop_reports(s);
    session_drop_games(s);
    workload_free(&s->workload);
    s->phase = PHASE_IDLE;
    s->workloads_done++;
}

/* Whether it is time to end; says why. */
static bool should_end(const Session *s) {
    if (s->stop != STOP_NO || s->after_workload)
        return true;
    if (s->config.max_workloads > 0 && s->workloads_done >= s->config.max_workloads)
        return true;
    if (!exit_file_exists(s))
        return false;
    log_info(s->log, "there is a file %s: ending", exit_file);
    return true;
}

static int final_status(const Session *s) {
    bool short_run = s->config.once || s->config.max_workloads > 0;
    return short_run && s->workloads_failed > 0 ? EXIT_FAILED : EXIT_DONE;
}

static void on_idle(uv_timer_t *timer) {
    session_pump(timer->data);
}

void session_enter_idle_wait(Session *s) {
    log_debug(s->log, "waiting %" PRId64 " s before asking for work again",
              s->config.waits.idle / 1000);
    uv_timer_start(&s->idle_timer, on_idle, (uint64_t)s->config.waits.idle, 0);
}

/* What is to be told to the server now, or NULL. */
static const Question *due_question(const Session *s) {
    bool ended = s->phase == PHASE_WIND_UP;
    if (s->verification.due)
        return &question_totals;
    bool bulk = s->phase != PHASE_IDLE && strcmp(s->workload.reporting_type, "BULK") == 0;
    if (tally_games(&s->sending) ||
        (tally_games(&s->pending) && (ended || (s->report_due && !bulk))))
        return &question_results;
    if (s->fault_count)
        return &question_fault;
    if (s->bench_error)
        return &question_bench_error;
    if (s->nps_due)
        return &question_nps;
    if (ended && s->games.packed)
        return &question_games;
    if (s->report_due && !ended && s->phase != PHASE_IDLE)
        return &question_heartbeat;
    if (s->info_due && s->phase == PHASE_PLAY)
        return &question_info;
    return NULL;
}

void session_pump(Session *s) {
    if (s->finishing || s->question || s->call || s->probe ||
        uv_is_active((uv_handle_t *)&s->wait_timer))
        return;
    if (!s->registered) {
        session_ask(s, &question_version);
        return;
    }
    const Question *due = due_question(s);
    if (due) {
        s->report_due = false;
        session_ask(s, due);
        return;
    }
    if (s->phase == PHASE_READY)
        enter_play(s);
    if (s->phase == PHASE_WIND_UP && !due_question(s))
        end_workload(s);
    if (s->phase == PHASE_WIND_UP) {
        session_ask(s, due_question(s));
        return;
    }
    if (s->phase != PHASE_IDLE || uv_is_active((uv_handle_t *)&s->idle_timer))
        return;
    if (should_end(s))
        session_finish(s, final_status(s));
    else
        session_ask(s, &question_workload);
}

/* ---- The end ---- */

static void on_timer_closed(uv_handle_t *handle) {
    Session *s = handle->data;
    if (--s->open_timers == 0)
        s->done(s, s->status, s->user);
}

static void warn_of_losses(Session *s) {
    int64_t games = tally_games(&s->pending) + tally_games(&s->sending);
    if (games == 0 || s->abandoned)
        return;
    log_error(s->log, "test %" PRId64 ": %" PRId64 " games were not delivered to %s",
              s->workload.test_id, games, s->config.base_url);
    s->status = EXIT_FAILED;
}

void session_finish(Session *s, int status) {
    if (!s->finishing) {
        s->finishing = true;
        s->status = status;
        warn_of_losses(s);
        http_cancel(s->call);
        prepare_cancel(s->prepare);
        toolchain_probe_cancel(s->probe);
        s->probe = NULL;
        if (s->match)
            match_stop(s->match, MATCH_NOW);
    }
    if (s->call || s->prepare || s->match || s->games.packing || status_busy(s->status_file) ||
        s->open_timers < TIMERS || uv_is_closing((uv_handle_t *)&s->wait_timer))
        return;
    status_close(s->status_file);
    s->status_file = NULL;
    uv_close((uv_handle_t *)&s->wait_timer, on_timer_closed);
    uv_close((uv_handle_t *)&s->report_timer, on_timer_closed);
    uv_close((uv_handle_t *)&s->idle_timer, on_timer_closed);
}

void session_end_after_workload(Session *s) {
    s->after_workload = true;
    if (s->phase == PHASE_IDLE)
        session_finish(s, final_status(s));
}

void session_interrupt(Session *s) {
    if (s->finishing || s->stop == STOP_AT_ONCE)
        return;
    s->stop++;
    bool nothing_to_report =
        s->phase == PHASE_IDLE || s->phase == PHASE_PREPARE || s->phase == PHASE_READY;
    if (nothing_to_report || s->stop == STOP_AT_ONCE) {
        session_finish(s, EXIT_DONE);
        return;
    }
    if (s->match) {
        log_info(s->log, "%s",
                 s->stop == STOP_AFTER_GAMES ? "finishing the games in play; once more stops them"
                                             : "stopping the games");
        match_stop(s->match, s->stop == STOP_AFTER_GAMES ? MATCH_FINISH_GAMES : MATCH_NOW);
    }
    /* A wait for another try is over: the user wants it to end. */
    if (s->stop == STOP_GAMES_NOW && uv_is_active((uv_handle_t *)&s->wait_timer))
        uv_timer_start(&s->wait_timer, session_on_wait, 0, 0);
}

/* ---- The start ---- */

static void default_wait(int64_t *wait, int64_t standard) {
    if (*wait <= 0)
        *wait = standard;
}

static void default_waits(SessionWaits *waits) {
    default_wait(&waits->retry_first, 5000);
    default_wait(&waits->retry_most, 60000);
    default_wait(&waits->idle, 60000);
    default_wait(&waits->report, 30000);
    default_wait(&waits->verify, 60000);
    default_wait(&waits->verify_again, 15000);
    default_wait(&waits->build_timeout, 900000);
    default_wait(&waits->bench_timeout, 60000);
    default_wait(&waits->genfens_timeout, 15000);
    default_wait(&waits->status, 2000);
    default_wait(&waits->info, 60000);
}

/* Makes the state folder, and sees to it that no other worker uses it. */
static bool open_state(Session *s, Error *err) {
    const char *dir = s->config.state_dir;
    struct stat status;
    bool there = stat(dir, &status) == 0;
    if (!there && (!file_make_folders(dir, err) || chmod(dir, MODE_PRIVATE_FOLDER) != 0))
        return err->text[0] ? false : error_set(err, "%s: %s", dir, strerror(errno));
    Text path = {0};
    text_addf(&path, "%s/lock", dir);
    s->lock = open(text_string(&path), O_RDWR | O_CREAT | O_CLOEXEC, MODE_PRIVATE);
    bool ok = s->lock >= 0 || error_set(err, "%s: %s", text_string(&path), strerror(errno));
    if (ok && flock(s->lock, LOCK_EX | LOCK_NB) != 0)
        ok = error_set(err, "%s: another worker uses this folder (--state names another)", dir);
    text_free(&path);
    return ok && prepare_folders(dir, s->config.clean, err) && machine_mac(dir, s->mac, err);
}

static void look_around(Session *s) {
    machine_read(&s->machine);
    int64_t cores = s->machine.physical_cores < s->machine.usable_cores ? s->machine.physical_cores
                                                                        : s->machine.usable_cores;
    s->threads = s->config.threads > 0 ? s->config.threads : (int)cores;
    if (!s->config.syzygy)
        return;
    if (!syzygy_available()) {
        log_warn(s->log,
                 "--syzygy: this obworker was built without Fathom: no tables are announced");
        s->config.syzygy = NULL;
        return;
    }
    s->syzygy_max = syzygy_complete_men(s->config.syzygy);
    if (s->syzygy_max == 0)
        log_warn(s->log, "--syzygy %s: not all tables of three men are there", s->config.syzygy);
}

static void init_timer(Session *s, uv_timer_t *timer) {
    uv_timer_init(s->loop, timer);
    timer->data = s;
    s->open_timers++;
}

Session *session_start(uv_loop_t *loop, const SessionConfig *config, SessionDone done, void *user,
                       Error *err) {
    Session *s = mem_calloc(1, sizeof *s);
    s->config = *config;
    s->loop = loop;
    s->log = config->log;
    s->done = done;
    s->user = user;
    s->lock = -1;
    default_waits(&s->config.waits);
    if (s->config.cache_mb <= 0)
        s->config.cache_mb = SESSION_CACHE_MB;
    s->backoff =
        (Backoff){.first_ms = s->config.waits.retry_first, .most_ms = s->config.waits.retry_most};
    s->account = (ApiAccount){
        .base_url = config->base_url, .username = config->username, .password = config->password};
    if (!open_state(s, err)) {
        session_free(s);
        return NULL;
    }
    look_around(s);
    Text dir = {0};
    text_addf(&dir, "%s/tmp", config->state_dir);
    s->engine_dir = text_take(&dir);
    text_addf(&dir, "%s/transcripts", config->state_dir);
    s->transcripts.folder = text_take(&dir);
    init_timer(s, &s->wait_timer);
    init_timer(s, &s->report_timer);
    init_timer(s, &s->idle_timer);
    if (config->status_file)
        s->status_file = status_open(s, config->status_file);
    session_pump(s);
    return s;
}

void session_free(Session *s) {
    if (!s)
        return;
    session_free_play(s);
    free_prepared(s);
    drop_reports(s);
    session_drop_games(s);
    workload_free(&s->workload);
    build_info_free(&s->build_info);
    toolchain_free(&s->toolchain);
    machine_free(&s->machine);
    free(s->secret);
    free(s->engine_dir);
    free((char *)(uintptr_t)s->transcripts.folder);
    free(s->faults);
    free(s->blacklist.items);
    free(s->acknowledged);
    if (s->lock >= 0)
        close(s->lock);
    free(s);
}
