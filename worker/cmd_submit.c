/* SPDX-License-Identifier: MIT */
/* obworker submit: puts A/B tests of the engine's reduction flags, or of any two branches, on an
 * OpenBench server. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text.h"
#include "build/build.h"
#include "build/git.h"
#include "commands.h"
#include "openbench/login.h"
#include "match/timecontrol.h"
#include "openbench/engineconfig.h"
#include "openbench/testform.h"
#include "submit/proposal.h"
#include "testoptions.h"

enum { LOOK_MOST = 25 };

/* ---- The command line ---- */

typedef struct {
    OptionList flags;
    OptionList each;
    const char *branch;
    const char *base_branch;
    const char *push;
    const char *build_path;
    const char *from;
    const char *preset;
    const char *engine;
    const char *repo;
    const char *tc;
    OptionList options;
    RuleOptions rule;
    int64_t games;
    const char *book;
    const char *info;
    bool dry_run;
    bool wait;
    bool json;
    LoginOptions login;
    CommonOptions common;
} SubmitOptions;

#define FIELD(field) offsetof(SubmitOptions, field)

static const Option options[] = {
    OPTION_SECTION("What is tested"),
    LIST_OPTION(
        "flag", "ROW=VALUE", FIELD(flags),
        "change this row of the flag table; may be repeated, and ROW=VALUE,ROW=VALUE is two"),
    LIST_OPTION("each", "ROW=VALUE,...", FIELD(each),
                "a test of its own for these rows, besides those of --flag; may be repeated"),
    TEXT_OPTION("branch", "NAME", FIELD(branch),
                "the new branch (default: after its flags); without flags, one that the server's "
                "repository has"),
    TEXT_OPTION("base-branch", "NAME", FIELD(base_branch),
                "what it starts from and is measured against (default main)"),
    TEXT_OPTION("push", "REMOTE", FIELD(push),
                "push the new branch there first: a server tests what it can fetch"),
    TEXT_OPTION(
        "build-path", "DIR", FIELD(build_path),
        "where the repository has the engine's Makefile and lmr/flags.def (default engine)"),
    OPTION_SECTION("The server's form"),
    TEXT_OPTION("from", "FILE", FIELD(from),
                "its fields, one a line: field = value; the options below count more"),
    TEXT_OPTION(
        "preset", "NAME", FIELD(preset),
        "the settings that the server has under this name for the engine (STC, LTC, ...), for "
        "what --from and the options do not say"),
    TEXT_OPTION(
        "engine", "NAME", FIELD(engine),
        "the engine's name on the server (default: the engine whose repository this is there, "
        "else Reductio)"),
    TEXT_OPTION("repo", "URL", FIELD(repo),
                "where the server finds the branches (default: where git pushes to)"),
    OPTION_TC(FIELD(tc)),
    OPTION_UCI(FIELD(options)),
    OPTION_RULE(FIELD(rule), "the SPRT's hypotheses, in normalized Elo (default 0,5)"),
    OPTION_GAMES(FIELD(games), "so many games instead of an SPRT"),
    TEXT_OPTION("book", "NAME", FIELD(book), "one of the server's books (default 8moves_v3.epd)"),
    TEXT_OPTION("info", "TEXT", FIELD(info), "a remark that the server shows with the test"),
    OPTION_SECTION("The server"),
    OPTION_LOGIN(FIELD(login)),
    OPTION_SECTION("Besides"),
    FLAG_OPTION(
        "dry-run", FIELD(dry_run),
        "build, bench and show all that would be done; change nothing, and ask no server but "
        "for --preset"),
    FLAG_OPTION("json", FIELD(json), "name the tests in a JSON object"),
    FLAG_OPTION("wait", FIELD(wait),
                "then follow the tests, one after the other, as report --follow does"),
    OPTION_COMMON(FIELD(common)),
};

