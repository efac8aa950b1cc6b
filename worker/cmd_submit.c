/* SPDX-License-Identifier: MIT */
/* obworker submit: creates workloads on an OpenBench server: A/B tests of the engine's reduction
 * flags or of any two branches, tunings of the engine's rows, data generations. */
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
#include "openbench/testform.h"
#include "submit/commitbench.h"
#include "submit/form.h"
#include "submit/proposal.h"
#include "submit/testserver.h"
#include "submit/tunable.h"
#include "testfollow.h"
#include "testoptions.h"

/* ---- The command line ---- */

typedef struct {
    OptionList flags;
    OptionList each;
    OptionList tune;
    const char *params;
    bool datagen;
    const char *push;
    const char *build_path;
    const char *preset;
    FormSettings form;
    RuleOptions rule;
    bool dry_run;
    bool wait;
    bool json;
    LoginOptions login;
    CommonOptions common;
} SubmitOptions;

#define FIELD(field) offsetof(SubmitOptions, field)

static const Option options[] = {
    OPTION_SECTION("What is tested"),
    LIST_OPTION("flag", "ROW=VALUE", FIELD(flags),
                "change this row of flags.def or params.def; may be repeated, and "
                "ROW=VALUE,ROW=VALUE is two"),
    LIST_OPTION("each", "ROW=VALUE,...", FIELD(each),
                "a test of its own for these rows, besides those of --flag; may be repeated"),
    TEXT_OPTION(
        "branch", "NAME", FIELD(form.branch),
        "the new branch's name (default: made of its rows); without --flag, --each and --tune an "
        "existing branch of the server's repository, which is sent as it is (it is built and "
        "benched here only where its commit is here, and the message says no bench)"),
    TEXT_OPTION("base-branch", "NAME", FIELD(form.base_branch),
                "what it starts from and is measured against (default main)"),
    TEXT_OPTION("push", "REMOTE", FIELD(push),
                "push the new branch there first: a server tests what it can fetch"),
    TEXT_OPTION(
        "build-path", "DIR", FIELD(build_path),
        "where the repository has the engine's Makefile and lmr/flags.def (default: where the "
        "server builds the engine, else engine)"),
    OPTION_SECTION("A tuning by SPSA, in place of a test"),
    LIST_OPTION("tune", "ROW,...", FIELD(tune),
                "tune these rows of the tables, within their bounds: the new branch's plain build "
                "has all rows as UCI options; may be repeated"),
    TEXT_OPTION("params", "FILE", FIELD(params),
                "tune these parameters, lines as reductio lmr spsa prints them; with --branch, the "
                "options of a branch that the server's repository has"),
    OPTION_SCHEDULE(FIELD(form.schedule), "the parameters move after each (default 1000)"),
    CHOICE_OPTION("reporting", "batched|bulk", FIELD(form.reporting),
                  "when workers send results: as they come (the default), or once a workload"),
    CHOICE_OPTION("distribution", "single|multiple", FIELD(form.distribution),
                  "the values in play on one machine: one set (the default), or one for each pair "
                  "of games"),
    OPTION_SECTION("A data generation, in place of a test"),
    FLAG_OPTION("datagen", FIELD(datagen),
                "generate games of the branch against the base from openings that the branch's "
                "engine makes; --games says how many"),
    TEXT_OPTION("genfens", "ARGS", FIELD(form.genfens),
                "further arguments of its genfens command, besides number, seed and book"),
    FLAG_OPTION("reverses", FIELD(form.reverses),
                "play each opening a second time with colours reversed"),
    OPTION_SECTION("The server's form"),
    TEXT_OPTION("from", "FILE", FIELD(form.from),
                "its fields, one a line: field = value; the options below win"),
    TEXT_OPTION(
        "preset", "NAME", FIELD(preset),
        "the settings that the server has under this name for the engine (STC, LTC, ...), for "
        "what --from and the options do not say"),
    TEXT_OPTION(
        "engine", "NAME", FIELD(form.engine),
        "the engine's name on the server (default: the engine that has this repository there, or "
        "one whose repository has the same name). Where none has, --flag, --each and --tune take "
        "Reductio"),
    TEXT_OPTION("repo", "URL|NAME", FIELD(form.repo),
                "where the server finds the branches (default: where git pushes to, or the "
                "engine's repository if the server keeps it); NAME: a repository that it keeps"),
    TEXT_OPTION("tc", "TC", FIELD(form.tc), TC_HELP "; for --datagen the default is N=5000"),
    OPTION_UCI(FIELD(form.options)),
    OPTION_RULE(FIELD(rule), "the SPRT's hypotheses, in normalized Elo (default 0,5)"),
    OPTION_GAMES(
        FIELD(form.games),
        "play N games instead of an SPRT; machines play whole workloads, and take further ones "
        "until N results have arrived, so more are played: with short games, many more"),
    TEXT_OPTION("book", "NAME", FIELD(form.book),
                "one of the server's books (default 8moves_v3.epd, or the first one of a server "
                "without it; for --datagen NONE)"),
    TEXT_OPTION("info", "TEXT", FIELD(form.info), "a remark that the server shows with the test"),
    OPTION_SECTION("The server"),
    OPTION_LOGIN(FIELD(login)),
    OPTION_SECTION("Besides"),
    FLAG_OPTION(
        "dry-run", FIELD(dry_run),
        "build, bench and show all that would be done; change nothing, and ask no server but "
        "for --preset"),
    FLAG_OPTION("json", FIELD(json),
                "name the tests, or those that --dry-run shows, in a JSON object"),
    FLAG_OPTION("wait", FIELD(wait),
                "then follow the tests, one after the other, as report --follow does"),
    OPTION_COMMON(FIELD(common)),
};

