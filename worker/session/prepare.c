/* SPDX-License-Identifier: MIT */
#include "session/prepare.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/tree.h"
#include "build/archive.h"
#include "session/cache.h"
#include "session/prepare_engine.h"
#include "session/preparing.h"

enum { WORDS_LIMIT = 1 << 16, MODE_KEPT = 0644 };
static const char BOOKS_FOLDER[] = "books";
static const char NETWORKS_FOLDER[] = "networks";
static const uint64_t BOOK_LIMIT = UINT64_C(1) << 30;
static const uint64_t NETWORK_LIMIT = UINT64_C(1) << 30;

/* ---- Folders ---- */

static const char *const kept_folders[] = {BOOKS_FOLDER,      NETWORKS_FOLDER,   PREPARING_SOURCES,
                                           PREPARING_ENGINES, PREPARING_BENCHES, PREPARING_LOGS};
static const char temporary_folder[] = "tmp";

void prepare_hide(const char *state_dir, Sandbox *sandbox) {
    char *engines = text_format("%s/%s", state_dir, PREPARING_ENGINES);
    sandbox_hide(sandbox, state_dir);
    sandbox_hide(sandbox, engines);
    token_hide(sandbox);
    free(engines);
}

/* Removes a folder of the state folder. A folder that cannot be removed is moved aside, and the log
 * names it: work can go on. */
static void clear_folder(const char *state_dir, const char *name, Log *log) {
    Error notice;
    Error err = {0};
    char *path = text_format("%s/%s", state_dir, name);
    char *aside = text_format("%s/%s", state_dir, PREPARING_UNREMOVED);
    if (!tree_make_room(path, aside, &notice, &err))
        log_warn(log, "%s", err.text);
    else if (notice.text[0])
        log_warn(log, "%s", notice.text);
    free(aside);
    free(path);
}

/* Tries again to remove the files that earlier runs could not remove. */
static void remove_moved(const char *state_dir, Log *log) {
    Error err = {0};
    char *path = text_format("%s/%s", state_dir, PREPARING_UNREMOVED);
    if (!tree_remove(path, &err))
        log_warn(log, "left from an earlier run: %s", err.text);
    free(path);
}

bool prepare_folders(const char *state_dir, bool clean, Log *log, Error *err) {
    bool ok = true;
    remove_moved(state_dir, log);
    clear_folder(state_dir, temporary_folder, log);
    for (size_t i = 0; clean && i < COUNT(kept_folders); i++)
        clear_folder(state_dir, kept_folders[i], log);
    for (size_t i = 0; ok && i <= COUNT(kept_folders); i++) {
        char *path = text_format("%s/%s", state_dir,
                                 i < COUNT(kept_folders) ? kept_folders[i] : temporary_folder);
        ok = file_make_folders(path, err);
        free(path);
    }
    return ok;
}

/* Makes the folder for half-done work. */
static void begin_folder(Prepare *p) {
    Error err = {0};
    p->folder = preparing_path(p, temporary_folder, "XXXXXX");
    if (!mkdtemp(p->folder)) {
        error_set(&err, "%s: %s", p->folder, strerror(errno));
        free(p->folder);
        p->folder = NULL;
        preparing_later(p, &err);
        return;
    }
    p->download = text_format("%s/download", p->folder);
    p->tree = text_format("%s/tree", p->folder);
    preparing_next(p);
}

static void on_fetched(FetchOutcome outcome, const Error *err, void *user) {
    Prepare *p = user;
    if (preparing_fetched(p, outcome, err))
        preparing_next(p);
}

/* ---- The book ---- */

static bool check_book(void *user, Error *err) {
    const Prepare *p = user;
    Text text = {0};
    char digest[DIGEST_HEX_MAX];
    bool ok = file_read(p->book, BOOK_LIMIT, &text, err) &&
              digest_text(text_string(&text), text.length, digest, err);
    if (ok && !digest_matches(digest, p->workload->book.sha))
        ok = error_set(err, "%s: the text has changed", p->book);
    text_free(&text);
    return ok;
}

/* Installs the book. A book with the right text that cannot be written is a fault of this machine.
 */
