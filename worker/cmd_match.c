/* SPDX-License-Identifier: MIT */
/* obworker match: an A/B test on this machine without a server, or a suite of A/B tests. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/shellwords.h"
#include "base/text.h"
#include "commands.h"
#include "local/foreign.h"
#include "local/localrun.h"
#include "local/pairlog.h"
#include "local/settings.h"
#include "local/spec.h"
#include "local/suite.h"
#include "local/suiterun.h"
#include "local/ucioptions.h"
#include "local/venue.h"
#include "localoptions.h"
#include "report/block.h"
#include "report/compare.h"
#include "report/output.h"
#include "report/page.h"
#include "report/progress.h"
#include "testoptions.h"

enum { SLICE_MAX = 100000000 };

/* The exit statuses of --exit-verdict. */
enum { EXIT_H1 = EXIT_DONE, EXIT_H0 = 3, EXIT_UNDECIDED = 4 };

/* The SHA-256 of what a report's match was played with; NULL: the report does not say it. */
typedef struct {
    char *programs[SIDE_COUNT];
    char *book;
} Played;

/* ---- The command line ---- */

typedef struct {
    LocalSettings local;
    RuleOptions rule;
    const char *suite;
    const char *after;
    const char *order;
    int64_t slice;       /* Pairs of a variant's turn. */
    const char *foreign; /* Another tool's command line; NULL: none. */
    const char *again;   /* The report of the match to play again; NULL: none. */
    bool json;
    bool exit_verdict;
    CommonOptions common;
} MatchOptions;

static const MatchOptions defaults = {
    .local = LOCAL_DEFAULTS,
    .order = "evidence",
    .slice = SUITE_SLICE_PAIRS,
};

#define FIELD(field) offsetof(MatchOptions, field)

