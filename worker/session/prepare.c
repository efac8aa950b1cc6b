/* SPDX-License-Identifier: MIT */
#include "session/prepare.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tree.h"
#include "build/archive.h"
#include "build/bench.h"
#include "build/build.h"
#include "build/genfens.h"
#include "openbench/artifacts.h"
#include "openbench/http.h"
#include "build/benchbook.h"
#include "session/cache.h"
#include "session/token.h"

enum {
    DOWNLOAD_TRIES = 5,
    HASH_TRIES = 2,
    BENCH_TRIES = 2,
    KEY_DIGITS = 16,
    SAFE_NAME_MAX = 64,
    HTTP_OK = 200,
    HTTP_FORBIDDEN = 403,
    HTTP_TOO_MANY = 429,
    HTTP_FIRST_SERVER_ERROR = 500,
    ARTIFACTS_LIMIT = 4 << 20,
    WORDS_LIMIT = 1 << 16,
    MODE_KEPT = 0644,
    MODE_PROGRAM = 0755,
    MODE_FOLDER_PRIVATE = 0700
};
static const uint64_t SOURCE_LIMIT = UINT64_C(1) << 30;
static const uint64_t PROGRAM_LIMIT = UINT64_C(1) << 29;
static const uint64_t BOOK_LIMIT = UINT64_C(1) << 30;
static const uint64_t NETWORK_LIMIT = UINT64_C(1) << 30;

/* One side's engine on its way. */
typedef struct {
    const WorkloadSide *workload;
    PreparedEngine *engine; /* Of the result. */
    char exe[SAFE_NAME_MAX + DIGEST_HEX_MAX];
    char compiler[TOOLCHAIN_NAME_MAX]; /* "": none is here; a private engine may need none. */
    Token token;                       /* Of a private engine. */
    bool fresh;                        /* Built in this preparation, not kept from before. */
    char *source;                      /* Where its source is kept; NULL: it is not. */
    int benches;                       /* Run so far. */
} PreparedSide;

struct Prepare {
    PrepareContext context;
    const Workload *workload;
    PrepareDone done;
    void *user;
    size_t step;
    PreparedSide sides[SIDE_COUNT];
    PreparedSide *side; /* of the present step */
    char *folder;       /* for what is half-done */
    char *book;         /* downloaded; NULL: the test has none */
    char *made_book;    /* by the engine, for DATAGEN */
    Text openings;      /* its text on the way there */
    char *zip;          /* the present download */
    char *build_dir;
    char *built; /* the binary, where make left it */
    int tries;
    void (*held)(Prepare *); /* goes on when nothing plays beside but this */
    MachineLoad held_load;
    bool cancelled;
    Prepared result;

    HttpCall *call;
    HttpRequest request; /* the present download, to be tried again */
    void (*fetched)(Prepare *, const HttpResponse *);
    uv_timer_t timer;
    ToolchainProbe *probe;
    Build *build;
    Bench *bench;
    Genfens *genfens;
    uv_work_t work; /* one blocking job at a time */
    bool (*job)(Prepare *, Error *);
    void (*job_done)(Prepare *, bool);
    bool job_ok;
    Error job_error;
};

static void next_step(Prepare *p);
static void source_fetched(Prepare *p, const HttpResponse *response);
static void fetch_again(Prepare *p);
static void begin_build(Prepare *p);

/* ---- Names ---- */

void prepare_safe_name(const char *name, char *out, size_t size) {
    size_t length = 0;
    for (const char *c = name; *c && length + 1 < size; c++) {
        bool fine =
            isalnum((unsigned char)*c) || *c == '_' || (length > 0 && (*c == '.' || *c == '-'));
        out[length++] = fine ? *c : '_';
    }
    out[length] = '\0';
}

bool prepare_path_stays(const char *path) {
    if (path[0] == '/' || path[0] == '\\' || strlen(path) >= PATH_MAX / 4)
        return false;
    for (const char *part = path; *part;) {
        size_t length = strcspn(part, "/");
        if (length == 2 && strncmp(part, "..", 2) == 0)
            return false;
        part += length;
        part += strspn(part, "/");
    }
    for (const char *c = path; *c; c++)
        if (iscntrl((unsigned char)*c) || *c == '\\')
            return false;
    return true;
}

/* "folder/name", allocated. */
static char *join(const char *folder, const char *name) {
    Text path = {0};
    text_addf(&path, "%s/%s", folder, name);
    return text_take(&path);
}

/* An allocated path below the state folder. */
static char *state_path(const Prepare *p, const char *folder, const char *name) {
    Text path = {0};
    text_addf(&path, "%s/%s/%s", p->context.state_dir, folder, name);
    return text_take(&path);
}

static char *folder_path(const Prepare *p, const char *name) {
    return join(p->folder, name);
}

static const char engines_folder[] = "engines";
static const char *const kept_folders[] = {"books", "networks", "sources", engines_folder,
                                           "benches"};
static const char temporary_folder[] = "tmp";
static const char unremoved_folder[] = "unremoved";
static const char source_folder[] = "tree";