static const OptionTable table = {
    .command = "obworker submit",
    .synopsis = "{--flag ROW=VALUE | --each ROW=VALUE | --tune ROW,... | --params FILE | "
                "--branch NAME | --from FILE}... -S URL -U NAME [options]",
    .about = "Makes a branch of the repository that this folder is in, with these rows of the "
             "tables changed and its bench in the commit, and puts a test of it against the base "
             "branch on an OpenBench server; or a tuning of rows, or a data generation. The files "
             "of this folder are not touched.\n\n"
             "  obworker submit --flag KILLER=exempt --dry-run\n"
             "  obworker submit --each KILLER=exempt --each W_PV=0 --push origin \\\n"
             "      -S URL -U NAME\n"
             "  obworker submit --tune DIV,W_PV --iterations 5000 --push origin \\\n"
             "      -S URL -U NAME",
    .options = options,
    .count = COUNT(options),
    .operands = OPTION_NO_OPERANDS,
};

/* A workload to create. */
typedef struct {
    Words flags; /* Rows that the workload's branch changes. */
    Proposal proposal;
    TestForm form;
    int64_t id; /* The server's number; 0: not known. */
    bool waits; /* The server hands it out only when somebody approves it. */
    bool lost;  /* The server may have it, or not: nothing was heard. */
} Candidate;

typedef struct {
    SubmitOptions given;
    Log log;
    Login login;
    ApiAccount account;
    ApiServerConfig names; /* The engines and books of the server, where it was asked. */
    TestForm form;         /* The fields that all candidates share. */
    TestForm said;         /* The same, without what a server that was not asked decides. */
    char *web;             /* The remote's address on the web; NULL: none. */
    char *build_path;      /* Where the server builds the engine; NULL: not known. */
    Words tuned;           /* The rows of a tuning whose branch this command makes. */
    SpsaParameters parameters;
    bool makes_branches; /* False: the branches exist already. */
    WorkClone work;
    Candidate *candidates;
    size_t count;
} Submission;

/* ---- What is to be tested ---- */

static const char *remote_name(const Submission *s) {
    return s->given.push ? s->given.push : "origin";
}

