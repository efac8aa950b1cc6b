/* SPDX-License-Identifier: MIT */
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

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"
#include "build/benchbook.h"
#include "session/state.h"

enum {
    PATIENCE = 3, /* Tries in a row to reach the server, after which nobody waits for it. */
    VIEW_MS = 250,
    MODE_PRIVATE = 0600,
    MODE_PRIVATE_FOLDER = 0700
};

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
    for (Job *job = s->jobs; job; job = job->next)
        if (job->workload.test_id == test_id && job_is_waiting(job))
            job_abandon(job);
}

/* Has results reported, or a heartbeat sent, when their time has come. */
static void report(Session *s) {
    const Job *shown = jobs_shown(s);
    if (!s->jobs) {
        s->report_at = 0;
        s->report_due = false;
    }
    if (!s->jobs || uv_now(s->loop) < s->report_at)
        return;
    /* A job that has just come has nothing to tell yet. */
    s->report_due = s->report_at > 0;
    for (Job *job = s->jobs; job && s->report_at > 0; job = job->next)
        if (job->parcel && outbox_report(s->outbox, job->parcel) && job == shown)
            s->report_due = false; /* More than a heartbeat. */
    s->report_at = uv_now(s->loop) + (uint64_t)s->config.waits.report;
}

static bool exit_file_exists(const Session *s) {
    Text path = {0};
    text_addf(&path, "%s/%s", s->config.state_dir, exit_file);
    bool found = file_exists(exit_file) || file_exists(text_string(&path));
    text_free(&path);
    return found;
}

static int64_t count_jobs(const Session *s) {
    int64_t count = 0;
    for (const Job *job = s->jobs; job; job = job->next)
        count++;
    return count;
}

/* No more work is to be asked for. */
static bool is_ending(const Session *s) {
    int64_t most = s->config.max_workloads;
    return s->stop != STOP_NO || s->after_workload || s->no_more ||
           (most > 0 && s->workloads_done + count_jobs(s) >= most);
}

static int final_status(const Session *s) {
    bool short_run = s->config.once || s->config.max_workloads > 0;
    bool all = s->workloads_failed == 0 && outbox_empty(s->outbox);
    return short_run && !all ? EXIT_FAILED : EXIT_DONE;
}

bool session_is_registered(const Session *s) {
    return s->registration == REGISTRATION_DONE;
}

void session_ask_after_idle(Session *s) {
    log_debug(s->log, "waiting %" PRId64 " s before asking for work again",
              s->config.waits.idle / 1000);
    s->ask_at = uv_now(s->loop) + (uint64_t)s->config.waits.idle;
}

bool session_wants_work(const Session *s) {
    return !is_ending(s) && jobs_want_more(s);
}

/* Looks for the file that ends the worker whenever it would ask for work. */
static void look_for_exit_file(Session *s) {
    if (!session_is_registered(s) || !session_wants_work(s) || uv_now(s->loop) < s->ask_at ||
        !exit_file_exists(s))
        return;
    log_info(s->log, "there is a file %s: ending", exit_file);
    s->after_workload = true;
}

/* Whether something of the workload is to be told to the server. */
static bool has_reports(const Job *job) {
    return !job->unproved && (job->fault_count || job->bench_error || job->nps_due);
}

/* Starts what can be, and takes leave of what is over and told. */
static void move_jobs(Session *s) {
    for (Job *job = s->jobs, *next; job; job = next) {
        next = job->next;
        if (job->phase == PHASE_READY)
            job_start_if_free(job);
        if (job->phase == PHASE_WIND_UP && !job->unproved && !has_reports(job) && s->asked != job)
            job_end(job);
    }
}

/* All that can be delivered soon is. */
static bool is_delivered(const Session *s) {
    bool hurry = s->stop >= STOP_GAMES_NOW;
    return !session_is_registered(s) || outbox_settled(s->outbox, hurry) ||
           queue_unreachable(s->queue) >= (hurry ? 1 : PATIENCE);
}

static bool is_over(Session *s) {
    if (s->jobs || !is_delivered(s))
        return false;
    return s->stop != STOP_NO || (is_ending(s) && session_is_registered(s));
}

void session_pump(Session *s) {
    if (s->finishing)
        return;
    move_jobs(s);
    report(s);
    outbox_advance(s->outbox);
    look_for_exit_file(s);
    if (is_over(s)) {
        session_finish(s, final_status(s));
        return;
    }
    queue_look(s->queue);
    timeuse_enter(&s->time_use, jobs_activity(s), clock_now_ns());
}