static const OptionTable table = {
    .command = "obworker submit",
    .synopsis = "{--flag ROW=VALUE | --each ROW=VALUE | --branch NAME | --from FILE}... -S URL "
                "-U NAME [options]",
    .about = "Makes a branch of the repository that this folder is in, with these rows of the flag "
             "table changed and its bench in the commit, and puts a test of it against the base "
             "branch on an OpenBench server. The files of this folder are not touched.\n\n"
             "  obworker submit --flag KILLER=ignore --dry-run\n"
             "  obworker submit --each KILLER=0 --each W_PV=0 --push origin -S URL -U NAME",
    .options = options,
    .count = COUNT(options),
    .operands = OPTION_NO_OPERANDS,
};

/* One test to be. */
typedef struct {
    Words flags; /* None: of a branch that is there. */
    Proposal proposal;
    TestForm form;
    int64_t id; /* On the server; 0: not known. */
} Candidate;

typedef struct {
    SubmitOptions given;
    Log log;
    Login login;
    ApiAccount account;
    TestForm form; /* What all candidates have. */
    Desk desk;
    Candidate *candidates;
    size_t count;
} Submission;

/* ---- The form ---- */

static bool set_time_control(Submission *s, Error *err) {
    TimeControl tc;
    char text[TIMECONTROL_TEXT_MAX];
    if (!s->given.tc)
        return true;
    if (!timecontrol_parse(s->given.tc, &tc, err))
        return error_prefix(err, "--tc");
    timecontrol_format(&tc, text);
    if (timecontrol_is_timed(&tc))
        text[strlen(text) - 1] = '\0'; /* the report's "s" */
    testform_set(&s->form, "dev_time_control", text);
    testform_set(&s->form, "base_time_control", text);
    return true;
}

/* Two numbers as the form has them: with two decimals, or as many as they need. */
static void set_numbers(TestForm *form, const char *field, double first, double second) {
    Text text = {0};
    const double numbers[] = {first, second};
    for (int i = 0; i < 2; i++) {
        char two[64];
        snprintf(two, sizeof two, "%.2f", numbers[i]);
        text_add(&text, i ? ", " : "[");
        if (strtod(two, NULL) == numbers[i])
            text_add(&text, two);
        else
            text_addf(&text, "%.10g", numbers[i]);
    }
    text_add(&text, "]");
    testform_set(form, field, text_string(&text));
    text_free(&text);
}

static bool set_mode(Submission *s, Error *err) {
    const SubmitOptions *given = &s->given;
    SprtRule rule = {0};
    char games[32];
    if (given->games && given->rule.bounds)
        return error_set(err, "--games: is instead of --bounds");
    if (!games_check(given->games, err) || !rule_read(&given->rule, &rule, err))
        return false;
    if (given->rule.bounds)
        set_numbers(&s->form, "test_bounds", rule.elo0, rule.elo1);
    if (given->rule.confidence) /* beta first: so the server wants it */
        set_numbers(&s->form, "test_confidence", rule.beta, rule.alpha);
    if (given->games) {
        snprintf(games, sizeof games, "%" PRId64, given->games);
        testform_set(&s->form, "test_max_games", games);
        testform_set(&s->form, "test_mode", "GAMES");
    }
    return true;
}

/* Puts name=value into the words, in the place of one of that name. */
static void set_word(Words *words, const char *option) {
    size_t name = strcspn(option, "=") + 1;
    for (size_t i = 0; i < words->count; i++) {
        if (strncmp(words->items[i], option, name) == 0) {
            free(words->items[i]);
            words->items[i] = mem_strdup(option);
            return;
        }
    }
    words_add(words, option);
}

/* A side's options with those of --option; a word with blanks is quoted whole. */
static bool set_uci_options(Submission *s, const char *field, Error *err) {
    const OptionList *given = &s->given.options;
    Words words = {0};
    Text text = {0};
    if (!words_split(&words, testform_get(&s->form, field), err)) {
        words_free(&words);
        return error_prefix(err, "%s", field);
    }
    for (size_t i = 0; i < given->count; i++)
        set_word(&words, given->items[i]);
    for (size_t i = 0; i < words.count; i++) {
        const char *quote = strpbrk(words.items[i], " \t") ? "\"" : "";
        text_addf(&text, "%s%s%s%s", i ? " " : "", quote, words.items[i], quote);
    }
    testform_set(&s->form, field, text_string(&text));
    words_free(&words);
    text_free(&text);
    return true;
}