static const char *build_path(const Submission *s) {
    return s->given.build_path ? s->given.build_path : s->build_path ? s->build_path : "engine";
}

/* Reads the rows of --flag and those of one --each; own NULL: there is no --each. */
static bool read_flags(const OptionList *common, const char *own, Words *out, Error *err) {
    Text all = {0};
    for (size_t i = 0; i < common->count; i++)
        text_addf(&all, "%s ", common->items[i]);
    bool ok = variant_words(text_string(&all), out, err) || error_prefix(err, "--flag");
    if (ok && own) {
        words_free(out);
        text_add(&all, own);
        ok = variant_words(text_string(&all), out, err) || error_prefix(err, "--each");
    }
    text_free(&all);
    return ok;
}

/* Reads a tuning's rows, and its parameters as far as known before the engine is built. */
static bool read_tuning(Submission *s, Error *err) {
    const SubmitOptions *given = &s->given;
    const char *inputs = testform_get(&s->form, "spsa_inputs");
    if (given->tune.count > 0 && (given->params || inputs))
        return error_set(err, "--%s: cannot stand beside --tune",
                         given->params ? "params" : "from");
    for (size_t i = 0; i < given->tune.count; i++)
        if (!tunable_names(given->tune.items[i], &s->tuned, err))
            return error_prefix(err, "--tune");
    if (given->params && !parameters_read(given->params, &s->parameters, err))
        return false;
    if (!given->params && inputs && !spsa_add_parameters(&s->parameters, inputs, err))
        return error_prefix(err, "--from: spsa_inputs");
    if (s->tuned.count == 0 && s->parameters.count == 0)
        return error_set(err, "--tune: is missing: the rows to tune (or --params)");
    form_set_parameters(&s->form, &s->parameters);
    for (size_t i = 0; s->makes_branches && i < s->parameters.count; i++)
        words_add(&s->tuned, s->parameters.items[i].name);
    return true;
}

static bool list_candidates(Submission *s, Error *err) {
    const SubmitOptions *given = &s->given;
    s->count = given->each.count ? given->each.count : 1;
    s->candidates = mem_calloc(s->count, sizeof *s->candidates);
    bool named = form_says(&s->form, "dev_branch");
    bool flags = given->flags.count || given->each.count;
    bool tuning = s->form.kind == TESTFORM_TUNE;
    s->makes_branches = flags || given->tune.count > 0 || (tuning && !named);
    for (size_t i = 0; flags && i < s->count; i++)
        if (!read_flags(&given->flags, given->each.count ? given->each.items[i] : NULL,
                        &s->candidates[i].flags, err))
            return false;
    for (size_t i = 0; flags && i < s->count; i++)
        if (s->candidates[i].flags.count == 0)
            return error_set(err, "--%s: names no row", given->each.count ? "each" : "flag");
    if (tuning && given->each.count)
        return error_set(err, "--each: makes several tests, but a tuning is one");
    if (tuning && !s->makes_branches && given->form.base_branch)
        return error_set(err,
                         "--base-branch: a tuning of an existing branch has none: leave it out");
    if (tuning && !read_tuning(s, err))
        return false;
    if (!s->makes_branches && !named && s->form.kind == TESTFORM_DATAGEN)
        return error_set(err, "--branch: is missing: the branch whose engine plays the games");
    if (!s->makes_branches && !named)
        return error_set(err, "what is to be tested? Give one of --flag ROW=VALUE, --each, "
                              "--branch, --tune, --params and --from");
    if (!s->makes_branches && given->push)
        return error_set(err,
                         "--push: is for branches that --flag, --each and --tune make; push an "
                         "existing one yourself: git push %s %s",
                         given->push, testform_text(&s->form, "dev_branch"));
    if (named && given->each.count > 1)
        return error_set(err, "--branch: is one name, --each asks for %zu branches", s->count);
    return true;
}