static const Option options[] = {
    OPTION_SECTION("Engines"),
    TEXT_OPTION(
        "dev", "SPEC", FIELD(local.spec[SIDE_DEV]),
        "the engine under test: a program (with arguments when quoted), lmr:ROW=VALUE,... "
        "(this project's engine with these switches; lmr: is the default build), or git:REF, a "
        "commit of the repository that this folder is in, or tree:, its files as they are, "
        "with what is not committed (tree:PATH: those of the repository that PATH lies in)"),
    TEXT_OPTION("base", "SPEC", FIELD(local.spec[SIDE_BASE]), "the engine it is measured against"),
    TEXT_OPTION("dev-name", "NAME", FIELD(local.name[SIDE_DEV]),
                "its name in the PGN (default dev)"),
    TEXT_OPTION("base-name", "NAME", FIELD(local.name[SIDE_BASE]),
                "its name in the PGN (default base)"),
    OPTION_TC(FIELD(local.tc)),
    TEXT_OPTION("dev-tc", "TC", FIELD(local.side_tc[SIDE_DEV]), "dev's own time control"),
    TEXT_OPTION("base-tc", "TC", FIELD(local.side_tc[SIDE_BASE]), "base's own time control"),
    INTEGER_OPTION("dev-margin", "MS", FIELD(local.side_margin[SIDE_DEV]), 0, 1e9,
                   "how late a move of dev may be (default: that of --margin)"),
    INTEGER_OPTION("base-margin", "MS", FIELD(local.side_margin[SIDE_BASE]), 0, 1e9,
                   "how late a move of base may be"),
    TEXT_OPTION("dev-dir", "DIR", FIELD(local.side_dir[SIDE_DEV]),
                "dev's working folder, which it may read; paths in its arguments and options start "
                "there"),
    TEXT_OPTION("base-dir", "DIR", FIELD(local.side_dir[SIDE_BASE]), "base's working folder"),
    OPTION_UCI(FIELD(local.options)),
    LIST_OPTION("dev-option", "NAME=VALUE", FIELD(local.side_options[SIDE_DEV]),
                "a UCI option for dev alone"),
    LIST_OPTION("base-option", "NAME=VALUE", FIELD(local.side_options[SIDE_BASE]),
                "a UCI option for base alone"),
    OPTION_SECTION("Openings"),
    LOCAL_OPENINGS(FIELD(local)),
    OPTION_SECTION("The end, of the match and of games"),
    OPTION_RULE(FIELD(rule), "the SPRT's hypotheses, in Elo of the --model (default 0,5)"),
    OPTION_MODEL(FIELD(rule)),
    OPTION_GAMES(FIELD(local.games),
                 "so many games, an even number; without an SPRT unless --bounds is given too"),
    LOCAL_ADJUDICATION(FIELD(local)),
    LOCAL_MACHINE(FIELD(local)),
    OPTION_SECTION("Records and results"),
    LOCAL_GAME_FILES(FIELD(local)),
    FLAG_OPTION(
        "resume", FIELD(local.resume),
        "go on with the match in the file of --journal: the command that began it, with --resume"),
    TEXT_OPTION(
        "html", "FILE", FIELD(local.html),
        "in the end, a page of the match (or of a suite's table), as obworker report makes it"),
    FLAG_OPTION("json", FIELD(json), "end with a JSON object instead of the report block"),
    FLAG_OPTION("exit-verdict", FIELD(exit_verdict), "let the exit status tell the SPRT's verdict"),
    OPTION_SECTION("Several variants"),
    TEXT_OPTION("suite", "FILE", FIELD(suite),
                "measure each variant of the file against the base: a name and a SPEC a line (NAME "
                "SPEC against SPEC: one with a base of its own), and "
                "options without their dashes (tc = N=5000); --journal names the folder of their "
                "journals (default FILE.journals)"),
    CHOICE_OPTION("order", "evidence|turn", FIELD(order),
                  "which comes next: the most undecided one (the default), or one after the other"),
    INTEGER_OPTION(
        "slice", "PAIRS", FIELD(slice), 1, SLICE_MAX,
        "with evidence: how many pairs of one are played before the next is chosen (default "
        "50)"),
    TEXT_OPTION(
        "after", "FILE", FIELD(after),
        "FILE has a lab's results (report --lab) of this engine: of each variant only the "
        "games that FILE lacks are played, from the next openings. A suite is found in FILE by "
        "the name of its folder of journals"),
    OPTION_SECTION("Besides"),
    TEXT_OPTION("again", "FILE", FIELD(again),
                "play again the match that the JSON report FILE describes (match --json, or report "
                "--journal --json): same engines, options and openings; options of the command "
                "line win"),
    TEXT_OPTION("from-fastchess", "WORDS", FIELD(foreign),
                "play the match that these words of fastchess or cutechess-cli describe; options "
                "beside them win. Without this option such a line is not played: the same match "
                "is printed in obworker's options (status 2)"),
    LOCAL_BUILDING(FIELD(local)),
    OPTION_COMMON(FIELD(common)),
};

static const OptionTable table = {
    .command = "obworker match",
    .synopsis = "{--dev SPEC --base SPEC | --suite FILE | --again FILE | --from-fastchess WORDS} "
                "[options]",
    .about = "Plays pairs of games between two engines until the SPRT is decided, and reports. "
             "Ctrl-C finishes the games that complete a pair; twice stops them.\n\n"
             "  obworker match --dev lmr:KILLER=exempt --base lmr:\n"
             "  obworker match --dev ./new --base ./old --tc N=5000 --games 400 --pgn out.pgn",
    .statuses = "; with --exit-verdict: 0 H1, 3 H0, 4 undecided",
    .options = options,
    .count = COUNT(options),
    .operands = OPTION_NO_OPERANDS,
    .no_operands = "engines follow --dev and --base",
};

/* Without an SPRT its options would say nothing. */
static bool check_rule_options(const MatchOptions *given, Error *err) {
    static const char NO_SPRT[] = "--games without --bounds has no SPRT";
    bool sprt = given->local.sprt;
    const OptionUse uses[] = {{"exit-verdict", given->exit_verdict, sprt, NO_SPRT},
                              {"confidence", given->rule.confidence != NULL, sprt, NO_SPRT},
                              {"model", given->rule.model != NULL, sprt, NO_SPRT}};
    return options_check_uses(uses, COUNT(uses), err);
}

