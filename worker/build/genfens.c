/* SPDX-License-Identifier: MIT */
#include "build/genfens.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/timelimit.h"

enum { FEN_MAX = 128 };

/* The process of one seed. */
typedef struct {
    Genfens *genfens;
    size_t number;
    Child *child; /* NULL before its start and after its end */
    TimeLimit silence;
    Text fens;
    int64_t count;
    Text other; /* The last line that is no FEN; it often tells why there are too few. */
} Maker;

struct Genfens {
    GenfensSpec spec;
    uv_loop_t *loop;
    int64_t share; /* lines of each seed */
    Maker *makers;
    size_t started;
    size_t finished;
    size_t open_handles;
    bool ended;
    bool unstarted; /* No process could be made for a seed. */
    Error error;
    uv_timer_t later; /* calls `done` from the loop, never from within a call of genfens.h */
    GenfensDone done;
    void *user;
};

/* The FEN in a line of genfens, or NULL. */
static const char *fen_of(const char *line) {
    static const char prefix[] = "info string genfens ";
    return text_starts_with(line, prefix) ? line + sizeof prefix - 1 : NULL;
}

/* ---- Ending ---- */

static void free_when_closed(Genfens *g) {
    if (--g->open_handles > 0)
        return;
    for (size_t i = 0; i < g->spec.seed_count; i++) {
        text_free(&g->makers[i].fens);
        text_free(&g->makers[i].other);
    }
    free(g->makers);
    free(g);
}

static void on_silence_closed(void *user) {
    const Maker *maker = user;
    free_when_closed(maker->genfens);
}

static void on_later_closed(uv_handle_t *handle) {
    free_when_closed(handle->data);
}

void genfens_cancel(Genfens *g) {
    if (!g)
        return;
    for (size_t i = 0; i < g->spec.seed_count; i++) {
        child_free(g->makers[i].child);
        g->makers[i].child = NULL;
        timelimit_close(&g->makers[i].silence, on_silence_closed);
    }
    uv_close((uv_handle_t *)&g->later, on_later_closed);
}

/* Joins the first `openings` lines, in the order of the seeds. */
static void join(const Genfens *g, Text *out) {
    int64_t left = g->spec.openings;
    for (size_t i = 0; i < g->spec.seed_count && left > 0; i++) {
        const char *fens = text_string(&g->makers[i].fens);
        const char *line;
        size_t length;
        for (; left > 0 && (line = text_next_line(&fens, &length)) != NULL; left--)
            text_addf(out, "%.*s\n", (int)length, line);
    }
}

static void on_later(uv_timer_t *timer) {
    Genfens *g = timer->data;
    Text fens = {0};
    bool ok = !g->error.text[0];
    if (ok)
        join(g, &fens);
    g->done(ok ? &fens : NULL, ok ? NULL : &g->error, g->unstarted, g->user);
    text_free(&fens);
    genfens_cancel(g);
}

static void end(Genfens *g) {
    if (g->ended)
        return;
    g->ended = true;
    uv_timer_start(&g->later, on_later, 0, 0);
}

/* ---- One seed ---- */

static void start_some(Genfens *g);

static void on_silence(void *user) {
    const Maker *maker = user;
    Genfens *g = maker->genfens;
    if (!g->ended) /* The first fault counts. */
        error_set(&g->error, "seed %" PRId64 ": no line for %d s after %" PRId64 " of %" PRId64,
                  g->spec.seeds[maker->number], g->spec.silence_ms / CLOCK_MS_PER_SECOND,
                  maker->count, g->share);
    end(g);
}

/* The limit is for the silence of all processes together: on a busy machine one may take long for a
 * hard opening. */
static void note_line(Genfens *g) {
    for (size_t i = 0; i < g->spec.seed_count; i++)
        timelimit_again(&g->makers[i].silence);
}

