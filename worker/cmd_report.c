/* SPDX-License-Identifier: MIT */
/* obworker report: reports a test on a server, a local match's journal, or counts of results;
 * compares several of these; takes positions out of journals; and tells the outlook of a test that
 * is not played yet. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text.h"
#include "commands.h"
#include "labreport.h"
#include "openbench/login.h"
#include "openbench/http.h"
#include "positionsreport.h"
#include "report/compare.h"
#include "report/follow.h"
#include "report/outlookblock.h"
#include "report/output.h"
#include "report/page.h"
#include "report/progress.h"
#include "report/result.h"
#include "servertest.h"
#include "stats/bounds.h"
#include "testfollow.h"
#include "testoptions.h"

enum { TEST_MAX = 1000000000, SECONDS_MAX = 86400 };

typedef struct {
    int64_t test;
    const char *journal;
    const char *penta;
    const char *tri;
    RuleOptions rule;
    bool compare;
    const char *lab;
    int64_t bench;
    const char *positions;
    bool only_quiet;
    bool plan;
    double elo;
    double draw_ratio;
    bool json;
    bool markdown;
    const char *html;
    bool follow;
    int64_t every;
    LoginOptions login;
    OptionList operands;
    CommonOptions common;
} ReportOptions;

#define FIELD(field) offsetof(ReportOptions, field)

static const Option options[] = {
    OPTION_SECTION("What to report on"),
    INTEGER_OPTION(
        "test", "N", FIELD(test), 1, TEST_MAX,
        "the test of this number on the server (--server; --username where it wants a login)"),
    TEXT_OPTION(
        "journal", "FILE", FIELD(journal),
        "the journal of a local match, which may be going on (obworker match --journal), or "
        "of a worker's workload (STATE/outbox/NAME.journal)"),
    TEXT_OPTION("penta", "LL,LD,DD,DW,WW", FIELD(penta),
                "pairs by dev's points: 0, 1/2, 1, 1 1/2, 2; with or without a block's brackets"),
    TEXT_OPTION("tri", "L,D,W", FIELD(tri),
                "games dev has lost, drawn and won; alone or beside --penta"),
    OPTION_RULE(FIELD(rule), "the hypotheses of an SPRT on such counts"),
    OPTION_MODEL(FIELD(rule)),
    FLAG_OPTION(
        "compare", FIELD(compare),
        "a table of several, the best first; each is a journal's FILE, a test's number on the "
        "server, or NAME=LL,LD,DD,DW,WW"),
    TEXT_OPTION(
        "lab", "FILE", FIELD(lab),
        "the tables of a lab's results, with the claims of claims.def beside them; journals "
        "(SUITE/NAME.jsonl) are taken into the file first"),
    INTEGER_OPTION("bench", "NODES", FIELD(bench), 1, 9e15,
                   "the bench of the engine that played these journals, for the file"),
    TEXT_OPTION("positions", "FILE", FIELD(positions),
                "write the positions of the journals' games to this new file, for training: FEN | "
                "score | result, both from White's side; games of one opening follow each other"),
    FLAG_OPTION(
        "only-quiet", FIELD(only_quiet),
        "only quiet positions: not in check, no score of a mate, and the move played is no capture "
        "and no promotion"),
    OPTION_SECTION("How"),
    FLAG_OPTION("json", FIELD(json), "a JSON object instead of the text block"),
    FLAG_OPTION("markdown", FIELD(markdown), "Markdown instead of the text block"),
    TEXT_OPTION(
        "html", "FILE", FIELD(html),
        "besides, a page of its own: the LLR's path, Elo over games, pairs, endings, machines, "
        "settings; with --compare or --lab another one beside it for each journal of a match"),
    FLAG_OPTION(
        "follow", FIELD(follow),
        "stay until the test is over, or Ctrl-C, telling how it stands; the page is kept up "
        "to date"),
    INTEGER_OPTION("every", "SECONDS", FIELD(every), 1, SECONDS_MAX,
                   "how often to look (default 60, at a journal 2)"),
    OPTION_SECTION("Before a test"),
    FLAG_OPTION("plan", FIELD(plan),
                "how likely an SPRT of these --bounds passes, and how many games it takes"),
    NUMBER_OPTION("elo", "ELO", FIELD(elo), -SPRT_ELO_MAX, SPRT_ELO_MAX,
                  "the true difference to assume, in logistic Elo"),
    NUMBER_OPTION(
        "draw-ratio", "SHARE", FIELD(draw_ratio), 0.001, 0.999,
        "the share of drawn games to assume; better: --penta, the counts of a test like it"),
    OPTION_SECTION("The server"),
    OPTION_LOGIN(FIELD(login)),
    OPTION_COMMON(FIELD(common)),
};

static const OptionTable table = {
    .command = "obworker report",
    .synopsis =
        "{--test N -S URL | --journal FILE | --penta COUNTS | --tri COUNTS | --compare TEST... | "
        "--lab FILE [JOURNAL...] | --positions FILE JOURNAL... | --plan} "
        "[options]",
    .about = "Elo with its 95 % interval, the LLR and all else that the results of a test say.\n\n"
             "  obworker report --test 12 -S https://server.example --html page.html\n"
             "  obworker report --journal match.jsonl --follow\n"
             "  obworker report --compare *.jsonl\n"
             "  obworker report --positions quiet.txt --only-quiet *.jsonl\n"
             "  obworker report --plan --elo 4 --bounds 0,5 --draw-ratio 0.55",
    .options = options,
    .count = COUNT(options),
    .operands = FIELD(operands),
};

/* The state of the command. */
typedef struct {
    ReportOptions given;
    Log log;
    Login login;
    ApiAccount account;
    SprtRule rule;
} Reporter;

