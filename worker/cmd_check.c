/* SPDX-License-Identifier: MIT */
/* obworker check-engine: tells whether an engine would survive a match, and whether OpenBench can
 * use the engine. */
#include <stddef.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/log.h"
#include "base/options.h"
#include "base/text.h"
#include "check/checkup.h"
#include "commands.h"
#include "local/spec.h"
#include "local/ucioptions.h"
#include "match/match.h"

/* ---- The command line ---- */

typedef struct {
    OptionList command; /* The program and its arguments, as one text or as several. */
    OptionList options;
    const char *build_path;
    const char *sandbox;
    int64_t timeout; /* Seconds. */
    int64_t margin;  /* Milliseconds. */
    int64_t disk_mb;
    bool json;
    CommonOptions common;
} CheckOptions;

static const CheckOptions defaults = {
    .build_path = SPEC_BUILD_PATH, .sandbox = "auto", .timeout = 10, .margin = MATCH_MARGIN_MS};

#define FIELD(field) offsetof(CheckOptions, field)

static const Option options[] = {
    LIST_OPTION("option", "NAME=VALUE", FIELD(options),
                "a UCI option that the engine plays with, which it must take (Threads=1 and "
                "Hash=16 are set anyway)"),
    INTEGER_OPTION("timeout", "S", FIELD(timeout), 1, 3600,
                   "how long to wait for an answer that has no limit of its own (default 10), and "
                   "for uciok and readyok where a match waits less"),
    INTEGER_OPTION("margin", "MS", FIELD(margin), 0, 1e9,
                   "how late a move, or the end, may be (default 250; more on a busy machine)"),
    TEXT_OPTION("build-path", "DIR", FIELD(build_path),
                "where the repository has the engine's Makefile (git: and tree:; default engine)"),
    CHOICE_OPTION("sandbox", "on|off|auto", FIELD(sandbox),
                  "shut the engine in: as far as this system can (auto, the default), on (else do "
                  "not start), or not at all"),
    INTEGER_OPTION("disk-limit", "MB", FIELD(disk_mb), 1, 1e9,
                   "end an engine in the sandbox whose files take more (default 8192)"),
    FLAG_OPTION("json", FIELD(json), "print a JSON object instead of the table"),
    OPTION_COMMON(FIELD(common)),
};

static const OptionTable table = {
    .command = "obworker check-engine",
    .synopsis = "SPEC [options]",
    .about = "Tries what a match runner and an OpenBench worker ask of an engine: its options at "
             "their limits, each kind of search, the positions that games lead to, Chess960, the "
             "end, bench and genfens. SPEC is as in obworker match. --verbose shows the "
             "dialogue.\n\n"
             "  obworker check-engine ./engine\n"
             "  obworker check-engine lmr:KILLER=exempt",
    .statuses = "; 1 also when the engine would lose games",
    .options = options,
    .count = COUNT(options),
    .operands = FIELD(command),
};

/* ---- The checkup ---- */

static bool read_options(const CheckOptions *given, UciOptions *out, Error *err) {
    ucioptions_add_defaults(out);
    for (size_t i = 0; i < given->options.count; i++)
        if (!ucioptions_set(out, given->options.items[i], err))
            return error_prefix(err, "--option");
    bool built = spec_has_build_path(given->command.items[0]);
    return spec_check_build_path(given->build_path, built, err) &&
           sandbox_check_limit(given->sandbox, given->disk_mb, err);
}

/* Finds or builds the engine; *argv: its command line. */
static bool find_engine(const CheckOptions *given, Log *log, Words *argv, Error *err) {
    const char *spec = given->command.items[0];
    BuildOptions how = {.build_path = given->build_path, .log = log, .label = "engine"};
    if (!spec_check(spec, &how, argv, err))
        return false;
    if (spec_is_source(spec) && !spec_build(spec, &how, argv, err))
        return false;
    words_terminate(argv);
    return true;
}

static void print_result(const CheckupResult *result, bool json) {
    Text out = {0};
    if (json)
        checkup_json(result, &out);
    else
        checkup_text(result, &out);
    text_print(stdout, text_string(&out));
    if (json)
        puts("");
    text_free(&out);
}

static int examine(const CheckOptions *given, const UciOptions *uci, const Words *argv,
                   const Sandbox *sandbox, Log *log) {
    CheckupResult result;
    Error err = {0};
    CheckupSpec spec = {.engine = {.name = "engine",
                                   .argv = (const char *const *)argv->items,
                                   .options = uci->items,
                                   .option_count = (int)uci->count},
                        .sandbox = sandbox,
                        .patience_ms = given->timeout * CLOCK_MS_PER_SECOND,
                        .margin_ms = given->margin,
                        .log = log};
    if (!checkup_run(&spec, &result, &err)) {
        log_error(log, "%s", err.text);
        return EXIT_FAILED;
    }
    print_result(&result, given->json);
    int status = checkup_loses_games(&result) ? EXIT_FAILED : EXIT_DONE;
    checkup_free(&result);
    return status;
}

static int run_check(const CheckOptions *given, const UciOptions *uci, Log *log) {
    Error err = {0};
    Words argv = {0};
    Sandbox sandbox = {0};
    Text missing = {0};
    int status = EXIT_FAILED;
    if (find_engine(given, log, &argv, &err) &&
        sandbox_open(&sandbox, given->sandbox, &missing, &err) &&
        sandbox_limit_disk(&sandbox, given->disk_mb, &err)) {
        if (missing.length > 0)
            log_warn(log, "%s", text_string(&missing));
        status = examine(given, uci, &argv, &sandbox, log);
    } else
        log_error(log, "%s", err.text);
    text_free(&missing);
    sandbox_free(&sandbox);
    words_free(&argv);
    return status;
}

int cmd_check_main(int argc, char **argv) {
    int status;
    CheckOptions given = defaults;
    UciOptions uci = {0};
    Error err = {0};
    Log log;
    if (!options_run(&table, argc, argv, &given, &status))
        return status;
    log_init(&log, stderr, options_log_level(&given.common));
    if (given.command.count != 1) {
        error_set(&err, given.command.count == 0
                            ? "the engine is missing"
                            : "one engine at a time; put a program with arguments in quotes");
        status = options_usage_error(&table, &err);
    } else if (!read_options(&given, &uci, &err))
        status = options_usage_error(&table, &err);
    else
        status = run_check(&given, &uci, &log);
    ucioptions_free(&uci);
    log_free(&log);
    options_free(&table, &given);
    return status;
}