static InstallVerdict install_book(const Download *download, void *user, Error *err) {
    const Prepare *p = user;
    const WorkloadBook *book = &p->workload->book;
    Text text = {0};
    char digest[DIGEST_HEX_MAX];
    InstallVerdict verdict = INSTALL_DONE;
    bool ok = archive_read_single(download->path, BOOK_LIMIT, &text, err) &&
              digest_text(text_string(&text), text.length, digest, err);
    if (ok && !digest_matches(digest, book->sha))
        ok = error_set(err, "SHA-256 is %s, but the server says %s", digest, book->sha);
    if (!ok)
        verdict = archive_is_whole(download->path) ? INSTALL_WRONG : INSTALL_TROUBLE;
    else if (!file_write_atomic(p->book, text_string(&text), text.length, MODE_KEPT, err))
        verdict = INSTALL_NO_ROOM;
    text_free(&text);
    if (verdict != INSTALL_DONE)
        error_prefix(err, "book %s from %s", book->name, book->source);
    return verdict;
}

/* The path of the kept book, named by the SHA-256 of its text. */
static char *book_path(const Prepare *p) {
    const WorkloadBook *book = &p->workload->book;
    const char *dot = strrchr(book->name, '.');
    Text name = {0};
    for (const char *c = book->sha; *c; c++)
        text_add_char(&name, (char)tolower((unsigned char)*c));
    text_add(&name, dot && strcasecmp(dot, ".pgn") == 0 ? ".pgn" : ".epd");
    char *path = preparing_path(p, BOOKS_FOLDER, text_string(&name));
    text_free(&name);
    return path;
}

static void begin_book(Prepare *p) {
    const WorkloadBook *book = &p->workload->book;
    Error err = {0};
    if (!book->sha && p->workload->type == WORKLOAD_DATAGEN) {
        preparing_next(p);
        return;
    }
    if (!book->sha) {
        error_set(&err, "the workload has no book");
        preparing_end_with(p, PREPARE_IMPOSSIBLE, &err);
        return;
    }
    char *name = text_format("book %s", book->name);
    free(p->book);
    p->book = book_path(p);
    Artifact artifact = {.request = {.url = mem_strdup(book->source)},
                         .limit = BOOK_LIMIT,
                         .name = name,
                         .kept = p->book,
                         .check = check_book,
                         .install = install_book};
    preparing_fetch(p, &artifact, on_fetched);
    free(name);
}

/* ---- Networks ---- */

static bool check_network(void *user, Error *err) {
    const Prepare *p = user;
    char digest[DIGEST_HEX_MAX];
    const char *path = p->side->engine->network;
    return digest_file(path, digest, err) && (digest_matches(digest, p->side->workload->network) ||
                                              error_set(err, "%s: the bytes have changed", path));
}

/* Finds out what came instead of a network: an error of the server, a page of a server in trouble,
 * or wrong bytes. */
static InstallVerdict judge_answer(const WorkloadSide *side, const Download *download, Error *err) {
    bool json = strstr(download->content_type, "json") != NULL;
    HttpResponse words = {.outcome = HTTP_DONE, .status = HTTP_OK};
    ApiAnswer answer = {0};
    InstallVerdict verdict = INSTALL_WRONG;
    if (json && file_read(download->path, WORDS_LIMIT, &words.body, NULL))
        api_judge(&words, &answer);
    if (answer.verdict == API_REFUSED) {
        error_set(err, "the server has no network %s of %s: %s", side->network, side->engine,
                  answer.error.text);
    } else if (json || strstr(download->content_type, "html") || download->size == 0) {
        error_set(err, "network %s of %s: the server's answer is not a network", side->network,
                  side->engine);
        verdict = INSTALL_TROUBLE;
    } else {
        error_set(err, "network %s of %s: the SHA-256 of what came is %s", side->network,
                  side->engine, download->sha256);
    }
    api_answer_free(&answer);
    http_response_free(&words);
    return verdict;
}

static InstallVerdict install_network(const Download *download, void *user, Error *err) {
    const Prepare *p = user;
    const char *path = p->side->engine->network;
    if (!digest_matches(download->sha256, p->side->workload->network))
        return judge_answer(p->side->workload, download, err);
    if (rename(download->path, path) == 0)
        return INSTALL_DONE;
    error_set(err, "%s: %s", path, strerror(errno));
    return INSTALL_NO_ROOM;
}