static void on_line(Child *child, ChildStream stream, char *text, size_t length, uint64_t stamp,
                    void *user) {
    (void)child;
    (void)stamp;
    Maker *maker = user;
    const char *fen = stream == CHILD_OUTPUT ? fen_of(text) : NULL;
    if (!fen && length > 0) {
        text_clear(&maker->other);
        text_add_visible(&maker->other, text, KEEP_NO_LINES);
    }
    if (!fen || maker->count == maker->genfens->share || length > FEN_MAX)
        return;
    text_addf(&maker->fens, "%s\n", fen);
    maker->count++;
    note_line(maker->genfens);
}

static void on_gone(Child *child, const ChildEnd *ending, void *user) {
    Maker *maker = user;
    Genfens *g = maker->genfens;
    timelimit_stop(&maker->silence);
    child_free(child);
    maker->child = NULL;
    g->finished++;
    if (maker->count < g->share) {
        if (!g->ended)
            error_set(&g->error, "seed %" PRId64 ": %s after %" PRId64 " of %" PRId64 " lines%s%s",
                      g->spec.seeds[maker->number], ending->reason, maker->count, g->share,
                      maker->other.length > 0 ? ": " : "", text_string(&maker->other));
        end(g);
    } else if (g->finished == g->spec.seed_count) {
        end(g);
    } else {
        start_some(g);
    }
}

static bool start_maker(Genfens *g, Maker *maker) {
    const GenfensSpec *spec = &g->spec;
    Text words = {0};
    text_addf(&words, "genfens %" PRId64 " seed %" PRId64 " book %s", g->share,
              spec->seeds[maker->number], spec->book ? spec->book : "None");
    if (spec->args[0])
        text_addf(&words, " %s", spec->args);
    const char *const argv[] = {spec->binary, text_string(&words), "quit", NULL};
    /* The policy is made without the arguments: they contain the server's words, and a path in
     * these must not open files to the engine. */
    const char *const program[] = {spec->binary, NULL};
    SandboxPolicy policy;
    sandbox_engine(spec->sandbox, program, spec->dir, 0, 1, &policy);
    sandbox_engine_file(spec->sandbox, spec->book, &policy);
    sandbox_engine_file(spec->sandbox, spec->network, &policy);
    ChildSpec child = {.argv = argv, .dir = spec->dir, .no_input = true, .policy = &policy};
    ChildEvents events = {.line = on_line, .gone = on_gone};
    maker->child = child_start(g->loop, &child, &events, maker, &g->error);
    sandbox_policy_free(&policy);
    text_free(&words);
    if (maker->child)
        timelimit_start(&maker->silence, spec->silence_ms);
    return maker->child != NULL;
}

static void start_some(Genfens *g) {
    while (!g->ended && g->started < g->spec.seed_count &&
           g->started - g->finished < (size_t)g->spec.at_once) {
        if (!start_maker(g, &g->makers[g->started++])) {
            g->unstarted = true;
            end(g);
        }
    }
}

Genfens *genfens_start(uv_loop_t *loop, const GenfensSpec *spec, GenfensDone done, void *user) {
    Genfens *g = mem_calloc(1, sizeof *g);
    g->spec = *spec;
    g->loop = loop;
    g->done = done;
    g->user = user;
    if (g->spec.silence_ms <= 0)
        g->spec.silence_ms = GENFENS_SILENCE_MS;
    if (g->spec.at_once < 1)
        g->spec.at_once = 1;
    int64_t seeds = (int64_t)spec->seed_count;
    g->share = seeds ? (spec->openings + seeds - 1) / seeds : 0;
    g->makers = mem_calloc(spec->seed_count + 1, sizeof *g->makers);
    g->open_handles = spec->seed_count + 1;
    uv_timer_init(loop, &g->later);
    g->later.data = g;
    for (size_t i = 0; i < spec->seed_count; i++) {
        g->makers[i] = (Maker){.genfens = g, .number = i};
        timelimit_init(&g->makers[i].silence, loop, on_silence, &g->makers[i]);
    }
    if (seeds == 0) {
        error_set(&g->error, "no seeds for genfens");
        end(g);
    }
    start_some(g);
    return g;
}
