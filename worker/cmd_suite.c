/* SPDX-License-Identifier: MIT */
/* obworker match --suite: several variants against one base, each with a journal of its own, and a
 * table of them in the end. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "cmd_match.h"
#include "local/pairlog.h"
#include "report/compare.h"
#include "report/page.h"
#include "report/record.h"
#include "report/result.h"
#include "local/suite.h"

static const OptionTable *const table = &match_option_table;

/* What the user sees of a run. */
typedef struct {
    MatchSuite suite;
    MatchOptions given; /* The file's and the command line's. */
    char **argv;
    Log log;
    SprtRule rule;
    bool sprt;
    char *folder;
    char **journals;  /* Their paths, a variant each. */
    MatchStep *steps; /* The latest of each. */
    bool interrupted;
} SuiteRun;

/* ---- Options ---- */

/* Those that a suite's file cannot have: they are the suite's own, or one match's. */
static const char *const no_file_options[] = {"dev",    "dev-name", "suite", "journal",
                                              "resume", "pgn",      "json",  "html",
                                              "quiet",  "verbose",  "help",  "exit-verdict"};

/* Whether a line of the file is an option that a match understands, and its value too. */
static bool check_option(const SuiteRun *run, size_t index, Error *err) {
    char *word = run->suite.options.items[index];
    char *argv[] = {(char *)"match", word};
    MatchOptions trial = match_defaults;
    bool help = false;
    size_t length = strcspn(word + 2, "=");
    for (size_t i = 0; i < sizeof no_file_options / sizeof *no_file_options; i++)
        if (strlen(no_file_options[i]) == length &&
            strncmp(no_file_options[i], word + 2, length) == 0)
            return error_set(err, "%s is for the command line", no_file_options[i]);
    trial.spec[SIDE_DEV] = trial.spec[SIDE_BASE] = "lmr:";
    bool ok = options_parse(table, 2, argv, &trial, &help, err) && match_check(&trial, err);
    options_free(table, &trial);
    return ok;
}

/* All options: the file's first, so that the command line's count more. */
static bool read_options(SuiteRun *run, int argc, char **argv, Error *err) {
    Words *options = &run->suite.options;
    bool help = false;
    for (size_t i = 0; i < options->count; i++)
        if (!check_option(run, i, err))
            return error_prefix(err, "%s: line %d", run->given.suite, run->suite.option_lines[i]);
    run->argv = mem_calloc(options->count + (size_t)argc + 1, sizeof *run->argv);
    int count = 0;
    run->argv[count++] = argv[0];
    for (size_t i = 0; i < options->count; i++)
        run->argv[count++] = options->items[i];
    for (int i = 1; i < argc; i++)
        run->argv[count++] = argv[i];
    run->given = match_defaults;
    return options_parse(table, count, run->argv, &run->given, &help, err);
}

static bool check_options(SuiteRun *run, Error *err) {
    const MatchOptions *given = &run->given;
    MatchOptions trial = *given;
    if (given->spec[SIDE_DEV] || given->pgn)
        return error_set(err, "--%s: is for a match of one variant, not for --suite",
                         given->pgn ? "pgn" : "dev");
    if (given->exit_verdict)
        return error_set(err, "--exit-verdict: a suite has several verdicts");
    trial.spec[SIDE_DEV] = "lmr:";
    trial.resume = false;
    if (!match_check(&trial, err))
        return false;
    run->sprt = match_has_sprt(given);
    return rule_read(&given->rule, &run->rule, err);
}

/* ---- Journals ---- */

static void name_journals(SuiteRun *run) {
    Text path = {0};
    text_add(&path, run->given.journal ? run->given.journal : run->given.suite);
    text_add(&path, run->given.journal ? "" : ".journals");
    run->folder = text_take(&path);
    run->journals = mem_calloc(run->suite.count, sizeof *run->journals);
    for (size_t i = 0; i < run->suite.count; i++) {
        text_addf(&path, "%s/%s.jsonl", run->folder, run->suite.variants[i].name);
        run->journals[i] = text_take(&path);
    }
}