void prepare_hide(const char *state_dir, Sandbox *sandbox) {
    Text engines = {0};
    text_addf(&engines, "%s/%s", state_dir, engines_folder);
    sandbox_hide(sandbox, state_dir);
    sandbox_hide(sandbox, text_string(&engines));
    text_free(&engines);
}

/* Frees a folder of the state folder. What cannot be removed is moved aside and named: it is no
 * reason not to work. */
static void clear_folder(const char *state_dir, const char *name, Log *log) {
    Error notice;
    Error err = {0};
    char *path = join(state_dir, name);
    char *aside = join(state_dir, unremoved_folder);
    if (!tree_make_room(path, aside, &notice, &err))
        log_warn(log, "%s", err.text);
    else if (notice.text[0])
        log_warn(log, "%s", notice.text);
    free(aside);
    free(path);
}

/* Tries again to remove what earlier runs could not. */
static void remove_moved(const char *state_dir, Log *log) {
    Error err = {0};
    char *path = join(state_dir, unremoved_folder);
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
        char *path = join(state_dir, i < COUNT(kept_folders) ? kept_folders[i] : temporary_folder);
        ok = file_make_folders(path, err);
        free(path);
    }
    return ok;
}

/* ---- Ending ---- */

void prepared_free(Prepared *prepared) {
    for (int i = 0; i < SIDE_COUNT; i++)
        prepared_engine_free(&prepared->engines[i]);
    text_free(&prepared->logs);
    free(prepared->book);
    book_free(&prepared->openings);
    *prepared = (Prepared){0};
}

static void free_prepare(uv_handle_t *handle) {
    Prepare *p = handle->data;
    if (p->made_book && p->result.outcome != PREPARE_READY)
        unlink(p->made_book);
    p->done(&p->result, p->user);
    prepared_free(&p->result);
    for (int i = 0; i < SIDE_COUNT; i++) {
        free(p->sides[i].source);
        token_free(&p->sides[i].token);
    }
    http_request_free(&p->request);
    free(p->folder);
    free(p->book);
    free(p->made_book);
    text_free(&p->openings);
    free(p->zip);
    free(p->build_dir);
    free(p->built);
    free(p);
}

static bool remove_folder(Prepare *p, Error *err) {
    return tree_remove(p->folder, err);
}

static void folder_removed(Prepare *p, bool ok) {
    if (!ok)
        log_warn(p->context.log, "%s", p->job_error.text);
    uv_close((uv_handle_t *)&p->timer, free_prepare);
}

static void start_job(Prepare *p, bool (*job)(Prepare *, Error *), void (*then)(Prepare *, bool));

static void end(Prepare *p, PrepareOutcome outcome) {
    p->result.outcome = p->cancelled ? PREPARE_CANCELLED : outcome;
    p->cancelled = false; /* the last job must run */
    if (p->folder)
        start_job(p, remove_folder, folder_removed);
    else
        uv_close((uv_handle_t *)&p->timer, free_prepare);
}

static void end_with(Prepare *p, PrepareOutcome outcome, const Error *err) {
    p->result.error = *err;
    end(p, outcome);
}

/* ---- Blocking jobs ---- */

static void do_job(uv_work_t *work) {
    Prepare *p = work->data;
    p->job_ok = p->job(p, &p->job_error);
}

static void job_finished(uv_work_t *work, int status) {
    Prepare *p = work->data;
    if (p->cancelled)
        end(p, PREPARE_CANCELLED);
    else
        p->job_done(p, status == 0 && p->job_ok);
}

static void start_job(Prepare *p, bool (*job)(Prepare *, Error *), void (*then)(Prepare *, bool)) {
    p->job = job;
    p->job_done = then;
    p->job_error = (Error){0};
    p->work.data = p;
    uv_queue_work(p->context.loop, &p->work, do_job, job_finished);
}

/* ---- Other workloads' games ---- */

/* Goes on with `then` as soon as no more than this plays beside. */
static void when_load(Prepare *p, MachineLoad most, void (*then)(Prepare *)) {
    if (p->context.load <= most) {
        then(p);
        return;
    }
    p->held = then;
    p->held_load = most;
}

void prepare_load(Prepare *p, MachineLoad load) {
    if (!p)
        return;
    p->context.load = load;
    void (*then)(Prepare *) = p->held;
    if (!then || load > p->held_load)
        return;
    p->held = NULL;
    then(p);
}

/* ---- Downloads ---- */

static uint64_t jitter(void) {
    return uv_hrtime() / 1000;
}

static void on_retry(uv_timer_t *timer) {
    fetch_again(timer->data);
}

/* Tries the present download once more after a while, or gives up with `outcome`. */
static void retry_or_end(Prepare *p, int most, PrepareOutcome outcome, const Error *err) {
    if (++p->tries >= most) {
        end_with(p, outcome, err);
        return;
    }
    int64_t wait = backoff_next(&p->context.retry, jitter());
    log_warn(p->context.log, "%s; trying again in %.1f s", err->text, (double)wait / 1000);
    uv_timer_start(&p->timer, on_retry, (uint64_t)wait, 0);
}

static bool passes(int status) {
    return status >= HTTP_FIRST_SERVER_ERROR || status == HTTP_FORBIDDEN || status == HTTP_TOO_MANY;
}

