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

enum { MODE_STATUS = 0644, MS_PER_SECOND = 1000, HOUR_S = 3600 };

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

/* One state's picture. The strings are the session's or this struct's. */
typedef struct {
    char *server, *state, *next_action, *next_action_at, *updated;
    int64_t machine_id, threads;
    char *test_type, *dev, *base, *dev_engine, *base_engine;
    int64_t test_id, pairs_played, pairs, games_waiting;
    double games_per_hour;
    int64_t server_games;
    double llr, llr_lower, llr_upper;
    char *last_upload;
    int64_t games_uploaded, workloads_done, workloads_failed;
} Picture;

#define ROW(field, kind)                                                                           \
    { #field, kind, JSON_OPTIONAL, offsetof(Picture, field) }

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

static void paint_test(const Session *s, const Job *job, cJSON *object) {
    const Workload *w = &job->workload;
    Picture p = {.test_id = w->test_id,
                 .test_type = w->type_name,
                 .dev = w->dev.name,
                 .dev_engine = w->dev.engine,
                 .base = w->base.name,
                 .base_engine = w->base.engine,
                 .pairs_played = job->pairs_played,
                 .pairs = workload_openings(w)};
    json_write(object, of_test, COUNT(of_test), &p);
    double seconds = (double)clock_elapsed_ms(job->play_started, clock_now_ns()) / MS_PER_SECOND;
    if (job->phase == PHASE_PLAY && seconds > 1) {
        p.games_per_hour = (double)(int64_t)(2.0 * (double)job->pairs_played / seconds * HOUR_S);
        json_write(object, of_play, COUNT(of_play), &p);
    }
    if (s->info_test == w->test_id && s->info_test) {
        p.server_games = s->info.games;
        p.llr = s->info.llr;
        p.llr_lower = s->info.llr_lower;
        p.llr_upper = s->info.llr_upper;
        json_write(object, of_server, s->info.sprt ? COUNT(of_server) : 1, &p);
    }
}

/* The picture as JSON without the time. */
static cJSON *paint(const Session *s) {
    int64_t wait_ms;
    const char *action = next_action(s, &wait_ms);
    Picture p = {.server = (char *)s->config.base_url,
                 .machine_id = s->account.machine_id,
                 .threads = s->threads,
                 .state = (char *)state_name(s),
                 .next_action = (char *)action,
                 .games_uploaded = tally_games(&s->total),
                 .games_waiting = outbox_waiting(s->outbox),
                 .workloads_done = s->workloads_done,
                 .workloads_failed = s->workloads_failed};
    if (action && wait_ms >= 0)
        p.next_action_at = stamp_at(time(NULL) + wait_ms / MS_PER_SECOND);
    if (s->last_upload)
        p.last_upload = stamp_at(s->last_upload);
    cJSON *object = cJSON_CreateObject();
    json_write(object, always, COUNT(always), &p);
    if (jobs_shown(s))
        paint_test(s, jobs_shown(s), object);
    free(p.next_action_at);
    free(p.last_upload);
    return object;
}

/* ---- The terminal ---- */

static void view_test(const Session *s, const Job *job, WorkView *v) {
    const Workload *w = &job->workload;
    double seconds = (double)clock_elapsed_ms(job->play_started, clock_now_ns()) / MS_PER_SECOND;
    v->has_test = true;
    v->test_id = w->test_id;
    v->type = w->type_name;
    v->dev = w->dev.name;
    v->dev_engine = w->dev.engine;
    v->base = w->base.name;
    v->base_engine = w->base.engine;
    v->games_over = job->games_over;
    v->games = 2 * workload_openings(w);
    if (job->phase == PHASE_PLAY && seconds > 1)
        v->games_per_hour = (int64_t)((double)job->games_over / seconds * HOUR_S);
    v->known = s->info_test == w->test_id && s->info_test;
    v->sprt = s->info.sprt;
    v->server_games = s->info.games;
    v->llr = s->info.llr;
    v->llr_lower = s->info.llr_lower;
    v->llr_upper = s->info.llr_upper;
}

void status_draw(const Session *s) {
    int64_t wait_ms;
    WorkView v = {.server = s->config.base_url,
                  .state = state_name(s),
                  .machine_id = s->account.machine_id,
                  .threads = s->threads,
                  .games_uploaded = tally_games(&s->total),
                  .games_waiting = outbox_waiting(s->outbox),
                  .next_action = next_action(s, &wait_ms)};
    char *last = s->last_upload ? stamp_at(s->last_upload) : NULL;
    Text lines = {0};
    v.last_upload = last;
    v.next_wait_s = wait_ms >= 0 ? wait_ms / MS_PER_SECOND : -1;
    if (jobs_shown(s))
        view_test(s, jobs_shown(s), &v);
    workview_write(&v, log_width(s->log), &lines);
    log_live(s->log, text_string(&lines));
    text_free(&lines);
    free(last);
}

/* ---- The file ---- */

/* Makes the new text; false when nothing has changed. */
static bool compose(StatusFile *file) {
    Text now = {0};
    cJSON *object = paint(file->session);
    json_take(cJSON_Duplicate(object, true), &now);
    bool changed = strcmp(text_string(&now), text_string(&file->shown)) != 0;
    text_free(&file->shown);
    file->shown = now;
    Picture p = {.updated = stamp_at(time(NULL))};
    json_write(object, of_now, COUNT(of_now), &p);
    free(p.updated);
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
