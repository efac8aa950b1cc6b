/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lmr/report.h"
#include "serve/formfields.h"
#include "serve/formplan.h"
#include "serve/newtest.h"
#include "serve/page.h"
#include "serve/pages.h"

/* The headings of the forms' pages. */
static const char *const HEADINGS[TESTFORM_KINDS] = {
    [TESTFORM_TEST] = "A new test",
    [TESTFORM_TUNE] = "A new tuning",
    [TESTFORM_DATAGEN] = "A new data generation",
};

/* ---- The flag table ---- */

/* The row's line of SPSA input, without its line end; "" for a row that cannot be tuned.
 * Allocated. */
static char *spsa_line(int index) {
    char *line = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&line, &length);
    lmr_report_spsa_row(out, index);
    fclose(out);
    line[line[0] == '#' ? 0 : strcspn(line, "\n")] = '\0';
    return line;
}

/* Adds the rows of the reductions and of the search; for a tuning those that can be tuned. */
static void add_rows(cJSON *values, bool tuning) {
    for (int i = 0; i < LMR_ROW_COUNT; i++) {
        const LmrRow *row = lmr_row(i);
        char standard[LMR_VALUE_TEXT_MAX];
        char *line = spsa_line(i);
        if (!tuning || line[0] != '\0') {
            cJSON *item = value_item(values, "rows");
            lmr_value_format(row, row->standard, standard);
            value_text(item, "row", row->name);
            value_text(item, "standard", standard);
            value_text(item, "allowed", row->allowed);
            value_text(item, "meaning", row->meaning);
            value_text(item, "texts", row->texts);
            value_text(item, "spsa", tuning ? line : "");
        }
        free(line);
    }
}

/* ---- The page ---- */

/* The plan. Where it cannot be made, the reason is told to a user who has asked for the plan. */
static void add_plan(Page *page, const TestForm *form, const Fleet *fleet) {
    Text sentences = {0};
    Text block = {0};
    Error err = {{0}};
    bool asked = web_form(page->request, "plan")[0] != '\0';
    if (!form_plan(form, fleet, &sentences, &block, &err)) {
        text_clear(&sentences);
        if (asked)
            text_addf(&sentences, "No plan: %s.", err.text);
    }
    value_take(page->values, "plan", &sentences);
    value_take(page->values, "plan_block", &block);
}

/* Shows the form, with what is suggested for its empty fields. Takes over the form. */
static void show_form(Page *page, const char *preset, TestForm *form) {
    Text path = {0};
    Transaction *t = page_read(page);
    Fleet fleet = store_fleet(t, page->now, MACHINE_ACTIVE_SECONDS);
    bool tuning = form->kind == TESTFORM_TUNE;
    text_addf(&path, "/%s", testform_names(form->kind)->page);
    value_take(page->values, "path", &path);
    value_bool(page->values, "is_test", form->kind == TESTFORM_TEST);
    value_bool(page->values, "is_tuning", tuning);
    form_suggest(page->serve, t, preset, form);
    form_values(page->serve, t, form, page->values);
    add_plan(page, form, &fleet);
    if (form->kind != TESTFORM_DATAGEN)
        add_rows(page->values, tuning);
    if (page_end(page, t))
        page_show(page, "newtest.html");
    testform_free(form);
}

/* An older test has its repository's address, at a host name that this server had then. */
static void name_kept(const Serve *serve, TestSide *side) {
    const char *kept = sources_of(serve->sources, side->source);
    if (!kept)
        return;
    free(side->repo);
    side->repo = mem_strdup(kept);
}

/* Copies the side's bench when its commit's message says another, or none, and the branch has not
 * moved on: a later commit has a bench of its own. */
static void copy_bench(const Page *page, const TestSide *side, const char *field, TestForm *form) {
    const CatalogEngine *engine = catalog_engine(&page->serve->catalog, side->engine);
    SourceCommit commit;
    if (!engine || !testform_has(form, field) ||
        !newtest_find_commit(page->serve, page->request, engine, side, &commit, NULL))
        return;
    if (strcmp(commit.sha, side->sha) == 0 && commit.bench != side->bench) {
        char *bench = text_format("%" PRId64, side->bench);
        testform_set(form, field, bench);
        free(bench);
    }
    source_commit_free(&commit);
}