/* Reads the values and fills *venue, without looking at files or engines. The caller closes *venue
 * in either case. */
static bool read_values(MatchOptions *given, Venue *venue, Error *err) {
    LocalSettings *local = &given->local;
    local->sprt = local->games == 0 || given->rule.bounds != NULL;
    if (!games_check(local->games, err) || !rule_read(&given->rule, &local->rule, err))
        return false;
    *venue = (Venue){.given = local};
    return venue_read(venue, err);
}

/* Refuses the options of a suite that mean nothing for this match. */
static bool check_order_options(const MatchOptions *given, Error *err) {
    static const char NO_SUITE[] = "is for the variants of a --suite";
    bool suite = given->suite != NULL;
    bool order = strcmp(given->order, defaults.order) != 0;
    bool slice = given->slice != defaults.slice;
    const OptionUse uses[] = {{"after", given->after != NULL, suite, NO_SUITE},
                              {"order", order, suite, NO_SUITE},
                              {"slice", slice, suite, NO_SUITE}};
    return options_check_uses(uses, COUNT(uses), err);
}

/* Reads the values as read_values does, and checks that the options go together. */
static bool read_settings(MatchOptions *given, Venue *venue, Error *err) {
    bool suite = given->suite != NULL;
    return read_values(given, venue, err) && check_rule_options(given, err) &&
           check_order_options(given, err) &&
           venue_check(&given->local, suite ? "suite" : "again",
                       suite ? given->suite : given->again, err);
}

/* Is an engine built in the folder of --build-path? suite: NULL for one match. */
static bool has_build_path(const LocalSettings *local, const MatchSuite *suite) {
    bool has =
        spec_has_build_path(local->spec[SIDE_DEV]) || spec_has_build_path(local->spec[SIDE_BASE]);
    for (size_t i = 0; suite != NULL && !has && i < suite->count; i++)
        has = spec_has_build_path(suite->variants[i].spec) ||
              spec_has_build_path(suite->variants[i].base);
    return has;
}

static bool check_sides(const LocalSettings *local, Error *err) {
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        if (local->spec[side] == NULL)
            return error_set(err, "--%s: is missing: the engine to play%s", side_name(side),
                             local->spec[1 - side] == NULL
                                 ? " (--suite FILE has several, --again FILE repeats a match)"
                                 : "");
    if (local->resume && local->journal == NULL)
        return error_set(err, "--resume: --journal FILE is missing: the match to go on with");
    return spec_check_build_path(local->build_path, has_build_path(local, NULL), err) &&
           venue_check_names(local, err);
}

static int fail(Log *log, const Error *err) {
    log_error(log, "%s", err->text);
    return EXIT_FAILED;
}

/* ---- One match ---- */

static void print_report(LocalRun *run, bool json) {
    Text out = {0};
    Report report = localrun_report(run);
    if (json)
        report_json(&report, &out);
    else
        report_block(&report, &out);
    text_print(stdout, text_string(&out));
    text_free(&out);
}

static int verdict_status(const MatchOptions *given, const LocalRun *run) {
    Verdict verdict = run->score.sequence.verdict;
    if (!given->exit_verdict)
        return EXIT_DONE;
    return verdict == VERDICT_H1 ? EXIT_H1 : verdict == VERDICT_H0 ? EXIT_H0 : EXIT_UNDECIDED;
}

/* Plays and reports; after a failure reports the games played before, also on the page. */
static int play_match(const MatchOptions *given, LocalRun *run, Log *log) {
    Error err = {0};
    bool played = localrun_play(run, 0, &err);
    played = localrun_finish(run, played ? &err : NULL) && played;
    if (!played && run->score.games == 0)
        return fail(log, &err);
    localrun_tell(run);
    print_report(run, given->json);
    if (!localrun_write_page(run, played ? &err : NULL) || !played)
        return fail(log, &err);
    return verdict_status(given, run);
}