/* Nothing is gone on with unasked. All variants play the same openings: the seed is that of the
 * journals there are, or a new one. */
static bool look_at_journals(SuiteRun *run, Error *err) {
    for (size_t i = 0; i < run->suite.count; i++) {
        RecordHead head = {0};
        if (access(run->journals[i], F_OK) != 0)
            continue;
        if (!run->given.resume)
            return error_set(err, "%s: exists; --resume goes on with the suite's journals",
                             run->journals[i]);
        bool ok = pairlog_peek(run->journals[i], &head, err);
        if (ok && run->given.seed < 0)
            run->given.seed = head.seed;
        record_free_head(&head);
        if (!ok)
            return false;
    }
    if (run->given.seed < 0)
        run->given.seed = (int64_t)((uint32_t)time(NULL) ^ (uint32_t)getpid() << 16);
    return file_make_folders(run->folder, err);
}

/* ---- Playing ---- */

/* A step of a variant. False when it failed, which was told. */
static bool step(SuiteRun *run, size_t index, MatchStep wish) {
    SuiteVariant *variant = &run->suite.variants[index];
    MatchOptions given = run->given;
    MatchStep *here = &run->steps[index];
    given.spec[SIDE_DEV] = variant->spec;
    given.name[SIDE_DEV] = variant->name;
    given.journal = run->journals[index];
    given.resume = true;
    given.json = false;
    text_free(&here->setup);
    *here = wish;
    bool ok = match_play(&given, here) == EXIT_DONE;
    if (!ok)
        log_error(&run->log, "%s: line %d: %s: failed, see above", run->given.suite, variant->line,
                  variant->name);
    variant->failed = !ok;
    variant->over = !ok || here->over;
    variant->tally = here->report.tally;
    variant->llr = here->llr;
    run->interrupted = run->interrupted || here->interrupted;
    return ok;
}

/* All engines are made and all journals read before anything is played. */
static bool prepare(SuiteRun *run) {
    bool ok = true;
    for (size_t i = 0; i < run->suite.count; i++) {
        const SuiteVariant *variant = &run->suite.variants[i];
        log_info(&run->log, "%s: preparing %s", variant->name, variant->spec);
        ok = step(run, i, (MatchStep){.build_only = true, .again = true}) && ok;
    }
    for (size_t i = 0; ok && i < run->suite.count; i++)
        ok = step(run, i, (MatchStep){.again = i > 0});
    return ok;
}

static void announce(SuiteRun *run, const SuiteVariant *variant) {
    int64_t games = tally_games(&variant->tally);
    if (games == 0)
        log_info(&run->log, "%s: begins", variant->name);
    else if (run->sprt)
        log_info(&run->log, "%s: after %" PRId64 " games, LLR %.2f", variant->name, games,
                 variant->llr);
    else
        log_info(&run->log, "%s: after %" PRId64 " games", variant->name, games);
}

/* ---- Between two steps ---- */

/* A match hears of interrupts while it plays; this hears of them all the time, so that one which
 * comes between two matches ends the suite as well, and not the program. */
typedef struct {
    uv_loop_t loop;
    uv_signal_t signals[2];
    bool heard;
} Ear;

static void on_signal(uv_signal_t *handle, int number) {
    Ear *ear = handle->data;
    (void)number;
    ear->heard = true;
}

static void ear_open(Ear *ear) {
    static const int SIGNALS[2] = {SIGINT, SIGTERM};
    uv_loop_init(&ear->loop);
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&ear->loop, &ear->signals[i]);
        ear->signals[i].data = ear;
        uv_signal_start(&ear->signals[i], on_signal, SIGNALS[i]);
    }
}

static bool ear_heard(Ear *ear) {
    uv_run(&ear->loop, UV_RUN_NOWAIT);
    return ear->heard;
}

static void ear_close(Ear *ear) {
    for (int i = 0; i < 2; i++)
        uv_close((uv_handle_t *)&ear->signals[i], NULL);
    uv_run(&ear->loop, UV_RUN_DEFAULT);
    uv_loop_close(&ear->loop);
}