static bool check_options(const OptionList *list, Error *err) {
    for (size_t i = 0; i < list->count; i++) {
        const char *text = list->items[i];
        if (text[0] == '=' || !strchr(text, '=') || strpbrk(text, "\"\n"))
            return error_set(err, "--option: '%s' is not NAME=VALUE", text);
    }
    return true;
}

/* The file, and the options over it. */
static bool read_form(Submission *s, Error *err) {
    const SubmitOptions *given = &s->given;
    if (given->from && !testform_read(&s->form, given->from, err))
        return error_prefix(err, "--from");
    if (!set_time_control(s, err) || !set_mode(s, err) || !check_options(&given->options, err))
        return false;
    testform_set(&s->form, "dev_engine", given->engine);
    testform_set(&s->form, "base_engine", given->engine);
    testform_set(&s->form, "dev_repo", given->repo);
    testform_set(&s->form, "base_repo", given->repo);
    testform_set(&s->form, "book_name", given->book);
    testform_set(&s->form, "info", given->info);
    testform_set(&s->form, "dev_branch", given->branch);
    testform_set(&s->form, "base_branch", given->base_branch);
    return true;
}

/* The usual in what neither says nor the preset, and the UCI options of --option. */
static bool complete_form(Submission *s, Error *err) {
    testform_fill(&s->form);
    return set_uci_options(s, "dev_options", err) && set_uci_options(s, "base_options", err);
}

static const char *remote_name(const Submission *s) {
    return s->given.push ? s->given.push : "origin";
}

static bool says(const TestForm *form, const char *field) {
    const char *value = testform_get(form, field);
    return value && value[0] != '\0';
}

static const char *const repo_fields[] = {"dev_repo", "base_repo"};

/* The repository's address where nothing says it: of the remote that is pushed to, or of origin,
 * where that is on the web. */
static void find_address(Submission *s) {
    const char *const words[] = {"remote", "get-url", "--push", "--", remote_name(s), NULL};
    char *url = git_ask(&(GitPlace){0}, words, NULL);
    char *address = url ? repository_address(url) : NULL;
    for (size_t i = 0; i < COUNT(repo_fields); i++)
        if (!says(&s->form, repo_fields[i]))
            testform_set(&s->form, repo_fields[i], address);
    free(url);
    free(address);
}

static bool check_address(const Submission *s, Error *err) {
    for (size_t i = 0; i < COUNT(repo_fields); i++)
        if (!says(&s->form, repo_fields[i]))
            return error_set(err,
                             "--repo: is missing: the address at which the server finds the "
                             "branches (the remote %s has none on the web)",
                             remote_name(s));
    return true;
}

/* ---- What is to be tested ---- */

static bool read_flags(const OptionList *common, const char *own, Words *out, Error *err) {
    Text all = {0};
    for (size_t i = 0; i < common->count; i++)
        text_addf(&all, "%s ", common->items[i]);
    text_add(&all, own ? own : "");
    bool ok = variant_words(text_string(&all), out, err) || error_prefix(err, "--flag");
    text_free(&all);
    return ok;
}

static bool list_candidates(Submission *s, Error *err) {
    const SubmitOptions *given = &s->given;
    s->count = given->each.count ? given->each.count : 1;
    s->candidates = mem_calloc(s->count, sizeof *s->candidates);
    bool named = says(&s->form, "dev_branch");
    bool flags = given->flags.count || given->each.count;
    for (size_t i = 0; flags && i < s->count; i++)
        if (!read_flags(&given->flags, given->each.count ? given->each.items[i] : NULL,
                        &s->candidates[i].flags, err))
            return false;
    for (size_t i = 0; flags && i < s->count; i++)
        if (s->candidates[i].flags.count == 0)
            return error_set(err, "--%s: names no flag", given->each.count ? "each" : "flag");
    if (!flags && !named)
        return error_set(err, "--flag: is missing: what to test, ROW=VALUE (or --branch, --each, "
                              "--from)");
    if (!flags && given->push)
        return error_set(err, "--push: is for branches that --flag and --each make");
    if (named && given->each.count > 1)
        return error_set(err, "--branch: is one name, --each asks for %zu branches", s->count);
    return true;
}

