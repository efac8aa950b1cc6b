/* SPDX-License-Identifier: MIT */
#include "session/preparing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/tree.h"
#include "build/source.h"

/* ---- Folders ---- */

char *preparing_path(const Prepare *p, const char *folder, const char *name) {
    return text_format("%s/%s/%s", p->context.state_dir, folder, name);
}

/* ---- Ending ---- */

void prepared_free(Prepared *prepared) {
    for (int i = 0; i < SIDE_COUNT; i++)
        prepared_engine_free(&prepared->engines[i]);
    text_free(&prepared->logs);
    free(prepared->book);
    book_free(&prepared->openings);
    *prepared = (Prepared){0};
}

static void free_prepare(uv_handle_t *handle) {
    Prepare *p = handle->data;
    if (p->made_book && p->result.outcome != PREPARE_READY)
        unlink(p->made_book);
    p->done(&p->result, p->user);
    prepared_free(&p->result);
    for (int i = 0; i < SIDE_COUNT; i++) {
        free(p->sides[i].source);
        free(p->sides[i].listed_url);
        token_free(&p->sides[i].token);
    }
    free(p->folder);
    free(p->download);
    free(p->tree);
    free(p->book);
    free(p->made_book);
    text_free(&p->openings);
    free(p->build_dir);
    free(p->built);
    free(p->full);
    free(p);
}

static bool remove_folder(Prepare *p, Error *err) {
    return tree_remove(p->folder, err);
}

static void folder_removed(Prepare *p, bool ok) {
    if (!ok)
        log_warn(p->context.log, "%s", p->task.error.text);
    uv_close((uv_handle_t *)&p->timer, free_prepare);
}

void preparing_end(Prepare *p, PrepareOutcome outcome) {
    p->result.outcome = p->cancelled ? PREPARE_CANCELLED : outcome;
    p->cancelled = false; /* The last task runs also after a cancellation. */
    if (p->folder)
        preparing_task(p, remove_folder, folder_removed);
    else
        uv_close((uv_handle_t *)&p->timer, free_prepare);
}

void preparing_end_with(Prepare *p, PrepareOutcome outcome, const Error *err) {
    p->result.error = *err;
    preparing_end(p, outcome);
}

/* Would fewer kept files help? A quota is no free space of the disk, so its words count alone. */
static bool wants_room(const Prepare *p, const char *words) {
    return source_lacks_room(words) && (strstr(words, strerror(EDQUOT)) != NULL ||
                                        file_disk_is_nearly_full(p->context.state_dir));
}

void preparing_later(Prepare *p, const Error *err) {
    if (p->made_room || !wants_room(p, err->text)) {
        preparing_end_with(p, PREPARE_LATER, err);
        return;
    }
    log_warn(p->context.log, "%s; removing the kept files that are not in use", err->text);
    p->made_room = true;
    p->next--;
    const PrepareStage *trim = p->stages;
    while (trim->step != STEP_TRIM)
        trim++;
    trim->begin(p);
}

/* ---- Tasks in the thread pool ---- */

static bool run_task(void *user, Error *err) {
    Prepare *p = user;
    return p->run(p, err);
}

static void task_done(bool ok, const Error *err, void *user) {
    (void)err;
    Prepare *p = user;
    if (p->cancelled)
        preparing_end(p, PREPARE_CANCELLED);
    else
        p->then(p, ok);
}

void preparing_task(Prepare *p, bool (*run)(Prepare *, Error *), void (*then)(Prepare *, bool)) {
    p->run = run;
    p->then = then;
    task_start(p->context.loop, &p->task, run_task, task_done, p);
}

/* ---- The machine's load ---- */

void preparing_when_load(Prepare *p, MachineLoad most, void (*then)(Prepare *)) {
    if (p->context.load <= most) {
        then(p);
        return;
    }
    p->held = then;
    p->held_load = most;
    p->held_since = clock_now_ns();
}

void prepare_load(Prepare *p, MachineLoad load) {
    if (!p)
        return;
    p->context.load = load;
    void (*then)(Prepare *) = p->held;
    if (!then || load > p->held_load)
        return;
    p->held = NULL;
    p->result.held_ms += clock_elapsed_ms(p->held_since, clock_now_ns());
    then(p);
}

/* ---- Files from elsewhere ---- */

void preparing_fetch(Prepare *p, Artifact *artifact, FetchDone done) {
    FetchContext context = {.loop = p->context.loop,
                            .log = p->context.log,
                            .retry = &p->context.retry,
                            .download = p->download};
    artifact->user = p;
    p->fetch = fetch_start(&context, artifact, done);
}

bool preparing_fetched(Prepare *p, FetchOutcome outcome, const Error *err) {
    p->fetch = NULL;
    p->held = NULL;
    if (p->cancelled || outcome == FETCH_CANCELLED)
        preparing_end(p, PREPARE_CANCELLED);
    else if (outcome == FETCH_LATER)
        preparing_later(p, err);
    else if (outcome == FETCH_IMPOSSIBLE)
        preparing_end_with(p, PREPARE_IMPOSSIBLE, err);
    else
        return true;
    return false;
}

/* ---- The steps ---- */

static void on_step(uv_timer_t *timer) {
    Prepare *p = timer->data;
    const PrepareStage *stage = &p->stages[p->next++];
    p->side = &p->sides[stage->side];
    stage->begin(p);
}

/* The loop begins the step: steps without work would otherwise pile up on the stack. */
void preparing_next(Prepare *p) {
    if (p->cancelled)
        preparing_end(p, PREPARE_CANCELLED);
    else
        uv_timer_start(&p->timer, on_step, 0, 0);
}

void preparing_go_back(Prepare *p, PrepareStep step) {
    const PreparedSide *side = p->side;
    do
        p->next--;
    while (p->stages[p->next].step != step || &p->sides[p->stages[p->next].side] != side);
    preparing_next(p);
}