static void on_fetched(HttpResponse *response, void *user) {
    Prepare *p = user;
    Error err = response->error;
    p->call = NULL;
    if (p->cancelled) {
        end(p, PREPARE_CANCELLED);
        return;
    }
    if (response->outcome == HTTP_DONE && response->status == HTTP_OK) {
        backoff_reset(&p->context.retry);
        p->fetched(p, response);
        return;
    }
    if (response->outcome == HTTP_DONE)
        error_set(&err, "HTTP status %d", response->status);
    error_prefix(&err, "%s", p->request.url);
    bool later = response->outcome == HTTP_DONE ? passes(response->status)
                                                : response->outcome == HTTP_UNREACHABLE;
    if (later)
        retry_or_end(p, DOWNLOAD_TRIES, PREPARE_LATER, &err);
    else
        end_with(p, response->outcome == HTTP_FILE_FAULT ? PREPARE_LATER : PREPARE_IMPOSSIBLE,
                 &err);
}

static void fetch_again(Prepare *p) {
    HttpRequest copy = {.url = mem_strdup(p->request.url),
                        .form = p->request.form ? mem_strdup(p->request.form) : NULL,
                        .token = p->request.token ? mem_strdup(p->request.token) : NULL,
                        .file = mem_strdup(p->request.file),
                        .limit = p->request.limit};
    p->call = http_start(p->context.loop, &copy, on_fetched, p);
}

/* Downloads into the temporary file `zip`; takes the request over. */
static void fetch(Prepare *p, HttpRequest *request, uint64_t limit,
                  void (*fetched)(Prepare *, const HttpResponse *)) {
    free(p->zip);
    p->zip = folder_path(p, "download");
    http_request_free(&p->request);
    p->request = *request;
    *request = (HttpRequest){0};
    p->request.file = mem_strdup(p->zip);
    p->request.limit = limit;
    p->fetched = fetched;
    p->tries = 0;
    fetch_again(p);
}

static void fetch_url(Prepare *p, const char *url, uint64_t limit,
                      void (*fetched)(Prepare *, const HttpResponse *)) {
    HttpRequest request = {.url = mem_strdup(url)};
    fetch(p, &request, limit, fetched);
}

/* ---- The book ---- */

static bool check_book(Prepare *p, Error *err) {
    Text text = {0};
    char digest[DIGEST_HEX_MAX];
    bool ok = file_read(p->book, BOOK_LIMIT, &text, err) &&
              digest_text(text_string(&text), text.length, digest, err);
    if (ok && !digest_matches(digest, p->workload->book.sha))
        ok = error_set(err, "%s: not the text it was", p->book);
    text_free(&text);
    return ok;
}

static bool install_book(Prepare *p, Error *err) {
    const WorkloadBook *book = &p->workload->book;
    Text text = {0};
    char digest[DIGEST_HEX_MAX];
    bool ok = archive_read_single(p->zip, BOOK_LIMIT, &text, err) &&
              digest_text(text_string(&text), text.length, digest, err);
    if (ok && !digest_matches(digest, book->sha))
        ok = error_set(err, "SHA-256 is %s, but the server says %s", digest, book->sha);
    ok = ok && file_write_atomic(p->book, text_string(&text), text.length, MODE_KEPT, err);
    text_free(&text);
    return ok || error_prefix(err, "book %s from %s", book->name, book->source);
}

static void book_installed(Prepare *p, bool ok) {
    if (ok)
        next_step(p);
    else
        retry_or_end(p, HASH_TRIES, PREPARE_IMPOSSIBLE, &p->job_error);
}

static void book_fetched(Prepare *p, const HttpResponse *response) {
    (void)response;
    start_job(p, install_book, book_installed);
}

static void book_checked(Prepare *p, bool ok) {
    if (ok) {
        next_step(p);
        return;
    }
    log_info(p->context.log, "downloading book %s", p->workload->book.name);
    fetch_url(p, p->workload->book.source, BOOK_LIMIT, book_fetched);
}

static void begin_book(Prepare *p) {
    const WorkloadBook *book = &p->workload->book;
    Error err = {0};
    if (!book->sha && p->workload->type == WORKLOAD_DATAGEN) {
        next_step(p);
        return;
    }
    if (!book->sha) {
        error_set(&err, "the workload has no book");
        end_with(p, PREPARE_IMPOSSIBLE, &err);
        return;
    }
    const char *dot = strrchr(book->name, '.');
    Text name = {0};
    for (const char *c = book->sha; *c; c++)
        text_add_char(&name, (char)tolower((unsigned char)*c));
    text_add(&name, dot && strcasecmp(dot, ".pgn") == 0 ? ".pgn" : ".epd");
    p->book = state_path(p, "books", text_string(&name));
    text_free(&name);
    start_job(p, check_book, book_checked);
}

/* ---- Networks ---- */

static bool check_network(Prepare *p, Error *err) {
    char digest[DIGEST_HEX_MAX];
    return digest_file(p->side->engine->network, digest, err) &&
           (digest_matches(digest, p->side->workload->network) ||
            error_set(err, "%s: not what it was", p->side->engine->network));
}