/* ---- Where results come from ---- */

static bool find_server(Reporter *r, Error *err) {
    if (r->account.base_url)
        return true;
    if (!login_take_optional(&r->given.login, &r->log, &r->login, err))
        return false;
    r->account = (ApiAccount){.base_url = r->login.base_url,
                              .username = r->login.username,
                              .password = r->login.password};
    return true;
}

/* Refuses a --penta whose pairs do not make the games, the points and the draws of --tri. */
static bool check_games(const Tally *tally, Error *err) {
    int64_t pairs = penta_pairs(&tally->penta);
    double points = (double)tally_half_points(tally) / 2;
    double pair_points = (double)penta_half_points(&tally->penta) / 2;
    if (pairs == 0)
        return true;
    if (tally_games(tally) != 2 * pairs)
        return error_set(err, "--tri: %" PRId64 " games, but --penta has %" PRId64 " pairs",
                         tally_games(tally), pairs);
    if (points != pair_points)
        return error_set(err,
                         "--tri: %.15g points of dev, but --penta has %.15g (--tri begins with the "
                         "lost games)",
                         points, pair_points);
    return penta_allows_draws(&tally->penta, tally->draws) ||
           error_set(err, "--tri: the pairs of --penta cannot have %" PRId64 " drawn games",
                     tally->draws);
}

static bool read_tally(const ReportOptions *given, Tally *tally, Error *err) {
    if (given->penta && !penta_parse(given->penta, &tally->penta, "--penta", err))
        return false;
    return !given->tri || (tri_parse(given->tri, tally, "--tri", err) && check_games(tally, err));
}

static bool read_counts(const Reporter *r, Result *result, Error *err) {
    const ReportOptions *given = &r->given;
    Report report = {.sprt = given->rule.bounds != NULL,
                     .rule = r->rule,
                     .games_known = given->tri != NULL,
                     .faults_unknown = true,
                     .details_unknown = true};
    if (!read_tally(given, &report.tally, err))
        return false;
    result_of_counts(result, &report, "Results of a test");
    return true;
}

static bool read_result(Reporter *r, Result *result, Error *err) {
    if (r->given.journal)
        return result_of_journal(r->given.journal, result, err);
    if (r->given.test == 0)
        return read_counts(r, result, err);
    return servertest_read(&r->account, r->given.test, result, NULL, err);
}

/* ---- What is made of them ---- */