static bool fill_candidate(Submission *s, Candidate *c, Error *err) {
    const Desk *desk = &s->desk;
    char bench[32];
    testform_copy(&s->form, &c->form);
    if (!c->flags.count)
        return true;
    const char *said = testform_get(&s->form, "base_bench");
    snprintf(bench, sizeof bench, "%" PRId64, desk->base_bench);
    if (said[0] != '\0' && strcmp(said, bench) != 0)
        return error_set(err, "base_bench: is %s in the form, but %s's bench is %s", said,
                         desk->options.base_branch, bench);
    if (said[0] == '\0' && desk->said_bench == 0)
        testform_set(&c->form, "base_bench", bench);
    testform_set(&c->form, "dev_branch", c->proposal.branch);
    return true;
}

/* Two candidates of one name would be one branch. */
static bool check_twins(const Submission *s, Error *err) {
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < i; k++)
            if (s->candidates[i].flags.count &&
                strcmp(s->candidates[i].proposal.branch, s->candidates[k].proposal.branch) == 0)
                return error_set(err, "--each: %s is asked for twice",
                                 s->candidates[i].proposal.branch);
    return true;
}

/* What can be refused at once is, before anything is built. */
static bool draft(Submission *s, Error *err) {
    const char *said = testform_get(&s->form, "dev_branch");
    for (size_t i = 0; i < s->count; i++) {
        Candidate *c = &s->candidates[i];
        if (c->flags.count &&
            !desk_draft(&s->desk, &c->flags, said[0] != '\0' ? said : NULL, &c->proposal, err))
            return false;
    }
    return check_twins(s, err);
}

static bool prepare(Submission *s, Error *err) {
    bool drafts = s->candidates[0].flags.count > 0;
    if (drafts && !desk_bench_base(&s->desk, err))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        Candidate *c = &s->candidates[i];
        if (drafts && !desk_commit(&s->desk, &c->proposal, err))
            return false;
        if (drafts && c->proposal.bench == s->desk.base_bench)
            log_warn(&s->log, "%s: its bench is the base's: these flags may change nothing",
                     c->proposal.branch);
        if (!fill_candidate(s, c, err))
            return false;
    }
    return true;
}

/* ---- The server ---- */

/* Asks it for one thing. False with err set when the answer is of no use. */
static bool ask(const Submission *s, HttpRequest *request, ApiAnswer *answer, Error *err) {
    HttpResponse response;
    http_perform(request, NULL, &response);
    api_judge(&response, answer);
    http_response_free(&response);
    http_request_free(request);
    if (answer->verdict == API_OK)
        return true;
    error_set(err, "%s: %s", s->account.base_url, answer->error.text);
    api_answer_free(answer);
    return false;
}

/* Whether the server is there and knows the user, before anything else is asked or made. */
static bool check_login(const Submission *s, Error *err) {
    HttpRequest request;
    ApiAnswer answer;
    api_client_version(&s->account, &request);
    bool ok = ask(s, &request, &answer, err);
    if (ok)
        api_answer_free(&answer);
    return ok;
}

static bool is_listed(const Words *names, const char *name, const char *what, Error *err) {
    TextGuess guess = {.word = name};
    if (json_list_has(names, name))
        return true;
    for (size_t i = 0; i < names->count; i++)
        text_guess(&guess, names->items[i]);
    const char *meant = text_guessed(&guess);
    if (!meant && names->count == 1)
        meant = names->items[0];
    return error_set(err, "the server has no %s '%s'%s%s%s", what, name,
                     meant ? " (did you mean " : "", meant ? meant : "", meant ? "?)" : "");
}