/* Sets the fields to those of the test whose number the query names. */
static void copy_asked(Page *page, TestForm *form) {
    Test test;
    TestParameters parameters;
    int64_t id = 0;
    if (!text_to_int(web_query(page->request, "copy"), 1, INT64_MAX, "copy", &id, NULL))
        return;
    Transaction *t = page_read(page);
    bool found = store_test(t, id, &test);
    store_parameters(t, id, &parameters);
    transaction_end(t, NULL);
    if (found) {
        name_kept(page->serve, &test.sides[SIDE_DEV]);
        name_kept(page->serve, &test.sides[SIDE_BASE]);
        form_copy(&test, &parameters, form);
        copy_bench(page, &test.sides[SIDE_DEV], "dev_bench", form);
        copy_bench(page, &test.sides[SIDE_BASE], "base_bench", form);
    }
    store_free_parameters(&parameters);
    store_free_test(&test);
}

static void show_new(Serve *serve, const WebRequest *request, WebAnswer *answer,
                     TestFormKind kind) {
    Page page;
    page_open(&page, serve, request, answer, HEADINGS[kind]);
    if (page_wants_user(&page)) {
        TestForm form = {.kind = kind};
        const char *preset = web_query(request, "preset");
        const char *engine = web_query(request, "engine");
        if (engine[0] != '\0')
            testform_set(&form, "dev_engine", engine);
        copy_asked(&page, &form);
        show_form(&page, preset[0] != '\0' ? preset : NULL, &form);
    }
    page_close(&page);
}

/* Shows the form again as it was sent. */
static void show_again(Page *page, TestFormKind kind) {
    TestForm form = {.kind = kind};
    for (size_t row = 0; row < TESTFORM_ROWS; row++) {
        const char *name = testform_name(&form, row);
        const char *sent = name ? web_fields_get(&page->request->form, name) : NULL;
        if (sent)
            testform_set(&form, name, sent);
    }
    show_form(page, NULL, &form);
}

static void create(Page *page, TestFormKind kind) {
    const WebRequest *request = page->request;
    Text reasons = {0};
    int64_t id = newtest_create(page->serve, &page->visit.user, request, kind, &reasons);
    bool from_page = web_form(request, "page")[0] != '\0';
    if (id && from_page && reasons.length)
        page_return(page, "/index/", text_string(&reasons));
    else if (id) /* Scripts take a message for a refusal. */
        web_redirect(page->answer, "/index/");
    else if (from_page) {
        /* Our own page keeps what was typed; scripts read the reasons behind a redirect. */
        cJSON_DeleteItemFromObjectCaseSensitive(page->values, "message");
        value_text(page->values, "message", text_string(&reasons));
        show_again(page, kind);
    } else
        page_return(page, page->request->path, text_string(&reasons));
    text_free(&reasons);
}

static void take_new(Serve *serve, const WebRequest *request, WebAnswer *answer,
                     TestFormKind kind) {
    Page page;
    page_open(&page, serve, request, answer, HEADINGS[kind]);
    if (page_wants_form(&page)) {
        if (web_form(request, "plan")[0] != '\0')
            show_again(&page, kind);
        else
            create(&page, kind);
    }
    page_close(&page);
}

static void show_new_test(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    show_new(serve, request, answer, TESTFORM_TEST);
}

static void take_new_test(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    take_new(serve, request, answer, TESTFORM_TEST);
}

static void show_new_tuning(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    show_new(serve, request, answer, TESTFORM_TUNE);
}

static void take_new_tuning(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    take_new(serve, request, answer, TESTFORM_TUNE);
}

static void show_new_data(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    show_new(serve, request, answer, TESTFORM_DATAGEN);
}

static void take_new_data(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    take_new(serve, request, answer, TESTFORM_DATAGEN);
}

const WebRoute FORM_PAGES[] = {{"/test/new/", show_new_test, take_new_test, NULL},
                               {"/tune/new/", show_new_tuning, take_new_tuning, NULL},
                               {"/datagen/new/", show_new_data, take_new_data, NULL},
                               {0}};