/* What came is not the network: the server's own words, a page of a server in trouble, or bytes. */
static void network_missing(Prepare *p, const HttpResponse *response) {
    const WorkloadSide *side = p->side->workload;
    const char *type = response->content_type ? response->content_type : "";
    bool json = strstr(type, "json") != NULL;
    HttpResponse words = {.outcome = HTTP_DONE, .status = HTTP_OK};
    ApiAnswer answer = {0};
    Error err = {0};
    if (json && file_read(p->zip, WORDS_LIMIT, &words.body, NULL))
        api_judge(&words, &answer);
    if (answer.verdict == API_REFUSED) {
        error_set(&err, "the server has no network %s of %s: %s", side->network, side->engine,
                  answer.error.text);
        retry_or_end(p, HASH_TRIES, PREPARE_IMPOSSIBLE, &err);
    } else if (json || strstr(type, "html") || response->file_size == 0) {
        error_set(&err, "network %s of %s: the server's answer is none", side->network,
                  side->engine);
        retry_or_end(p, DOWNLOAD_TRIES, PREPARE_LATER, &err);
    } else {
        error_set(&err, "network %s of %s: the SHA-256 of what came is %s", side->network,
                  side->engine, response->sha256);
        retry_or_end(p, HASH_TRIES, PREPARE_IMPOSSIBLE, &err);
    }
    api_answer_free(&answer);
    http_response_free(&words);
}

static void network_fetched(Prepare *p, const HttpResponse *response) {
    Error err = {0};
    if (!digest_matches(response->sha256, p->side->workload->network)) {
        network_missing(p, response);
    } else if (rename(p->zip, p->side->engine->network) != 0) {
        error_set(&err, "%s: %s", p->side->engine->network, strerror(errno));
        end_with(p, PREPARE_LATER, &err);
    } else {
        next_step(p);
    }
}

static void network_checked(Prepare *p, bool ok) {
    if (ok) {
        next_step(p);
        return;
    }
    const WorkloadSide *side = p->side->workload;
    HttpRequest request;
    api_network(p->context.account, side->engine, side->network, &request);
    log_info(p->context.log, "downloading network %s of %s", side->network, side->engine);
    fetch(p, &request, NETWORK_LIMIT, network_fetched);
}

static void begin_network(Prepare *p) {
    if (!p->side->workload->network[0]) {
        next_step(p);
        return;
    }
    p->side->engine->network = state_path(p, "networks", p->side->workload->network);
    start_job(p, check_network, network_checked);
}

/* ---- Compilers ---- */

static void probed(void *user) {
    Prepare *p = user;
    p->probe = NULL;
    next_step(p);
}

static void begin_probe(Prepare *p) {
    Words names = {0};
    for (int i = 0; i < SIDE_COUNT; i++)
        toolchain_wished_names(&p->sides[i].workload->recipe.compilers, &names);
    p->probe = toolchain_probe(p->context.loop, p->context.toolchain, p->context.sandbox,
                               (const char *const *)names.items, names.count, probed, p);
    words_free(&names);
}

static bool choose_compiler(Prepare *p, Error *err) {
    const Tool *tool = toolchain_choose(p->context.toolchain, &p->side->workload->recipe.compilers);
    if (tool) {
        snprintf(p->side->compiler, sizeof p->side->compiler, "%s", tool->name);
        return true;
    }
    return error_set(err, "none of the compilers of %s is here", p->side->workload->engine);
}

/* ---- Builds ---- */

/* The name of the binary, by everything that it is made of. */
static bool name_binary(Prepare *p, Error *err) {
    const WorkloadSide *side = p->side->workload;
    Text identity = {0};
    char digest[DIGEST_HEX_MAX];
    text_addf(&identity, "%s\n%s\n%s\n%s\n%s\n%s %s\n", side->engine, side->source, side->sha,
              side->network, side->recipe.path, p->side->compiler,
              p->side->compiler[0] ? toolchain_version(p->context.toolchain, p->side->compiler)
                                   : "");
    bool ok = digest_bytes(text_string(&identity), identity.length, digest, err);
    text_free(&identity);
    if (!ok)
        return false;
    char safe[SAFE_NAME_MAX];
    prepare_safe_name(p->side->engine->title, safe, sizeof safe);
    snprintf(p->side->exe, sizeof p->side->exe, "%s-%.*s", safe, KEY_DIGITS, digest);
    free(p->side->engine->binary);
    p->side->engine->binary = state_path(p, engines_folder, p->side->exe);
    free(p->side->engine->record);
    p->side->engine->record = state_path(p, "benches", p->side->exe);
    return true;
}

/* The name of the source's zip, by where it comes from and what it is said to be. That of a private
 * engine is not kept. */
static bool name_source(Prepare *p, Error *err) {
    const WorkloadSide *side = p->side->workload;
    Text identity = {0};
    Text name = {0};
    char digest[DIGEST_HEX_MAX];
    text_addf(&identity, "%s\n%s\n", side->source, side->sha);
    bool ok = digest_bytes(text_string(&identity), identity.length, digest, err);
    text_free(&identity);
    free(p->side->source);
    p->side->source = NULL;
    if (!ok || side->is_private)
        return ok;
    text_addf(&name, "%s.zip", digest);
    p->side->source = state_path(p, "sources", text_string(&name));
    text_free(&name);
    return true;
}

