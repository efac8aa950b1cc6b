/* SPDX-License-Identifier: MIT */
#include "session/prepare_engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "base/memory.h"
#include "build/archive.h"
#include "build/benchbook.h"
#include "build/buildlog.h"
#include "build/source.h"
#include "openbench/artifacts.h"

enum {
    BENCH_TRIES = 2,
    KEY_DIGITS = 16,
    SAFE_NAME_MAX = 64,
    LIST_LIMIT = 4 << 20,
    MODE_PROGRAM = 0755,
};
static const uint64_t SOURCE_LIMIT = UINT64_C(1) << 30;
static const uint64_t PROGRAM_LIMIT = UINT64_C(1) << 29;

_Static_assert(SAFE_NAME_MAX + 1 + KEY_DIGITS < PREPARE_EXE_MAX, "a binary's name has room");

/* ---- Compilers ---- */

static void probed(const Error *fault, void *user) {
    Prepare *p = user;
    p->probe = NULL;
    if (fault)
        preparing_later(p, fault);
    else
        preparing_next(p);
}

void preparing_compilers(Prepare *p) {
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
    return error_set(err, "this machine has none of the compilers of %s",
                     p->side->workload->engine);
}

/* ---- Names of kept files ---- */

/* Names the binary and its bench's record, by a hash of everything that makes the binary: the CPU's
 * abilities too, since engines are built for the CPU at hand, and a state folder may come to
 * another machine. */
static bool name_binary(Prepare *p, Error *err) {
    const WorkloadSide *side = p->side->workload;
    Text identity = {0};
    char digest[DIGEST_HEX_MAX];
    text_addf(&identity, "%s\n%s\n%s\n%s\n%s\n%s %s\n", side->engine, side->source, side->sha,
              side->network, side->recipe.path, p->side->compiler,
              p->side->compiler[0] ? toolchain_version(p->context.toolchain, p->side->compiler)
                                   : "");
    for (size_t i = 0; i < p->context.cpu_flags->count; i++)
        text_addf(&identity, "%s ", p->context.cpu_flags->items[i]);
    bool ok = digest_bytes(text_string(&identity), identity.length, digest, err);
    text_free(&identity);
    if (!ok)
        return false;
    char safe[SAFE_NAME_MAX];
    source_safe_name(p->side->engine->title, safe, sizeof safe);
    snprintf(p->side->exe, sizeof p->side->exe, "%s-%.*s", safe, KEY_DIGITS, digest);
    free(p->side->engine->binary);
    p->side->engine->binary = preparing_path(p, PREPARING_ENGINES, p->side->exe);
    free(p->side->engine->record);
    p->side->engine->record = preparing_path(p, PREPARING_BENCHES, p->side->exe);
    return true;
}

/* Names the source's zip, by a hash of its URL and commit. The source of a private engine is not
 * kept. */
static bool name_source(Prepare *p, Error *err) {
    const WorkloadSide *side = p->side->workload;
    Text identity = {0};
    char digest[DIGEST_HEX_MAX];
    text_addf(&identity, "%s\n%s\n", side->source, side->sha);
    bool ok = digest_bytes(text_string(&identity), identity.length, digest, err);
    text_free(&identity);
    free(p->side->source);
    p->side->source = NULL;
    if (!ok || side->is_private)
        return ok;
    char *name = text_format("%s.zip", digest);
    p->side->source = preparing_path(p, PREPARING_SOURCES, name);
    free(name);
    return true;
}

/* ---- Builds ---- */

/* Installs the binary whole: a kept engine is used without a check, so a power cut must not leave a
 * part. */
static bool install_binary(Prepare *p, Error *err) {
    return file_install(p->built, p->side->engine->binary, err);
}

static void binary_installed(Prepare *p, bool ok) {
    if (!ok) {
        preparing_later(p, &p->task.error);
        return;
    }
    p->side->fresh = true;
    preparing_next(p);
}

/* Names the folder whose full disk or used-up quota made the build fail. The output alone may quote
 * the source, so there must be little room, too. Allocated; NULL: there is room. */
