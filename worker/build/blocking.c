/* SPDX-License-Identifier: MIT */
#include "build/blocking.h"

#include <signal.h>

#include "base/loop.h"

enum { SIGNALS = 2 };

typedef struct {
    uv_loop_t loop;
    uv_signal_t signals[SIGNALS];
    Build *build;
    Run *run;
    Bench *bench;
    int64_t nodes;
    BlockingResult *result;
    bool ok;
} BlockingLoop;

static void stop_signals(BlockingLoop *own) {
    for (int i = 0; i < SIGNALS; i++)
        if (!uv_is_closing((uv_handle_t *)&own->signals[i]))
            uv_close((uv_handle_t *)&own->signals[i], NULL);
}

static void on_signal(uv_signal_t *handle, int number) {
    (void)number;
    BlockingLoop *own = handle->data;
    own->result->interrupted = true;
    error_set(&own->result->error, "interrupted");
    build_cancel(own->build);
    run_cancel(own->run);
    bench_cancel(own->bench);
    own->build = NULL;
    own->run = NULL;
    own->bench = NULL;
    stop_signals(own);
}

static bool open_loop(BlockingLoop *own, BlockingResult *result) {
    static const int NUMBERS[SIGNALS] = {SIGINT, SIGTERM};
    *own = (BlockingLoop){.result = result};
    if (!loop_init(&own->loop, &result->error))
        return false;
    for (int i = 0; i < SIGNALS; i++) {
        uv_signal_init(&own->loop, &own->signals[i]);
        own->signals[i].data = own;
        uv_signal_start(&own->signals[i], on_signal, NUMBERS[i]);
    }
    return true;
}

/* Runs the loop until the started command has ended; at once when none was started. */
static bool run_loop(BlockingLoop *own) {
    if (!own->build && !own->run && !own->bench)
        stop_signals(own);
    uv_run(&own->loop, UV_RUN_DEFAULT);
    uv_loop_close(&own->loop);
    return own->ok;
}

static void on_built(const BuildResult *result, void *user) {
    BlockingLoop *own = user;
    own->build = NULL;
    own->ok = result->ok;
    own->result->error = result->error;
    text_add(&own->result->output, result->log);
    stop_signals(own);
}

static void on_ran(const RunResult *result, void *user) {
    BlockingLoop *own = user;
    own->run = NULL;
    own->ok = result->ok;
    if (!result->ok)
        error_set(&own->result->error, "%s", result->reason);
    text_add(&own->result->output, result->output);
    text_add(&own->result->errors, result->errors);
    stop_signals(own);
}

static void on_benched(const BenchResult *result, void *user) {
    BlockingLoop *own = user;
    Error *err = &own->result->error;
    own->bench = NULL;
    own->nodes = result->nodes;
    switch (result->verdict) {
    case BENCH_OK:
    case BENCH_WRONG:
        own->ok =
            result->reason[0] == '\0' || error_set(err, "its bench failed: %s", result->reason);
        break;
    case BENCH_NONDETERMINISTIC:
        error_set(err, "its benches do not agree with each other");
        break;
    case BENCH_TIMEOUT:
        error_set(err, "its bench took more than %d s", BENCH_TIMEOUT_MS / 1000);
        break;
    case BENCH_FAILED:
    case BENCH_UNSTARTED:
        error_set(err, "its bench failed: %s", result->reason);
        break;
    }
    stop_signals(own);
}

bool run_blocking(const RunSpec *spec, BlockingResult *result) {
    BlockingLoop own;
    if (!open_loop(&own, result))
        return false;
    own.run = run_start(&own.loop, spec, on_ran, &own, &result->error);
    return run_loop(&own);
}

bool build_blocking(const BuildSpec *spec, BlockingResult *result) {
    BlockingLoop own;
    if (!open_loop(&own, result))
        return false;
    own.build = build_start(&own.loop, spec, on_built, &own, &result->error);
    return run_loop(&own);
}

bool bench_blocking(const BenchSpec *spec, int64_t *nodes, BlockingResult *result) {
    BlockingLoop own;
    if (!open_loop(&own, result))
        return false;
    BenchSpec unknown = *spec;
    unknown.expected = -1;
    own.bench = bench_start(&own.loop, &unknown, on_benched, &own);
    bool ok = run_loop(&own);
    *nodes = own.nodes;
    return ok;
}

void blocking_free(BlockingResult *result) {
    text_free(&result->output);
    text_free(&result->errors);
    *result = (BlockingResult){0};
}