/* Unpacks the source and finds the folder to build in. */
static bool unpack_source(Prepare *p, Error *err) {
    char top[ARCHIVE_NAME_MAX];
    char *tree = folder_path(p, source_folder);
    char *aside = join(p->context.state_dir, unremoved_folder);
    Error notice;
    bool ok = tree_make_room(tree, aside, &notice, err);
    if (ok && mkdir(tree, MODE_FOLDER_PRIVATE) != 0)
        ok = error_set(err, "%s: %s", tree, strerror(errno));
    ok = ok && archive_unpack(p->zip, tree, NULL, top, err);
    if (ok && p->side->source && strcmp(p->zip, p->side->source) != 0)
        ok = rename(p->zip, p->side->source) == 0 ||
             error_set(err, "%s: %s", p->side->source, strerror(errno));
    if (ok) {
        Text dir = {0};
        text_addf(&dir, "%s/%s/%s", tree, top, p->side->workload->recipe.path);
        free(p->build_dir);
        p->build_dir = realpath(text_string(&dir), NULL);
        char *real = realpath(tree, NULL);
        size_t length = real ? strlen(real) : 0;
        if (!p->build_dir || !real || strncmp(p->build_dir, real, length) != 0 ||
            p->build_dir[length] != '/')
            ok = error_set(err, "there is no folder %s in it", p->side->workload->recipe.path);
        free(real);
        text_free(&dir);
    }
    free(aside);
    free(tree);
    return ok || error_prefix(err, "source %s", p->side->workload->source);
}

/* Whether a tool's words, or ours, are that the disk takes no more: that is this machine's fault
 * and none of the test's. Tools that speak another language than English are not understood. */
static bool lacks_room(const char *words) {
    return strstr(words, "No space left on device") || strstr(words, "Disk quota exceeded");
}

static void build_failed(Prepare *p, const char *logs, const char *cause) {
    const WorkloadSide *side = p->side->workload;
    Error err = {0};
    if (lacks_room(logs)) {
        error_set(&err, "[%s] %s is not built: no space left in %s", side->engine, side->name,
                  p->context.state_dir);
        end_with(p, PREPARE_LATER, &err);
        return;
    }
    text_clear(&p->result.logs);
    text_addf(&p->result.logs, "%s%s\n", logs, cause);
    log_warn(p->context.log, "[%s] %s: %s", side->engine, side->name, cause);
    error_set(&err, "[%s] %s build failed", side->engine, side->name);
    end_with(p, PREPARE_FAULT, &err);
}

/* A kept engine is taken for whole: nothing of it may be missing after a power cut. */
static bool install_binary(Prepare *p, Error *err) {
    return file_install(p->built, p->side->engine->binary, err);
}

static void binary_installed(Prepare *p, bool ok) {
    if (!ok) {
        end_with(p, PREPARE_LATER, &p->job_error);
        return;
    }
    p->side->fresh = true;
    next_step(p);
}

static void on_built(const BuildResult *result, void *user) {
    Prepare *p = user;
    p->build = NULL;
    if (!result->ok) {
        build_failed(p, result->log, result->error.text);
        return;
    }
    free(p->built);
    p->built = mem_strdup(result->path);
    start_job(p, install_binary, binary_installed);
}

static void source_unpacked(Prepare *p, bool ok) {
    if (!ok && p->side->source && strcmp(p->zip, p->side->source) == 0) {
        log_warn(p->context.log, "%s; downloading it again", p->job_error.text);
        unlink(p->side->source);
        fetch_url(p, p->side->workload->source, SOURCE_LIMIT, source_fetched);
        return;
    }
    if (!ok && lacks_room(p->job_error.text)) {
        end_with(p, PREPARE_LATER, &p->job_error);
        return;
    }
    if (!ok) {
        retry_or_end(p, HASH_TRIES, PREPARE_IMPOSSIBLE, &p->job_error);
        return;
    }
    log_info(p->context.log, "building %s with %s", p->side->engine->title, p->side->compiler);
    char *tree = folder_path(p, source_folder);
    BuildSpec spec = {.dir = p->build_dir,
                      .tree = tree,
                      .sandbox = p->context.sandbox,
                      .network = p->context.build_network,
                      .exe = p->side->exe,
                      .compiler = p->side->compiler,
                      .evalfile = p->side->engine->network,
                      .timeout_ms = p->context.build_timeout_ms};
    Error err = {0};
    p->build = build_start(p->context.loop, &spec, on_built, p, &err);
    free(tree);
    if (!p->build)
        build_failed(p, "", err.text);
}

static void unpack_and_build(Prepare *p) {
    start_job(p, unpack_source, source_unpacked);
}

static void source_fetched(Prepare *p, const HttpResponse *response) {
    (void)response;
    when_load(p, LOAD_GAMES, unpack_and_build);
}

/* ---- Private engines ---- */

/* Where BMI2 is slow, the compilers' own account of the CPU stays below it. */
static bool has_slow_pext(const Prepare *p) {
    const char *isa = p->context.toolchain->isa_name;
    return isa && strcmp(isa, "x86-64-avx2") == 0;
}