static bool play(SuiteRun *run, Ear *ear) {
    bool in_turn = strcmp(run->given.order, "turn") == 0;
    bool ok = true;
    for (;;) {
        run->interrupted = run->interrupted || ear_heard(ear);
        int next = suite_next(&run->suite, in_turn, run->sprt ? &run->rule : NULL);
        if (run->interrupted || next == SUITE_NONE)
            break;
        announce(run, &run->suite.variants[next]);
        int64_t pairs = in_turn ? INT32_MAX : run->given.slice;
        ok = step(run, (size_t)next, (MatchStep){.again = true, .pairs = pairs}) && ok;
    }
    return ok;
}

/* ---- The table ---- */

/* A failure is told. */
static bool write_page(SuiteRun *run, const CompareRow *rows) {
    enum { PAGE_MODE = 0644 };
    Error err = {0};
    Text page = {0};
    Text title = {0};
    char *base = result_shown_spec(run->given.spec[SIDE_BASE]);
    text_addf(&title, "Tests against %s",
              run->given.name[SIDE_BASE] ? run->given.name[SIDE_BASE] : base);
    page_of_comparison(rows, run->suite.count, text_string(&title), &page);
    bool ok = file_write_atomic(run->given.html, page.data, page.length, PAGE_MODE, &err);
    if (!ok)
        log_error(&run->log, "--html: %s", err.text);
    free(base);
    text_free(&title);
    text_free(&page);
    return ok;
}

static bool print_table(SuiteRun *run) {
    Text out = {0};
    CompareRow *rows = mem_calloc(run->suite.count, sizeof *rows);
    ProgressStyle style = {.width = log_width(&run->log), .utf8 = run->log.utf8};
    for (size_t i = 0; i < run->suite.count; i++)
        rows[i] = (CompareRow){.name = run->suite.variants[i].name, .report = run->steps[i].report};
    compare_sort(rows, run->suite.count);
    if (run->given.json)
        compare_json(rows, run->suite.count, &out);
    else
        compare_text(rows, run->suite.count, &style, &out);
    fputs(text_string(&out), stdout);
    text_free(&out);
    bool ok = run->given.html == NULL || write_page(run, rows);
    free(rows);
    return ok;
}

static void free_run(SuiteRun *run) {
    for (size_t i = 0; i < run->suite.count; i++) {
        text_free(&run->steps[i].setup);
        if (run->journals)
            free(run->journals[i]);
    }
    free(run->steps);
    free(run->journals);
    free(run->folder);
    free(run->argv);
    options_free(table, &run->given);
    suite_free(&run->suite);
    log_free(&run->log);
}

static int fail(SuiteRun *run, const Error *err) {
    log_error(&run->log, "%s", err->text);
    return EXIT_FAILED;
}

/* The suite and its options are sound. */
static int run_suite(SuiteRun *run) {
    Error err = {0};
    name_journals(run);
    if (!look_at_journals(run, &err))
        return fail(run, &err);
    if (!prepare(run))
        return EXIT_FAILED;
    Ear ear = {0};
    ear_open(&ear);
    bool ok = play(run, &ear);
    if (run->interrupted)
        log_info(&run->log, "journals in %s: the same command with --resume goes on from here",
                 run->folder);
    ok = print_table(run) && ok;
    ear_close(&ear);
    return ok ? EXIT_DONE : EXIT_FAILED;
}

int suite_main(int argc, char **argv, const MatchOptions *given) {
    Error err = {0};
    int status;
    SuiteRun run = {.given = {.suite = given->suite}};
    log_init(&run.log, stderr, options_log_level(&given->common));
    bool ok = suite_read(given->suite, &run.suite, &err);
    run.steps = mem_calloc(run.suite.count + 1, sizeof *run.steps);
    if (!ok || !read_options(&run, argc, argv, &err) || !check_options(&run, &err))
        status = options_usage_error(table, &err);
    else
        status = run_suite(&run);
    free_run(&run);
    return status;
}