static OutputFormat format_of(const ReportOptions *given) {
    return given->json ? OUTPUT_JSON : given->markdown ? OUTPUT_MARKDOWN : OUTPUT_BLOCK;
}

static bool report_once(Reporter *r, Error *err) {
    Result result = {0};
    bool ok = read_result(r, &result, err) && output_result_page(&result, r->given.html, err);
    if (ok) {
        output_faults(&result, &r->log);
        output_result(&result, format_of(&r->given));
    }
    result_free(&result);
    return ok;
}

static bool read_journal(Result *result, bool *again, void *user, Error *err) {
    const Reporter *r = user;
    *again = false;
    return result_of_journal(r->given.journal, result, err);
}

/* A worker removes or moves the journal of a workload when the server has the results. */
static bool is_journal_gone(void *user) {
    const Reporter *r = user;
    return !file_exists(r->given.journal);
}

static bool follow(Reporter *r, Error *err) {
    enum { EVERY_JOURNAL = 2 };
    const ReportOptions *given = &r->given;
    if (!given->journal) {
        TestFollowOptions manner = {
            .every = given->every, .html = given->html, .format = format_of(given)};
        return testfollow(&r->account, given->test, &manner, &r->log, err);
    }
    Follow journal = {.read = read_journal,
                      .gone = is_journal_gone,
                      .user = r,
                      .every = given->every ? given->every : EVERY_JOURNAL,
                      .html = given->html,
                      .format = format_of(given),
                      .log = &r->log};
    return follow_test(&journal, err);
}

/* ---- Side by side ---- */

static bool is_number(const char *text) {
    return text[0] && text[strspn(text, "0123456789")] == '\0';
}

/* The counts in "NAME=LL,LD,DD,DW,WW"; NULL: the text is of another form. */
static const char *counts_in(const char *text) {
    const char *equals = strrchr(text, '=');
    bool counts = equals && equals > text && equals[1] &&
                  equals[1 + strspn(equals + 1, "0123456789, []")] == '\0';
    return counts && strchr(equals, ',') ? equals + 1 : NULL;
}

static bool read_operand(Reporter *r, const char *text, Result *result, Error *err) {
    int64_t number;
    const char *counts = counts_in(text);
    if (counts && r->rule.model == SPRT_BAYES)
        return error_set(err,
                         "--model: bayes needs the share of drawn games, and the pairs of %s "
                         "do not tell it",
                         text);
    if (counts) {
        Report report = {.sprt = r->given.rule.bounds != NULL,
                         .rule = r->rule,
                         .faults_unknown = true,
                         .details_unknown = true};
        char *name = mem_strndup(text, (size_t)(counts - 1 - text));
        bool ok = penta_parse(counts, &report.tally.penta, name, err);
        if (ok)
            result_of_counts(result, &report, name);
        free(name);
        return ok;
    }
    if (!is_number(text))
        return result_of_journal(text, result, err);
    return text_to_int(text, 1, TEST_MAX, "--compare", &number, err) && find_server(r, err) &&
           servertest_read(&r->account, number, result, NULL, err);
}

/* Refuses what is wrong on the command line alone. */
static bool check_operands(Reporter *r, Error *err) {
    bool ok = true;
    for (size_t i = 0; ok && i < r->given.operands.count; i++) {
        const char *text = r->given.operands.items[i];
        Result trial = {0};
        if (counts_in(text))
            ok = read_operand(r, text, &trial, err);
        else if (is_number(text))
            ok = find_server(r, err);
        result_free(&trial);
    }
    return ok;
}

static void print_comparison(const Reporter *r, const CompareRow *rows, size_t count) {
    Text out = {0};
    ProgressStyle style = output_style();
    if (r->given.json)
        compare_json(rows, count, &out);
    else if (r->given.markdown)
        compare_markdown(rows, count, &out);
    else
        compare_text(rows, count, &style, &out);
    text_print(stdout, text_string(&out));
    text_free(&out);
}

