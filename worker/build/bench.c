/* SPDX-License-Identifier: MIT */
#include "build/bench.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/contention.h"
#include "base/memory.h"
#include "base/text.h"
#include "build/buildlog.h"
#include "build/run.h"

enum { WORDS_MAX = 64, REASON_MAX = 512, SAMPLE_MS = 50, RUN_MIN_NS = 200000000 };
/* No engine counts so many nodes. The sums of smaller numbers fit their types. */
static const int64_t NUMBER_LIMIT = INT64_C(1000000000000000);

/* ---- Parsing ---- */

/* The first WORDS_MAX words, of letters and digits, of a line. No engine prints more words on the
 * lines with nodes and speed. */
typedef struct {
    const char *word[WORDS_MAX];
    size_t length[WORDS_MAX];
    size_t count;
} Line;

static void split_line(const char *text, size_t length, Line *line) {
    line->count = 0;
    for (size_t i = 0; i < length && line->count < WORDS_MAX;) {
        size_t start = i;
        while (i < length && isalnum((unsigned char)text[i]))
            i++;
        if (i > start) {
            line->word[line->count] = text + start;
            line->length[line->count++] = i - start;
        } else {
            i++;
        }
    }
}

static bool is_word(const Line *line, size_t i, const char *word) {
    return i < line->count && line->length[i] == strlen(word) &&
           strncasecmp(line->word[i], word, line->length[i]) == 0;
}

static bool is_number(const Line *line, size_t i, int64_t *out) {
    if (i >= line->count)
        return false;
    for (size_t k = 0; k < line->length[i]; k++)
        if (!isdigit((unsigned char)line->word[i][k]))
            return false;
    errno = 0;
    long long value = strtoll(line->word[i], NULL, 10);
    *out = value;
    return errno == 0 && value <= NUMBER_LIMIT;
}

/* Matches "N word", "word N" or "first second N" at word i. */
static bool match_at(const Line *line, size_t i, const char *word, const char *first,
                     const char *second, int64_t *out) {
    if (is_word(line, i + 1, word) && is_number(line, i, out))
        return true;
    if (is_word(line, i, word) && is_number(line, i + 1, out))
        return true;
    return is_word(line, i, first) && is_word(line, i + 1, second) && is_number(line, i + 2, out);
}

static bool match_line(const Line *line, const char *word, const char *first, const char *second,
                       int64_t *out) {
    for (size_t i = 0; i < line->count; i++)
        if (match_at(line, i, word, first, second, out))
            return true;
    return false;
}

bool bench_parse(const char *output, int64_t *nodes, int64_t *nps) {
    bool have_nodes = false;
    bool have_nps = false;
    int64_t value;
    for (size_t end = strlen(output); end > 0 && !(have_nodes && have_nps);) {
        size_t start = end;
        while (start > 0 && output[start - 1] != '\n')
            start--;
        Line line;
        split_line(output + start, end - start, &line);
        if (!have_nps && match_line(&line, "nps", "nodes", "second", &value)) {
            *nps = value;
            have_nps = true;
        }
        if (!have_nodes && match_line(&line, "nodes", "nodes", "searched", &value)) {
            *nodes = value;
            have_nodes = true;
        }
        end = start > 0 ? start - 1 : 0;
    }
    return have_nodes && have_nps;
}

/* ---- Running ---- */

typedef struct {
    Bench *bench;
    Run *run;
    int64_t nodes;
    int64_t nps;
    uint64_t lived_ns; /* Time from the start to the last sample, ... */
    uint64_t ran_ns;   /* ... and the CPU time until then. */
} Copy;

struct Bench {
    Copy *copies;
    int count;
    int running;
    uint64_t started; /* uv_hrtime */
    int64_t expected;
    BenchVerdict failure; /* Of the first copy that failed; BENCH_OK: none has. */
    char reason[REASON_MAX];
    bool killed;
    /* Takes samples, and calls `done` from the loop, never from within bench_start. */
    uv_timer_t later;
    BenchDone done;
    void *user;
};

static void free_bench(uv_handle_t *handle) {
    Bench *bench = handle->data;
    free(bench->copies);
    free(bench);
}

void bench_cancel(Bench *bench) {
    if (!bench)
        return;
    for (int i = 0; i < bench->count; i++)
        run_cancel(bench->copies[i].run);
    uv_close((uv_handle_t *)&bench->later, free_bench);
}

/* Samples the CPU time of the copies while they run: an ended process has none that can be read. */
static void on_sample(uv_timer_t *timer) {
    Bench *bench = timer->data;
    for (int i = 0; i < bench->count; i++) {
        Copy *copy = &bench->copies[i];
        uint64_t ran = copy->run ? cpu_time_of(run_pid(copy->run)) : 0;
        if (ran == 0)
            continue;
        copy->ran_ns = ran;
        copy->lived_ns = uv_hrtime() - bench->started;
    }
}

/* The copy's speed in its CPU time: a bench is a single thread that never sleeps. A short bench is
 * not corrected, because its start takes too large a part. */
static double own_speed(const Copy *copy) {
    bool waited = copy->ran_ns >= RUN_MIN_NS && copy->lived_ns > copy->ran_ns;
    return (double)copy->nps * (waited ? (double)copy->lived_ns / (double)copy->ran_ns : 1);
}

