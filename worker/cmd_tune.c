/* SPDX-License-Identifier: MIT */
/* obworker tune: a tuning by SPSA on this machine without a server. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/log.h"
#include "base/options.h"
#include "base/text.h"
#include "build/owntree.h"
#include "commands.h"
#include "local/localrun.h"
#include "local/settings.h"
#include "local/spec.h"
#include "local/venue.h"
#include "localoptions.h"
#include "report/output.h"
#include "report/tuningview.h"
#include "tablechange.h"
#include "testoptions.h"

static const char OWN[] = "lmr:";

/* ---- The command line ---- */

typedef struct {
    LocalSettings local;
    TuneSettings tune;
    OptionList lines;
    const char *file;
    bool apply;
    bool json;
    bool markdown;
    CommonOptions common;
} TuneOptions;

static const TuneOptions defaults = {
    .local = LOCAL_DEFAULTS,
    .tune = {.schedule = {.alpha = 0.602,
                          .gamma = 0.101,
                          .a_ratio = 0.1,
                          .iterations = 500,
                          .pairs_per = 8},
             .overlap = 2},
};

#define FIELD(field) offsetof(TuneOptions, field)

static const Option options[] = {
    OPTION_SECTION("What is tuned"),
    TEXT_OPTION("engine", "SPEC", FIELD(local.spec[SIDE_DEV]),
                "the engine: a program (with arguments when quoted), lmr:ROW=VALUE,... (this "
                "project's engine, built with TUNE=1 by itself), git:REF or tree:[PATH]"),
    LIST_OPTION("param", "LINE", FIELD(lines),
                "\"NAME, int|float, start, min, max, c_end, r_end\", as OpenBench has it; may be "
                "repeated"),
    TEXT_OPTION("params", "FILE", FIELD(file),
                "a file of such lines, as reductio lmr spsa prints them"),
    OPTION_SECTION("The schedule"),
    OPTION_SCHEDULE(FIELD(tune.schedule), "the parameters move after each (default 500)"),
    INTEGER_OPTION(
        "overlap", "N", FIELD(tune.overlap), 1, TUNING_OVERLAP_MAX,
        "iterations in play at a time (default 2): more keep more games in play, but each begins "
        "with fewer results of the ones before"),
    OPTION_SECTION("Games"),
    OPTION_TC(FIELD(local.tc)),
    OPTION_UCI(FIELD(local.options)),
    LOCAL_OPENINGS(FIELD(local)),
    LOCAL_ADJUDICATION(FIELD(local)),
    LOCAL_MACHINE(FIELD(local)),
    OPTION_SECTION("Records and results"),
    LOCAL_GAME_FILES(FIELD(local)),
    FLAG_OPTION(
        "resume", FIELD(local.resume),
        "go on with the tuning in the file of --journal: the command that began it, with --resume"),
    TEXT_OPTION("html", "FILE", FIELD(local.html),
                "in the end, a page of the tuning, as obworker report --journal makes it"),
    FLAG_OPTION("json", FIELD(json), "end with a JSON object instead of the text"),
    FLAG_OPTION("markdown", FIELD(markdown), "end with Markdown instead of the text"),
    FLAG_OPTION("apply", FIELD(apply),
                "after the last iteration, write the values into the tables of the tree that this "
                "folder is in (for lmr: alone): engine/lmr/flags.def and engine/search/params.def"),
    OPTION_SECTION("Besides"),
    LOCAL_BUILDING(FIELD(local)),
    OPTION_COMMON(FIELD(common)),
};

static const OptionTable table = {
    .command = "obworker tune",
    .synopsis = "--engine SPEC {--param LINE... | --params FILE} [options]",
    .about = "Tunes an engine's UCI options by SPSA: plays pairs of games in which both sides have "
             "values a step to either side of the present ones, and moves towards the better side. "
             "Ctrl-C finishes the games that complete a pair; twice stops them.\n\n"
             "  obworker tune --engine lmr: --params rows --tc N=5000 --journal tune.jsonl\n"
             "  obworker tune --engine ./mine --param \"Margin, int, 90, 20, 300, 12, 0.002\"",
    .options = options,
    .count = COUNT(options),
    .operands = OPTION_NO_OPERANDS,
};

/* ---- Parameters ---- */