/* Refuses a form that says another bench of this branch than the measured one. */
static bool check_bench(const TestForm *form, const char *field, const char *branch, int64_t bench,
                        Error *err) {
    char measured[32];
    const char *said = testform_text(form, field);
    snprintf(measured, sizeof measured, "%" PRId64, bench);
    return said[0] == '\0' || strcmp(said, measured) == 0 ||
           error_set(err, "%s: is %s in the form, but %s's bench is %s: leave %s out of --from",
                     field, said, branch, measured, field);
}

static bool fill_candidate(Submission *s, Candidate *c, Error *err) {
    const WorkClone *work = &s->work;
    char bench[32];
    testform_copy(&s->form, &c->form);
    if (!s->makes_branches)
        return form_bench_branches(&c->form, remote_name(s), s->account.base_url, build_path(s),
                                   &s->log, err);
    testform_set(&c->form, "dev_branch", c->proposal.branch);
    snprintf(bench, sizeof bench, "%" PRId64, work->base_bench);
    if (!form_says(&s->form, "base_bench") && work->said_bench == 0)
        testform_set(&c->form, "base_bench", bench);
    return check_bench(&s->form, "dev_bench", c->proposal.branch, c->proposal.bench, err) &&
           check_bench(&s->form, "base_bench", work->options.base_branch, work->base_bench, err);
}

/* Refuses candidates of the same name, which would share a branch. */
static bool check_twins(const Submission *s, Error *err) {
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < i; k++)
            if (s->makes_branches &&
                strcmp(s->candidates[i].proposal.branch, s->candidates[k].proposal.branch) == 0)
                return error_set(err, "--each: %s is asked for twice",
                                 s->candidates[i].proposal.branch);
    return true;
}

/* Names and checks the branches, before anything is built. */
static bool draft(Submission *s, Error *err) {
    const char *said = testform_get(&s->form, "dev_branch");
    for (size_t i = 0; s->makes_branches && i < s->count; i++) {
        Candidate *c = &s->candidates[i];
        BranchChange change = {.flags = &c->flags, .tuned = &s->tuned};
        if (!workclone_draft(&s->work, &change, said[0] != '\0' ? said : NULL, &c->proposal, err))
            return false;
    }
    return check_twins(s, err);
}

/* Asks the branch's engine for its rows. The rows become the parameters; given parameters are
 * checked against the rows. */
static bool find_parameters(Submission *s, Proposal *p, Error *err) {
    SpsaParameters rows = {0};
    if (s->tuned.count == 0)
        return true;
    bool ok = tunable_rows(p->binary, &s->tuned, &rows, err);
    if (ok && s->parameters.count > 0) {
        ok = tunable_check(&s->parameters, &rows, err) || error_prefix(err, "--params");
    } else if (ok) {
        s->parameters = rows;
        rows = (SpsaParameters){0};
    }
    form_set_parameters(&s->form, &s->parameters);
    if (ok)
        text_addf(&p->parameters, "%s\n", testform_get(&s->form, "spsa_inputs"));
    spsa_free_parameters(&rows);
    return ok;
}

/* Warns when a branch that changes rows has the base's bench, or a tunable branch has another. */
static void warn_of_bench(Submission *s, const Candidate *c) {
    bool same = c->proposal.bench == s->work.base_bench;
    if (same && c->flags.count > 0)
        log_warn(&s->log, "%s: its bench is the base's: these rows may change nothing",
                 c->proposal.branch);
    if (!same && c->flags.count == 0)
        log_warn(&s->log, "%s: its bench is not the base's: this build plays otherwise",
                 c->proposal.branch);
}

static bool make_branch(Submission *s, Candidate *c, Error *err) {
    if (!workclone_build(&s->work, &c->proposal, err) || !find_parameters(s, &c->proposal, err) ||
        !workclone_commit(&s->work, &c->proposal, err))
        return false;
    warn_of_bench(s, c);
    return true;
}

static bool prepare(Submission *s, Error *err) {
    if (s->makes_branches && !workclone_bench_base(&s->work, err))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        Candidate *c = &s->candidates[i];
        if ((s->makes_branches && !make_branch(s, c, err)) || !fill_candidate(s, c, err))
            return false;
    }
    return true;
}

