/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "report/page.h"
#include "serve/eventwords.h"
#include "serve/newtest.h"
#include "serve/page.h"
#include "serve/pages.h"
#include "serve/rules.h"
#include "serve/testresult.h"
#include "serve/testwords.h"
#include "serve/workercall.h"

static bool may_change(const Page *page, const Test *test) {
    const User *user = &page->visit.user;
    return user->id && (user->admin || user->approver || strcmp(user->name, test->author) == 0);
}

/* Finds the test of the request. A deleted one is there for those who may restore it. False after
 * another answer: no such test. Ends the transaction then. */
static bool find_test(Page *page, Transaction *t, Test *test) {
    if (store_test(t, web_number(page->request), test) &&
        (!test->deleted || may_change(page, test)))
        return true;
    store_free_test(test);
    if (page_end(page, t))
        page_refuse(page, WEB_NOT_FOUND, "There is no test %" PRId64 ".",
                    web_number(page->request));
    return false;
}

/* "/test/12/" */
static char *address_of(const Test *test) {
    return text_format("/%s/%" PRId64 "/", test_path(test), test->id);
}

/* ---- Rights ---- */

/* A tuning that has had all its games would move its values further with each result. */
static bool may_go_on(const Test *test) {
    return test->finished && !test->deleted && !test->passed && !test->failed &&
           rules_end(test) == TEST_GOES_ON;
}

static bool may_approve(const Page *page, const Test *test) {
    const User *user = &page->visit.user;
    bool own = user->id && strcmp(user->name, test->author) == 0;
    bool cross = page->serve->catalog.settings.use_cross_approval;
    return user->id && user->approver && !test->approved && !test->finished && !(own && cross);
}

/* ---- The page of a test ---- */

/* Adds the newest errors of the test, and "faults_shown": how many of them are shown, where the
 * test has more. */
static void add_faults(Page *page, Transaction *t, const Test *test) {
    enum { FAULTS_SHOWN = 10 };
    Event event;
    Text shown = {0};
    int64_t count = store_count_errors(t, test->id);
    Query *query = store_events(t, true, test->id, 0, FAULTS_SHOWN);
    while (store_next_event(query, &event)) {
        event_values(value_item(page->values, "faults"), &event, page->now);
        store_free_event(&event);
    }
    query_end(query);
    if (count > FAULTS_SHOWN) {
        text_addf(&shown, "the newest %d of ", FAULTS_SHOWN);
        text_add_grouped(&shown, count);
    }
    value_bool(page->values, "has_faults", count > 0);
    value_take(page->values, "faults_shown", &shown);
}

static void add_machine_row(const Page *page, const Test *test, const TestRow *row) {
    cJSON *item = value_item(page->values, "rows");
    Text faults = {0};
    report_faults(&row->tally, &faults);
    value_number(item, "machine", row->machine_id);
    value_text(item, "name", row->machine_name);
    value_text(item, "owner", row->user_name);
    value_text(item, "cpu", row->cpu_name);
    value_grouped(item, "games", tally_games(&row->tally));
    test_elo_value(item, test, &row->tally);
    value_take(item, "row_faults", &faults);
    value_time(item, "updated", row->updated, page->now);
    value_bool(item, "active", store_is_active(row->seen, page->now));
}

/* Adds the rows of the test's machines: a page has PAGE_ITEMS. */
static void add_machine_rows(Page *page, Transaction *t, const Test *test) {
    TestRow row;
    int64_t count = store_count_rows(t, test->id);
    int64_t number = page_number_within(page, count);
    int64_t skip = (number - 1) * PAGE_ITEMS;
    Query *query = store_rows_by_games(t, test->id, skip, PAGE_ITEMS);
    while (store_next_row(query, &row)) {
        add_machine_row(page, test, &row);
        store_free_row(&row);
    }
    query_end(query);
    value_bool(page->values, "has_rows", count > 0);
    value_count(page->values, number, count);
    value_number(page->values, "page", number);
    value_text(page->values, "filter", "");
    value_pages(page, number, count > skip + PAGE_ITEMS);
}

static void add_commit(cJSON *values, const char *side, const TestSide *of) {
    cJSON *item = value_item(values, "commits");
    Text address = {0};
    if (text_starts_with(of->repo, "https://github.com/"))
        text_addf(&address, "%s/commit/%s", of->repo, of->sha);
    value_text(item, "side", side);
    value_text(item, "branch", of->branch);
    value_text(item, "sha", of->sha);
    value_take(item, "address", &address);
}

/* The kept repository that has both commits, or NULL. */
static const char *kept_repository(const Page *page, const Test *test) {
    const char *dev = sources_of(page->serve->sources, test->sides[SIDE_DEV].source);
    const char *base = sources_of(page->serve->sources, test->sides[SIDE_BASE].source);
    return dev && base && strcmp(dev, base) == 0 ? dev : NULL;
}