/* Options that a journal's "asked" leaves out: the first TOLD_BESIDES, which localrun adds itself,
 * then those of one run and of its files. */
enum { TOLD_BESIDES = 3 };
static const char *const not_again[] = {
    "dev",         "base",     "seed",   "again",        "from-fastchess",
    "suite",       "order",    "slice",  "after",        "journal",
    "resume",      "pgn",      "pgn-pv", "pgn-hashfull", "pgn-notation",
    "positions",   "html",     "json",   "exit-verdict", "transcripts",
    "concurrency", "affinity", "quiet",  "verbose",      "help",
    NULL};

static bool read_played(const cJSON *match, Played *out, Error *err) {
    const JsonField book = {"book_sha256", JSON_TEXT, JSON_OPTIONAL, offsetof(Played, book)};
    bool ok = json_read(match, "match", &book, 1, out, err);
    for (Side side = SIDE_DEV; ok && side < SIDE_COUNT; side++) {
        const JsonField program = {"program_sha256", JSON_TEXT, JSON_OPTIONAL, 0};
        const cJSON *engine = json_object(match, "match", side_name(side), err);
        ok = engine != NULL &&
             json_read(engine, side_name(side), &program, 1, &out->programs[side], err);
    }
    return ok;
}

static void free_played(Played *played) {
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
        free(played->programs[side]);
    free(played->book);
    *played = (Played){0};
}

static void warn_of_other(const char *what, const char *known, const char *now, Log *log) {
    if (known != NULL && now != NULL && strcmp(known, now) != 0)
        log_warn(log, "%s is not the one of the report: its SHA-256 is %.12s, and was %.12s", what,
                 now, known);
}

/* Paths and commits may lead to other files than when the report was made. */
static void warn_of_others(const Played *known, const LocalRun *run, Log *log) {
    Played now = {0};
    Error err;
    cJSON *match = json_parse(text_string(&run->described), run->described.length, &err);
    if (match != NULL && read_played(match, &now, &err)) {
        warn_of_other("dev's program", known->programs[SIDE_DEV], now.programs[SIDE_DEV], log);
        warn_of_other("base's program", known->programs[SIDE_BASE], now.programs[SIDE_BASE], log);
        warn_of_other("the book", known->book, now.book, log);
    }
    free_played(&now);
    cJSON_Delete(match);
}

/* Plays the match of the options. played: of the report that they come from; NULL: of none. */
static int run_match(MatchOptions *given, const Played *played, Log *log) {
    Error err = {0};
    Venue venue = {0};
    LocalRun run = {0};
    Words asked = {0};
    int status;
    options_write(&table, given, &defaults, not_again, &asked);
    given->local.asked = &asked;
    if (!check_sides(&given->local, &err) || !read_settings(given, &venue, &err))
        status = options_usage_error(&table, &err);
    else {
        venue.log = log;
        bool started = localrun_start(&run, &venue, &err);
        if (started && played != NULL)
            warn_of_others(played, &run, log);
        status = started ? play_match(given, &run, log) : fail(log, &err);
    }
    localrun_close(&run);
    venue_close(&venue);
    words_free(&asked);
    return status;
}

/* Has the list an option of this option's name? */
static bool has_named(const OptionList *list, const char *option) {
    for (size_t i = 0; i < list->count; i++)
        if (ucioptions_same_name(list->items[i], option))
            return true;
    return false;
}

static void drop_named(OptionList *list, const char *option) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!ucioptions_same_name(list->items[i], option))
            list->items[kept++] = list->items[i];
    list->count = kept;
}

/* An option for both sides would say nothing beside each side's own. Where the user has typed it,
 * the sides' own that were not typed give way. */
