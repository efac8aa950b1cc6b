/* SPDX-License-Identifier: MIT */
#include "build/errand.h"

#include <signal.h>

enum { SIGNALS = 2 };

typedef struct {
    uv_loop_t loop;
    uv_signal_t signals[SIGNALS];
    Build *build;
    Run *run;
    Bench *bench;
    int64_t nodes;
    Errand *errand;
    bool ok;
} Trip;

static void stop_signals(Trip *trip) {
    for (int i = 0; i < SIGNALS; i++)
        if (!uv_is_closing((uv_handle_t *)&trip->signals[i]))
            uv_close((uv_handle_t *)&trip->signals[i], NULL);
}

static void on_signal(uv_signal_t *handle, int number) {
    (void)number;
    Trip *trip = handle->data;
    trip->errand->interrupted = true;
    error_set(&trip->errand->error, "interrupted");
    build_cancel(trip->build);
    run_cancel(trip->run);
    bench_cancel(trip->bench);
    trip->build = NULL;
    trip->run = NULL;
    trip->bench = NULL;
    stop_signals(trip);
}

static bool set_out(Trip *trip, Errand *errand) {
    static const int NUMBERS[SIGNALS] = {SIGINT, SIGTERM};
    *trip = (Trip){.errand = errand};
    int status = uv_loop_init(&trip->loop);
    if (status != 0)
        return error_set(&errand->error, "no event loop: %s", uv_strerror(status));
    for (int i = 0; i < SIGNALS; i++) {
        uv_signal_init(&trip->loop, &trip->signals[i]);
        trip->signals[i].data = trip;
        uv_signal_start(&trip->signals[i], on_signal, NUMBERS[i]);
    }
    return true;
}

/* Runs what was started, or only winds up when nothing was. */
static bool come_back(Trip *trip) {
    if (!trip->build && !trip->run && !trip->bench)
        stop_signals(trip);
    uv_run(&trip->loop, UV_RUN_DEFAULT);
    uv_loop_close(&trip->loop);
    return trip->ok;
}

static void on_built(const BuildResult *result, void *user) {
    Trip *trip = user;
    trip->build = NULL;
    trip->ok = result->ok;
    trip->errand->error = result->error;
    text_add(&trip->errand->output, result->log);
    stop_signals(trip);
}

static void on_ran(const RunResult *result, void *user) {
    Trip *trip = user;
    trip->run = NULL;
    trip->ok = result->ok;
    if (!result->ok)
        error_set(&trip->errand->error, "%s", result->reason);
    text_add(&trip->errand->output, result->output);
    stop_signals(trip);
}

static void on_benched(const BenchResult *result, void *user) {
    Trip *trip = user;
    Error *err = &trip->errand->error;
    trip->bench = NULL;
    trip->nodes = result->nodes;
    switch (result->verdict) {
    case BENCH_OK:
    case BENCH_WRONG:
        trip->ok = true;
        break;
    case BENCH_NONDETERMINISTIC:
        error_set(err, "its benches do not agree with each other");
        break;
    case BENCH_TIMEOUT:
        error_set(err, "its bench took more than %d s", BENCH_TIMEOUT_MS / 1000);
        break;
    case BENCH_FAILED:
        error_set(err, "its bench failed: %s", result->reason);
        break;
    }
    stop_signals(trip);
}

bool errand_command(const RunSpec *spec, Errand *errand) {
    Trip trip;
    if (!set_out(&trip, errand))
        return false;
    trip.run = run_start(&trip.loop, spec, on_ran, &trip, &errand->error);
    return come_back(&trip);
}

bool errand_build(const BuildSpec *spec, Errand *errand) {
    Trip trip;
    if (!set_out(&trip, errand))
        return false;
    trip.build = build_start(&trip.loop, spec, on_built, &trip, &errand->error);
    return come_back(&trip);
}

bool errand_bench(const BenchSpec *spec, int64_t *nodes, Errand *errand) {
    Trip trip;
    if (!set_out(&trip, errand))
        return false;
    trip.bench = bench_start(&trip.loop, spec, on_benched, &trip);
    bool ok = come_back(&trip);
    *nodes = trip.nodes;
    return ok;
}

void errand_free(Errand *errand) {
    text_free(&errand->output);
    *errand = (Errand){0};
}