/* ---- Results ---- */

static void on_delivered(int64_t test_id, const Tally *batch, void *user) {
    Session *s = user;
    const Job *shown = jobs_shown(s);
    tally_add(&s->total, batch);
    s->last_upload = time(NULL);
    backoff_reset(&s->stale);
    if (shown && shown->workload.test_id == test_id)
        s->info_due = s->config.watched && uv_now(s->loop) >= s->info_after;
}

static void on_over(int64_t test_id, void *user) {
    Session *s = user;
    log_info(s->log, "test %" PRId64 " is over", test_id);
    jobs_abandon_test(s, test_id);
}

static void on_refused(int64_t test_id, void *user) {
    Session *s = user;
    s->workloads_failed++;
    session_blacklist(s, test_id);
    jobs_abandon_test(s, test_id);
}

static void on_stale(const Error *err, void *user) {
    session_registration_lost(user, "reporting results", err);
}

static void on_crowded(const OutboxItem *item, bool crowded, void *user) {
    Session *s = user;
    for (Job *job = s->jobs; job; job = job->next)
        if (job->parcel == item && job->match)
            match_hold(job->match, crowded);
}

static void on_changed(void *user) {
    session_pump(user);
}

static void on_closed(void *user) {
    Session *s = user;
    s->outbox = NULL;
    session_finish(s, s->status);
}

static void on_queue_closed(void *user) {
    Session *s = user;
    s->queue = NULL;
    session_finish(s, s->status);
}

static const QueueEvents queue_events = {
    .unreachable = session_unreachable, .changed = on_changed, .closed = on_queue_closed};

static void open_queue(Session *s) {
    const QueueConfig config = {.loop = s->loop,
                                .log = s->log,
                                .server = s->config.base_url,
                                .retry_first_ms = s->config.waits.retry_first,
                                .retry_most_ms = s->config.waits.retry_most,
                                .table = s->table,
                                .count = SESSION_REQUESTS};
    session_fill_table(s);
    s->queue = queue_open(&config, &queue_events, s);
}

static const OutboxEvents outbox_events = {.delivered = on_delivered,
                                           .over = on_over,
                                           .refused = on_refused,
                                           .stale = on_stale,
                                           .crowded = on_crowded,
                                           .changed = on_changed,
                                           .closed = on_closed};

static void on_bench_record(const BenchRecord *record, void *user) {
    Session *s = user;
    outbox_proved(s->outbox, record->sha256, record->bench);
}

/* What an earlier process proved, and had no time to note in its journals. */
static void look_up_benches(Session *s) {
    Text folder = {0};
    text_addf(&folder, "%s/benches", s->config.state_dir);
    if (outbox_awaits_proof(s->outbox))
        benchbook_each(text_string(&folder), on_bench_record, s);
    text_free(&folder);
}

static bool open_outbox(Session *s, Error *err) {
    OutboxConfig config = {.state_dir = s->config.state_dir,
                           .host = s->machine.host,
                           .account = &s->account,
                           .waits = s->config.waits,
                           .keep = s->config.keep_delivered,
                           .log = s->log};
    s->outbox = outbox_open(s->loop, &config, &outbox_events, s, err);
    if (s->outbox)
        look_up_benches(s);
    return s->outbox != NULL;
}

/* ---- The end ---- */

static void on_timer_closed(uv_handle_t *handle) {
    Session *s = handle->data;
    s->done(s, s->status, s->user);
}

static void tell_time_use(Session *s) {
    Text text = {0};
    timeuse_enter(&s->time_use, ACTIVITY_NOTHING, clock_now_ns());
    timeuse_write(&s->time_use, &text);
    if (text.length > 0)
        log_info(s->log, "%s", text_string(&text));
    text_free(&text);
}

static bool are_jobs_busy(const Session *s) {
    for (const Job *job = s->jobs; job; job = job->next)
        if (job->prepare || job->match)
            return true;
    return false;
}