static bool read_parameters(TuneOptions *given, Error *err) {
    if (given->file != NULL && !parameters_read(given->file, &given->tune.parameters, err))
        return false;
    for (size_t i = 0; i < given->lines.count; i++)
        if (!spsa_add_parameter(&given->tune.parameters, given->lines.items[i], err))
            return error_prefix(err, "--param");
    return given->tune.parameters.count > 0 ||
           error_set(err, "--param: is missing: what to tune (reductio lmr spsa prints such lines "
                          "in a build with TUNE=1)");
}

/* The parameter's values would take the place of the option's. */
static bool check_fixed(const TuneOptions *given, Error *err) {
    const OptionList *fixed = &given->local.options;
    for (size_t i = 0; i < fixed->count; i++)
        for (size_t k = 0; k < given->tune.parameters.count; k++) {
            const char *name = given->tune.parameters.items[k].name;
            size_t length = strlen(name);
            if (strncasecmp(fixed->items[i], name, length) == 0 && fixed->items[i][length] == '=')
                return error_set(err, "--option %s: %s is tuned", fixed->items[i], name);
        }
    return true;
}

static bool is_own(const TuneOptions *given) {
    return text_starts_with(given->local.spec[SIDE_DEV], OWN);
}

/* The tables get the tuned rows, and none of those that SPEC names besides. */
static bool is_all_own(const TuneOptions *given) {
    return strcmp(given->local.spec[SIDE_DEV], OWN) == 0;
}

static bool read_settings(TuneOptions *given, Venue *venue, Error *err) {
    LocalSettings *local = &given->local;
    if (local->spec[SIDE_DEV] == NULL)
        return error_set(err, "--engine: is missing: the engine to tune");
    if (local->resume && local->journal == NULL)
        return error_set(err, "--resume: --journal FILE is missing: the tuning to go on with");
    if (given->apply && !is_own(given))
        return error_set(err, "--apply: writes this project's tables, and %s is not lmr:",
                         local->spec[SIDE_DEV]);
    if (given->apply && !is_all_own(given))
        return error_set(err,
                         "--apply: the tables would get the tuned rows alone, without those "
                         "of %s: write these first, and tune lmr:",
                         local->spec[SIDE_DEV]);
    if (given->json && given->markdown)
        return error_set(err, "--markdown: --json is given too");
    if (!spec_check_build_path(local->build_path, spec_has_build_path(local->spec[SIDE_DEV]), err))
        return false;
    if (!read_parameters(given, err) || !check_fixed(given, err))
        return false;
    local->spec[SIDE_BASE] = local->spec[SIDE_DEV];
    local->games = 2 * given->tune.schedule.iterations * given->tune.schedule.pairs_per;
    local->tune = &given->tune;
    *venue = (Venue){.given = local};
    return venue_read(venue, err) && venue_check(local, "params", given->file, err);
}

/* ---- The tables of our own engine ---- */

/* The engine's folder: in the tree around the working folder, else in the sources of lmr:.
 * Allocated; NULL with err set. */
static char *find_tables(Error *err) {
    char *engine = owntree_top_engine();
    return engine != NULL ? engine : owntree_engine(err);
}

/* Puts the tuned values into the tables; tuning NULL: the start values. */
static bool change_tables(const TuneOptions *given, const Tuning *tuning, TableChange *change,
                          Error *err) {
    char *engine = find_tables(err);
    bool ok = engine != NULL && tablechange_open(change, engine, err);
    for (size_t i = 0; ok && i < given->tune.parameters.count; i++) {
        Text word = {0};
        text_addf(&word, "%s=", given->tune.parameters.items[i].name);
        if (tuning != NULL)
            tuningview_value(tuning, i, &word);
        else
            text_add_number(&word, given->tune.parameters.items[i].start);
        ok = tablechange_set(change, text_string(&word), err);
        text_free(&word);
    }
    free(engine);
    return ok;
}

/* Before the tuning is played: do the tables have its rows, and could --apply write them? */
static bool check_tables(const TuneOptions *given, Error *err) {
    if (!is_own(given))
        return true;
    TableChange change = {0};
    char *top = given->apply ? owntree_top() : NULL;
    bool ok = !given->apply || top != NULL ||
              error_set(err, "--apply: this folder is in no tree with engine/lmr/flags.def");
    ok = ok && change_tables(given, NULL, &change, err);
    tablechange_free(&change);
    free(top);
    return ok;
}

