/* SPDX-License-Identifier: MIT */
#include "session/queue.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

static const uint64_t NEVER = UINT64_MAX;

struct RequestQueue {
    QueueConfig config;
    const QueueEvents *events;
    void *user;
    uv_timer_t timer;
    const char *next; /* The name of the request that the timer waits for; NULL: none. */
    Backoff unreachable;
    uint64_t again_at; /* The loop's time before which nothing is sent. */
    Request *asking;   /* The row of the request under way, with its call. */
    HttpCall *call;
    bool unknown; /* The last answer said that the server does not know the machine. */
    bool busy;    /* A function of a row or of the owner is running. */
    bool closing;
};

RequestQueue *queue_open(const QueueConfig *config, const QueueEvents *events, void *user) {
    RequestQueue *q = mem_calloc(1, sizeof *q);
    q->config = *config;
    q->events = events;
    q->user = user;
    q->unreachable = (Backoff){.first_ms = config->retry_first_ms, .max_ms = config->retry_max_ms};
    for (int i = 0; i < config->count; i++)
        config->table[i].backoff = q->unreachable;
    uv_timer_init(config->loop, &q->timer);
    q->timer.data = q;
    return q;
}

/* ---- The end ---- */

static void on_timer_closed(uv_handle_t *handle) {
    RequestQueue *q = handle->data;
    const QueueEvents *events = q->events;
    void *user = q->user;
    free(q);
    events->closed(user);
}

static void try_close(RequestQueue *q) {
    if (q->closing && !q->call && !q->busy && !uv_is_closing((uv_handle_t *)&q->timer))
        uv_close((uv_handle_t *)&q->timer, on_timer_closed);
}

void queue_close(RequestQueue *q) {
    q->closing = true;
    http_cancel(q->call);
    try_close(q);
}

/* ---- Waits ---- */

static uint64_t in(const RequestQueue *q, int64_t ms) {
    return uv_now(q->config.loop) + (uint64_t)ms;
}

static int64_t next_wait(Backoff *backoff) {
    return backoff_next(backoff, uv_hrtime() / CLOCK_NS_PER_US);
}

static void say_wait(const RequestQueue *q, const Request *row, const Error *why, int64_t wait) {
    log_warn(q->config.log, "%s: %s: %s; trying again in %.1f s", q->config.server, row->name,
             why->text, (double)wait / (double)CLOCK_MS_PER_SECOND);
}

void queue_later(RequestQueue *q, const Error *why) {
    int64_t wait = next_wait(&q->asking->backoff);
    q->asking->again_at = in(q, wait);
    say_wait(q, q->asking, why, wait);
}

void queue_hurry(RequestQueue *q) {
    q->again_at = 0;
    backoff_reset(&q->unreachable);
    for (int i = 0; i < q->config.count; i++) {
        q->config.table[i].again_at = 0;
        backoff_reset(&q->config.table[i].backoff);
    }
}

/* ---- Answers ---- */

/* Handles a request that did not reach the server. */
static void not_reached(RequestQueue *q, const Error *err, bool trusted) {
    int64_t wait = next_wait(&q->unreachable);
    q->again_at = in(q, wait);
    if (q->events->unreachable(q->asking, err, q->unreachable.faults, trusted, q->user))
        say_wait(q, q->asking, err, wait);
}

/* Handles an unknown machine. A server with a locked database may say so of a known machine, so the
 * request is sent once more before a registration. */
static RequestOutcome not_known(RequestQueue *q, const Error *err) {
    if (q->unknown) {
        q->unknown = false;
        return REQUEST_STALE;
    }
    q->unknown = true;
    q->again_at = in(q, q->config.retry_first_ms);
    say_wait(q, q->asking, err, q->config.retry_first_ms);
    return REQUEST_UNDONE;
}