/* ---- The server ---- */

/* The word for the workload's kind. */
static const char *noun_of(const Candidate *c) {
    return testform_names(c->form.kind)->noun;
}

/* Tells how to submit a branch that was made and has no test: by the options given, but for those
 * that make branches. */
static void tell_way_on(Submission *s, const Candidate *c) {
    const char *branch = testform_get(&c->form, "dev_branch");
    bool tuning = c->form.kind == TESTFORM_TUNE;
    Text way = {0};
    if (!s->given.push)
        text_addf(&way, "git push %s %s; ", remote_name(s), branch);
    text_addf(&way,
              "obworker submit %s--branch %s, with the other options of this command but --flag, "
              "--each, --tune%s and --push",
              tuning ? "--params FILE (its commit has the lines) " : "", branch,
              tuning ? ", --base-branch" : "");
    log_info(&s->log, "the branch %s is made; %s: %s", branch,
             c->lost ? "if the server has no test of it" : "once the reason is gone",
             text_string(&way));
    text_free(&way);
}

/* Logs the server's reasons except the last, which becomes the error. */
static bool refuse(Submission *s, const Candidate *c, TestFormVerdict verdict, const Words *reasons,
                   Error *err) {
    const char *branch = testform_get(&c->form, "dev_branch");
    const char *last = reasons->items[reasons->count - 1];
    const char *kind = noun_of(c);
    if (verdict == TESTFORM_LOST)
        return error_set(err,
                         "%s: whether the server has the %s of %s is not known (%s): look at "
                         "%sindex/ before trying again",
                         s->account.base_url, kind, branch, last, s->account.base_url);
    for (size_t i = 0; i + 1 < reasons->count; i++)
        log_error(&s->log, "%s refuses the %s of %s: %s", s->account.base_url, kind, branch,
                  reasons->items[i]);
    return error_set(err, "%s refuses the %s of %s: %s", s->account.base_url, kind, branch, last);
}

static bool create_test(Submission *s, Candidate *c, Error *err) {
    HttpResponse response;
    Words reasons = {0};
    int64_t newest = testserver_newest(&s->account, &c->form);
    TestFormVerdict verdict = testserver_send(&s->account, &c->form, &response, &reasons);
    bool ok = verdict == TESTFORM_CREATED || refuse(s, c, verdict, &reasons, err);
    c->lost = verdict == TESTFORM_LOST;
    if (ok)
        c->id = testserver_find_test(&s->account, &c->form, text_string(&response.body), newest,
                                     &c->waits);
    http_response_free(&response);
    words_free(&reasons);
    return ok;
}

/* ---- What is shown ---- */

static void add_address(const Submission *s, const Candidate *c, Text *out) {
    text_add(out, s->account.base_url);
    if (c->id)
        testform_add_path(&c->form, c->id, out);
    else
        text_add(out, "index/");
}

/* "lmr-killer-exempt against main", "tune-div-w_pv". */
static void add_sides(const Candidate *c, Text *out) {
    text_add(out, testform_get(&c->form, "dev_branch"));
    if (testform_has(&c->form, "base_branch"))
        text_addf(out, " against %s", testform_get(&c->form, "base_branch"));
}

static void print_test(const Submission *s, const Candidate *c) {
    Text out = {0};
    text_add(&out, noun_of(c));
    if (c->id)
        text_addf(&out, " %" PRId64 ": ", c->id);
    else
        text_add(&out, " of ");
    add_sides(c, &out);
    text_add(&out, c->id ? ": " : ": the server has it, its number could not be found out: ");
    add_address(s, c, &out);
    text_add_char(&out, '\n');
    text_print(stdout, text_string(&out));
    fflush(stdout);
    text_free(&out);
}

