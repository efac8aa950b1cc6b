/* SPDX-License-Identifier: MIT */
#include "session/status.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/task.h"
#include "session/view.h"

enum { MODE_STATUS = 0644, HOUR_S = 3600 };

/* The status file. The thread pool writes the file, because its disk may be slow while games'
   clocks run on the loop. */
struct StatusFile {
    uv_timer_t timer;
    Task task;
    char *path;
    Text shown;            /* the latest written text without its time */
    Text text;             /* the text being written */
    time_t next_action_at; /* the latest shown time of the next action */
    bool failed;
    Session *session;
    void (*written)(Session *session);
};

/* ---- Content ---- */

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
    const Job *job = jobs_shown(&s->jobs);
    if (s->finishing)
        return "ended";
    if (!requests_are_registered(&s->requests))
        return "registering";
    return job_state_name(job ? job->state : JOB_NONE);
}

static char *stamp_at(time_t at) {
    char stamp[CLOCK_STAMP_MAX];
    clock_stamp(at, stamp);
    return mem_strdup(stamp);
}

static void see_test(const Session *s, const Job *job, WorkView *v) {
    const Workload *w = &job->workload;
    double seconds =
        (double)clock_elapsed_ms(job->play.started, clock_now_ns()) / (double)CLOCK_MS_PER_SECOND;
    v->has_test = true;
    v->test_id = w->test_id;
    v->test_type = w->type_name;
    v->dev = w->dev.name;
    v->dev_engine = w->dev.engine;
    v->base = w->base.name;
    v->base_engine = w->base.engine;
    v->games_over = job->play.games_over;
    v->pairs_played = job->pairs_played;
    v->pairs = workload_openings(w);
    v->games = 2 * v->pairs;
    if (job_is_playing(job) && seconds > 1)
        v->games_per_hour =
            (double)(int64_t)((double)job->play.games_over / seconds * (double)HOUR_S);
    v->known = s->requests.info_test == w->test_id && s->requests.info_test;
    v->sprt = s->requests.info.sprt;
    v->server_games = s->requests.info.games;
    v->llr = s->requests.info.llr;
    v->llr_lower = s->requests.info.llr_lower;
    v->llr_upper = s->requests.info.llr_upper;
}

/* The session's standing. The caller frees the view with workview_free. */
static WorkView see(const Session *s) {
    int64_t wait_ms;
    WorkView v = {.server = s->host.config.base_url,
                  .machine_id = s->requests.registration.account.machine_id,
                  .threads = s->host.threads,
                  .state = state_name(s),
                  .next_action = requests_next(&s->requests, &wait_ms),
                  .games_uploaded = tally_games(&s->total),
                  .games_waiting = s->outbox ? outbox_waiting(s->outbox) : s->left,
                  .workloads_done = s->jobs.done,
                  .workloads_failed = s->jobs.failed};
    v.next_wait_s = wait_ms >= 0 ? wait_ms / CLOCK_MS_PER_SECOND : -1;
    if (s->last_upload)
        v.last_upload = stamp_at(s->last_upload);
    if (jobs_shown(&s->jobs))
        see_test(s, jobs_shown(&s->jobs), &v);
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
    workview_write(&v, log_width(s->host.log), &lines);
    log_live(s->host.log, text_string(&lines));
    text_free(&lines);
    workview_free(&v);
}

/* ---- The file ---- */

/* The time of the next action. Whole seconds would differ by one from look to look, and the file
 * would be written each time. */
static void see_next_action(StatusFile *file, WorkView *v) {
    enum { SAME_S = 2 };
    if (!v->next_action || v->next_wait_s < 0)
        return;
    time_t at = time(NULL) + v->next_wait_s;
    if (at < file->next_action_at - SAME_S || at > file->next_action_at + SAME_S)
        file->next_action_at = at;
    v->next_action_at = stamp_at(file->next_action_at);
}

/* Makes the new text. False when only the time has changed. */
static bool compose(StatusFile *file) {
    Text now = {0};
    WorkView view = see(file->session);
    see_next_action(file, &view);
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

static bool write_text(void *user, Error *err) {
    StatusFile *file = user;
    return file_write_output(file->path, text_string(&file->text), file->text.length, MODE_STATUS,
                             err);
}

/* Tells a fault once, not after every try: the write is tried again at each tick. */
static void on_written(bool ok, const Error *err, void *user) {
    StatusFile *file = user;
    if (!ok && !file->failed)
        log_warn(file->session->host.log, "--status: %s", err->text);
    file->failed = !ok;
    file->written(file->session);
}

static void on_tick(uv_timer_t *timer) {
    StatusFile *file = timer->data;
    if (file->task.running)
        return;
    bool changed = compose(file);
    if (changed || file->failed)
        task_start(timer->loop, &file->task, write_text, on_written, file);
}

StatusFile *status_open(Session *s, const char *path, void (*written)(Session *session)) {
    StatusFile *file = mem_calloc(1, sizeof *file);
    file->path = mem_strdup(path);
    file->session = s;
    file->written = written;
    file->timer.data = file;
    uv_timer_init(s->host.loop, &file->timer);
    uv_timer_start(&file->timer, on_tick, 0, (uint64_t)s->host.config.waits.status);
    return file;
}

bool status_busy(const StatusFile *file) {
    return file && file->task.running;
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