static void begin_network(Prepare *p) {
    const WorkloadSide *side = p->side->workload;
    if (!side->network[0]) {
        preparing_next(p);
        return;
    }
    char *name = text_format("network %s of %s", side->network, side->engine);
    free(p->side->engine->network);
    p->side->engine->network = preparing_path(p, NETWORKS_FOLDER, side->network);
    Artifact artifact = {.limit = NETWORK_LIMIT,
                         .name = name,
                         .kept = p->side->engine->network,
                         .check = check_network,
                         .install = install_network};
    api_network(p->context.account, side->engine, side->network, &artifact.request);
    preparing_fetch(p, &artifact, on_fetched);
    free(name);
}

/* ---- Openings from the engine ---- */

static bool write_openings(Prepare *p, Error *err) {
    return file_write_atomic(p->made_book, text_string(&p->openings), p->openings.length, MODE_KEPT,
                             err);
}

static void openings_written(Prepare *p, bool ok) {
    if (ok)
        preparing_next(p);
    else
        preparing_later(p, &p->task.error);
}

/* Handles openings that were not made. An engine that this machine cannot start says nothing about
 * the engine. */
static void openings_failed(Prepare *p, const Error *cause, bool unstarted) {
    Error err = {0};
    if (unstarted) {
        error_set(&err, "[%s] its openings cannot be made: %s", p->side->engine->title,
                  cause->text);
        preparing_end_with(p, PREPARE_LATER, &err);
        return;
    }
    log_warn(p->context.log, "[%s] genfens: %s", p->side->engine->title, cause->text);
    text_addf(&p->result.logs, "%s\n", cause->text);
    error_set(&err, "[%s] genfens failed", p->side->engine->title);
    preparing_end_with(p, PREPARE_FAULT, &err);
}

static void on_openings(const Text *fens, const Error *cause, bool unstarted, void *user) {
    Prepare *p = user;
    p->genfens = NULL;
    if (cause) {
        openings_failed(p, cause, unstarted);
        return;
    }
    text_clear(&p->openings);
    text_add_bytes(&p->openings, fens->data, fens->length);
    free(p->made_book);
    p->made_book = text_format("%s.epd", p->folder);
    preparing_task(p, write_openings, openings_written);
}

static void make_openings(Prepare *p) {
    const Workload *w = p->workload;
    GenfensSpec spec = {.binary = p->side->engine->binary,
                        .dir = p->folder,
                        .network = p->side->engine->network,
                        .book = p->book,
                        .args = w->genfens_args,
                        .seeds = w->genfens_seeds.items,
                        .seed_count = w->genfens_seeds.count,
                        .openings = workload_positions(w),
                        .at_once = p->context.copies,
                        .sandbox = p->context.sandbox,
                        .silence_ms = p->context.genfens_timeout_ms};
    log_info(p->context.log, "%s makes %lld openings", p->side->engine->title,
             (long long)spec.openings);
    p->genfens = genfens_start(p->context.loop, &spec, on_openings, p);
}

static void begin_openings(Prepare *p) {
    if (p->workload->type == WORKLOAD_DATAGEN)
        preparing_when_load(p, LOAD_NONE, make_openings);
    else
        preparing_next(p);
}

/* ---- The order of play ---- */

static bool load_book(Prepare *p, Error *err) {
    const Workload *w = p->workload;
    bool chess960 = book_name_is_chess960(w->book.name);
    if (!book_load(&p->result.openings, p->made_book ? p->made_book : p->book, chess960, err))
        return false;
    if (w->type != WORKLOAD_DATAGEN)
        book_shuffle(&p->result.openings, (uint64_t)w->book_seed);
    return true;
}

static void book_loaded(Prepare *p, bool ok) {
    if (ok)
        preparing_next(p);
    else
        preparing_end_with(p, PREPARE_IMPOSSIBLE, &p->task.error);
}

static void begin_order(Prepare *p) {
    preparing_task(p, load_book, book_loaded);
}

/* ---- Kept files ---- */

enum { KEPT_OF_SIDE = 4, KEPT_IN_USE = 1 + KEPT_OF_SIDE * SIDE_COUNT };

/* Notes the use of this workload's files, and trims the kept files: to the limit, or to nothing
 * where the disk is full. The files of other workloads stay. */
