/* SPDX-License-Identifier: MIT */
#include "serve/newtest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "build/git.h"
#include "match/adjudication.h"
#include "match/timecontrol.h"
#include "openbench/engineconfig.h"
#include "openbench/workload.h"
#include "serve/catalog.h"
#include "serve/rules.h"
#include "serve/serve.h"
#include "serve/sources.h"
#include "stats/bounds.h"

enum {
    LINE_MAX_BYTES = 1024,      /* Of a field that is one line. */
    TEXT_MAX_BYTES = 64 * 1024, /* Of a field of several lines. */
};

/* A test in the making. */
typedef struct {
    Serve *serve;
    const WebRequest *request;
    TestFormKind kind;
    Text *reasons;
    Test test; /* Texts are owned. */
    SpsaParameters parameters;
    char *message; /* Of dev's commit. */
    Text doubts;   /* Of the commits, one a line: upstreams that did not answer in time. */
} Draft;

static void refuse(Draft *draft, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void refuse(Draft *draft, const char *fmt, ...) {
    char line[ERROR_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    text_addf(draft->reasons, "%s%s", draft->reasons->length ? "\n" : "", line);
}

/* Refuses for a fault of the database, whose cause goes to the server's log. */
static void refuse_fault(Draft *draft, const Error *fault) {
    serve_log_error(draft->serve, "%s", fault->text);
    refuse(draft, "%s", WEB_FAULT_WORDS);
}

/* The field's value; "" when the form lacks the field. A line that is too long or holds control
 * characters is refused. */
static const char *line_of(Draft *draft, const char *name) {
    const char *value = web_fields_get(&draft->request->form, name);
    if (!value)
        return "";
    size_t length = strlen(value);
    bool plain = length <= LINE_MAX_BYTES;
    for (size_t i = 0; plain && i < length; i++)
        plain = (unsigned char)value[i] >= ' ' && value[i] != 0x7f;
    if (plain)
        return value;
    refuse(draft, "%s is no line of at most %d bytes", name, LINE_MAX_BYTES);
    return "";
}

static char *copy_line(Draft *draft, const char *name) {
    return mem_strdup(line_of(draft, name));
}

/* ---- Numbers and choices ---- */

/* A field that holds a whole number. */
static const struct {
    const char *name, *label;
    int64_t min, max;
    size_t offset;
} integers[] = {
    {"priority", "Priority", -PRIORITY_MAX, PRIORITY_MAX, offsetof(Test, priority)},
    {"throughput", "Throughput", 1, THROUGHPUT_MAX, offsetof(Test, throughput)},
    {"workload_size", "Workload Size", 1, WORKLOAD_SIZE_MAX, offsetof(Test, workload_size)},
    {"scale_nps", "Scale NPS", 1, SCALE_NPS_MAX, offsetof(Test, scale_nps)},
    {"datagen_max_games", "Games", 1, GAMES_MAX, offsetof(Test, max_games)},
};

/* A field that holds one of testform_words. */
static const struct {
    const char *name, *label;
    size_t offset;
} choices[] = {
    {"upload_pgns", "Upload PGNs", offsetof(Test, upload_pgns)},
    {"syzygy_wdl", "Syzygy WDL", offsetof(Test, syzygy_wdl)},
    {"syzygy_adj", "Syzygy Adjudication", offsetof(Test, syzygy_adj)},
    {"scale_method", "Scale Method", offsetof(Test, scale_method)},
    {"test_mode", "Test Mode", offsetof(Test, kind)},
    {"spsa_reporting_type", "Reporting Method", offsetof(Test, spsa_reporting)},
    {"spsa_distribution_type", "Distribution Method", offsetof(Test, spsa_distribution)},
};

static bool has_field(const Draft *draft, const char *name) {
    return testform_has(&(TestForm){.kind = draft->kind}, name);
}

static void read_integers(Draft *draft) {
    for (size_t i = 0; i < COUNT(integers); i++) {
        if (!has_field(draft, integers[i].name))
            continue;
        Error err;
        int64_t *out = (int64_t *)((char *)&draft->test + integers[i].offset);
        if (!text_to_int(line_of(draft, integers[i].name), integers[i].min, integers[i].max,
                         integers[i].label, out, &err))
            refuse(draft, "%s", err.text);
    }
}

static void read_schedule(Draft *draft) {
    for (size_t i = 0; i < COUNT(TESTFORM_SCHEDULE); i++) {
        Error err;
        const TestFormNumber *number = &TESTFORM_SCHEDULE[i];
        if (!testform_read_number(number, line_of(draft, number->field), number->label,
                                  &draft->test.spsa, &err))
            refuse(draft, "%s", err.text);
    }
}

static void read_choices(Draft *draft) {
    for (size_t i = 0; i < COUNT(choices); i++) {
        char **out = (char **)((char *)&draft->test + choices[i].offset);
        if (!has_field(draft, choices[i].name))
            continue;
        *out = copy_line(draft, choices[i].name);
        Words words = {0};
        const char *allowed = testform_words(choices[i].name);
        words_split(&words, allowed, NULL);
        if (!words_has(&words, *out))
            refuse(draft, "%s has to be one of: %s", choices[i].label, allowed);
        words_free(&words);
    }
}

/* ---- The rules of the games ---- */

static void read_sprt(Draft *draft) {
    Test *test = &draft->test;
    SprtRule rule = {0};
    Error err;
    if (!sprt_parse_form(line_of(draft, "test_bounds"), line_of(draft, "test_confidence"), &rule,
                         &err))
        refuse(draft, "%s", err.text);
    test->elo0 = rule.elo0;
    test->elo1 = rule.elo1;
    test->alpha = rule.alpha;
    test->beta = rule.beta;
}

static void read_games(Draft *draft) {
    Error err;
    if (!text_to_int(line_of(draft, "test_max_games"), 1, GAMES_MAX, "Games",
                     &draft->test.max_games, &err))
        refuse(draft, "%s", err.text);
}

/* Clients know "None" in this spelling alone. */
static void spell_none(char **rule, bool on) {
    static const char NONE[] = "None";
    if (!on && strcmp(*rule, NONE) != 0) {
        free(*rule);
        *rule = mem_strdup(NONE);
    }
}

static void read_adjudication(Draft *draft) {
    Error err;
    ResignRule resign;
    DrawRule draw;
    draft->test.win_adj = copy_line(draft, "win_adj");
    draft->test.draw_adj = copy_line(draft, "draw_adj");
    if (!adjudication_parse_resign(draft->test.win_adj, &resign, &err))
        refuse(draft, "win_adj: %s", err.text);
    else
        spell_none(&draft->test.win_adj, resign.on);
    if (!adjudication_parse_draw(draft->test.draw_adj, &draw, &err))
        refuse(draft, "draw_adj: %s", err.text);
    else
        spell_none(&draft->test.draw_adj, draw.on);
}

static void read_book(Draft *draft) {
    char *name = draft->test.book_name = copy_line(draft, "book_name");
    bool none = draft->kind == TESTFORM_DATAGEN && strcmp(name, "NONE") == 0;
    if (!none && !catalog_book(&draft->serve->catalog, name))
        refuse(draft, "Book was not found in the configuration: '%s'", name);
}

static void read_tuning(Draft *draft) {
    Error err;
    const char *lines = web_fields_get(&draft->request->form, "spsa_inputs");
    Text clean = {0};
    text_add(&clean, lines ? lines : "");
    while (clean.length && clean.data[clean.length - 1] == '\n')
        clean.data[--clean.length] = '\0';
    if (clean.length > TEXT_MAX_BYTES)
        refuse(draft, "spsa_inputs is longer than %d bytes", TEXT_MAX_BYTES);
    else if (!spsa_add_parameters(&draft->parameters, text_string(&clean), &err))
        refuse(draft, "%s", err.text);
    else if (draft->parameters.count == 0)
        refuse(draft, "No Parameters Provided");
    text_free(&clean);
    draft->test.workload_size = draft->test.spsa.pairs_per;
}

static void read_datagen(Draft *draft) {
    char *args = draft->test.genfens_args = copy_line(draft, "datagen_custom_genfens");
    const char *reverses = line_of(draft, "datagen_play_reverses");
    draft->test.play_reverses = strcmp(reverses, "YES") == 0;
    if (!draft->test.play_reverses && strcmp(reverses, "NO") != 0)
        refuse(draft, "Play Reverses must either be YES or NO");
    if (strchr(args, '"'))
        refuse(draft, "Quotes are not allowed in the arguments of genfens");
}

/* ---- Sides ---- */

/* What people read of a side. */
static const char *const labels[SIDE_COUNT] = {"Dev", "Base"};

/* A copy of a side's field. */
static char *side_line(Draft *draft, Side side, const char *field) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", side_name(side), field);
    return copy_line(draft, name);
}

/* A time control in the server's form: "8.0+0.08". */
static void read_time_control(Draft *draft, Side side) {
    TimeControl tc;
    Error err;
    char *typed = side_line(draft, side, "time_control");
    char text[TIMECONTROL_TEXT_MAX] = "";
    if (!timecontrol_parse(typed, &tc, &err))
        refuse(draft, "%s Time Control: %s", labels[side], err.text);
    else
        timecontrol_format_plain(&tc, text);
    draft->test.sides[side].time_control = mem_strdup(text);
    free(typed);
}

static void read_options(Draft *draft, Side side) {
    /* Stock workers look for these names in this letter case. */
    static const char *const needed[] = {"Threads", "Hash"};
    TestSide *out = &draft->test.sides[side];
    Words names = {0}, values = {0};
    Error err;
    out->options = side_line(draft, side, "options");
    bool readable = workload_read_options(out->options, &names, &values, &err);
    if (!readable)
        refuse(draft, "%s Options: %s", labels[side], err.text);
    for (size_t i = 0; readable && i < COUNT(needed); i++)
        if (!words_has(&names, needed[i]) || rules_option(out->options, needed[i]) < 1)
            refuse(draft, "\"%s\" needs to be at least 1 for %s Options, and at most %d: '%s'",
                   needed[i], labels[side], INT32_MAX, out->options);
    words_free(&names);
    words_free(&values);
}

static void read_network(Draft *draft, Side side) {
    TestSide *out = &draft->test.sides[side];
    out->network = side_line(draft, side, "network");
    out->netname = mem_strdup("");
    if (out->network[0] == '\0')
        return;
    Network network;
    Transaction *t = transaction_begin(draft->serve->database, TRANSACTION_READ);
    bool known = store_network(t, out->engine, out->network, &network);
    Error fault;
    if (!transaction_end(t, &fault)) {
        refuse_fault(draft, &fault);
    } else if (known) {
        free(out->network);
        free(out->netname);
        out->network = mem_strdup(network.sha);
        out->netname = mem_strdup(network.name);
    } else {
        refuse(draft, "Unknown Network Provided for %s Network: '%s'", labels[side], out->network);
    }
    store_free_network(&network);
}

bool newtest_has_networks(Transaction *t, const Test *test, Error *err) {
    bool ok = true;
    for (Side side = SIDE_DEV; ok && side < SIDE_COUNT; side++) {
        const TestSide *s = &test->sides[side];
        Network network = {0};
        ok = s->network[0] == '\0' || store_network(t, s->engine, s->network, &network) ||
             error_set(err,
                       "The network %s of %s was removed. Upload it again, or make a new test with "
                       "another one.",
                       s->netname, s->engine);
        store_free_network(&network);
    }
    return ok;
}

/* A repository as tests have it, allocated: without slashes at its end, and of one that is kept
 * here the name, also where the address of this server, as the client wrote it, stands before it.
 */
static char *canonical_repo(const Serve *serve, const WebRequest *request, const char *repo) {
    size_t length = strlen(repo);
    while (length > 0 && repo[length - 1] == '/')
        length--;
    char *plain = mem_strndup(repo, length);
    char *base = serve_base(serve, request);
    const char *path = repository_path(plain, base);
    const char *kept = sources_kept(serve->sources, path ? path : plain);
    char *canonical = mem_strdup(kept ? kept : plain);
    free(base);
    free(plain);
    return canonical;
}

/* A private engine comes from its own repository, because its token must go nowhere else. */
bool newtest_find_commit(const Serve *serve, const WebRequest *request, const CatalogEngine *engine,
                         const TestSide *side, SourceCommit *out, Error *err) {
    char *own = canonical_repo(serve, request, engine->source);
    bool is_own = strcmp(side->repo, own) == 0;
    free(own);
    if (engine->is_private && !is_own)
        return error_set(err, "Forked Repositories are not allowed for Private engines");
    return sources_resolve(serve->sources, side->repo, side->branch, engine->token, out, err);
}

/* Finds the side's commit, whose message has the bench unless the form has one. Asks git or GitHub.
 */
static void find_commit(Draft *draft, Side side) {
    TestSide *out = &draft->test.sides[side];
    const CatalogEngine *engine = catalog_engine(&draft->serve->catalog, out->engine);
    Error err;
    SourceCommit commit;
    if (!newtest_find_commit(draft->serve, draft->request, engine, out, &commit, &err)) {
        refuse(draft, "%s", err.text);
        return;
    }
    out->sha = mem_strdup(commit.sha);
    out->source = mem_strdup(commit.source);
    if (commit.doubt)
        text_addf(&draft->doubts, "%s is %s, as it was here: %s\n", out->branch, commit.sha,
                  commit.doubt);
    if (out->bench == 0 && commit.bench < 1)
        refuse(draft,
               "Unable to parse a Bench for %s: write 'Bench: N' into the commit's message, or "
               "give the bench",
               out->branch);
    else if (out->bench == 0)
        out->bench = commit.bench;
    if (side == SIDE_DEV) {
        draft->message = commit.message;
        commit.message = NULL;
    }
    source_commit_free(&commit);
}

static char *read_repo(Draft *draft, Side side) {
    char *typed = side_line(draft, side, "repo");
    char *repo = canonical_repo(draft->serve, draft->request, typed);
    free(typed);
    return repo;
}

/* The bench that was typed; 0: none. */
static void read_bench(Draft *draft, Side side) {
    Error err;
    char *typed = side_line(draft, side, "bench");
    if (*typed != '\0' &&
        !text_to_int(typed, 1, GIT_BENCH_MAX, "Bench", &draft->test.sides[side].bench, &err))
        refuse(draft, "%s %s", labels[side], err.text);
    free(typed);
}

static void read_side(Draft *draft, Side side) {
    TestSide *out = &draft->test.sides[side];
    out->engine = side_line(draft, side, "engine");
    out->repo = read_repo(draft, side);
    out->branch = side_line(draft, side, "branch");
    read_network(draft, side);
    read_options(draft, side);
    read_time_control(draft, side);
    read_bench(draft, side);
    if (!catalog_engine(&draft->serve->catalog, out->engine))
        refuse(draft, "%s Engine was not found in the configuration: '%s'", labels[side],
               out->engine);
}

static char *copy(const char *text) {
    return mem_strdup(text ? text : "");
}

/* A tuning plays the engine against itself. */
static void copy_dev_to_base(Test *test) {
    const TestSide *dev = &test->sides[SIDE_DEV];
    test->sides[SIDE_BASE] = (TestSide){.engine = copy(dev->engine),
                                        .repo = copy(dev->repo),
                                        .branch = copy(dev->branch),
                                        .source = copy(dev->source),
                                        .sha = copy(dev->sha),
                                        .bench = dev->bench,
                                        .network = copy(dev->network),
                                        .netname = copy(dev->netname),
                                        .options = copy(dev->options),
                                        .time_control = copy(dev->time_control)};
}

/* ---- The whole ---- */

static void read_info(Draft *draft) {
    const char *info = web_fields_get(&draft->request->form, "info");
    if (info && strlen(info) > TEXT_MAX_BYTES)
        refuse(draft, "info is longer than %d bytes", TEXT_MAX_BYTES);
    draft->test.info = copy(info);
}

/* A test whose form says nothing of it is described by the first line of dev's commit. */
static void describe(Draft *draft) {
    char **info = &draft->test.info;
    if ((*info)[strspn(*info, " \t\n")] != '\0' || draft->kind != TESTFORM_TEST || !draft->message)
        return;
    Text subject = {0};
    draft->message[strcspn(draft->message, "\n")] = '\0';
    text_add_utf8(&subject, draft->message); /* A commit may be in another encoding. */
    free(*info);
    *info = text_take(&subject);
}

/* A thread of the server waits for git or GitHub, so they are asked last, and not about a test that
 * is refused without their answer. */
static void find_commits(Draft *draft) {
    if (draft->reasons->length == 0)
        find_commit(draft, SIDE_DEV);
    if (draft->reasons->length == 0 && draft->kind != TESTFORM_TUNE)
        find_commit(draft, SIDE_BASE);
    if (draft->kind == TESTFORM_TUNE)
        copy_dev_to_base(&draft->test);
    describe(draft);
}

static void read_form(Draft *draft) {
    Test *test = &draft->test;
    read_side(draft, SIDE_DEV);
    if (draft->kind != TESTFORM_TUNE)
        read_side(draft, SIDE_BASE);
    read_integers(draft);
    read_choices(draft);
    read_adjudication(draft);
    read_book(draft);
    read_info(draft);
    switch (draft->kind) {
    case TESTFORM_TEST:
        if (test_is(test, "GAMES"))
            read_games(draft);
        else
            read_sprt(draft);
        break;
    case TESTFORM_TUNE:
        test->kind = mem_strdup("SPSA");
        read_schedule(draft);
        read_tuning(draft);
        break;
    case TESTFORM_DATAGEN:
        test->kind = mem_strdup("DATAGEN");
        read_datagen(draft);
        break;
    case TESTFORM_KINDS:
        break;
    }
    find_commits(draft);
}

/* The texts that this kind of test lacks are empty. */
static void fill_empty(Test *test) {
    char **const texts[] = {&test->genfens_args, &test->spsa_reporting, &test->spsa_distribution};
    for (size_t i = 0; i < COUNT(texts); i++)
        if (!*texts[i])
            *texts[i] = mem_strdup("");
}

static int64_t keep(Draft *draft, const User *author) {
    Test *test = &draft->test;
    int64_t now = serve_now(draft->serve);
    bool approve = author->approver && !draft->serve->catalog.settings.use_cross_approval;
    fill_empty(test);
    test->author = mem_strdup(author->name);
    test->approved = approve;
    test->approver = mem_strdup(approve ? author->name : "");
    test->book_index = 1;
    test->created = test->updated = now;
    Error err;
    Transaction *t = transaction_begin(draft->serve->database, TRANSACTION_WRITE);
    /* A network was there before git was asked. */
    if (!newtest_has_networks(t, test, &err) && transaction_ok(t)) {
        transaction_cancel(t);
        refuse(draft, "%s", err.text);
        return 0;
    }
    int64_t id = store_add_test(t, test);
    store_add_parameters(t, id, &draft->parameters);
    Event event = {.time = now,
                   .author = test->author,
                   .test_id = id,
                   .summary = (char *)(draft->doubts.length ? "Created of a branch that may have "
                                                              "moved on"
                                                            : "Created"),
                   .log = (char *)text_string(&draft->doubts)};
    store_add_event(t, &event);
    if (transaction_end(t, &err))
        return id;
    refuse_fault(draft, &err);
    return 0;
}

int64_t newtest_create(Serve *serve, const User *author, const WebRequest *request,
                       TestFormKind kind, Text *reasons) {
    Draft draft = {.serve = serve, .request = request, .kind = kind, .reasons = reasons};
    int64_t id = 0;
    read_form(&draft);
    if (reasons->length == 0)
        id = keep(&draft, author);
    if (id) {
        text_add(reasons, text_string(&draft.doubts));
        serve_wake(serve);
    }
    text_free(&draft.doubts);
    store_free_test(&draft.test);
    spsa_free_parameters(&draft.parameters);
    free(draft.message);
    return id;
}
