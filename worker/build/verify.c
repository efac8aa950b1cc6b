/* SPDX-License-Identifier: MIT */
#include "build/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/task.h"
#include "build/bench.h"
#include "build/benchbook.h"

/* PATIENCE: a bench beside games may take so many times as long as a bench alone. */
enum { NICE = 5, PATIENCE = 10 };

struct Verify {
    uv_loop_t *loop;
    VerifySpec spec;
    char *dir;
    PreparedEngine engines[SIDE_COUNT];
    VerifyDone done;
    void *user;
    int side; /* The side of the running bench. */
    Bench *bench;
    int64_t nps[SIDE_COUNT];
    Task write; /* Of the bench record. */
    BenchRecord record;
    bool cancelled;
};

static void free_verify(Verify *v) {
    for (int i = 0; i < SIDE_COUNT; i++)
        prepared_engine_free(&v->engines[i]);
    free(v->dir);
    free(v);
}

static void finish(Verify *v, VerifyOutcome outcome, const char *fault) {
    v->done(outcome, fault, v->nps, v->user);
    free_verify(v);
}

static void next_side(Verify *v);

static bool write_record(void *user, Error *err) {
    Verify *v = user;
    return benchbook_write(v->engines[v->side].record, &v->record, err);
}

static void written(bool ok, const Error *err, void *user) {
    Verify *v = user;
    if (v->cancelled) {
        free_verify(v);
        return;
    }
    if (!ok)
        log_warn(v->spec.log, "%s", err->text);
    v->side++;
    next_side(v);
}

/* Notes that an engine is proved; for both sides when they play the same engine. */
static void note_proved(Verify *v, int64_t nps) {
    const PreparedEngine *proved = &v->engines[v->side];
    for (int i = 0; i < SIDE_COUNT; i++) {
        PreparedEngine *engine = &v->engines[i];
        if (engine->proved || strcmp(engine->binary, proved->binary) != 0 ||
            engine->bench != proved->bench)
            continue;
        engine->proved = true;
        v->nps[i] = nps;
    }
}

static void on_bench(const BenchResult *result, void *user) {
    Verify *v = user;
    const PreparedEngine *engine = &v->engines[v->side];
    v->bench = NULL;
    if (result->verdict != BENCH_OK) {
        char words[BENCH_WORDS_MAX];
        bool unstarted = result->verdict == BENCH_UNSTARTED;
        bool failed = result->verdict == BENCH_FAILED || unstarted;
        Error err = {0};
        error_set(&err, "[%s] %s%s%s", engine->title, bench_words(result, words),
                  failed ? ": " : "", failed ? result->reason : "");
        finish(v, unstarted ? VERIFY_UNSTARTED : VERIFY_WRONG, err.text);
        return;
    }
    v->record = (BenchRecord){.bench = engine->bench, .nps = result->nps, .copies = 1};
    memcpy(v->record.sha256, engine->sha256, sizeof v->record.sha256);
    note_proved(v, result->nps);
    task_start(v->loop, &v->write, write_record, written, v);
}

static void next_side(Verify *v) {
    while (v->side < SIDE_COUNT && v->engines[v->side].proved)
        v->side++;
    if (v->side == SIDE_COUNT) {
        finish(v, VERIFY_PROVED, NULL);
        return;
    }
    const PreparedEngine *engine = &v->engines[v->side];
    BenchSpec spec = {.binary = engine->binary,
                      .network = engine->network,
                      .dir = v->dir,
                      .copies = 1,
                      .nice = NICE,
                      .expected = engine->bench,
                      .sandbox = v->spec.sandbox,
                      .timeout_ms = v->spec.timeout_ms * PATIENCE};
    v->bench = bench_start(v->loop, &spec, on_bench, v);
}

Verify *verify_start(uv_loop_t *loop, const VerifySpec *spec, VerifyDone done, void *user) {
    Verify *v = mem_calloc(1, sizeof *v);
    v->loop = loop;
    v->spec = *spec;
    v->done = done;
    v->user = user;
    v->dir = mem_strdup(spec->dir);
    for (int i = 0; i < SIDE_COUNT; i++)
        prepared_engine_copy(&spec->engines[i], &v->engines[i]);
    next_side(v);
    return v;
}

void verify_cancel(Verify *v) {
    if (!v)
        return;
    v->cancelled = true;
    if (!v->bench)
        return; /* the record is being written: written() frees the Verify */
    bench_cancel(v->bench);
    free_verify(v);
}