/* Whether the server has the engines and the book that the form names so far. */
static bool check_names(const Submission *s, Error *err) {
    HttpRequest request;
    ApiAnswer answer;
    ApiServerConfig config;
    api_config(&s->account, &request);
    if (!ask(s, &request, &answer, err))
        return false;
    bool ok = api_read_config(&answer, &config, err);
    const struct {
        const char *field, *what;
        const Words *names;
    } named[] = {{"dev_engine", "engine", &config.engines},
                 {"base_engine", "engine", &config.engines},
                 {"book_name", "book", &config.books}};
    for (size_t i = 0; ok && i < COUNT(named); i++)
        ok = !says(&s->form, named[i].field) ||
             is_listed(named[i].names, testform_get(&s->form, named[i].field), named[i].what, err);
    if (!ok)
        error_prefix(err, "%s", s->account.base_url);
    api_config_free(&config);
    api_answer_free(&answer);
    return ok;
}

/* Asks for the engine that the form names, or, where it names none, for the one whose repository it
 * is. *answer is the configuration's, to be freed after it. */
static bool ask_config(const Submission *s, EngineConfig *config, ApiAnswer *answer, Error *err) {
    HttpRequest request;
    const char *engine = testform_get(&s->form, "dev_engine");
    *config = (EngineConfig){0};
    *answer = (ApiAnswer){0};
    if (engine)
        api_config_engine(&s->account, engine, &request);
    else
        api_all_configs(&s->account, &request);
    if (!ask(s, &request, answer, err))
        return false;
    bool ok = engine ? engineconfig_read(answer, engine, config, err)
                     : engineconfig_find(answer, testform_get(&s->form, "dev_repo"),
                                         testform_usual("dev_engine"), config, err);
    if (ok && !config->name)
        ok = error_set(err, "no engine there has this repository; --engine names one");
    return ok || error_prefix(err, "%s", s->account.base_url);
}

static bool apply_preset(Submission *s, const EngineConfig *config, Error *err) {
    Words unknown = {0};
    bool ok = engineconfig_apply(config, s->given.preset, &s->form, &unknown, err) ||
              error_prefix(err, "%s: --preset", s->account.base_url);
    for (size_t i = 0; i < unknown.count; i++)
        log_warn(&s->log, "the preset says %s, which this program's form has not: left out",
                 unknown.items[i]);
    words_free(&unknown);
    return ok;
}

/* The engine's name, the speed that its clocks are scaled by, and the preset, from the server. One
 * that does not tell them matters only where a preset is wanted. */
static bool use_config(Submission *s, Error *err) {
    EngineConfig config;
    ApiAnswer answer;
    Error why = {0};
    char nps[32];
    if (s->given.preset && !check_names(s, err))
        return false;
    bool found = ask_config(s, &config, &answer, &why);
    bool ok = found || !s->given.preset;
    if (found) {
        testform_suggest(&s->form, "dev_engine", config.name);
        testform_suggest(&s->form, "base_engine", config.name);
        ok = !s->given.preset || apply_preset(s, &config, err);
        snprintf(nps, sizeof nps, "%" PRId64, config.nps);
        if (strcmp(testform_get(&s->form, "base_engine"), config.name) == 0)
            testform_suggest(&s->form, "scale_nps", nps);
    } else if (!ok) {
        *err = why;
    } else {
        log_debug(&s->log, "%s", why.text);
    }
    engineconfig_free(&config);
    api_answer_free(&answer);
    return ok;
}

static bool ask_networks(const Submission *s, const char *engine, ApiNetworks *networks,
                         Error *err) {
    HttpRequest request;
    ApiAnswer answer;
    api_networks(&s->account, engine, &request);
    if (!ask(s, &request, &answer, err))
        return false;
    bool ok =
        api_read_networks(&answer, networks, err) || error_prefix(err, "%s", s->account.base_url);
    api_answer_free(&answer);
    return ok;
}

/* A network that the form calls by its name or its digits, as the form has it: the server's own
 * digits. */
static bool find_network(Submission *s, const char *field, const ApiNetworks *networks,
                         Error *err) {
    const char *wanted = testform_get(&s->form, field);
    Words names = {0};
    const char *found = NULL;
    for (size_t i = 0; i < networks->count; i++) {
        const ApiNetwork *network = &networks->items[i];
        words_add(&names, network->name);
        if (text_equal_nocase(network->sha256, wanted) || strcmp(network->name, wanted) == 0)
            found = network->sha256;
    }
    bool ok = found || is_listed(&names, wanted, "network", err) ||
              error_prefix(err, "%s", s->account.base_url);
    testform_set(&s->form, field, found);
    words_free(&names);
    return ok;
}