static void heed_typed(const LocalSettings *typed, LocalSettings *given) {
    bool tc = typed->tc != NULL && given->side_tc[SIDE_DEV] && given->side_tc[SIDE_BASE];
    bool margin = typed->margin >= 0 && given->side_margin[SIDE_DEV] >= 0 &&
                  given->side_margin[SIDE_BASE] >= 0;
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        if (tc)
            given->side_tc[side] = typed->side_tc[side];
        if (margin)
            given->side_margin[side] = typed->side_margin[side];
    }
    for (size_t i = 0; i < typed->options.count; i++) {
        const char *option = typed->options.items[i];
        if (!has_named(&given->side_options[SIDE_DEV], option) ||
            !has_named(&given->side_options[SIDE_BASE], option))
            continue;
        for (Side side = SIDE_DEV; side < SIDE_COUNT; side++)
            if (!has_named(&typed->side_options[side], option))
                drop_named(&given->side_options[side], option);
    }
}

/* Parses `first`, then the command line, which wins. The options point into both. */
static bool parse_with(const Words *first, int argc, char **argv, MatchOptions *given, Error *err) {
    char **all = mem_calloc(first->count + (size_t)argc + 1, sizeof *all);
    bool help = false;
    int count = 0;
    all[count++] = argv[0];
    for (size_t i = 0; i < first->count; i++)
        all[count++] = first->items[i];
    for (int i = 1; i < argc; i++)
        all[count++] = argv[i];
    *given = defaults;
    bool ok = options_parse(&table, count, all, given, &help, err);
    MatchOptions typed = defaults;
    typed.local.tc = NULL;
    typed.local.margin = -1;
    if (ok && options_parse(&table, argc, argv, &typed, &help, err))
        heed_typed(&typed.local, &given->local);
    options_free(&table, &typed);
    free(all);
    return ok;
}

/* ---- A match again ---- */

/* Has the list, which a NULL ends, the option "name" or "name=value"? */
static bool is_listed(const char *const *list, const char *name) {
    size_t length = strcspn(name, "=");
    while (*list != NULL && (strlen(*list) != length || strncmp(*list, name, length) != 0))
        list++;
    return *list != NULL;
}

static bool is_journal(const char *path) {
    int64_t start;
    Error none = {0};
    return pairlog_start_of(path, &start, &none);
}

/* Reads the options of a match from its report, and what it was played with. */
static bool read_report(const char *path, Words *out, Played *played, Error *err) {
    enum { REPORT_MAX = 1 << 26 };
    static const JsonField ASKED[] = {{"asked", JSON_TEXT_LIST, JSON_REQUIRED, 0}};
    Text text = {0};
    bool read = file_read(path, REPORT_MAX, &text, err);
    cJSON *report = read ? json_parse(text_string(&text), text.length, err) : NULL;
    if (read && report == NULL && is_journal(path))
        error_set(err, "is a journal: report --journal FILE --json makes the report of it");
    const cJSON *match = report != NULL ? json_object(report, "report", "match", err) : NULL;
    bool ok = match != NULL &&
              (cJSON_GetObjectItemCaseSensitive(match, "tuning") == NULL ||
               error_set(err, "is the report of a tuning, and not of a match")) &&
              json_read(match, "match", ASKED, COUNT(ASKED), out, err) &&
              read_played(match, played, err);
    for (size_t i = 0; ok && i < out->count; i++)
        if (!text_starts_with(out->items[i], "--") ||
            is_listed(not_again + TOLD_BESIDES, out->items[i] + 2) ||
            !options_is_whole(&table, out->items[i], NULL))
            ok = error_set(err, "match.asked: '%s' is not an option of a match", out->items[i]);
    cJSON_Delete(report);
    text_free(&text);
    return ok || (read && error_prefix(err, "%s", path));
}

/* Leaves out --sandbox off; returns whether it was there. A report may be a stranger's, and only
 * the user may let its engines out. */
static bool keep_shut_in(Words *asked) {
    size_t kept = 0;
    for (size_t i = 0; i < asked->count; i++) {
        if (strcmp(asked->items[i], "--sandbox=off") != 0)
            asked->items[kept++] = asked->items[i];
        else
            free(asked->items[i]);
    }
    bool found = kept < asked->count;
    asked->count = kept;
    return found;
}

