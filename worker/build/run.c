/* SPDX-License-Identifier: MIT */
#include "build/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/timelimit.h"

struct Run {
    TimeLimit limit;
    Child *child;
    Text output, errors;
    size_t keep;
    bool keep_start;
    bool full; /* With keep_start: no more output is kept, and the command was ended. */
    int timeout_ms;
    bool timed_out;
    RunDone done;
    void *user;
};

static void free_run(void *user) {
    Run *run = user;
    text_free(&run->output);
    text_free(&run->errors);
    free(run);
}

static void release(Run *run) {
    child_free(run->child);
    run->child = NULL;
    timelimit_close(&run->limit, free_run);
}

/* Cuts the text to its last `keep` bytes, from the start of a line. The slack keeps the cuts rare,
 * so that the total cost stays linear. */
static void trim(Text *text, size_t keep, size_t slack) {
    if (text->length <= keep + slack)
        return;
    size_t drop = text->length - keep;
    const char *line = memchr(text->data + drop, '\n', text->length - drop);
    text_drop(text, line ? (size_t)(line - text->data) + 1 : drop);
}

static void add_line(Text *out, const char *text, size_t length) {
    text_add_bytes(out, text, length);
    text_add_char(out, '\n');
}

static void on_line(Child *child, ChildStream stream, char *text, size_t length, uint64_t stamp,
                    void *user) {
    (void)child;
    (void)stamp;
    Run *run = user;
    if (stream == CHILD_ERRORS) { /* These lines come apart only where that was asked for. */
        add_line(&run->errors, text, length);
        trim(&run->errors, RUN_KEEP, RUN_KEEP);
        return;
    }
    if (run->full)
        return;
    add_line(&run->output, text, length);
    if (!run->keep_start) {
        trim(&run->output, run->keep, run->keep);
    } else if (run->output.length >= run->keep) {
        run->full = true;
        child_kill(run->child);
    }
}

static void on_gone(Child *child, const ChildEnd *end, void *user) {
    (void)child;
    Run *run = user;
    if (!run->keep_start)
        trim(&run->output, run->keep, 0);
    RunResult result = {
        .ok = run->full || (!end->failed_to_run && end->exit_status == 0 && !run->timed_out),
        .timed_out = run->timed_out,
        .signal = end->signal,
        .output = text_string(&run->output),
        .errors = text_string(&run->errors),
    };
    if (run->timed_out)
        snprintf(result.reason, sizeof result.reason, "took more than %d s",
                 run->timeout_ms / CLOCK_MS_PER_SECOND);
    else
        snprintf(result.reason, sizeof result.reason, "%s", end->reason);
    timelimit_stop(&run->limit);
    run->done(&result, run->user);
    release(run);
}

static void on_timeout(void *user) {
    Run *run = user;
    run->timed_out = true;
    child_kill(run->child);
}

Run *run_start(uv_loop_t *loop, const RunSpec *spec, RunDone done, void *user, Error *err) {
    Run *run = mem_calloc(1, sizeof *run);
    run->keep = spec->keep ? spec->keep : RUN_KEEP;
    run->keep_start = spec->keep_start;
    run->timeout_ms = spec->timeout_ms;
    run->done = done;
    run->user = user;
    timelimit_init(&run->limit, loop, on_timeout, run);
    ChildSpec child = {.argv = spec->argv,
                       .dir = spec->dir,
                       .env = spec->env,
                       .nice = spec->nice,
                       .policy = spec->policy,
                       .no_input = true,
                       .merge_errors = !spec->errors_apart};
    ChildEvents events = {.line = on_line, .gone = on_gone};
    run->child = child_start(loop, &child, &events, run, err);
    if (!run->child) {
        release(run);
        return NULL;
    }
    if (spec->timeout_ms > 0)
        timelimit_start(&run->limit, spec->timeout_ms);
    return run;
}

int run_pid(const Run *run) {
    return child_program(run->child);
}

void run_cancel(Run *run) {
    if (!run)
        return;
    timelimit_stop(&run->limit);
    release(run);
}