/* Both sides' networks; of one engine the server is asked once. */
static bool find_networks(Submission *s, Error *err) {
    static const struct {
        const char *engine, *network;
    } sides[] = {{"dev_engine", "dev_network"}, {"base_engine", "base_network"}};
    ApiNetworks networks = {0};
    const char *listed = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < COUNT(sides); i++) {
        const char *engine = testform_get(&s->form, sides[i].engine);
        if (!says(&s->form, sides[i].network))
            continue;
        if (!listed || strcmp(listed, engine) != 0) {
            api_networks_free(&networks);
            ok = ask_networks(s, engine, &networks, err);
            listed = engine;
        }
        ok = ok && find_network(s, sides[i].network, &networks, err);
    }
    api_networks_free(&networks);
    return ok;
}

/* Sends the form; once more with a token when the server wants one. The caller frees *response. */
static TestFormVerdict send_form(const Submission *s, const Candidate *c, HttpResponse *response,
                                 Words *reasons) {
    HttpRequest request;
    HttpResponse login;
    testform_compose(&s->account, &c->form, &request);
    http_perform(&request, NULL, response);
    http_request_free(&request);
    TestFormVerdict verdict = testform_judge(response, reasons);
    if (verdict != TESTFORM_FORGED)
        return verdict;
    testform_login_page(&s->account, &request);
    http_perform(&request, NULL, &login);
    http_request_free(&request);
    if (login.csrf) {
        words_free(reasons);
        http_response_free(response);
        testform_compose(&s->account, &c->form, &request);
        request.csrf = mem_strdup(login.csrf);
        http_perform(&request, NULL, response);
        http_request_free(&request);
        verdict = testform_judge(response, reasons);
    }
    http_response_free(&login);
    return verdict;
}

/* The newest test among those of the page that is the one asked for; 0: none. */
static int64_t find_test(const Submission *s, const Candidate *c, const char *page) {
    IntList ids;
    int64_t found = 0;
    testform_links(page, &ids);
    for (size_t i = 0; i < ids.count && i < LOOK_MOST && !found; i++) {
        HttpRequest request;
        ApiAnswer answer;
        api_test_info(&s->account, ids.items[i], &request);
        if (!ask(s, &request, &answer, NULL))
            continue;
        if (testform_is(&answer, &c->form, s->account.username))
            found = ids.items[i];
        api_answer_free(&answer);
    }
    free(ids.items);
    return found;
}

/* Says all the server's reasons but the last, which becomes the error. */
static bool refuse(Submission *s, const Candidate *c, TestFormVerdict verdict, const Words *reasons,
                   Error *err) {
    const char *branch = testform_get(&c->form, "dev_branch");
    const char *last = reasons->items[reasons->count - 1];
    if (verdict == TESTFORM_LOST)
        return error_set(err,
                         "%s: no answer to the test of %s (%s): look at %sindex/ whether it is "
                         "there before trying again",
                         s->account.base_url, branch, last, s->account.base_url);
    for (size_t i = 0; i + 1 < reasons->count; i++)
        log_error(&s->log, "%s refuses the test of %s: %s", s->account.base_url, branch,
                  reasons->items[i]);
    error_set(err, "%s refuses the test of %s: %s", s->account.base_url, branch, last);
    if (c->flags.count)
        log_info(&s->log,
                 "the branch %s is made; once the reason is gone%s: obworker submit "
                 "--branch %s",
                 branch, s->given.push ? "" : " and it is pushed", branch);
    return false;
}

static bool create_test(Submission *s, Candidate *c, Error *err) {
    HttpResponse response;
    Words reasons = {0};
    TestFormVerdict verdict = send_form(s, c, &response, &reasons);
    bool ok = verdict == TESTFORM_CREATED || refuse(s, c, verdict, &reasons, err);
    if (ok)
        c->id = find_test(s, c, text_string(&response.body));
    http_response_free(&response);
    words_free(&reasons);
    return ok;
}

/* ---- What is shown ---- */