/* The name that the side has in all results; NULL: names differ, or one is not known. */
static const char *common_side(const Result *results, size_t count, int side) {
    const char *name = results[0].sides[side];
    for (size_t i = 0; i < count && name; i++)
        if (!results[i].sides[side] || strcmp(results[i].sides[side], name) != 0)
            name = NULL;
    return name;
}

/* Adds the source to names that several tests share, and a number to those with one source too. */
static void tell_twins_apart(char **names, const Result *results, size_t count) {
    bool *twins = mem_calloc(count, sizeof *twins);
    size_t *earlier = mem_calloc(count, sizeof *earlier);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            bool twin = k != i && strcmp(names[i], names[k]) == 0;
            twins[i] |= twin;
            earlier[i] += twin && k < i && strcmp(results[i].source, results[k].source) == 0;
        }
    for (size_t i = 0; i < count; i++) {
        Text name = {0};
        if (!twins[i])
            continue;
        text_addf(&name, "%s (%s", names[i], results[i].source);
        if (earlier[i] > 0)
            text_addf(&name, ", %zu", earlier[i] + 1);
        text_add_char(&name, ')');
        free(names[i]);
        names[i] = text_take(&name);
    }
    free(earlier);
    free(twins);
}

/* The tests' names: the side that differs; the title gets the common side. The caller frees the
 * list and its names. */
static char **name_tests(const Result *results, size_t count, Text *title) {
    const char *base = count > 1 ? common_side(results, count, SIDE_BASE) : NULL;
    const char *dev = count > 1 && !base ? common_side(results, count, SIDE_DEV) : NULL;
    char **names = mem_calloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        Text name = {0};
        text_add(&name, dev ? "against " : "");
        text_add(&name, base  ? results[i].sides[SIDE_DEV]
                        : dev ? results[i].sides[SIDE_BASE]
                              : results[i].title);
        names[i] = text_take(&name);
    }
    tell_twins_apart(names, results, count);
    text_add(title, base ? "Tests against " : dev ? "Tests of " : "Tests side by side");
    text_add(title, base ? base : dev ? dev : "");
    return names;
}

static bool print_and_write(Reporter *r, Result *results, CompareRow *rows, size_t count,
                            Error *err) {
    Text title = {0};
    Text page = {0};
    char **names = name_tests(results, count, &title);
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        rows[i] = (CompareRow){.name = names[i], .report = results[i].report};
        ok = ok && output_row(&results[i], r->given.html, names[i], &rows[i], err);
    }
    compare_sort(rows, count);
    page_of_comparison(rows, count, text_string(&title), &page);
    ok = ok && output_page(&page, r->given.html, err);
    if (ok)
        print_comparison(r, rows, count);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    text_free(&page);
    text_free(&title);
    return ok;
}

static bool compare(Reporter *r, Error *err) {
    size_t count = r->given.operands.count;
    Result *results = mem_calloc(count, sizeof *results);
    CompareRow *rows = mem_calloc(count, sizeof *rows);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = read_operand(r, r->given.operands.items[i], &results[i], err);
        output_warning(&results[i], &r->log);
    }
    ok = ok && print_and_write(r, results, rows, count, err);
    for (size_t i = 0; i < count; i++)
        result_free(&results[i]);
    free(results);
    free(rows);
    return ok;
}

static bool lab(Reporter *r, Error *err) {
    LabReportOptions given = {.results = r->given.lab,
                              .journals = &r->given.operands,
                              .bench = r->given.bench,
                              .html = r->given.html,
                              .format = format_of(&r->given)};
    return labreport(&given, &r->log, err);
}

static bool positions(Reporter *r, Error *err) {
    PositionsReportOptions given = {.file = r->given.positions,
                                    .journals = &r->given.operands,
                                    .kind = r->given.only_quiet ? POSITIONS_QUIET : POSITIONS_ALL};
    return positionsreport(&given, &r->log, err);
}

/* ---- Before a test ---- */