static void log_options(const Words *words, Log *log) {
    Text line = {0};
    shell_quote_words(words, &line);
    log_info(log, "again:%s", text_string(&line));
    text_free(&line);
}

/* Plays the report's match; options of the command line win. */
static int run_again(const char *path, int argc, char **argv, Log *log) {
    Error err = {0};
    Words words = {0};
    Played played = {0};
    MatchOptions given = {0};
    int status;
    bool read = read_report(path, &words, &played, &err);
    bool open = read && keep_shut_in(&words);
    if (!read || !parse_with(&words, argc, argv, &given, &err) ||
        (given.suite != NULL &&
         !error_set(&err, "describes one match, but --suite plays several"))) {
        error_prefix(&err, "--again");
        status = options_usage_error(&table, &err);
    } else {
        if (open && strcmp(given.local.sandbox, "off") != 0)
            log_info(log, "--again: the report's --sandbox off is left out: type it to play "
                          "without the sandbox");
        log_options(&words, log);
        status = run_match(&given, &played, log);
    }
    options_free(&table, &given);
    words_free(&words);
    free_played(&played);
    return status;
}

/* ---- The words of other tools ---- */

static bool check_one_match(const MatchOptions *given, Error *err) {
    if (given->again != NULL)
        return error_set(err, "--again: --from-fastchess names another match");
    return given->suite == NULL ||
           error_set(err, "--from-fastchess: describes one match, but --suite plays several");
}

/* Does an option beside the line make the remark untrue? */
static bool is_untrue(const char *remark, const MatchOptions *given) {
    return given->local.book != NULL && text_starts_with(remark, "-openings: is missing");
}

/* Plays the match that the other tool's command line describes. */
static int run_foreign(const char *line, int argc, char **argv, Log *log) {
    Error err = {0};
    Words words = {0};
    ForeignMatch match = {0};
    MatchOptions given = {0};
    int status;
    if (!shell_split(line, &words, &err) || !foreign_read(&words, &match, &err)) {
        error_prefix(&err, "--from-fastchess");
        status = options_usage_error(&table, &err);
    } else if (!parse_with(&match.options, argc, argv, &given, &err) ||
               !check_one_match(&given, &err))
        status = options_usage_error(&table, &err);
    else {
        for (size_t i = 0; i < match.remarks.count; i++)
            if (!is_untrue(match.remarks.items[i], &given))
                log_warn(log, "%s", match.remarks.items[i]);
        status = run_match(&given, NULL, log);
    }
    options_free(&table, &given);
    foreign_free(&match);
    words_free(&words);
    return status;
}

/* Would the match of these options be played, as far as the options tell? */
static bool check_answer(const Words *answer, char **argv, Error *err) {
    MatchOptions given = {0};
    Venue venue = {0};
    bool ok = parse_with(answer, 1, argv, &given, err) && check_sides(&given.local, err) &&
              read_settings(&given, &venue, err);
    venue_close(&venue);
    options_free(&table, &given);
    return ok;
}

/* Prints another tool's command line as options of this program. The status is a usage error, since
 * nothing is played. */
static int answer_foreign(int argc, char **argv) {
    Error err = {0};
    Words words = {0};
    ForeignMatch match = {0};
    for (int i = 1; i < argc; i++)
        words_add(&words, argv[i]);
    if (foreign_read(&words, &match, &err) && check_answer(&match.options, argv, &err)) {
        Text command = {0};
        for (size_t i = 0; i < match.remarks.count; i++)
            fprintf(stderr, "%s: %s\n", table.command, match.remarks.items[i]);
        fprintf(stderr, "%s: nothing was played; the same match in the words of %s:\n",
                table.command, table.command);
        foreign_command(&match, &command);
        printf("%s\n", text_string(&command));
        text_free(&command);
    } else
        options_usage_error(&table, &err);
    foreign_free(&match);
    words_free(&words);
    return EXIT_USAGE;
}