static char *find_full_folder(const Prepare *p) {
    const char *folders[] = {p->context.state_dir, file_temporary_folder()};
    const char *output = text_string(&p->result.logs);
    bool quota = strstr(output, strerror(EDQUOT)) != NULL;
    for (size_t i = 0; source_lacks_room(output) && i < COUNT(folders); i++) {
        if (file_disk_is_nearly_full(folders[i]))
            return text_format("%s: %s", folders[i], strerror(ENOSPC));
        if (quota && file_quota_is_used_up(folders[i]))
            return text_format("%s: %s", folders[i], strerror(EDQUOT));
    }
    return NULL;
}

/* Keeps the whole output of make and the compiler, for the person who runs the worker. */
static bool keep_log(Prepare *p, Error *err) {
    free(p->full);
    p->full = find_full_folder(p);
    char *name = text_format("%s.log", p->side->exe);
    char *path = preparing_path(p, PREPARING_LOGS, name);
    bool ok = buildlog_write(path, text_string(&p->result.logs), err);
    if (ok)
        log_info(p->context.log, "  the whole output is in %s", path);
    free(path);
    free(name);
    return ok;
}

static void log_kept(Prepare *p, bool ok) {
    const WorkloadSide *side = p->side->workload;
    Error err = {0};
    if (!ok)
        log_warn(p->context.log, "%s", p->task.error.text);
    if (p->full) {
        text_clear(&p->result.logs);
        error_set(&err, "[%s] %s is not built: %s", side->engine, side->name, p->full);
        preparing_later(p, &err);
        return;
    }
    if (!p->side->slowly && source_lacks_memory(text_string(&p->result.logs))) {
        text_clear(&p->result.logs);
        p->side->slowly = true;
        preparing_go_back(p, STEP_BUILD);
        return;
    }
    error_set(&err, "[%s] %s build failed", side->engine, side->name);
    preparing_end_with(p, PREPARE_FAULT, &err);
}

static void build_failed(Prepare *p, const char *output, const char *cause) {
    const WorkloadSide *side = p->side->workload;
    log_warn(p->context.log, "[%s] %s: %s", side->engine, side->name, cause);
    buildlog_show(p->context.log, output);
    text_clear(&p->result.logs);
    text_addf(&p->result.logs, "%s%s\n", output, cause);
    preparing_task(p, keep_log, log_kept);
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
    preparing_task(p, install_binary, binary_installed);
}

/* A tree without the folder of the build is a fault of the test, as a build that fails. */
static void start_build(Prepare *p) {
    if (p->build_dir == NULL) {
        char *cause = text_format("there is no folder %s in the source %s",
                                  p->side->workload->recipe.path, p->side->workload->source);
        build_failed(p, "", cause);
        free(cause);
        return;
    }
    log_info(p->context.log, "building %s with %s%s", p->side->engine->title, p->side->compiler,
             p->side->slowly ? ", one job at a time, for want of memory or processes" : "");
    BuildSpec spec = {.dir = p->build_dir,
                      .tree = p->tree,
                      .sandbox = p->context.sandbox,
                      .network = p->context.build_network,
                      .exe = p->side->exe,
                      .compiler = p->side->compiler,
                      .evalfile = p->side->engine->network,
                      .jobs = p->side->slowly ? 1 : 0,
                      .timeout_ms = p->context.build_timeout_ms};
    Error err = {0};
    p->build = build_start(p->context.loop, &spec, on_built, p, &err);
    if (p->build)
        return;
    /* This machine's fault, of which the server is not told. */
    error_prefix(&err, "[%s] %s is not built", p->side->workload->engine, p->side->workload->name);
    preparing_later(p, &err);
}

/* ---- Sources ---- */

static bool unpack(Prepare *p, const char *zip, Error *err) {
    const WorkloadSide *side = p->side->workload;
    char *aside = text_format("%s/%s", p->context.state_dir, PREPARING_UNREMOVED);
    free(p->build_dir);
    bool ok = source_unpack(zip, p->tree, aside, side->recipe.path, &p->build_dir, err) ||
              error_prefix(err, "source %s", side->source);
    free(aside);
    return ok;
}