static bool plan(const Reporter *r, Error *err) {
    const ReportOptions *given = &r->given;
    PairShape shape;
    if (given->penta) {
        Tally tally = {0};
        if (!read_tally(given, &tally, err))
            return false;
        Outcomes outcomes = outcomes_of_penta(&tally.penta);
        if (!shape_of_tally(&tally, &shape))
            return error_set(err, "--penta: %s: the counts do not show what pairs are like",
                             outcomes_no_interval(&outcomes));
    } else
        shape = shape_of_draws(given->draw_ratio);
    if (!sprt_check_outlook(&r->rule, &shape, err))
        return error_prefix(err, "--plan");
    Text out = {0};
    OutlookPlan asked = {.rule = r->rule,
                         .shape = shape,
                         .elo = given->elo,
                         .draws = given->penta ? -1 : given->draw_ratio};
    if (given->json)
        outlook_json(&asked, &out);
    else
        outlook_block(&asked, &out);
    text_print(stdout, text_string(&out));
    text_free(&out);
    return true;
}

/* ---- Which of them ---- */

static bool check_plan(const ReportOptions *given, Error *err) {
    if (given->test > 0 || given->journal || given->compare)
        return error_set(err,
                         "--plan: plans a new test; --penta can give the counts of a test like it");
    if (isnan(given->elo))
        return error_set(err, "--elo: is missing: the true difference to plan for");
    if (!given->rule.bounds)
        return error_set(err, "--bounds: is missing: the test to plan");
    if (given->penta == NULL && isnan(given->draw_ratio))
        return error_set(err,
                         "--draw-ratio: is missing: the share of drawn games to assume (0.55), "
                         "or --penta with the counts of a test like it");
    if (given->penta != NULL && !isnan(given->draw_ratio))
        return error_set(
            err, "--draw-ratio and --penta both say what the games are like: give one of them");
    if (given->markdown || given->html || given->follow)
        return error_set(err, "--plan: prints text, or JSON with --json");
    return (given->lab == NULL && given->positions == NULL) ||
           error_set(err, "--plan: plans a new test, and --%s has played ones",
                     given->lab != NULL ? "lab" : "positions");
}

/* Does the report read counts, which have no rule of their own? */
static bool has_counts(const ReportOptions *given) {
    bool found = given->lab == NULL && given->positions == NULL && !given->compare;
    for (size_t i = 0; given->compare && i < given->operands.count; i++)
        found = found || counts_in(given->operands.items[i]) != NULL;
    return found;
}

/* Refuses options that would say nothing: a journal and a server's test have counts and rule of
 * their own, and others are of use beside one option alone. */
static bool check_uses(const ReportOptions *given, Error *err) {
    static const char NO_BOUNDS[] = "--bounds is missing";
    static const char NO_PLAN[] = "--plan is missing";
    static const char NO_REPORT[] = "--positions writes no report";
    const char *own = given->journal ? "a journal has its own" : "a server's test has its own";
    bool counts = given->test == 0 && given->journal == NULL;
    bool bounds = given->rule.bounds != NULL;
    bool confidence = given->rule.confidence != NULL;
    bool model = given->rule.model != NULL;
    bool bayes = model && strcmp(given->rule.model, sprt_model_name(SPRT_BAYES)) == 0;
    const OptionUse uses[] = {
        {"penta", given->penta != NULL, counts, own},
        {"tri", given->tri != NULL, counts, own},
        {"bounds", bounds, counts, own},
        {"confidence", confidence, counts, own},
        {"model", model, counts, own},
        {"bounds", bounds, has_counts(given) || given->plan, "is for counts"},
        {"confidence", confidence, bounds, NO_BOUNDS},
        {"model", model, bounds, NO_BOUNDS},
        {"model", bayes, given->penta == NULL || given->tri != NULL,
         "bayes needs the share of drawn games, and pairs do not tell it: --tri is missing"},
        {"elo", !isnan(given->elo), given->plan, NO_PLAN},
        {"draw-ratio", !isnan(given->draw_ratio), given->plan, NO_PLAN},
        {"tri", given->tri != NULL, !given->plan || given->penta != NULL, "--penta is missing"},
        {"bench", given->bench > 0, given->lab != NULL, "belongs to --lab"},
        {"only-quiet", given->only_quiet, given->positions != NULL, "--positions is missing"},
        {"json", given->json, given->positions == NULL, NO_REPORT},
        {"markdown", given->markdown, given->positions == NULL, NO_REPORT},
        {"html", given->html != NULL, given->positions == NULL, NO_REPORT},
        {"every", given->every > 0, given->follow, "--follow is missing"}};
    return options_check_uses(uses, COUNT(uses), err);
}