/* A test in the output of --json. */
static void add_json(const Submission *s, const Candidate *c, cJSON *list) {
    /* Both sides of a tuning are one branch. */
    const char *base = testform_has(&c->form, "base_branch") ? "base_branch" : "dev_branch";
    Text address = {0};
    add_address(s, c, &address);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "test", (double)c->id);
    cJSON_AddStringToObject(object, "address", text_string(&address));
    cJSON_AddStringToObject(object, "branch", testform_get(&c->form, "dev_branch"));
    cJSON_AddStringToObject(object, "base_branch", testform_get(&c->form, base));
    if (s->makes_branches) { /* Branches that existed before have no bench here. */
        cJSON_AddNumberToObject(object, "bench", (double)c->proposal.bench);
        cJSON_AddNumberToObject(object, "base_bench", (double)s->work.base_bench);
    }
    cJSON_AddItemToArray(list, object);
    text_free(&address);
}

/* Is this field of a dry run's form left to the server, which is not asked? */
static bool is_left(const Submission *s, const char *name) {
    static const char *const FIELDS[] = {"dev_engine", "dev_repo", "base_engine", "base_repo",
                                         "scale_nps"};
    bool left = strcmp(name, "book_name") == 0 && s->said.kind != TESTFORM_DATAGEN;
    for (size_t i = 0; i < COUNT(FIELDS); i++)
        left = left || strcmp(name, FIELDS[i]) == 0;
    return left && !s->given.preset && !form_says(&s->said, name);
}

/* A test in the output of --dry-run --json: its branch, and the form by the fields' names, without
 * those that the server says. */
static void add_plan_json(const Submission *s, const Candidate *c, cJSON *list) {
    const Proposal *p = &c->proposal;
    cJSON *object = cJSON_CreateObject();
    if (p->branch) {
        cJSON_AddStringToObject(object, "branch", p->branch);
        cJSON_AddStringToObject(object, "base_branch", s->work.options.base_branch);
        cJSON_AddStringToObject(object, "base_commit", s->work.base_commit);
        cJSON_AddNumberToObject(object, "bench", (double)p->bench);
        cJSON_AddNumberToObject(object, "base_bench", (double)s->work.base_bench);
        cJSON_AddStringToObject(object, "diff", text_string(&p->diff));
        cJSON_AddStringToObject(object, "message", text_string(&p->message));
    }
    cJSON *form = cJSON_AddObjectToObject(object, "form");
    for (size_t row = 0; row < TESTFORM_ROWS; row++) {
        const char *name = testform_name(&c->form, row);
        const char *value = name ? testform_get(&c->form, name) : NULL;
        if (value && !is_left(s, name))
            cJSON_AddStringToObject(form, name, value);
    }
    cJSON_AddItemToArray(list, object);
}

/* Prints {"tests": [...]}, the list of the tests created, or of those planned by --dry-run. */
static void print_json(const Submission *s, size_t count) {
    cJSON *object = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(object, "tests");
    Text out = {0};
    for (size_t i = 0; i < count; i++)
        (s->given.dry_run ? add_plan_json : add_json)(s, &s->candidates[i], list);
    json_take(object, &out);
    text_add_char(&out, '\n');
    text_print(stdout, text_string(&out));
    text_free(&out);
}

/* Appends a field as --from reads fields: each of its lines under its name. --from skips the lines
 * that begin with '#'. A branch that is not made here has no usual engine. */
static void add_field(const Submission *s, const TestForm *form, const char *name, Text *out) {
    const char *value = name ? testform_get(form, name) : NULL;
    if (value && is_left(s, name)) {
        bool usual = value[0] && (s->makes_branches || !text_ends_with(name, "_engine"));
        text_addf(out, "# %s = %s%s\n", name, usual ? value : "",
                  usual ? " (unless the server says another)" : "(the server says it)");
        return;
    }
    for (const char *at = value; at;) {
        size_t length = strcspn(at, "\n");
        text_addf(out, "%s = %.*s\n", name, (int)length, at);
        at = at[length] ? at + length + 1 : NULL;
    }
}