/* ---- Playing ---- */

static int fail(Log *log, const Error *err) {
    log_error(log, "%s", err->text);
    return EXIT_FAILED;
}

/* Warns when places will wait for the last games of an iteration: where iterations do not overlap,
 * or the later ones in play have fewer games than there are places. */
static void warn_of_waiting(const TuneOptions *given, const Venue *venue) {
    const TuneSettings *tune = &given->tune;
    int64_t games = 2 * tune->schedule.pairs_per;
    if (venue->config.concurrency > (tune->overlap > 1 ? games * (tune->overlap - 1) : 1))
        log_warn(venue->log,
                 "%d games at a time will wait for each other: an iteration has %lld games, and "
                 "%lld iteration%s may be in play at a time; raise --overlap%s",
                 venue->config.concurrency, (long long)games, (long long)tune->overlap,
                 text_plural(tune->overlap), tune->overlap > 1 ? " or --pairs-per" : "");
}

static bool open_tuning(LocalRun *run, Venue *venue, const TuneOptions *given, Error *err) {
    if (!check_tables(given, err) || !localrun_start(run, venue, err))
        return false;
    warn_of_waiting(given, venue);
    return true;
}

static bool apply(const TuneOptions *given, const Tuning *tuning, const TableChange *changes,
                  Log *log, Error *err) {
    if (!given->apply)
        return true;
    if (tuning->done < tuning->schedule.iterations) {
        log_warn(log, "--apply: nothing is written before the last iteration");
        return true;
    }
    if (!tablechange_write(changes, err))
        return error_prefix(err, "--apply");
    log_info(log, "the values are written into the tables; make builds the engine with them");
    return true;
}

/* Prints the tuning's result and the difference of the engine's tables, and writes the page. */
static bool show_result(const TuneOptions *given, const LocalRun *run, Log *log, Error *err) {
    Result result = {0};
    TableChange changes = {0};
    Text diff = {0};
    Error untold = {0};
    bool ok = localrun_result(run, &result, err);
    bool tables = ok && is_own(given) && change_tables(given, result.tuning, &changes, &untold);
    if (ok && is_own(given) && !tables)
        log_warn(log, "no difference of the tables can be shown: %s", untold.text);
    if (tables)
        tablechange_diff(&changes, &diff);
    if (tables && !is_all_own(given))
        log_warn(log, "the difference of the tables has the tuned rows alone, without those of %s",
                 given->local.spec[SIDE_DEV]);
    if (diff.length > 0)
        result.diff = text_take(&diff);
    if (ok)
        output_result(&result, given->json       ? OUTPUT_JSON
                               : given->markdown ? OUTPUT_MARKDOWN
                                                 : OUTPUT_BLOCK);
    ok = ok && output_result_page(&result, given->local.html, err) &&
         (!given->apply || tables || error_set(err, "--apply: %s", untold.text)) &&
         apply(given, result.tuning, &changes, log, err);
    tablechange_free(&changes);
    result_free(&result);
    return ok;
}

/* Plays and reports; after a failure reports the games played before. */
static int play_tuning(const TuneOptions *given, LocalRun *run, Log *log) {
    Error err = {0};
    Error unshown = {0};
    bool played = localrun_play(run, 0, &err);
    played = localrun_finish(run, played ? &err : NULL) && played;
    if (!played && run->score.games == 0)
        return fail(log, &err);
    localrun_tell(run);
    bool shown = show_result(given, run, log, &unshown);
    if (!played)
        return fail(log, &err);
    return shown ? EXIT_DONE : fail(log, &unshown);
}

int cmd_tune_main(int argc, char **argv) {
    int status;
    TuneOptions given = defaults;
    Venue venue = {0};
    LocalRun run = {0};
    Error err = {0};
    Log log;
    if (!options_run(&table, argc, argv, &given, &status))
        return status;
    log_init(&log, stderr, options_log_level(&given.common));
    if (!read_settings(&given, &venue, &err))
        status = options_usage_error(&table, &err);
    else {
        venue.log = &log;
        status = open_tuning(&run, &venue, &given, &err) ? play_tuning(&given, &run, &log)
                                                         : fail(&log, &err);
    }
    localrun_close(&run);
    venue_close(&venue);
    spsa_free_parameters(&given.tune.parameters);
    log_free(&log);
    options_free(&table, &given);
    return status;
}