/* Downloads with the engine's token, if that may be sent there. */
static void fetch_private(Prepare *p, const char *url,
                          void (*fetched)(Prepare *, const HttpResponse *)) {
    const Token *token = &p->side->token;
    if (!token_is_for(token, url)) {
        Error err = {0};
        error_set(&err, "the source of %s is %.200s, but the token in %s is for %s",
                  p->side->workload->engine, url, token->path,
                  token->home ? token->home : "GitHub");
        end_with(p, PREPARE_IMPOSSIBLE, &err);
        return;
    }
    HttpRequest request = {.url = mem_strdup(url), .token = mem_strdup(token->word)};
    fetch(p, &request, SOURCE_LIMIT, fetched);
}

/* A zip that holds a program alone: puts it in its place. */
static bool unpack_program(Prepare *p, Error *err) {
    static const char magic[] = "\177ELF";
    Text program = {0};
    bool ok = archive_read_single(p->zip, PROGRAM_LIMIT, &program, err);
    if (ok && strncmp(text_string(&program), magic, sizeof magic - 1) != 0)
        ok = error_set(err, "%s: the file in it is no program", p->zip);
    ok = ok && file_write_atomic(p->side->engine->binary, program.data, program.length,
                                 MODE_PROGRAM, err);
    text_free(&program);
    return ok;
}

static void program_unpacked(Prepare *p, bool ok) {
    if (ok) {
        p->side->fresh = true;
        next_step(p);
    } else if (p->side->compiler[0]) {
        when_load(p, LOAD_GAMES, unpack_and_build);
    } else {
        retry_or_end(p, HASH_TRIES, PREPARE_IMPOSSIBLE, &p->job_error);
    }
}

static void artifact_fetched(Prepare *p, const HttpResponse *response) {
    (void)response;
    start_job(p, unpack_program, program_unpacked);
}

/* The download is a list of builds: goes on to the best of them. */
static void choose_artifact(Prepare *p, const Text *answer) {
    Artifacts artifacts;
    Error err = {0};
    const Artifact *best = NULL;
    if (artifacts_parse(text_string(answer), answer->length, &artifacts, &err)) {
        best = artifacts_best(&artifacts, p->context.cpu_flags, has_slow_pext(p));
        if (!best)
            error_set(&err, "none of %zu builds is for this machine", artifacts.count);
    }
    if (best) {
        log_info(p->context.log, "downloading the build %s", best->name);
        fetch_private(p, best->url, artifact_fetched);
    } else {
        error_prefix(&err, "the builds of %s", p->side->workload->engine);
        end_with(p, PREPARE_IMPOSSIBLE, &err);
    }
    artifacts_free(&artifacts);
}

/* What a private engine's source is shows when it is here: a list of builds, a program, a tree. */
static void private_fetched(Prepare *p, const HttpResponse *response) {
    Text start = {0};
    bool list = response->file_size <= ARTIFACTS_LIMIT &&
                file_read(p->zip, ARTIFACTS_LIMIT, &start, NULL) &&
                artifacts_maybe(text_string(&start));
    if (list)
        choose_artifact(p, &start);
    else
        start_job(p, unpack_program, program_unpacked);
    text_free(&start);
}

static bool read_token(Prepare *p, Error *err) {
    bool open_to_others;
    token_free(&p->side->token);
    bool ok = token_read(p->context.state_dir, p->side->workload->engine, &p->side->token,
                         &open_to_others, err);
    if (ok && open_to_others)
        log_warn(p->context.log, "others may read %s (chmod 600 it)", p->side->token.path);
    return ok;
}

static void begin_build(Prepare *p) {
    const WorkloadSide *side = p->side->workload;
    Error err = {0};
    bool ok = !side->is_private || read_token(p, &err);
    if (ok && !prepare_path_stays(side->recipe.path))
        ok = error_set(&err, "%s is to be built in %.80s, outside its tree", side->engine,
                       side->recipe.path);
    ok = ok && (choose_compiler(p, &err) || side->is_private) && name_binary(p, &err) &&
         name_source(p, &err);
    if (!ok) {
        end_with(p, PREPARE_IMPOSSIBLE, &err);
    } else if (access(p->side->engine->binary, X_OK) == 0) {
        next_step(p);
    } else if (p->side->source && file_exists(p->side->source)) {
        free(p->zip);
        p->zip = mem_strdup(p->side->source);
        when_load(p, LOAD_GAMES, unpack_and_build);
    } else {
        log_info(p->context.log, "downloading the source of %s (%s)", side->name, side->engine);
        if (side->is_private)
            fetch_private(p, side->source, private_fetched);
        else
            fetch_url(p, side->source, SOURCE_LIMIT, source_fetched);
    }
}

/* ---- Benches ---- */

static const char *bench_words(const BenchResult *result, char *buffer, size_t size) {
    switch (result->verdict) {
    case BENCH_WRONG:
        snprintf(buffer, size, "Wrong Bench: %lld", (long long)result->nodes);
        return buffer;
    case BENCH_NONDETERMINISTIC:
        return "Non-Deterministic Benches";
    case BENCH_TIMEOUT:
        return "Bench Exceeded Max Duration";
    case BENCH_FAILED:
    case BENCH_OK:
        break;
    }
    return "Failed to Execute Benchmark";
}

