/* SPDX-License-Identifier: MIT */
#include "check/dialogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "match/uci.h"

typedef struct {
    char *text;
    uint64_t stamp;
} Line;

struct Dialogue {
    uv_loop_t *loop;
    uv_timer_t timer;
    Child *child;
    Log *log;
    /* Lines received; those before `first` were taken. */
    Line *lines;
    size_t first;
    size_t count;
    size_t capacity;
    Line current;
    uint64_t said; /* The time of the last write. */
    uint64_t took_ns;
    int stray_moves;
    bool ended;
    char end[CHILD_REASON_MAX];
    char complaint[160]; /* The last line from standard error. */
    DialogueHeard heard;
    void *user;
};

static void on_line(Child *child, ChildStream stream, char *text, size_t length, uint64_t stamp,
                    void *user) {
    (void)child;
    (void)length;
    Dialogue *d = user;
    log_debug(d->log, "%s %s", stream == CHILD_ERRORS ? "!" : "<", text);
    if (stream == CHILD_ERRORS) {
        snprintf(d->complaint, sizeof d->complaint, "%s", text);
        return;
    }
    MEM_ADD(d->lines, d->count, d->capacity, (Line){.text = mem_strdup(text), .stamp = stamp});
}

static void on_gone(Child *child, const ChildEnd *end, void *user) {
    (void)child;
    Dialogue *d = user;
    d->ended = true;
    snprintf(d->end, sizeof d->end, "%s", end->reason);
}

static void on_time(uv_timer_t *timer) {
    (void)timer;
}

/* Ends a wait of the loop after so many milliseconds, and again soon after: the loop's time may be
 * older than the clock, and the timer then comes too early. */
static void wake_after(Dialogue *d, int64_t ms) {
    enum { AGAIN_MS = 20 };
    uv_update_time(d->loop);
    uv_timer_start(&d->timer, on_time, (uint64_t)ms + 1, AGAIN_MS);
}

Dialogue *dialogue_start(uv_loop_t *loop, const MatchEngine *engine, Log *log, Error *err) {
    static const ChildEvents EVENTS = {.line = on_line, .gone = on_gone};
    ChildSpec spec = {.argv = engine->argv, .dir = engine->dir, .policy = engine->policy};
    Dialogue *d = mem_calloc(1, sizeof *d);
    d->loop = loop;
    d->log = log;
    d->child = child_start(loop, &spec, &EVENTS, d, err);
    if (d->child == NULL) {
        free(d);
        return NULL;
    }
    uv_timer_init(loop, &d->timer);
    return d;
}

static void free_lines(Dialogue *d) {
    for (size_t i = d->first; i < d->count; i++)
        free(d->lines[i].text);
    free(d->lines);
    free(d->current.text);
}

void dialogue_free(Dialogue *d) {
    if (d == NULL)
        return;
    child_free(d->child);
    uv_close((uv_handle_t *)&d->timer, NULL);
    uv_run(d->loop, UV_RUN_DEFAULT);
    free_lines(d);
    free(d);
}

void dialogue_listen(Dialogue *d, DialogueHeard heard, void *user) {
    d->heard = heard;
    d->user = user;
}

void dialogue_say(Dialogue *d, const char *lines) {
    const char *rest = lines;
    size_t length;
    for (const char *line; (line = text_next_line(&rest, &length)) != NULL;)
        log_debug(d->log, "> %.*s", (int)length, line);
    d->said = child_write(d->child, lines, strlen(lines));
}

/* Takes the next line into d->current; false: no line has come. */
static bool take_line(Dialogue *d) {
    if (d->first == d->count) {
        d->first = d->count = 0;
        return false;
    }
    free(d->current.text);
    d->current = d->lines[d->first++];
    return true;
}

/* Takes the received lines up to one that begins with the word, and returns its rest; NULL: none
 * does. */
static const char *look_for(Dialogue *d, const char *word) {
    while (take_line(d)) {
        const char *text = d->current.text;
        const char *rest = uci_message(text, word);
        if (rest != NULL) {
            d->took_ns = d->current.stamp > d->said ? d->current.stamp - d->said : 0;
            return rest;
        }
        if (uci_message(text, "bestmove") != NULL)
            d->stray_moves++;
        if (d->heard != NULL)
            d->heard(text, d->user);
    }
    return NULL;
}

static void say_why(const Dialogue *d, const char *word, int64_t ms, Error *err) {
    if (!d->ended)
        error_set(err, "no %s within %.1f s", word, (double)ms / (double)CLOCK_MS_PER_SECOND);
    else if (d->complaint[0] != '\0')
        error_set(err, "%s; the engine said: %s", d->end, d->complaint);
    else
        error_set(err, "%s", d->end);
}

const char *dialogue_wait(Dialogue *d, const char *word, int64_t ms, Error *err) {
    uint64_t begin = uv_hrtime();
    uint64_t patience = (uint64_t)ms * CLOCK_NS_PER_MS;
    const char *rest = look_for(d, word);
    bool late = false;
    wake_after(d, ms);
    while (rest == NULL && !d->ended && !late) {
        /* Lines that came in time may still lie in the pipe when the time is over. */
        late = uv_hrtime() - begin > patience;
        uv_run(d->loop, late ? UV_RUN_NOWAIT : UV_RUN_ONCE);
        rest = look_for(d, word);
    }
    uv_timer_stop(&d->timer);
    if (rest == NULL)
        say_why(d, word, ms, err);
    return rest;
}

uint64_t dialogue_took_ns(const Dialogue *d) {
    return d->took_ns;
}

int dialogue_stray_moves(Dialogue *d) {
    int moves = d->stray_moves;
    d->stray_moves = 0;
    return moves;
}

bool dialogue_ended(const Dialogue *d) {
    return d->ended;
}

bool dialogue_finish(Dialogue *d, bool quits, int64_t ms, char end[CHILD_REASON_MAX]) {
    uint64_t begin = uv_hrtime();
    uint64_t patience = (uint64_t)ms * CLOCK_NS_PER_MS;
    if (quits)
        dialogue_say(d, "quit\n");
    else
        child_close_input(d->child);
    wake_after(d, ms);
    while (!d->ended && uv_hrtime() - begin <= patience) {
        uv_run(d->loop, UV_RUN_ONCE);
        while (take_line(d))
            continue;
    }
    uv_timer_stop(&d->timer);
    snprintf(end, CHILD_REASON_MAX, "%s", d->ended ? d->end : "it still runs");
    return d->ended;
}