static void add_address(const Submission *s, const Candidate *c, Text *out) {
    text_add(out, s->account.base_url);
    if (c->id)
        text_addf(out, "test/%" PRId64 "/", c->id);
    else
        text_add(out, "index/");
}

static void print_test(const Submission *s, const Candidate *c) {
    Text address = {0};
    add_address(s, c, &address);
    if (c->id)
        printf("test %" PRId64 ": %s against %s: %s\n", c->id, testform_get(&c->form, "dev_branch"),
               testform_get(&c->form, "base_branch"), text_string(&address));
    else
        printf("test of %s against %s: the server has it, its number could not be found out: %s\n",
               testform_get(&c->form, "dev_branch"), testform_get(&c->form, "base_branch"),
               text_string(&address));
    fflush(stdout);
    text_free(&address);
}

/* A test as --json names it. */
typedef struct {
    int64_t test;
    char *address, *branch, *base_branch;
    int64_t bench, base_bench;
} TestNote;

static void add_json(const Submission *s, const Candidate *c, cJSON *list) {
    static const JsonField fields[] = {
        {"test", JSON_INT, JSON_REQUIRED, offsetof(TestNote, test)},
        {"address", JSON_TEXT, JSON_REQUIRED, offsetof(TestNote, address)},
        {"branch", JSON_TEXT, JSON_REQUIRED, offsetof(TestNote, branch)},
        {"base_branch", JSON_TEXT, JSON_REQUIRED, offsetof(TestNote, base_branch)},
        {"bench", JSON_INT, JSON_REQUIRED, offsetof(TestNote, bench)},
        {"base_bench", JSON_INT, JSON_REQUIRED, offsetof(TestNote, base_bench)},
    };
    /* A branch that was there was not benched here. */
    size_t count = c->flags.count ? COUNT(fields) : COUNT(fields) - 2;
    Text address = {0};
    add_address(s, c, &address);
    TestNote note = {.test = c->id,
                     .address = address.data,
                     .branch = (char *)testform_get(&c->form, "dev_branch"),
                     .base_branch = (char *)testform_get(&c->form, "base_branch"),
                     .bench = c->proposal.bench,
                     .base_bench = s->desk.base_bench};
    cJSON *object = cJSON_CreateObject();
    json_write(object, fields, count, &note);
    cJSON_AddItemToArray(list, object);
    text_free(&address);
}

/* {"tests": [...]}: those that the server has. */
static void print_json(const Submission *s, size_t created) {
    cJSON *object = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(object, "tests");
    Text out = {0};
    for (size_t i = 0; i < created; i++)
        add_json(s, &s->candidates[i], list);
    json_take(object, &out);
    puts(text_string(&out));
    text_free(&out);
}

/* All that would be done. */
static void print_plan(const Submission *s) {
    const char *server = s->given.login.server ? s->given.login.server : "(no server yet)";
    for (size_t i = 0; i < s->count; i++) {
        const Candidate *c = &s->candidates[i];
        const Proposal *p = &c->proposal;
        if (i > 0)
            putchar('\n');
        if (p->branch) {
            printf("branch %s from %s (%.12s), bench %" PRId64 " against %" PRId64 "\n\n%s\n",
                   p->branch, s->desk.options.base_branch, s->desk.base_commit, p->bench,
                   s->desk.base_bench, text_string(&p->diff));
            printf("commit message:\n\n%s\n", text_string(&p->message));
        }
        if (p->branch && s->given.push)
            printf("git push %s %s\n\n", s->given.push, p->branch);
        printf("form for %s:\n\n", server);
        for (size_t f = 0; f < TESTFORM_FIELDS; f++)
            printf("%s = %s\n", testform_name(f), testform_get(&c->form, testform_name(f)));
    }
}

/* Follows a test by `obworker report`'s own main. */
static bool follow(const Submission *s, const Candidate *c, Error *err) {
    char id[32];
    char *password = login_pass_on(&s->login, err);
    if (!password)
        return false;
    snprintf(id, sizeof id, "%" PRId64, c->id);
    const char *manner = s->given.json             ? "--json"
                         : s->given.common.quiet   ? "--quiet"
                         : s->given.common.verbose ? "--verbose"
                                                   : NULL;
    const char *argv[] = {"report",          "--test",          id,           "--follow",
                          "--server",        s->login.base_url, "--username", s->login.username,
                          "--password-file", password,          manner};
    int argc = (int)COUNT(argv) - (manner == NULL);
    bool ok = cmd_report_main(argc, (char **)argv) == EXIT_DONE ||
              error_set(err, "test %s: could not be followed, see above", id);
    free(password);
    return ok;
}