/* An engine that fails in the sandbox may want what that refuses; what it counts is its own. */
static PrepareOutcome judge_failure(Prepare *p, const BenchResult *result) {
    const Sandbox *sandbox = p->context.sandbox;
    if (result->verdict != BENCH_FAILED || !sandbox || !sandbox->on)
        return PREPARE_BENCH_FAILED;
    text_clear(&p->result.logs);
    text_addf(&p->result.logs, "in the worker's sandbox: %s\n", result->reason);
    return PREPARE_BENCH_UNRUN;
}

/* A bench error stops the test for everyone, so that one failure is not enough: a binary kept from
 * before is thrown away and built again, one that was built just now is asked again. */
static void bench_failed(Prepare *p, const BenchResult *result) {
    char words[64];
    Error err = {0};
    error_set(&err, "[%s] %s", p->side->engine->title, bench_words(result, words, sizeof words));
    bool again = p->side->benches < BENCH_TRIES;
    log_warn(p->context.log, "%s%s%s%s", err.text, result->verdict == BENCH_FAILED ? ": " : "",
             result->verdict == BENCH_FAILED ? result->reason : "",
             !again           ? ""
             : p->side->fresh ? "; running it once more"
                              : "; building it again");
    if (!again || !p->side->fresh)
        unlink(p->side->engine->binary);
    if (!again) {
        end_with(p, judge_failure(p, result), &err);
        return;
    }
    p->step -= p->side->fresh ? 1 : 1 + SIDE_COUNT;
    next_step(p);
}

static bool write_record(Prepare *p, Error *err) {
    BenchRecord record = {.bench = p->side->workload->bench,
                          .nps = p->side->engine->nps,
                          .measured = (int64_t)time(NULL),
                          .copies = p->context.copies,
                          .mhz = benchbook_mhz()};
    memcpy(record.sha256, p->side->engine->sha256, sizeof record.sha256);
    return benchbook_write(p->side->engine->record, &record, err);
}

/* What cannot be written down is measured again. */
static void record_written(Prepare *p, bool ok) {
    if (!ok)
        log_warn(p->context.log, "%s", p->job_error.text);
    next_step(p);
}

static void on_bench(const BenchResult *result, void *user) {
    Prepare *p = user;
    p->bench = NULL;
    p->side->benches++;
    if (result->verdict != BENCH_OK) {
        bench_failed(p, result);
        return;
    }
    p->side->engine->nps = result->nps;
    p->side->engine->proved = true;
    start_job(p, write_record, record_written);
}

static void run_bench(Prepare *p) {
    log_info(p->context.log, "running the bench of %s, %d at once", p->side->engine->title,
             p->context.copies);
    BenchSpec spec = {.binary = p->side->engine->binary,
                      .dir = p->folder,
                      .network = p->side->engine->network,
                      .copies = p->context.copies,
                      .expected = p->side->workload->bench,
                      .sandbox = p->context.sandbox,
                      .timeout_ms = p->context.bench_timeout_ms};
    p->bench = bench_start(p->context.loop, &spec, on_bench, p);
}

/* What was found out about these very bytes before. */
static bool look_up(Prepare *p, Error *err) {
    PreparedEngine *engine = p->side->engine;
    BenchRecord record;
    BenchTerms terms = {.now = (int64_t)time(NULL),
                        .since = p->context.speeds_since,
                        .age_s = p->context.rebench_s,
                        .copies = p->context.copies,
                        .mhz = benchbook_mhz()};
    engine->proved = false;
    engine->nps = 0;
    if (!digest_file(engine->binary, engine->sha256, err))
        return false;
    if (!benchbook_read(engine->record, &record) || strcmp(record.sha256, engine->sha256) != 0 ||
        record.bench != engine->bench)
        return true;
    engine->proved = true;
    if (!p->context.timed || benchbook_is_recent(&record, &terms))
        engine->nps = record.nps;
    return true;
}

static void looked_up(Prepare *p, bool ok) {
    bool datagen = p->workload->type == WORKLOAD_DATAGEN;
    bool later = !p->context.timed && !p->context.strict && !datagen;
    if (!ok)
        end_with(p, PREPARE_LATER, &p->job_error);
    else if ((p->side->engine->proved && p->side->engine->nps > 0) || later)
        next_step(p);
    else
        when_load(p, LOAD_NONE, run_bench);
}

static void begin_bench(Prepare *p) {
    start_job(p, look_up, looked_up);
}

/* ---- Openings from the engine ---- */

static bool write_openings(Prepare *p, Error *err) {
    return file_write_atomic(p->made_book, text_string(&p->openings), p->openings.length, MODE_KEPT,
                             err);
}

static void openings_written(Prepare *p, bool ok) {
    if (ok)
        next_step(p);
    else
        end_with(p, PREPARE_LATER, &p->job_error);
}