static void add_commits(Page *page, const Test *test) {
    const TestSide *dev = &test->sides[SIDE_DEV];
    const TestSide *base = &test->sides[SIDE_BASE];
    bool differ = strcmp(dev->sha, base->sha) != 0;
    char *elsewhere =
        differ ? result_changes_address(dev->repo, base->repo, dev->sha, base->sha) : NULL;
    add_commit(page->values, "dev", dev);
    add_commit(page->values, "base", base);
    value_text(page->values, "compare", elsewhere);
    value_bool(page->values, "has_changes", differ && kept_repository(page, test));
    free(elsewhere);
}

static void add_test_values(Page *page, Transaction *t, const Test *test) {
    Result result = {0};
    Text report = {0};
    StoredGames games;
    Error why = {{0}};
    if (test->approved && !test->finished)
        assign_can(page->serve, test, &why);
    test_result(t, test, &result);
    add_machine_rows(page, t, test);
    page_add_sections(&result, &report);
    result_free(&result);
    test_row_values(page->values, test, 0);
    value_take(page->values, "report", &report);
    value_text(page->values, "obstacle", why.text);
    value_number(page->values, "throughput", test->throughput);
    value_number(page->values, "workload_size", test->workload_size);
    value_bool(page->values, "is_tuning", test_is(test, "SPSA"));
    value_time(page->values, "made", test->created, page->now);
    value_time(page->values, "updated", test->updated, page->now);
    value_bool(page->values, "may_change", may_change(page, test));
    value_bool(page->values, "may_approve", may_approve(page, test));
    value_bool(page->values, "may_stop", may_change(page, test) && !test->finished);
    value_bool(page->values, "is_deleted", test->deleted);
    value_bool(page->values, "may_go_on", may_change(page, test) && may_go_on(test));
    Query *query = store_games(t, test->id);
    bool has_games = store_next_games(query, &games);
    query_end(query);
    value_bool(page->values, "has_games", has_games);
    add_commits(page, test);
    add_faults(page, t, test);
}

/* The page of a test; with "?part=report" what changes of it. */
static void show_test(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    Test test;
    Text title = {0};
    page_open(&page, serve, request, answer, "");
    Transaction *t = page_may_view(&page) ? page_read(&page) : NULL;
    if (t && find_test(&page, t, &test)) {
        char *address = address_of(&test);
        bool part = strcmp(web_query(request, "part"), "report") == 0;
        test_title(&test, &title);
        cJSON_DeleteItemFromObjectCaseSensitive(page.values, "title");
        value_take(page.values, "title", &title);
        value_text(page.values, "address", address);
        add_test_values(&page, t, &test);
        if (page_end(&page, t) && strcmp(address, request->path) != 0)
            web_redirect(answer, address);
        else if (!answer->status && part)
            page_show_part(&page, "test_report.html");
        else if (!answer->status)
            page_show(&page, "test.html");
        store_free_test(&test);
        free(address);
    }
    page_close(&page);
}

/* ---- What users do with a test ---- */

/* An action: its word in the form, and what it does. False with the reason in err. */
typedef struct {
    const char *word;
    bool (*run)(Page *page, Transaction *t, Test *test, Text *summary, Error *err);
} Action;

static bool approve(Page *page, Transaction *t, Test *test, Text *summary, Error *err) {
    (void)t;
    if (test->approved || test->finished)
        return error_set(err, "The test is %s already.", test->finished ? "over" : "approved");
    if (!may_approve(page, test))
        return error_set(err, "Another user who may approve tests has to approve this one.");
    test->approved = true;
    free(test->approver);
    test->approver = mem_strdup(page->visit.user.name);
    text_add(summary, "approved the test");
    return true;
}

static bool stop(Page *page, Transaction *t, Test *test, Text *summary, Error *err) {
    (void)t;
    (void)page;
    if (test->finished)
        return error_set(err, "The test is over already.");
    test->finished = true;
    text_add(summary, "stopped the test");
    return true;
}

static bool go_on(Page *page, Transaction *t, Test *test, Text *summary, Error *err) {
    (void)page;
    if (!may_go_on(test))
        return error_set(err, "Only a test that was stopped can go on.");
    if (!newtest_has_networks(t, test, err))
        return false;
    test->finished = false;
    text_add(summary, "had the test go on");
    return true;
}

static bool delete_test(Page *page, Transaction *t, Test *test, Text *summary, Error *err) {
    (void)t;
    (void)page;
    if (test->deleted)
        return error_set(err, "The test is deleted already.");
    test->deleted = true;
    test->finished = true;
    text_add(summary, "deleted the test");
    return true;
}

static bool restore(Page *page, Transaction *t, Test *test, Text *summary, Error *err) {
    (void)t;
    (void)page;
    if (!test->deleted)
        return error_set(err, "The test is not deleted.");
    test->deleted = false;
    text_add(summary, "restored the test");
    return true;
}

static bool change_number(const WebRequest *request, const char *name, int64_t least, int64_t most,
                          int64_t *value, Text *summary, Error *err) {
    int64_t before = *value;
    if (!text_to_int(web_form(request, name), least, most, name, value, err))
        return false;
    if (*value != before)
        text_addf(summary, "%s%s %" PRId64 " instead of %" PRId64,
                  summary->length > 0 ? ", " : "set ", name, *value, before);
    return true;
}

