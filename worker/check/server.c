/* SPDX-License-Identifier: MIT */
/* Checks of the commands that a server's worker gives the program itself: bench and genfens. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "build/bench.h"
#include "build/genfens.h"
#include "check/examination.h"
#include "chess/fen.h"

typedef struct {
    BenchVerdict verdict;
    int64_t nodes, nps;
    char reason[256];
} BenchSeen;

static void on_bench(const BenchResult *result, void *user) {
    BenchSeen *seen = user;
    seen->verdict = result->verdict;
    seen->nodes = result->nodes;
    seen->nps = result->nps;
    snprintf(seen->reason, sizeof seen->reason, "%s", result->reason != NULL ? result->reason : "");
}

void check_bench(Examination *e, Finding *f) {
    enum { COPIES = 2 };
    BenchSeen seen = {.verdict = BENCH_FAILED};
    BenchSpec spec = {.binary = e->engine.argv[0],
                      .dir = e->engine.dir,
                      .copies = COPIES,
                      .expected = -1,
                      .sandbox = e->spec->sandbox};
    examine_drop(e);
    bench_start(&e->loop, &spec, on_bench, &seen);
    uv_run(&e->loop, UV_RUN_DEFAULT);
    switch (seen.verdict) {
    case BENCH_OK:
    case BENCH_WRONG: /* Two equal counts end as "wrong", because no count was expected. */
        if (seen.nps <= 0)
            find(f, CHECK_FAILS, "'bench' tells a speed of 0: no test with clocks could be played");
        else if (seen.reason[0] != '\0')
            find(f, CHECK_WARNS,
                 "'bench' %s; workers look at its %" PRId64
                 " nodes alone, the same from two copies",
                 seen.reason, seen.nodes);
        else
            find(f, CHECK_OK,
                 "%" PRId64 " nodes, the same from two copies at once; %" PRId64 " nps", seen.nodes,
                 seen.nps);
        break;
    case BENCH_NONDETERMINISTIC:
        find(f, CHECK_FAILS, "two copies do not count the same nodes");
        break;
    case BENCH_TIMEOUT:
        find(f, CHECK_FAILS, "'bench' takes more than %d s",
             BENCH_TIMEOUT_MS / CLOCK_MS_PER_SECOND);
        break;
    case BENCH_FAILED:
    case BENCH_UNSTARTED:
        find(f, CHECK_FAILS, "'bench': %s", seen.reason);
        break;
    }
}

/* ---- genfens ---- */

enum { SEED = 15, SHARE = 4 };

typedef struct {
    bool made;
    Text fens;
    Error err;
} FensSeen;

static void on_fens(const Text *fens, const Error *err, bool unstarted, void *user) {
    FensSeen *seen = user;
    (void)unstarted;
    seen->made = fens != NULL;
    if (fens != NULL)
        text_add(&seen->fens, text_string(fens));
    else
        seen->err = *err;
}

/* Judges the FENs. They come from two processes with the same seed, one after the other: both
 * halves must be equal. */
static void judge_fens(const char *fens, Finding *f) {
    size_t half = strlen(fens) / 2;
    const char *rest = fens;
    size_t length;
    int lines = 0;
    for (const char *line; (line = text_next_line(&rest, &length)) != NULL; lines++) {
        char fen[FEN_MAX];
        Position position;
        FenError fault;
        snprintf(fen, sizeof fen, "%.*s", (int)length, line);
        if (!fen_parse(&position, fen, false, &fault))
            find(f, CHECK_WARNS, "'%s' is no position: %s", fen, fault.text);
    }
    if (strlen(fens) % 2 != 0 || strncmp(fens, fens + half, half) != 0)
        find(f, CHECK_WARNS, "the same seed gave other openings in a second process");
    find(f, CHECK_OK, "%d openings, the same ones for the same seed", lines / 2);
}

void check_genfens(Examination *e, Finding *f) {
    static const int64_t SEEDS[] = {SEED, SEED};
    FensSeen seen = {0};
    GenfensSpec spec = {.binary = e->engine.argv[0],
                        .dir = e->engine.dir,
                        .args = "",
                        .seeds = SEEDS,
                        .seed_count = COUNT(SEEDS),
                        .openings = SHARE * (int64_t)COUNT(SEEDS),
                        .at_once = (int)COUNT(SEEDS),
                        .silence_ms = (int)e->spec->patience_ms,
                        .sandbox = e->spec->sandbox};
    examine_drop(e);
    genfens_start(&e->loop, &spec, on_fens, &seen);
    uv_run(&e->loop, UV_RUN_DEFAULT);
    if (seen.made)
        judge_fens(text_string(&seen.fens), f);
    else
        find(f, CHECK_LEFT_OUT, "makes no openings (%s): data generation alone needs them",
             seen.err.text);
    text_free(&seen.fens);
}