/* Prints the branches, commit messages and forms that would be made. */
static void print_plan(const Submission *s) {
    const char *server = s->given.login.server ? s->given.login.server : "(no server yet)";
    Text out = {0};
    for (size_t i = 0; i < s->count; i++) {
        const Candidate *c = &s->candidates[i];
        const Proposal *p = &c->proposal;
        if (i > 0)
            text_add_char(&out, '\n');
        if (p->branch) {
            text_addf(&out,
                      "branch %s from %s (%.12s), bench %" PRId64 " against %" PRId64 "\n\n%s\n",
                      p->branch, s->work.options.base_branch, s->work.base_commit, p->bench,
                      s->work.base_bench, text_string(&p->diff));
            text_addf(&out, "commit message:\n\n%s\n", text_string(&p->message));
        }
        if (p->branch && s->given.push)
            text_addf(&out, "git push %s %s\n\n", s->given.push, p->branch);
        text_addf(&out, "# form for %s:\n\n", server);
        for (size_t row = 0; row < TESTFORM_ROWS; row++)
            add_field(s, &c->form, testform_name(&c->form, row), &out);
    }
    text_print(stdout, text_string(&out));
    text_free(&out);
}

/* Follows the tests one after another, until the user interrupts. */
static bool follow_all(Submission *s, Error *err) {
    bool left = false;
    TestFollowOptions manner = {.format = s->given.json ? OUTPUT_JSON : OUTPUT_BLOCK,
                                .left = &left};
    for (size_t i = 0; !left && i < s->count; i++) {
        const Candidate *c = &s->candidates[i];
        if (c->id == 0)
            return error_set(err, "--wait: the number of the %s of %s is not known", noun_of(c),
                             testform_get(&c->form, "dev_branch"));
        if (!testfollow(&s->account, c->id, &manner, &s->log, err))
            return error_prefix(err, "%s %" PRId64, noun_of(c), c->id);
    }
    return true;
}

/* ---- In order ---- */

static bool open_clone(Submission *s, Error *err) {
    const char *base = testform_get(&s->form, "base_branch");
    if (!base) /* A tuning's form has no field for its branch's source. */
        base = s->given.form.base_branch ? s->given.form.base_branch : "main";
    WorkCloneOptions wanted = {
        .base_branch = base, .remote = s->given.push, .build_path = build_path(s)};
    return !s->makes_branches || workclone_open(&s->work, &wanted, &s->log, err);
}

static bool publish(Submission *s, Error *err) {
    bool ok = true;
    bool pushed = false;
    Proposal *proposals = mem_calloc(s->count, sizeof *proposals);
    for (size_t i = 0; i < s->count; i++)
        proposals[i] = s->candidates[i].proposal;
    if (s->makes_branches)
        ok = workclone_publish(&s->work, proposals, s->count, &pushed, err);
    for (size_t i = 0; !ok && pushed && i < s->count; i++)
        tell_way_on(s, &s->candidates[i]);
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
        if (ok && s->candidates[i].waits)
            log_info(&s->log, "no game is played before somebody approves it there");
    }
    for (size_t i = created; s->makes_branches && i < s->count; i++)
        tell_way_on(s, &s->candidates[i]);
    if (s->given.json)
        print_json(s, created);
    return ok;
}

/* Asks the server for the engine's settings. Where the repository has no address on the web, the
 * folder that git pushes to, or the one of the only remote, tells by its name which engine's it is.
 */
static bool use_config(Submission *s, Error *err) {
    char *folder = s->web ? NULL : git_push_address(NULL, remote_name(s), NULL);
    if (!s->web && !folder) {
        Words remotes = {0};
        git_remotes(NULL, &remotes);
        if (remotes.count == 1)
            folder = git_push_address(NULL, remotes.items[0], NULL);
        words_free(&remotes);
    }
    bool ok =
        testserver_use_config(&s->account, &s->form, s->web ? s->web : folder, s->makes_branches,
                              s->given.preset, &s->build_path, &s->log, err);
    if (ok && s->build_path && !s->given.build_path)
        log_info(&s->log, "%s builds the engine in the repository's folder %s", s->account.base_url,
                 s->build_path);
    free(folder);
    return ok;
}

