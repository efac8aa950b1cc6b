/* SPDX-License-Identifier: MIT */
#include "session/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/task.h"

enum {
    DOWNLOAD_TRIES = 5,
    WRONG_TRIES = 2,
    HTTP_FORBIDDEN = 403,
    HTTP_TOO_MANY = 429,
    HTTP_FIRST_SERVER_ERROR = 500
};

struct Fetch {
    FetchContext context;
    Artifact artifact;
    FetchDone done;
    char *name;
    HttpCall *call;
    uv_timer_t timer; /* Runs until the next try. */
    Task task;        /* Checks or installs. */
    Download download;
    InstallVerdict verdict;
    int tries;  /* Downloads that failed, or met a server in trouble. */
    int wrong;  /* Downloads of wrong bytes. */
    bool waits; /* The fetch is at its gate. */
    bool cancelled;
    FetchOutcome outcome;
    Error error;
};

static void download(Fetch *f);

/* ---- Ending ---- */

static void clear_download(Fetch *f) {
    free(f->download.path);
    free(f->download.content_type);
    f->download = (Download){0};
}

static void free_fetch(uv_handle_t *handle) {
    Fetch *f = handle->data;
    f->done(f->outcome, &f->error, f->artifact.user);
    clear_download(f);
    http_request_free(&f->artifact.request);
    free(f->name);
    free(f);
}

static void finish(Fetch *f, FetchOutcome outcome, const Error *err) {
    if (err != NULL)
        f->error = *err;
    f->outcome = f->cancelled ? FETCH_CANCELLED : outcome;
    uv_timer_stop(&f->timer);
    uv_close((uv_handle_t *)&f->timer, free_fetch);
}

static void on_retry(uv_timer_t *timer) {
    download(timer->data);
}

/* Counts a fault in *faults. Downloads once more after a while, or gives up with `outcome` after
 * `most` faults of this kind. */
static void retry_or_finish(Fetch *f, int *faults, int most, FetchOutcome outcome,
                            const Error *err) {
    if (++*faults >= most) {
        finish(f, outcome, err);
        return;
    }
    int64_t wait = backoff_next(f->context.retry, uv_hrtime() / 1000);
    log_warn(f->context.log, "%s; trying again in %.1f s", err->text, (double)wait / 1000);
    uv_timer_start(&f->timer, on_retry, (uint64_t)wait, 0);
}

/* ---- Installing ---- */

static bool run_install(void *user, Error *err) {
    Fetch *f = user;
    f->verdict = f->artifact.install(&f->download, f->artifact.user, err);
    return f->verdict == INSTALL_DONE;
}

static void on_installed(bool ok, const Error *err, void *user) {
    Fetch *f = user;
    if (ok)
        backoff_reset(f->context.retry);
    if (f->cancelled || ok)
        finish(f, FETCH_READY, NULL);
    else if (f->verdict == INSTALL_WRONG)
        retry_or_finish(f, &f->wrong, WRONG_TRIES, FETCH_IMPOSSIBLE, err);
    else if (f->verdict == INSTALL_TROUBLE)
        retry_or_finish(f, &f->tries, DOWNLOAD_TRIES, FETCH_LATER, err);
    else
        finish(f, f->verdict == INSTALL_USELESS ? FETCH_IMPOSSIBLE : FETCH_LATER, err);
}

/* ---- Checking ---- */

static bool run_check(void *user, Error *err) {
    Fetch *f = user;
    return f->artifact.check(f->artifact.user, err);
}

static void on_checked(bool ok, const Error *err, void *user) {
    Fetch *f = user;
    if (f->cancelled || ok) {
        finish(f, FETCH_READY, NULL);
        return;
    }
    log_warn(f->context.log, "%s; downloading it again", err->text);
    download(f);
}

/* ---- The gate ---- */

void fetch_proceed(Fetch *f) {
    f->waits = false;
    if (f->download.path != NULL)
        task_start(f->context.loop, &f->task, run_install, on_installed, f);
    else
        task_start(f->context.loop, &f->task, run_check, on_checked, f);
}

static void come_to_gate(Fetch *f) {
    f->waits = true;
    if (f->artifact.gate != NULL)
        f->artifact.gate(f, f->download.path != NULL ? &f->download : NULL, f->artifact.user);
    else
        fetch_proceed(f);
}

/* ---- Downloading ---- */

/* Whether this answer suggests that another try may succeed. A certificate is refused too while
 * this machine's clock is wrong, or while its network asks for a login. */
static bool may_pass(const HttpResponse *response) {
    int status = response->status;
    return response->outcome == HTTP_DONE
               ? status >= HTTP_FIRST_SERVER_ERROR || status == HTTP_FORBIDDEN ||
                     status == HTTP_TOO_MANY
               : response->outcome == HTTP_UNREACHABLE || response->untrusted;
}

static void on_downloaded(HttpResponse *response, void *user) {
    Fetch *f = user;
    Error err = response->error;
    f->call = NULL;
    if (f->cancelled) {
        finish(f, FETCH_CANCELLED, NULL);
        return;
    }
    if (response->outcome == HTTP_DONE && response->status == HTTP_OK) {
        const char *type = response->content_type;
        f->download = (Download){.path = mem_strdup(f->context.download),
                                 .content_type = mem_strdup(type != NULL ? type : ""),
                                 .size = response->file_size};
        memcpy(f->download.sha256, response->sha256, sizeof f->download.sha256);
        come_to_gate(f);
        return;
    }
    if (response->outcome == HTTP_DONE)
        error_set(&err, "HTTP status %d", response->status);
    error_prefix(&err, "%s", f->artifact.request.url);
    if (may_pass(response))
        retry_or_finish(f, &f->tries, DOWNLOAD_TRIES, FETCH_LATER, &err);
    else
        finish(f, response->outcome == HTTP_FILE_FAULT ? FETCH_LATER : FETCH_IMPOSSIBLE, &err);
}

static void download(Fetch *f) {
    const HttpRequest *request = &f->artifact.request;
    HttpRequest copy = {.url = mem_strdup(request->url),
                        .form = mem_strdup(request->form),
                        .token = mem_strdup(request->token),
                        .file = mem_strdup(f->context.download),
                        .limit = f->artifact.limit};
    clear_download(f);
    if (f->tries + f->wrong == 0)
        log_info(f->context.log, "downloading %s", f->name);
    f->call = http_start(f->context.loop, &copy, on_downloaded, f);
}

/* ---- Start and cancel ---- */

Fetch *fetch_start(const FetchContext *context, Artifact *artifact, FetchDone done) {
    Fetch *f = mem_calloc(1, sizeof *f);
    f->context = *context;
    f->artifact = *artifact;
    artifact->request = (HttpRequest){0};
    f->done = done;
    f->name = mem_strdup(artifact->name);
    f->timer.data = f;
    uv_timer_init(context->loop, &f->timer);
    if (artifact->kept != NULL && file_exists(artifact->kept))
        come_to_gate(f);
    else
        download(f);
    return f;
}

void fetch_cancel(Fetch *f) {
    if (f == NULL || f->cancelled)
        return;
    f->cancelled = true;
    if (f->call != NULL)
        http_cancel(f->call);
    else if (f->waits || uv_is_active((uv_handle_t *)&f->timer))
        finish(f, FETCH_CANCELLED, NULL);
    /* A running task ends first, and then sees `cancelled`. */
}