/* Unpacks a kept source. A source that cannot be unpacked is removed. */
static bool check_source(void *user, Error *err) {
    Prepare *p = user;
    bool ok = unpack(p, p->side->source, err);
    if (!ok)
        unlink(p->side->source);
    return ok;
}

static InstallVerdict install_source(const Download *download, void *user, Error *err) {
    Prepare *p = user;
    if (!unpack(p, download->path, err))
        return source_lacks_room(err->text)       ? INSTALL_NO_ROOM
               : archive_is_whole(download->path) ? INSTALL_WRONG
                                                  : INSTALL_TROUBLE;
    if (p->side->source && rename(download->path, p->side->source) != 0) {
        error_set(err, "%s: %s", p->side->source, strerror(errno));
        return INSTALL_NO_ROOM;
    }
    return INSTALL_DONE;
}

static void proceed(Prepare *p) {
    fetch_proceed(p->fetch);
}

/* Lets the fetch wait until no clocks run. Sources are not unpacked beside clocks, since their
 * builds follow. */
static void wait_for_clocks(Fetch *fetch, const Download *download, void *user) {
    (void)download;
    Prepare *p = user;
    p->fetch = fetch;
    preparing_when_load(p, LOAD_GAMES, proceed);
}

static void source_fetched(FetchOutcome outcome, const Error *err, void *user) {
    Prepare *p = user;
    if (preparing_fetched(p, outcome, err))
        start_build(p);
}

static void fetch_source(Prepare *p) {
    const WorkloadSide *side = p->side->workload;
    char *name = text_format("the source of %s (%s)", side->name, side->engine);
    Artifact artifact = {.request = {.url = mem_strdup(side->source)},
                         .limit = SOURCE_LIMIT,
                         .name = name,
                         .kept = p->side->source,
                         .check = check_source,
                         .install = install_source,
                         .gate = wait_for_clocks};
    preparing_fetch(p, &artifact, source_fetched);
    free(name);
}

/* ---- Private engines ---- */

/* Whether BMI2 is slow on this CPU. The toolchain's name of the architecture then leaves out BMI2.
 */
static bool has_slow_pext(const Prepare *p) {
    const char *isa = p->context.toolchain->isa_name;
    return isa && strcmp(isa, "x86-64-avx2") == 0;
}

/* Installs the program from a zip with nothing but a program. A program that cannot be written is a
 * fault of this machine. */
static InstallVerdict unpack_program(Prepare *p, const char *zip, Error *err) {
    static const char magic[] = "\177ELF";
    Text program = {0};
    InstallVerdict verdict = INSTALL_DONE;
    bool ok = archive_read_single(zip, PROGRAM_LIMIT, &program, err);
    if (ok && strncmp(text_string(&program), magic, sizeof magic - 1) != 0)
        ok = error_set(err, "%s: the file in the archive is not a program", zip);
    if (!ok)
        verdict = archive_is_whole(zip) ? INSTALL_WRONG : INSTALL_TROUBLE;
    else if (!file_write_atomic(p->side->engine->binary, program.data, program.length, MODE_PROGRAM,
                                err))
        verdict = INSTALL_NO_ROOM;
    text_free(&program);
    return verdict;
}

/* Finds the best build of a list for this machine. */
static bool choose_listed(Prepare *p, const char *list, Error *err) {
    const ArtifactEntry *best = NULL;
    Artifacts artifacts = {0};
    Text text = {0};
    if (file_read(list, LIST_LIMIT, &text, err) &&
        artifacts_parse(text_string(&text), text.length, &artifacts, err)) {
        best = artifacts_best(&artifacts, p->context.cpu_flags, has_slow_pext(p));
        if (!best)
            error_set(err, "none of %zu builds is for this machine", artifacts.count);
    }
    free(p->side->listed_url);
    p->side->listed_url = best ? mem_strdup(best->url) : NULL;
    if (best)
        snprintf(p->side->listed_name, sizeof p->side->listed_name, "%s", best->name);
    artifacts_free(&artifacts);
    text_free(&text);
    return p->side->listed_url || error_prefix(err, "the builds of %s", p->side->workload->engine);
}