static bool trim_cache(Prepare *p, Error *err) {
    const Words *others = p->context.in_use;
    const char **in_use = mem_calloc(KEPT_IN_USE + others->count, sizeof *in_use);
    Words folders = {0};
    int removed;
    in_use[0] = p->book;
    for (int i = 0; i < SIDE_COUNT; i++) {
        const char **of_side = in_use + 1 + KEPT_OF_SIDE * i;
        of_side[0] = p->sides[i].engine->binary;
        of_side[1] = p->sides[i].engine->network;
        of_side[2] = p->sides[i].source;
        of_side[3] = p->sides[i].engine->record;
    }
    for (size_t i = 0; i < KEPT_IN_USE; i++)
        cache_use(in_use[i]);
    for (size_t i = 0; i < others->count; i++)
        in_use[KEPT_IN_USE + i] = others->items[i];
    for (size_t i = 0; i < COUNT(kept_folders); i++) {
        words_addf(&folders, "%s/%s", p->context.state_dir, kept_folders[i]);
    }
    bool ok = cache_trim((const char *const *)folders.items, folders.count,
                         p->made_room ? 0 : p->context.cache_limit, in_use,
                         KEPT_IN_USE + others->count, &removed, err);
    words_free(&folders);
    free(in_use);
    return ok;
}

/* A full cache is no reason not to play. */
static void cache_trimmed(Prepare *p, bool ok) {
    if (!ok)
        log_warn(p->context.log, "making room: %s", p->task.error.text);
    preparing_next(p);
}

static void begin_trim(Prepare *p) {
    preparing_task(p, trim_cache, cache_trimmed);
}

/* ---- The steps ---- */

static void begin_ready(Prepare *p) {
    p->result.book_made = p->made_book != NULL;
    p->result.book = mem_strdup(p->made_book ? p->made_book : p->book);
    preparing_end(p, PREPARE_READY);
}

/* The cheapest steps and the most likely failures come first. */
static const PrepareStage stages[] = {
    {STEP_FOLDER, SIDE_DEV, begin_folder},
    {STEP_BOOK, SIDE_DEV, begin_book},
    {STEP_COMPILERS, SIDE_DEV, preparing_compilers},
    {STEP_NETWORK, SIDE_DEV, begin_network},
    {STEP_NETWORK, SIDE_BASE, begin_network},
    {STEP_BUILD, SIDE_DEV, preparing_build},
    {STEP_BUILD, SIDE_BASE, preparing_build},
    {STEP_BENCH, SIDE_DEV, preparing_bench},
    {STEP_BENCH, SIDE_BASE, preparing_bench},
    {STEP_OPENINGS, SIDE_DEV, begin_openings},
    {STEP_ORDER, SIDE_DEV, begin_order},
    {STEP_TRIM, SIDE_DEV, begin_trim},
    {STEP_READY, SIDE_DEV, begin_ready},
};

/* ---- Start and cancel ---- */

static void begin_side(PreparedSide *side, const WorkloadSide *workload, PreparedEngine *engine) {
    side->workload = workload;
    side->engine = engine;
    engine->title = workload_binary_name(workload);
    engine->bench = workload->bench;
}

Prepare *prepare_start(const PrepareContext *context, const Workload *workload, PrepareDone done,
                       void *user) {
    Prepare *p = mem_calloc(1, sizeof *p);
    p->context = *context;
    p->workload = workload;
    p->stages = stages;
    p->done = done;
    p->user = user;
    begin_side(&p->sides[SIDE_DEV], &workload->dev, &p->result.engines[SIDE_DEV]);
    begin_side(&p->sides[SIDE_BASE], &workload->base, &p->result.engines[SIDE_BASE]);
    p->timer.data = p;
    uv_timer_init(context->loop, &p->timer);
    preparing_next(p);
    return p;
}

void prepare_cancel(Prepare *p) {
    if (!p || p->cancelled || uv_is_closing((uv_handle_t *)&p->timer))
        return;
    p->cancelled = true;
    p->held = NULL;
    if (p->fetch) {
        fetch_cancel(p->fetch);
        return;
    }
    if (p->task.running)
        return; /* The task's end sees `cancelled`. */
    toolchain_probe_cancel(p->probe);
    build_cancel(p->build);
    bench_cancel(p->bench);
    genfens_cancel(p->genfens);
    p->probe = NULL;
    p->build = NULL;
    p->bench = NULL;
    p->genfens = NULL;
    uv_timer_stop(&p->timer);
    preparing_end(p, PREPARE_CANCELLED);
}