static RequestOutcome outcome_of(RequestQueue *q, const HttpResponse *response,
                                 const ApiAnswer *answer) {
    bool reached = response->outcome == HTTP_DONE || response->sent;
    if (q->closing)
        return REQUEST_UNDONE;
    bool trusted = response->outcome != HTTP_REFUSED;
    if (!reached) {
        not_reached(q, &answer->error, trusted);
        return REQUEST_UNDONE;
    }
    if (!trusted && !q->events->unreachable(q->asking, &answer->error, 1, false, q->user))
        return REQUEST_UNDONE;
    backoff_reset(&q->unreachable);
    if (answer->verdict == API_UNKNOWN_MACHINE)
        return not_known(q, &answer->error);
    if (answer->verdict != API_RETRY)
        q->unknown = false;
    switch (answer->verdict) {
    case API_OK:
        return REQUEST_ANSWERED;
    case API_REGISTER:
    case API_UNKNOWN_MACHINE:
    case API_WRONG_VERSION:
        return REQUEST_STALE;
    case API_REFUSED:
        /* A redirect or a wrong certificate is no refusal by the server itself. */
        return trusted ? REQUEST_REFUSED : REQUEST_FAULT;
    case API_RETRY:
        break;
    }
    return REQUEST_FAULT;
}

static void go_on(RequestQueue *q) {
    if (!q->closing)
        q->events->changed(q->user);
    q->busy = false;
    if (q->closing)
        try_close(q);
    else
        queue_look(q);
}

static void on_answer(HttpResponse *response, void *user) {
    RequestQueue *q = user;
    Request *row = q->asking;
    ApiAnswer answer;
    q->call = NULL;
    q->busy = true;
    api_judge(response, &answer);
    RequestOutcome outcome = outcome_of(q, response, &answer);
    uint64_t again_at = row->again_at;
    row->answered(row->owner, outcome, &answer);
    if (outcome != REQUEST_UNDONE && row->again_at == again_at)
        backoff_reset(&row->backoff);
    q->asking = NULL;
    api_answer_free(&answer);
    go_on(q);
}

/* ---- Asking ---- */

static void on_timer(uv_timer_t *timer) {
    RequestQueue *q = timer->data;
    q->busy = true;
    go_on(q);
}

static void wake_at(RequestQueue *q, const char *next, uint64_t when) {
    uint64_t now = uv_now(q->config.loop);
    q->next = next;
    if (when == NEVER)
        uv_timer_stop(&q->timer);
    else
        uv_timer_start(&q->timer, on_timer, when > now ? when - now : 0, 0);
}

static void ask(RequestQueue *q, Request *row) {
    HttpRequest request;
    uv_timer_stop(&q->timer);
    q->asking = row;
    row->compose(row->owner, &request);
    q->call = http_start(q->config.loop, &request, on_answer, q);
}

/* Sends the first request that is due. */
static void look(RequestQueue *q) {
    uint64_t now = uv_now(q->config.loop);
    uint64_t first = NEVER;
    const char *next = NULL;
    for (int i = 0; i < q->config.count; i++) {
        Request *row = &q->config.table[i];
        uint64_t when = NEVER;
        bool due = row->due(row->owner, now, &when);
        uint64_t at = row->again_at > q->again_at ? row->again_at : q->again_at;
        if (due && at <= now) {
            ask(q, row);
            return;
        }
        when = due || (when != NEVER && when < at) ? at : when;
        if (when < first) {
            first = when;
            next = row->name;
        }
    }
    wake_at(q, next, first);
}

void queue_look(RequestQueue *q) {
    if (!q || q->call || q->busy || q->closing)
        return;
    q->busy = true;
    look(q);
    q->busy = false;
    try_close(q);
}

bool queue_is_asking(const RequestQueue *q, const Request *row) {
    return q && q->call && q->asking == row;
}

const char *queue_action(const RequestQueue *q, int64_t *wait_ms) {
    *wait_ms = -1;
    if (!q || q->call)
        return q ? q->asking->name : NULL;
    if (!uv_is_active((const uv_handle_t *)&q->timer))
        return NULL;
    *wait_ms = (int64_t)uv_timer_get_due_in(&q->timer);
    return q->next;
}

int queue_faults(const RequestQueue *q) {
    return q->asking->backoff.faults;
}

int queue_faults_of(const RequestQueue *q, const void *owner) {
    int faults = 0;
    for (int i = 0; i < q->config.count; i++)
        if (q->config.table[i].owner == owner)
            faults = q->config.table[i].backoff.faults;
    return faults;
}

int queue_unreachable(const RequestQueue *q) {
    return q->unreachable.faults;
}