/* Installs a program as it is; a source tree is unpacked, to be built. */
static InstallVerdict install_program(const Download *download, void *user, Error *err) {
    Prepare *p = user;
    InstallVerdict verdict = unpack_program(p, download->path, err);
    p->side->fresh = verdict == INSTALL_DONE;
    bool is_source = verdict == INSTALL_WRONG && p->side->compiler[0];
    return is_source ? install_source(download, p, err) : verdict;
}

static InstallVerdict install_private(const Download *download, void *user, Error *err) {
    Prepare *p = user;
    if (!p->side->listed)
        return install_program(download, p, err);
    return choose_listed(p, download->path, err) ? INSTALL_DONE : INSTALL_USELESS;
}

/* Finds out whether the download is a list of builds. Other downloads, a program or a tree, wait
 * for the clocks. */
static void look_for_list(Fetch *fetch, const Download *download, void *user) {
    Prepare *p = user;
    Text start = {0};
    p->side->listed = download->size <= LIST_LIMIT &&
                      file_read(download->path, LIST_LIMIT, &start, NULL) &&
                      artifacts_maybe(text_string(&start));
    text_free(&start);
    if (p->side->listed)
        fetch_proceed(fetch);
    else
        wait_for_clocks(fetch, download, p);
}

/* Downloads with the engine's token, if the token may be sent there. */
static void fetch_private(Prepare *p, const char *url, Artifact *artifact, FetchDone done) {
    const Token *token = &p->side->token;
    if (!token_is_for(token, url)) {
        Error err = {0};
        error_set(&err, "the source of %s is %.200s, but the token in %s is for %s",
                  p->side->workload->engine, url, token->path,
                  token->home ? token->home : "GitHub");
        preparing_end_with(p, PREPARE_IMPOSSIBLE, &err);
        return;
    }
    artifact->request = (HttpRequest){.url = mem_strdup(url), .token = mem_strdup(token->word)};
    artifact->limit = SOURCE_LIMIT;
    preparing_fetch(p, artifact, done);
}

static void program_fetched(FetchOutcome outcome, const Error *err, void *user) {
    Prepare *p = user;
    if (!preparing_fetched(p, outcome, err))
        return;
    if (p->side->fresh)
        preparing_next(p);
    else
        start_build(p);
}

static void fetch_listed(Prepare *p) {
    char *name = text_format("the build %s", p->side->listed_name);
    Artifact artifact = {.name = name, .install = install_program, .gate = wait_for_clocks};
    fetch_private(p, p->side->listed_url, &artifact, program_fetched);
    free(name);
}

static void private_fetched(FetchOutcome outcome, const Error *err, void *user) {
    Prepare *p = user;
    if (outcome != FETCH_READY || !p->side->listed)
        program_fetched(outcome, err, p);
    else if (preparing_fetched(p, outcome, err))
        fetch_listed(p);
}

static void fetch_private_source(Prepare *p) {
    const WorkloadSide *side = p->side->workload;
    char *name = text_format("the source of %s (%s)", side->name, side->engine);
    Artifact artifact = {.name = name, .install = install_private, .gate = look_for_list};
    fetch_private(p, side->source, &artifact, private_fetched);
    free(name);
}

static bool read_token(Prepare *p, Error *err) {
    token_free(&p->side->token);
    return token_read(p->context.state_dir, p->side->workload->engine, p->context.log,
                      &p->side->token, err);
}