/* The page must not take the place of what it is made from. */
static bool check_page(const ReportOptions *given, Error *err) {
    const struct {
        const char *option, *path;
    } sources[] = {{"journal", given->journal}, {"lab", given->lab}};
    for (size_t i = 0; i < COUNT(sources); i++)
        if (sources[i].path && file_is_same(sources[i].path, given->html))
            return error_set(err, "--html %s: --%s names the same file", given->html,
                             sources[i].option);
    for (size_t i = 0; i < given->operands.count; i++)
        if (file_is_same(given->operands.items[i], given->html))
            return error_set(err, "--html %s: one of the tests is in that file", given->html);
    return true;
}

static bool check_sources(const ReportOptions *given, Error *err) {
    bool counts = given->penta || given->tri;
    int sources = (given->test > 0) + (given->journal != NULL) + counts + given->compare +
                  (given->lab != NULL) + (given->positions != NULL);
    if (given->json && given->markdown)
        return error_set(err, "--markdown: --json is given too");
    if (given->operands.count > 0 && !given->compare && !given->lab && !given->positions)
        return error_set(
            err,
            "'%s': what is it? --journal FILE, --test NUMBER, or --compare for a table "
            "of several",
            given->operands.items[0]);
    if (given->compare && given->operands.count == 0)
        return error_set(err, "--compare: the tests are missing: journals, numbers or counts");
    if (given->positions && given->operands.count == 0)
        return error_set(err, "--positions: the journals are missing: FILE.jsonl...");
    if (given->plan)
        return check_plan(given, err) && check_uses(given, err);
    if (sources == 0)
        return error_set(err, "what is to be reported? Give one of --test, --journal, --penta, "
                              "--tri, --compare, --lab, --positions and --plan");
    if (!check_uses(given, err) || (given->html && !check_page(given, err)))
        return false;
    if (sources > 1)
        return error_set(
            err,
            "--test, --journal, --penta or --tri, --compare, --lab, --positions: give one of them");
    if (given->follow && !given->journal && given->test == 0)
        return error_set(err, "--follow: takes a --test or a --journal, which can grow");
    return true;
}

static bool run(Reporter *r, Error *err) {
    if (r->given.plan)
        return plan(r, err);
    if (r->given.compare)
        return compare(r, err);
    if (r->given.lab)
        return lab(r, err);
    if (r->given.positions)
        return positions(r, err);
    return r->given.follow ? follow(r, err) : report_once(r, err);
}

int cmd_report_main(int argc, char **argv) {
    Reporter r = {.given = {.elo = NAN, .draw_ratio = NAN}};
    Error err = {0};
    int status;
    login_protect();
    if (!options_run(&table, argc, argv, &r.given, &status))
        return status;
    log_init(&r.log, stderr, options_log_level(&r.given.common));
    Result trial = {0};
    bool sound = check_sources(&r.given, &err) && rule_read(&r.given.rule, &r.rule, &err) &&
                 (r.given.test == 0 || find_server(&r, &err)) &&
                 (!r.given.compare || check_operands(&r, &err)) &&
                 ((!r.given.penta && !r.given.tri) || read_counts(&r, &trial, &err));
    result_free(&trial);
    login_hide(&r.given.login); /* Of no use to a report that asks no server. */
    if (!sound)
        status = options_usage_error(&table, &err);
    else if (http_init(&err) && run(&r, &err))
        status = EXIT_DONE;
    else {
        log_error(&r.log, "%s", err.text);
        status = EXIT_FAILED;
    }
    http_cleanup();
    login_free(&r.login);
    options_free(&table, &r.given);
    log_free(&r.log);
    return status;
}