static void judge(const Bench *bench, BenchResult *result) {
    bool agree = true;
    double sum = 0;
    for (int i = 0; i < bench->count; i++) {
        agree = agree && bench->copies[i].nodes == bench->copies[0].nodes;
        sum += own_speed(&bench->copies[i]);
    }
    result->nodes = bench->copies[0].nodes;
    result->nps = (int64_t)(sum / bench->count);
    if (bench->failure != BENCH_OK)
        result->verdict = bench->failure;
    else if (!agree)
        result->verdict = BENCH_NONDETERMINISTIC;
    else
        result->verdict = result->nodes == bench->expected ? BENCH_OK : BENCH_WRONG;
}

static void on_later(uv_timer_t *timer) {
    Bench *bench = timer->data;
    BenchResult result = {.reason = bench->reason, .killed = bench->killed};
    judge(bench, &result);
    bench->done(&result, bench->user);
    bench_cancel(bench);
}

/* Ends the bench after the failure of one copy, and cancels the other copies. */
static void fail(Bench *bench, BenchVerdict failure, const char *reason) {
    if (bench->failure == BENCH_OK)
        snprintf(bench->reason, sizeof bench->reason, "%s", reason);
    bench->failure = failure;
    for (int i = 0; i < bench->count; i++) {
        run_cancel(bench->copies[i].run);
        bench->copies[i].run = NULL;
    }
    bench->running = 0;
    uv_timer_start(&bench->later, on_later, 0, 0);
}

/* Ends the bench after a command that failed. A line of its output often tells why: a library is
 * missing, an instruction is unknown. */
static void fail_to_run(Bench *bench, const RunResult *result) {
    Text reason = {0};
    Text line = {0};
    buildlog_line(result->output, &line);
    text_add(&reason, result->reason);
    if (line.length > 0 && !result->timed_out) {
        text_add(&reason, ": ");
        text_add_visible(&reason, text_string(&line), KEEP_NO_LINES);
    }
    bench->killed = result->signal == SIGKILL && !result->timed_out;
    fail(bench, result->timed_out ? BENCH_TIMEOUT : BENCH_FAILED, text_string(&reason));
    text_free(&line);
    text_free(&reason);
}

static void on_copy(const RunResult *result, void *user) {
    Copy *copy = user;
    Bench *bench = copy->bench;
    copy->run = NULL;
    bench->running--;
    /* Other workers look at the counts alone. But a command that failed may have been cut short, so
     * its count is taken only where it is the expected one. Where none is expected, the owner
     * judges a command that ended by itself. */
    bool counted = bench_parse(result->output, &copy->nodes, &copy->nps);
    bool likely = bench->expected < 0 ? result->signal == 0 : copy->nodes == bench->expected;
    bool excused = counted && !result->timed_out && likely;
    if (!result->ok && excused)
        snprintf(bench->reason, sizeof bench->reason, "%s", result->reason);
    if (!result->ok && !excused) {
        fail_to_run(bench, result);
    } else if (!counted) {
        fail(bench, BENCH_FAILED, "it prints no node count and speed");
    } else if (bench->running == 0) {
        uv_timer_start(&bench->later, on_later, 0, 0);
    }
}

Bench *bench_start(uv_loop_t *loop, const BenchSpec *spec, BenchDone done, void *user) {
    Bench *bench = mem_calloc(1, sizeof *bench);
    bench->count = spec->copies > 0 ? spec->copies : 1;
    bench->copies = mem_calloc((size_t)bench->count, sizeof *bench->copies);
    bench->expected = spec->expected;
    bench->started = uv_hrtime();
    bench->done = done;
    bench->user = user;
    bench->later.data = bench;
    uv_timer_init(loop, &bench->later);
    const char *const argv[] = {spec->binary, "bench", NULL};
    SandboxPolicy policy;
    sandbox_engine(spec->sandbox, argv, spec->dir, 0, 1, &policy);
    sandbox_engine_file(spec->sandbox, spec->network, &policy);
    RunSpec run = {.argv = argv,
                   .dir = spec->dir,
                   .policy = &policy,
                   .nice = spec->nice,
                   .timeout_ms = spec->timeout_ms > 0 ? spec->timeout_ms : BENCH_TIMEOUT_MS};
    if (spec->nice > 0)
        uv_timer_start(&bench->later, on_sample, SAMPLE_MS, SAMPLE_MS);
    for (int i = 0; i < bench->count; i++) {
        Error err = {0};
        bench->copies[i].bench = bench;
        bench->copies[i].run = run_start(loop, &run, on_copy, &bench->copies[i], &err);
        if (!bench->copies[i].run) {
            fail(bench, BENCH_UNSTARTED, err.text);
            break;
        }
        bench->running++;
    }
    sandbox_policy_free(&policy);
    return bench;
}

const char *bench_words(const BenchResult *result, char buffer[BENCH_WORDS_MAX]) {
    switch (result->verdict) {
    case BENCH_WRONG:
        snprintf(buffer, BENCH_WORDS_MAX, "Wrong Bench: %lld", (long long)result->nodes);
        return buffer;
    case BENCH_NONDETERMINISTIC:
        return "Non-Deterministic Benches";
    case BENCH_TIMEOUT:
        return "Bench Exceeded Max Duration";
    case BENCH_FAILED:
    case BENCH_UNSTARTED:
    case BENCH_OK:
        break;
    }
    return "Failed to Execute Benchmark";
}