static bool follow_all(const Submission *s, Error *err) {
    bool ok = true;
    for (size_t i = 0; ok && i < s->count; i++)
        ok = s->candidates[i].id
                 ? follow(s, &s->candidates[i], err)
                 : error_set(err, "--wait: the number of the test of %s is not known",
                             testform_get(&s->candidates[i].form, "dev_branch"));
    return ok;
}

/* ---- In order ---- */

static bool open_desk(Submission *s, Error *err) {
    DeskOptions desk = {.base_branch = testform_get(&s->form, "base_branch"),
                        .remote = s->given.push,
                        .build_path = s->given.build_path};
    return !s->candidates[0].flags.count || desk_open(&s->desk, &desk, &s->log, err);
}

static bool publish(Submission *s, Error *err) {
    bool ok = true;
    Proposal *proposals = mem_calloc(s->count, sizeof *proposals);
    for (size_t i = 0; i < s->count; i++)
        proposals[i] = s->candidates[i].proposal;
    if (s->candidates[0].flags.count)
        ok = desk_publish(&s->desk, proposals, s->count, err);
    free(proposals);
    return ok;
}

static bool create_tests(Submission *s, Error *err) {
    size_t created = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < s->count; i++) {
        ok = create_test(s, &s->candidates[i], err);
        created += ok;
        if (ok && !s->given.json)
            print_test(s, &s->candidates[i]);
    }
    if (s->given.json)
        print_json(s, created);
    return ok;
}

static bool submit(Submission *s, Error *err) {
    bool real = !s->given.dry_run;
    find_address(s);
    if ((real && !check_login(s, err)) || ((real || s->given.preset) && !use_config(s, err)) ||
        !complete_form(s, err) || !open_desk(s, err) || !check_address(s, err) || !draft(s, err) ||
        (real && (!check_names(s, err) || !find_networks(s, err))) || !prepare(s, err))
        return false;
    if (real)
        return publish(s, err) && create_tests(s, err) && (!s->given.wait || follow_all(s, err));
    print_plan(s);
    return true;
}

static void free_submission(Submission *s) {
    for (size_t i = 0; i < s->count; i++) {
        words_free(&s->candidates[i].flags);
        proposal_free(&s->candidates[i].proposal);
        testform_free(&s->candidates[i].form);
    }
    free(s->candidates);
    desk_close(&s->desk);
    testform_free(&s->form);
    login_free(&s->login);
    options_free(&table, &s->given);
    log_free(&s->log);
}

static bool take_login(Submission *s, Error *err) {
    const LoginOptions *given = &s->given.login;
    if (!s->given.dry_run)
        return login_take(given, table.command, &s->log, &s->login, err);
    if (s->given.preset)
        return login_take_optional(given, table.command, &s->log, &s->login, err);
    login_hide(given);
    return true;
}

int cmd_submit_main(int argc, char **argv) {
    Submission s = {.given = {.build_path = "engine"}};
    Error err = {0};
    int status;
    login_protect();
    if (!options_run(&table, argc, argv, &s.given, &status))
        return status;
    log_init(&s.log, stderr, options_log_level(&s.given.common));
    if (!read_form(&s, &err) || !list_candidates(&s, &err) || !take_login(&s, &err)) {
        status = options_usage_error(&table, &err);
    } else {
        s.account = (ApiAccount){.base_url = s.login.base_url,
                                 .username = s.login.username,
                                 .password = s.login.password};
        bool ok = http_init(&err) && submit(&s, &err);
        if (!ok)
            log_error(&s.log, "%s", err.text);
        http_cleanup();
        status = ok ? EXIT_DONE : EXIT_FAILED;
    }
    free_submission(&s);
    return status;
}