/* A workload of a tuning has the pairs of one iteration, which are played with one perturbation. */
static bool change_workload_size(const WebRequest *request, Test *test, Text *summary, Error *err) {
    static const char NAME[] = "workload_size";
    bool tuning = test_is(test, "SPSA");
    const int64_t before = test->workload_size;
    if (tuning && !web_fields_get(&request->form, NAME))
        return true;
    return change_number(request, NAME, 1, WORKLOAD_SIZE_MAX, &test->workload_size, summary, err) &&
           (!tuning || test->workload_size == before ||
            error_set(err, "The workload size of a tuning cannot be changed."));
}

static bool change(Page *page, Transaction *t, Test *test, Text *summary, Error *err) {
    (void)t;
    const WebRequest *request = page->request;
    return change_number(request, "priority", -PRIORITY_MAX, PRIORITY_MAX, &test->priority, summary,
                         err) &&
           change_number(request, "throughput", 1, THROUGHPUT_MAX, &test->throughput, summary,
                         err) &&
           change_workload_size(request, test, summary, err);
}

static const Action ACTIONS[] = {{"approve", approve},    {"stop", stop},       {"continue", go_on},
                                 {"delete", delete_test}, {"restore", restore}, {"change", change}};

static const Action *find_action(const char *word) {
    for (size_t i = 0; i < COUNT(ACTIONS); i++)
        if (strcmp(ACTIONS[i].word, word) == 0)
            return &ACTIONS[i];
    return NULL;
}

/* Writes the changed test and the event. */
static void store_change(Page *page, Transaction *t, Test *test, const Text *summary) {
    test->updated = page->now;
    store_update_test(t, test);
    if (summary->length > 0)
        store_add_event(t, &(Event){.time = page->now,
                                    .author = page->visit.user.name,
                                    .test_id = test->id,
                                    .summary = summary->data,
                                    .log = (char *)""});
}

static void act_on_test(Page *page, const Action *action) {
    Test test;
    Error err = {{0}};
    Text summary = {0};
    Transaction *t = page_write(page);
    if (!find_test(page, t, &test))
        return;
    char *address = address_of(&test);
    bool allowed = action->run == approve || may_change(page, &test) ||
                   error_set(&err, "Only the author, an approver or an administrator may do this.");
    bool done = allowed && action->run(page, t, &test, &summary, &err);
    if (!done && transaction_ok(t)) {
        transaction_cancel(t);
        page_return(page, address, err.text);
    } else { /* page_end tells a fault of the database. */
        store_change(page, t, &test, &summary);
        if (page_end(page, t)) {
            serve_wake(page->serve);
            web_redirect(page->answer, address);
        }
    }
    text_free(&summary);
    store_free_test(&test);
    free(address);
}

static void change_test(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Test");
    if (page_wants_form(&page)) {
        const Action *action = find_action(web_form(request, "action"));
        if (action)
            act_on_test(&page, action);
        else
            page_refuse(&page, WEB_BAD_REQUEST, "The form asks for nothing that is known.");
    }
    page_close(&page);
}

/* ---- The changes between the commits of a test ---- */

static void show_changes(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    enum { MOST_BYTES = 300000 };
    Page page;
    Test test;
    Error err = {{0}};
    Text changes = {0};
    page_open(&page, serve, request, answer, "What dev changes");
    Transaction *t = page_may_view(&page) ? page_read(&page) : NULL;
    if (t && find_test(&page, t, &test)) {
        const char *kept = kept_repository(&page, &test);
        bool read = page_end(&page, t);
        DifferenceResult result = DIFFERENCE_REFUSED;
        if (read && kept)
            result = sources_difference(serve->sources, kept, test.sides[SIDE_BASE].sha,
                                        test.sides[SIDE_DEV].sha, MOST_BYTES, &changes, &err);
        if (result == DIFFERENCE_FOUND) {
            test_row_values(page.values, &test, 0);
            value_take(page.values, "changes", &changes);
            page_show(&page, "changes.html");
        } else if (result == DIFFERENCE_BUSY)
            page_refuse(&page, WEB_UNAVAILABLE,
                        "The server looks for the changes of another test: load the page again.");
        else if (result == DIFFERENCE_FAULT)
            page_refuse_fault(&page, &err);
        else if (read)
            page_refuse(&page, WEB_NOT_FOUND, "%s",
                        kept ? err.text : "This server keeps no repository with both commits.");
        text_free(&changes);
        store_free_test(&test);
    }
    page_close(&page);
}

const WebRoute TEST_PAGES[] = {{"/test/{number}/", show_test, change_test, NULL},
                               {"/tune/{number}/", show_test, change_test, NULL},
                               {"/datagen/{number}/", show_test, change_test, NULL},
                               {"/changes/{number}/", show_changes, NULL, NULL},
                               {0}};