static void on_openings(const Text *fens, const Error *cause, void *user) {
    Prepare *p = user;
    p->genfens = NULL;
    if (cause) {
        Error err = {0};
        log_warn(p->context.log, "[%s] genfens: %s", p->side->engine->title, cause->text);
        text_addf(&p->result.logs, "%s\n", cause->text);
        error_set(&err, "[%s] genfens failed", p->side->engine->title);
        end_with(p, PREPARE_FAULT, &err);
        return;
    }
    text_add_bytes(&p->openings, fens->data, fens->length);
    Text path = {0};
    text_addf(&path, "%s.epd", p->folder);
    p->made_book = text_take(&path);
    start_job(p, write_openings, openings_written);
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
        when_load(p, LOAD_NONE, make_openings);
    else
        next_step(p);
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
        next_step(p);
    else
        end_with(p, PREPARE_IMPOSSIBLE, &p->job_error);
}

static void begin_load(Prepare *p) {
    start_job(p, load_book, book_loaded);
}

/* ---- What is kept ---- */

enum { KEPT_OF_SIDE = 4, KEPT_IN_USE = 1 + KEPT_OF_SIDE * SIDE_COUNT };

/* Notes what this workload uses, and makes room. What others use was noted by them, and stays. */
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
        Text path = {0};
        text_addf(&path, "%s/%s", p->context.state_dir, kept_folders[i]);
        words_add(&folders, text_string(&path));
        text_free(&path);
    }
    bool ok = cache_trim((const char *const *)folders.items, folders.count, p->context.cache_limit,
                         in_use, KEPT_IN_USE + others->count, &removed, err);
    words_free(&folders);
    free(in_use);
    return ok;
}

/* A full cache is no reason not to play. */
static void cache_trimmed(Prepare *p, bool ok) {
    if (!ok)
        log_warn(p->context.log, "making room: %s", p->job_error.text);
    next_step(p);
}

static void begin_trim(Prepare *p) {
    start_job(p, trim_cache, cache_trimmed);
}

/* ---- The steps ---- */

static void begin_ready(Prepare *p) {
    p->result.book_made = p->made_book != NULL;
    p->result.book = mem_strdup(p->made_book ? p->made_book : p->book);
    end(p, PREPARE_READY);
}

/* bench_failed counts on this order: the build of a side stands SIDE_COUNT before its bench. */
static const struct {
    void (*begin)(Prepare *);
    Side side;
} steps[] = {
    {begin_book, SIDE_DEV},     {begin_probe, SIDE_DEV},  {begin_network, SIDE_DEV},
    {begin_network, SIDE_BASE}, {begin_build, SIDE_DEV},  {begin_build, SIDE_BASE},
    {begin_bench, SIDE_DEV},    {begin_bench, SIDE_BASE}, {begin_openings, SIDE_DEV},
    {begin_load, SIDE_DEV},     {begin_trim, SIDE_DEV},   {begin_ready, SIDE_DEV},
};

static void on_step(uv_timer_t *timer) {
    Prepare *p = timer->data;
    size_t step = p->step++;
    p->side = &p->sides[steps[step].side];
    steps[step].begin(p);
}

/* Goes on from the loop, so that steps which need nothing do not pile up on the stack. */
static void next_step(Prepare *p) {
    if (p->cancelled)
        end(p, PREPARE_CANCELLED);
    else
        uv_timer_start(&p->timer, on_step, 0, 0);
}

/* ---- Start and cancel ---- */

Prepare *prepare_start(const PrepareContext *context, const Workload *workload, PrepareDone done,
                       void *user) {
    Prepare *p = mem_calloc(1, sizeof *p);
    p->context = *context;
    p->workload = workload;
    p->done = done;
    p->user = user;
    p->sides[SIDE_DEV].workload = &workload->dev;
    p->sides[SIDE_BASE].workload = &workload->base;
    for (int i = 0; i < SIDE_COUNT; i++) {
        p->sides[i].engine = &p->result.engines[i];
        p->sides[i].engine->title = workload_binary_name(p->sides[i].workload);
        p->sides[i].engine->bench = p->sides[i].workload->bench;
    }
    p->timer.data = p;
    uv_timer_init(context->loop, &p->timer);
    p->folder = state_path(p, temporary_folder, "XXXXXX");
    if (!mkdtemp(p->folder)) {
        error_set(&p->result.error, "%s: %s", p->folder, strerror(errno));
        p->result.outcome = PREPARE_LATER;
        free(p->folder);
        p->folder = NULL;
        uv_close((uv_handle_t *)&p->timer, free_prepare);
        return p;
    }
    next_step(p);
    return p;
}

void prepare_cancel(Prepare *p) {
    if (!p || p->cancelled || uv_is_closing((uv_handle_t *)&p->timer))
        return;
    p->cancelled = true;
    if (p->call) {
        http_cancel(p->call);
    } else if (p->held || p->probe || p->build || p->bench || p->genfens ||
               uv_is_active((uv_handle_t *)&p->timer)) {
        toolchain_probe_cancel(p->probe);
        build_cancel(p->build);
        bench_cancel(p->bench);
        genfens_cancel(p->genfens);
        p->held = NULL;
        p->genfens = NULL;
        p->probe = NULL;
        p->build = NULL;
        p->bench = NULL;
        uv_timer_stop(&p->timer);
        end(p, PREPARE_CANCELLED);
    }
    /* Else a job is running: its end sees the wish. */
}