/* ---- A suite: its options ---- */

/* Options that a suite's file cannot have: the suite's own, and those of a single match. */
static const char *const no_file_options[] = {
    "dev",  "dev-name",     "suite",          "journal", "resume", "pgn",
    "json", "html",         "positions",      "quiet",   "after",  "verbose",
    "help", "exit-verdict", "from-fastchess", "again",   NULL};

/* Is this the name of an option that a suite's file gives a value? */
static bool is_file_option(const char *name) {
    for (size_t i = 0; i < table.count; i++)
        if (table.options[i].kind != OPTION_FLAG && strcmp(table.options[i].name, name) == 0)
            return !is_listed(no_file_options, name);
    return false;
}

/* Is a line of the file a match's option with a valid value? */
static bool check_line(char *word, Error *err) {
    char *argv[] = {(char *)"match", word};
    MatchOptions trial = defaults;
    Venue venue = {0};
    bool help = false;
    size_t length = strcspn(word + 2, "=");
    if (is_listed(no_file_options, word + 2))
        return error_set(err, "%.*s may stand only on the command line", (int)length, word + 2);
    bool ok = options_is_whole(&table, word, err) &&
              options_parse(&table, 2, argv, &trial, &help, err) &&
              read_values(&trial, &venue, err);
    venue_close(&venue);
    options_free(&table, &trial);
    return ok;
}

/* Reads all options into *given: the file's, then the command line's, which win. The options point
 * into the suite and the command line. */
static bool read_suite_options(const MatchSuite *suite, const char *file, int argc, char **argv,
                               MatchOptions *given, Error *err) {
    for (size_t i = 0; i < suite->count; i++)
        if (is_file_option(suite->variants[i].name))
            return error_set(err, "%s: line %d: %s is an option: expected %s = VALUE", file,
                             suite->variants[i].line, suite->variants[i].name,
                             suite->variants[i].name);
    return parse_with(&suite->options, argc, argv, given, err);
}

static bool check_suite_options(const MatchSuite *suite, MatchOptions *given, Error *err) {
    const LocalSettings *local = &given->local;
    Venue venue = {0};
    const char *alone = local->spec[SIDE_DEV]   ? "dev"
                        : local->name[SIDE_DEV] ? "dev-name"
                        : local->pgn            ? "pgn"
                        : local->positions      ? "positions"
                                                : NULL;
    if (alone != NULL)
        return error_set(err, "--%s: is for a match of one variant, not for --suite", alone);
    for (size_t i = 0; i < suite->count && local->spec[SIDE_BASE] == NULL; i++)
        if (suite->variants[i].base == NULL)
            return error_set(err,
                             "--base: is missing: the engine that %s of %s plays against (--base "
                             "SPEC, or a line base = SPEC)",
                             suite->variants[i].name, given->suite);
    for (size_t i = 0; i < suite->count; i++) {
        LocalSettings named = *local;
        named.name[SIDE_DEV] = suite->variants[i].name;
        if (!venue_check_names(&named, err))
            return error_prefix(err, "%s: line %d", given->suite, suite->variants[i].line);
    }
    if (given->after != NULL && local->html != NULL)
        return error_set(err, "--html: needs the journals of all games; with --after use obworker "
                              "report --lab --html");
    if (given->exit_verdict)
        return error_set(err, "--exit-verdict: a suite has several verdicts");
    if (!spec_check_build_path(local->build_path, has_build_path(local, suite), err))
        return false;
    bool ok = read_settings(given, &venue, err);
    venue_close(&venue);
    return ok;
}

/* ---- A suite: its table ---- */