void preparing_build(Prepare *p) {
    const WorkloadSide *side = p->side->workload;
    Error err = {0};
    bool ok = !side->is_private || read_token(p, &err);
    if (ok && !source_path_stays(side->recipe.path))
        ok = error_set(&err, "%s is to be built in %.80s, outside its tree", side->engine,
                       side->recipe.path);
    ok = ok && (choose_compiler(p, &err) || side->is_private) && name_binary(p, &err) &&
         name_source(p, &err);
    if (!ok) {
        preparing_end_with(p, PREPARE_IMPOSSIBLE, &err);
    } else if (access(p->side->engine->binary, X_OK) == 0) {
        log_debug(p->context.log, "%s is kept from an earlier build", p->side->engine->title);
        preparing_next(p);
    } else if (side->is_private) {
        fetch_private_source(p);
    } else {
        fetch_source(p);
    }
}

/* ---- Benches ---- */

/* The outcome of a failed bench. The sandbox may be the cause of a failure to run, and the kernel
 * of a killed bench, but neither is the cause of a wrong count. */
static PrepareOutcome judge_failure(Prepare *p, const BenchResult *result) {
    const Sandbox *sandbox = p->context.sandbox;
    bool shut_in = sandbox && sandbox->on;
    if (result->verdict != BENCH_FAILED || (!shut_in && !result->killed))
        return PREPARE_BENCH_FAILED;
    text_clear(&p->result.logs);
    text_addf(&p->result.logs, "%s%s\n", shut_in ? "in the worker's sandbox: " : "",
              result->reason);
    return PREPARE_BENCH_UNRUN;
}

/* Handles a failed bench. A bench that this machine cannot start says nothing about the engine. A
 * bench error stops the test for everyone, so one failure is not enough: a kept binary is removed
 * and built again, and a new binary runs its bench once more. */
static void bench_failed(Prepare *p, const BenchResult *result) {
    char words[BENCH_WORDS_MAX];
    Error err = {0};
    if (result->verdict == BENCH_UNSTARTED) {
        error_set(&err, "[%s] its bench cannot be run: %s", p->side->engine->title, result->reason);
        preparing_end_with(p, PREPARE_LATER, &err);
        return;
    }
    error_set(&err, "[%s] %s", p->side->engine->title, bench_words(result, words));
    bool again = p->side->benches < BENCH_TRIES;
    log_warn(p->context.log, "%s%s%s%s", err.text, result->verdict == BENCH_FAILED ? ": " : "",
             result->verdict == BENCH_FAILED ? result->reason : "",
             !again           ? ""
             : p->side->fresh ? "; running it once more"
                              : "; building it again");
    if (!again || !p->side->fresh)
        unlink(p->side->engine->binary);
    if (!again)
        preparing_end_with(p, judge_failure(p, result), &err);
    else
        preparing_go_back(p, p->side->fresh ? STEP_BENCH : STEP_BUILD);
}

/* Clocks are scaled by the speed. */
static void fail_without_speed(Prepare *p) {
    Error err = {0};
    error_set(&err, "[%s] its bench tells 0 nodes a second: no clock can be scaled by that",
              p->side->engine->title);
    preparing_end_with(p, PREPARE_FAULT, &err);
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

/* The bench will run again when its record cannot be written. */
static void record_written(Prepare *p, bool ok) {
    if (!ok)
        log_warn(p->context.log, "%s", p->task.error.text);
    preparing_next(p);
}

static void on_bench(const BenchResult *result, void *user) {
    Prepare *p = user;
    p->bench = NULL;
    p->side->benches++;
    if (result->verdict != BENCH_OK) {
        bench_failed(p, result);
        return;
    }
    if (p->context.timed && result->nps == 0) {
        fail_without_speed(p);
        return;
    }
    p->side->engine->nps = result->nps;
    p->side->engine->proved = true;
    preparing_task(p, write_record, record_written);
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

/* Looks for a record of an earlier bench of the same bytes. */
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
        preparing_end_with(p, PREPARE_LATER, &p->task.error);
    else if ((p->side->engine->proved && p->side->engine->nps > 0) || later)
        preparing_next(p);
    else
        preparing_when_load(p, LOAD_NONE, run_bench);
}

void preparing_bench(Prepare *p) {
    preparing_task(p, look_up, looked_up);
}
