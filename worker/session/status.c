/* SPDX-License-Identifier: MIT */
/* The --status file: what the session is doing, for people and programs that look in from outside.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "session/state.h"
#include "session/view.h"

enum { MODE_STATUS = 0644, HOUR_S = 3600 };

/* A file being written in the thread pool: its folder's disk may be slow, and clocks tick here. */
struct StatusFile {
    uv_timer_t timer;
    uv_work_t work;
    char *path;
    Text shown; /* what was written last, but for the time */
    Text text;  /* what is being written */
    bool writing;
    bool failed;
    Error error;
    Session *session;
};

/* ---- What it says ---- */

#define ROW(field, kind)                                                                           \
    { #field, kind, JSON_OPTIONAL, offsetof(WorkView, field) }

static const JsonField always[] = {
    ROW(server, JSON_TEXT),        ROW(machine_id, JSON_INT),      ROW(threads, JSON_INT),
    ROW(state, JSON_TEXT),         ROW(next_action, JSON_TEXT),    ROW(next_action_at, JSON_TEXT),
    ROW(last_upload, JSON_TEXT),   ROW(games_uploaded, JSON_INT),  ROW(games_waiting, JSON_INT),
    ROW(workloads_done, JSON_INT), ROW(workloads_failed, JSON_INT)};
static const JsonField of_test[] = {ROW(test_id, JSON_INT),      ROW(test_type, JSON_TEXT),
                                    ROW(dev, JSON_TEXT),         ROW(dev_engine, JSON_TEXT),
                                    ROW(base, JSON_TEXT),        ROW(base_engine, JSON_TEXT),
                                    ROW(pairs_played, JSON_INT), ROW(pairs, JSON_INT)};
static const JsonField of_play[] = {ROW(games_per_hour, JSON_REAL)};
static const JsonField of_server[] = {ROW(server_games, JSON_INT), ROW(llr, JSON_REAL),
                                      ROW(llr_lower, JSON_REAL), ROW(llr_upper, JSON_REAL)};
static const JsonField of_now[] = {ROW(updated, JSON_TEXT)};

static const char *state_name(const Session *s) {
    static const char *const phases[] = {[PHASE_IDLE] = "idle",
                                         [PHASE_PREPARE] = "preparing",
                                         [PHASE_READY] = "preparing",
                                         [PHASE_PLAY] = "playing",
                                         [PHASE_WIND_UP] = "reporting"};
    if (s->finishing)
        return "ended";
    const Job *job = jobs_shown(s);
    return session_is_registered(s) ? phases[job ? job->phase : PHASE_IDLE] : "registering";
}

/* What comes next, and when: NULL with -1 for "now, and it takes as long as it takes". */
static const char *next_action(const Session *s, int64_t *wait_ms) {
    const char *action = queue_action(s->queue, wait_ms);
    const Job *job = jobs_shown(s);
    if (s->finishing || !action || *wait_ms < 0 || !job || job->phase != PHASE_PLAY)
        return s->finishing ? NULL : action;
    uint64_t now = uv_now(s->loop);
    *wait_ms = s->report_at > now ? (int64_t)(s->report_at - now) : 0;
    return "reporting results";
}

static char *stamp_at(time_t at) {
    char stamp[CLOCK_STAMP_MAX];
    clock_stamp(at, stamp);
    return mem_strdup(stamp);
}

static void see_test(const Session *s, const Job *job, WorkView *v) {
    const Workload *w = &job->workload;
    double seconds =
        (double)clock_elapsed_ms(job->play_started, clock_now_ns()) / CLOCK_MS_PER_SECOND;
    v->has_test = true;
    v->test_id = w->test_id;
    v->test_type = w->type_name;
    v->dev = w->dev.name;
    v->dev_engine = w->dev.engine;
    v->base = w->base.name;
    v->base_engine = w->base.engine;
    v->games_over = job->games_over;
    v->pairs_played = job->pairs_played;
    v->pairs = workload_openings(w);
    v->games = 2 * v->pairs;
    if (job->phase == PHASE_PLAY && seconds > 1)
        v->games_per_hour = (double)(int64_t)((double)job->games_over / seconds * HOUR_S);
    v->known = s->info_test == w->test_id && s->info_test;
    v->sprt = s->info.sprt;
    v->server_games = s->info.games;
    v->llr = s->info.llr;
    v->llr_lower = s->info.llr_lower;
    v->llr_upper = s->info.llr_upper;
}

/* How things stand; workview_free it. */
static WorkView see(const Session *s) {
    int64_t wait_ms;
    WorkView v = {.server = s->config.base_url,
                  .machine_id = s->account.machine_id,
                  .threads = s->threads,
                  .state = state_name(s),
                  .next_action = next_action(s, &wait_ms),
                  .games_uploaded = tally_games(&s->total),
                  .games_waiting = outbox_waiting(s->outbox),
                  .workloads_done = s->workloads_done,
                  .workloads_failed = s->workloads_failed};
    v.next_wait_s = wait_ms >= 0 ? wait_ms / CLOCK_MS_PER_SECOND : -1;
    if (v.next_action && v.next_wait_s >= 0)
        v.next_action_at = stamp_at(time(NULL) + v.next_wait_s);
    if (s->last_upload)
        v.last_upload = stamp_at(s->last_upload);
    if (jobs_shown(s))
        see_test(s, jobs_shown(s), &v);
    return v;
}

/* The view as JSON without the time. */
static cJSON *write_view(const WorkView *v) {
    cJSON *object = cJSON_CreateObject();
    json_write(object, always, COUNT(always), v);
    if (v->has_test)
        json_write(object, of_test, COUNT(of_test), v);
    if (v->has_test && v->games_per_hour > 0)
        json_write(object, of_play, COUNT(of_play), v);
    if (v->has_test && v->known)
        json_write(object, of_server, v->sprt ? COUNT(of_server) : 1, v);
    return object;
}

/* ---- The terminal ---- */

void status_draw(const Session *s) {
    WorkView v = see(s);
    Text lines = {0};
    workview_write(&v, log_width(s->log), &lines);
    log_live(s->log, text_string(&lines));
    text_free(&lines);
    workview_free(&v);
}

/* ---- The file ---- */

/* Makes the new text; false when nothing has changed. */
static bool compose(StatusFile *file) {
    Text now = {0};
    WorkView view = see(file->session);
    char *updated = stamp_at(time(NULL));
    cJSON *object = write_view(&view);
    json_take(cJSON_Duplicate(object, true), &now);
    bool changed = strcmp(text_string(&now), text_string(&file->shown)) != 0;
    text_free(&file->shown);
    file->shown = now;
    view.updated = updated;
    json_write(object, of_now, COUNT(of_now), &view);
    workview_free(&view);
    free(updated);
    text_clear(&file->text);
    json_take(object, &file->text);
    text_add_char(&file->text, '\n');
    return changed;
}

static bool write_text(StatusFile *file, Error *err) {
    return file_write_atomic(file->path, text_string(&file->text), file->text.length, MODE_STATUS,
                             err);
}

static void do_write(uv_work_t *work) {
    StatusFile *file = work->data;
    file->error = (Error){0};
    write_text(file, &file->error);
}

/* A fault is told once, not every other second. */
static void written(uv_work_t *work, int status) {
    StatusFile *file = work->data;
    (void)status;
    file->writing = false;
    if (file->error.text[0] && !file->failed)
        log_warn(file->session->log, "--status: %s", file->error.text);
    file->failed = file->error.text[0] != '\0';
    if (file->session->finishing)
        session_finish(file->session, file->session->status);
}

static void on_tick(uv_timer_t *timer) {
    StatusFile *file = timer->data;
    if (file->writing || !compose(file))
        return;
    file->writing = true;
    file->work.data = file;
    uv_queue_work(timer->loop, &file->work, do_write, written);
}

StatusFile *status_open(Session *s, const char *path) {
    StatusFile *file = mem_calloc(1, sizeof *file);
    file->path = mem_strdup(path);
    file->session = s;
    file->timer.data = file;
    uv_timer_init(s->loop, &file->timer);
    uv_timer_start(&file->timer, on_tick, 0, (uint64_t)s->config.waits.status);
    return file;
}

bool status_busy(const StatusFile *file) {
    return file && file->writing;
}

static void free_status(uv_handle_t *handle) {
    StatusFile *file = handle->data;
    text_free(&file->shown);
    text_free(&file->text);
    free(file->path);
    free(file);
}

void status_close(StatusFile *file) {
    if (!file)
        return;
    compose(file);
    write_text(file, NULL);
    uv_close((uv_handle_t *)&file->timer, free_status);
}