void session_finish(Session *s, int status) {
    if (!s->finishing) {
        s->finishing = true;
        s->status = status;
        tell_time_use(s);
        queue_close(s->queue);
        toolchain_probe_cancel(s->probe);
        s->probe = NULL;
        for (Job *job = s->jobs; job; job = job->next) {
            prepare_cancel(job->prepare);
            if (job->match)
                match_stop(job->match, MATCH_NOW);
        }
    }
    if (s->queue || are_jobs_busy(s) || status_busy(s->status_file) ||
        uv_is_closing((uv_handle_t *)&s->view_timer))
        return;
    if (s->outbox) {
        outbox_close(s->outbox);
        return;
    }
    status_close(s->status_file);
    s->status_file = NULL;
    uv_close((uv_handle_t *)&s->view_timer, on_timer_closed);
}

/* Whether a job's games are in play, or something of it is to be told. */
static bool is_worth_waiting(const Session *s) {
    for (const Job *job = s->jobs; job; job = job->next)
        if (job->phase == PHASE_PLAY || job->phase == PHASE_WIND_UP)
            return true;
    return false;
}

void session_end_after_workload(Session *s) {
    s->after_workload = true;
    if (is_worth_waiting(s))
        jobs_drop_waiting(s);
    else
        session_finish(s, final_status(s));
}

void session_interrupt(Session *s) {
    if (s->finishing || s->stop == STOP_AT_ONCE)
        return;
    s->stop++;
    if ((!is_worth_waiting(s) && is_delivered(s)) || s->stop == STOP_AT_ONCE) {
        session_finish(s, EXIT_DONE);
        return;
    }
    jobs_drop_waiting(s);
    bool after_games = s->stop == STOP_AFTER_GAMES;
    bool said = false;
    for (Job *job = s->jobs; job; job = job->next) {
        if (!job->match)
            continue;
        if (!said)
            log_info(s->log, "%s",
                     after_games ? "finishing the games in play; once more stops them"
                                 : "stopping the games");
        said = true;
        match_stop(job->match, after_games ? MATCH_FINISH_GAMES : MATCH_NOW);
    }
    /* A wait for another try is over: the user wants it to end. */
    if (s->stop == STOP_GAMES_NOW)
        queue_hurry(s->queue);
    session_pump(s);
}

/* ---- The start ---- */

static void default_wait(int64_t *wait, int64_t standard) {
    if (*wait <= 0)
        *wait = standard;
}

void session_default_waits(SessionWaits *waits) {
#define DEFAULT_WAIT(field, option, standard) default_wait(&waits->field, standard);
    SESSION_WAITS(DEFAULT_WAIT)
#undef DEFAULT_WAIT
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
    return ok && prepare_folders(dir, s->config.clean, s->config.log, err) &&
           machine_mac(dir, s->mac, err);
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

static void on_view(uv_timer_t *timer) {
    const Session *s = timer->data;
    if (!s->finishing && log_live_due(s->log))
        status_draw(s);
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
    session_default_waits(&s->config.waits);
    if (s->config.cache_mb <= 0)
        s->config.cache_mb = SESSION_CACHE_MB;
    if (s->config.rebench_minutes <= 0)
        s->config.rebench_minutes = SESSION_REBENCH_MINUTES;
    s->stale =
        (Backoff){.first_ms = s->config.waits.retry_first, .most_ms = s->config.waits.retry_most};
    s->account = (ApiAccount){
        .base_url = config->base_url, .username = config->username, .password = config->password};
    bool ok = open_state(s, err);
    if (ok)
        look_around(s);
    if (!ok || !open_outbox(s, err)) {
        session_free(s);
        return NULL;
    }
    Text dir = {0};
    text_addf(&dir, "%s/tmp", config->state_dir);
    s->engine_dir = text_take(&dir);
    text_addf(&dir, "%s/transcripts", config->state_dir);
    s->transcripts.folder = text_take(&dir);
    uv_timer_init(s->loop, &s->view_timer);
    s->view_timer.data = s;
    open_queue(s);
    if (s->log->terminal)
        uv_timer_start(&s->view_timer, on_view, VIEW_MS, VIEW_MS);
    if (config->status_file)
        s->status_file = status_open(s, config->status_file);
    session_pump(s);
    return s;
}

void session_free(Session *s) {
    if (!s)
        return;
    while (s->jobs)
        job_free(s->jobs);
    if (s->syzygy_open)
        syzygy_close(&s->syzygy);
    build_info_free(&s->build_info);
    toolchain_free(&s->toolchain);
    machine_free(&s->machine);
    free(s->secret);
    free(s->engine_dir);
    free((char *)(uintptr_t)s->transcripts.folder);
    free(s->blacklist.items);
    if (s->lock >= 0)
        close(s->lock);
    free(s);
}