static bool write_suite_page(const SuiteRun *run, const CompareRow *rows, Error *err) {
    Text page = {0};
    Text title = {0};
    const char *name = run->given.name[SIDE_BASE];
    const char *spec = run->given.spec[SIDE_BASE];
    for (size_t i = 0; i < run->suite->count; i++)
        if (run->suite->variants[i].base != NULL)
            spec = NULL; /* The variants' bases differ. */
    char *base = spec != NULL ? result_shown_spec(spec) : NULL;
    if (base != NULL)
        text_addf(&title, "Tests against %s", name ? name : base);
    else
        text_add(&title, "Tests side by side");
    page_of_comparison(rows, run->suite->count, text_string(&title), &page);
    bool ok = output_page(&page, run->given.html, err);
    free(base);
    text_free(&title);
    text_free(&page);
    return ok;
}

/* Writes the variants' pages, when the table has a page, which links to them. */
static bool write_variant_pages(const SuiteRun *run, Result *results, CompareRow *rows,
                                Error *err) {
    bool ok = true;
    for (size_t i = 0; run->given.html != NULL && ok && i < run->suite->count; i++)
        ok = localrun_result(&run->runs[i], &results[i], err) &&
             output_row(&results[i], run->given.html, rows[i].name, &rows[i], err);
    return ok;
}

/* Prints the table and writes the pages. */
static bool show_suite(SuiteRun *run, bool json, Error *err) {
    size_t count = run->suite->count;
    Text out = {0};
    CompareRow *rows = mem_calloc(count, sizeof *rows);
    Result *results = mem_calloc(count, sizeof *results);
    ProgressStyle style = {.width = log_width(run->log), .utf8 = run->log->utf8};
    suiterun_report(run, rows);
    bool ok = write_variant_pages(run, results, rows, err);
    compare_sort(rows, count);
    if (json)
        compare_json(rows, count, &out);
    else
        compare_text(rows, count, &style, &out);
    text_print(stdout, text_string(&out));
    ok = ok && write_suite_page(run, rows, err);
    for (size_t i = 0; i < count; i++)
        result_free(&results[i]);
    text_free(&out);
    free(results);
    free(rows);
    return ok;
}

static int play_suite(MatchSuite *suite, const char *file, const MatchOptions *given, Log *log) {
    SuiteRun run = {.suite = suite,
                    .file = file,
                    .given = given->local,
                    .log = log,
                    .slice = strcmp(given->order, "turn") == 0 ? 0 : given->slice,
                    .after = given->after};
    Error err = {0};
    bool table_due;
    int status = suiterun_play(&run, &table_due) ? EXIT_DONE : EXIT_FAILED;
    if (table_due && !show_suite(&run, given->json, &err))
        status = fail(log, &err);
    suiterun_close(&run);
    return status;
}

/* file: the value of --suite. */
static int run_suite(const char *file, int argc, char **argv, Log *log) {
    Error err = {0};
    MatchSuite suite = {0};
    MatchOptions given = {0};
    Words asked = {0};
    int status;
    if (suite_read(file, check_line, &suite, &err) &&
        read_suite_options(&suite, file, argc, argv, &given, &err) &&
        check_suite_options(&suite, &given, &err)) {
        options_write(&table, &given, &defaults, not_again, &asked);
        given.local.asked = &asked;
        status = play_suite(&suite, file, &given, log);
    } else
        status = options_usage_error(&table, &err);
    words_free(&asked);
    options_free(&table, &given);
    suite_free(&suite);
    return status;
}

int cmd_match_main(int argc, char **argv) {
    int status;
    MatchOptions given = defaults;
    Log log;
    if (foreign_is(argc, argv))
        return answer_foreign(argc, argv);
    if (!options_run(&table, argc, argv, &given, &status))
        return status;
    log_init(&log, stderr, options_log_level(&given.common));
    if (given.foreign != NULL)
        status = run_foreign(given.foreign, argc, argv, &log);
    else if (given.again != NULL)
        status = run_again(given.again, argc, argv, &log);
    else if (given.suite != NULL)
        status = run_suite(given.suite, argc, argv, &log);
    else
        status = run_match(&given, NULL, &log);
    log_free(&log);
    options_free(&table, &given);
    return status;
}