/* Refuses faulty requests before anything is built. */
static bool check(Submission *s, Error *err) {
    bool real = !s->given.dry_run;
    const ApiAccount *account = &s->account;
    bool asks = real || s->given.preset;
    s->web = git_web(NULL, remote_name(s), true);
    if (real && !testserver_check_login(account, err))
        return false;
    if (asks) {
        /* A preset may name an engine and a book that the server does not have. */
        if (!testserver_ask_names(account, &s->names, err) ||
            (s->given.preset && !testserver_check_names(account, &s->names, &s->form, err)) ||
            !use_config(s, err))
            return false;
    }
    if (asks)
        testserver_suggest_book(&s->names, &s->form, &s->log);
    testform_copy(&s->form, &s->said);
    form_use_address(&s->form, s->web);
    /* A server that is not asked may keep the repository. */
    return form_complete(&s->form, &s->given.form, err) &&
           (!s->makes_branches || form_check_networks(&s->form, err)) && open_clone(s, err) &&
           (!asks || form_check_address(&s->form, remote_name(s), err)) && draft(s, err) &&
           (!real || (testserver_check_names(account, &s->names, &s->form, err) &&
                      testserver_find_networks(account, &s->form, err)));
}

static bool submit(Submission *s, Error *err) {
    bool ready = check(s, err) && !git_interrupted() && prepare(s, err);
    if (git_interrupted()) /* What followed from a failure of git is void. */
        return error_set(err, "interrupted");
    if (!ready)
        return false;
    if (!s->given.dry_run)
        return publish(s, err) && create_tests(s, err) && (!s->given.wait || follow_all(s, err));
    if (s->given.json)
        print_json(s, s->count);
    else
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
    words_free(&s->tuned);
    spsa_free_parameters(&s->parameters);
    workclone_close(&s->work);
    testform_free(&s->form);
    testform_free(&s->said);
    free(s->web);
    free(s->build_path);
    api_config_free(&s->names);
    login_free(&s->login);
    options_free(&table, &s->given);
    log_free(&s->log);
}

static bool take_login(Submission *s, Error *err) {
    const LoginOptions *given = &s->given.login;
    if (!s->given.dry_run)
        return login_take(given, &s->log, &s->login, err);
    if (s->given.preset)
        return login_take_optional(given, &s->log, &s->login, err);
    login_hide(given);
    return true;
}

static bool read_kind(Submission *s, Error *err) {
    bool tuning = s->given.tune.count > 0 || s->given.params;
    if (tuning && s->given.datagen)
        return error_set(err, "--datagen: cannot stand beside --%s, which makes a tuning",
                         s->given.params ? "params" : "tune");
    s->given.form.kind = tuning             ? TESTFORM_TUNE
                         : s->given.datagen ? TESTFORM_DATAGEN
                                            : TESTFORM_TEST;
    return true;
}

static bool read_settings(Submission *s, Error *err) {
    FormSettings *form = &s->given.form;
    form->bounds = s->given.rule.bounds != NULL;
    form->confidence = s->given.rule.confidence != NULL;
    return read_kind(s, err) && games_check(form->games, err) &&
           rule_read(&s->given.rule, &form->rule, err) && form_read(&s->form, form, err) &&
           (s->given.preset || form_check_games(&s->form, form, err)) && list_candidates(s, err) &&
           take_login(s, err);
}

int cmd_submit_main(int argc, char **argv) {
    Submission s = {.given = {.form = FORM_NOTHING}};
    Error err = {0};
    int status;
    login_protect();
    if (!options_run(&table, argc, argv, &s.given, &status))
        return status;
    log_init(&s.log, stderr, options_log_level(&s.given.common));
    if (!read_settings(&s, &err)) {
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
