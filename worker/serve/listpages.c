/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "serve/eventwords.h"
#include "serve/page.h"
#include "serve/pages.h"
#include "serve/testwords.h"

/* ---- Lists of tests ---- */

/* The words of an empty page: behind the last page, a list need not be empty. */
static const char *none_of(int64_t number, const char *none) {
    return number > 1 ? "The list ends before this page." : none;
}

static cJSON *add_list(cJSON *values, const char *key, const char *heading, const char *none) {
    cJSON *list = value_item(values, "lists");
    value_text(list, "key", key);
    value_text(list, "heading", heading);
    value_text(list, "none", none);
    return list;
}

/* Adds the query's tests, PAGE_ITEMS at most. Returns whether there are more. */
static bool add_tests(cJSON *list, Query *query, const BusyList *busy) {
    Test test;
    int64_t count = 0;
    for (; store_next_test(query, &test); count++) {
        if (count < PAGE_ITEMS)
            test_row_values(value_item(list, "tests"), &test,
                            test.finished ? 0 : store_busy_machines(busy, test.id));
        store_free_test(&test);
    }
    query_end(query);
    value_bool(list, "has", count > 0);
    return count > PAGE_ITEMS;
}

/* The lists of tests. The index shows the first `shown` tests of each; a page of one list shows
 * PAGE_ITEMS. Scripts find a test that they have created among the links of the index, so the
 * newest tests that run or wait stand there. */
typedef struct {
    TestList tests;
    int64_t shown;
    const char *key, *heading, *none;
} IndexList;

static const IndexList INDEX_LISTS[] = {
    {TESTS_ACTIVE, 25, "active", "Running", "No test is running."},
    {TESTS_PENDING, 10, "pending", "Waiting for approval", "No test waits for approval."},
    {TESTS_FINISHED, 10, "finished", "Finished", "No test has finished."},
};

/* The list that the query's "list" names; NULL: none, for the index of all lists. */
static const IndexList *asked_list(const WebRequest *request) {
    for (size_t i = 0; i < COUNT(INDEX_LISTS); i++)
        if (strcmp(web_query(request, "list"), INDEX_LISTS[i].key) == 0)
            return &INDEX_LISTS[i];
    return NULL;
}

/* Adds the first tests of a list, and "more": the words of the link to all of them. */
static void add_list_start(Page *page, Transaction *t, const IndexList *of, const BusyList *busy) {
    int64_t count = store_count_tests(t, of->tests);
    cJSON *list = add_list(page->values, of->key, of->heading, of->none);
    Text shown = {0};
    Text more = {0};
    add_tests(list, store_tests(t, of->tests, 0, of->shown), busy);
    if (count > of->shown) {
        text_addf(&shown, "%" PRId64 " of ", of->shown);
        text_addf(&more, "All ");
        text_add_grouped(&more, count);
    }
    if (count > 0)
        text_add_grouped(&shown, count);
    value_take(list, "count", &shown);
    value_take(list, "more", &more);
}

/* Adds a page of one list. */
static void add_list_page(Page *page, Transaction *t, const IndexList *of, const BusyList *busy) {
    int64_t count = store_count_tests(t, of->tests);
    int64_t number = page_number_within(page, count);
    int64_t skip = (number - 1) * PAGE_ITEMS;
    cJSON *list = add_list(page->values, of->key, of->heading, of->none);
    Text part = {0};
    Text filter = {0};
    add_tests(list, store_tests(t, of->tests, skip, PAGE_ITEMS), busy);
    value_count(list, number, count);
    value_text(list, "more", "");
    text_addf(&filter, "list=%s&", of->key);
    text_addf(&part, "%spage=%" PRId64, text_string(&filter), number);
    value_take(page->values, "filter", &filter);
    value_take(page->values, "part", &part);
    value_pages(page, number, count > skip + PAGE_ITEMS);
}

static void add_index_lists(Page *page, Transaction *t) {
    BusyList busy = store_busy_threads(t, page->now, 0);
    Fleet fleet = store_fleet(t, page->now, MACHINE_ACTIVE_SECONDS);
    const IndexList *asked = asked_list(page->request);
    Text machines = {0};
    if (asked)
        add_list_page(page, t, asked, &busy);
    for (size_t i = 0; !asked && i < COUNT(INDEX_LISTS); i++)
        add_list_start(page, t, &INDEX_LISTS[i], &busy);
    if (!asked) {
        value_text(page->values, "filter", "");
        value_text(page->values, "part", "");
        value_pages(page, 1, false);
    }
    text_add_grouped(&machines, fleet.machines);
    text_addf(&machines, " machine%s at work, ", text_plural(fleet.machines));
    text_add_grouped(&machines, fleet.threads);
    text_addf(&machines, " thread%s", text_plural(fleet.threads));
    value_take(page->values, "machines_now", &machines);
    free(busy.items);
}

/* The page of all tests, or of one list of them; with "?part=lists" what changes of it. */
static void show_index(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Tests");
    if (page_may_view(&page)) {
        Transaction *t = page_read(&page);
        add_index_lists(&page, t);
        if (page_end(&page, t) && strcmp(web_query(request, "part"), "lists") == 0)
            page_show_part(&page, "index_lists.html");
        else if (!answer->status)
            page_show(&page, "index.html");
    }
    page_close(&page);
}

static void go_to_index(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    (void)serve;
    (void)request;
    web_redirect(answer, "/index/");
}

/* Appends "name=value&" with the value in the form of an address. */
static void add_filter(Text *out, const char *name, const char *value) {
    text_addf(out, "%s=", name);
    text_add_percent(out, value, strlen(value));
    text_add_char(out, '&');
}

static void show_search(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Search");
    if (page_may_view(&page)) {
        const char *asked = web_query(request, "q");
        int64_t number = page_number(&page);
        Text filter = {0};
        bool more = false;
        BusyList nobody = {0};
        Transaction *t = page_read(&page);
        if (asked[0] != '\0') {
            cJSON *list = add_list(page.values, "found", "Found",
                                   none_of(number, "No test has these words."));
            Query *query = store_search_tests(t, asked, (number - 1) * PAGE_ITEMS, PAGE_ITEMS + 1);
            more = add_tests(list, query, &nobody);
        }
        add_filter(&filter, "q", asked);
        value_take(page.values, "filter", &filter);
        value_pages(&page, number, more);
        if (page_end(&page, t))
            page_show(&page, "search.html");
    }
    page_close(&page);
}

/* ---- Machines ---- */

static void add_machine(Page *page, const Machine *machine) {
    cJSON *item = value_item(page->values, "machines");
    Text speed = {0};
    if (machine->nps > 0)
        text_add_grouped(&speed, (int64_t)machine->nps);
    value_text(item, "name", machine->name);
    value_text(item, "owner", machine->user_name);
    value_number(item, "id", machine->id);
    value_text(item, "client", machine->client);
    value_number(item, "test", machine->test_id);
    value_number(item, "threads", machine->concurrency);
    value_take(item, "speed", &speed);
    value_text(item, "cpu", machine->cpu_name);
    value_text(item, "os", machine->os_name);
    value_text(item, "isa", machine->isa_name);
    value_bool(item, "active", store_is_active(machine->seen, page->now));
    value_time(item, "seen", machine->seen, page->now);
}

/* Adds the machines of the last day, PAGE_ITEMS at most. */
static void add_machines(Page *page, Transaction *t) {
    enum { DAY_S = 24 * 3600 };
    Machine machine;
    int64_t count = store_fleet(t, page->now, DAY_S).machines;
    int64_t number = page_number_within(page, count);
    Query *query = store_machines(t, page->now, DAY_S, (number - 1) * PAGE_ITEMS, PAGE_ITEMS);
    while (store_next_machine(query, &machine)) {
        add_machine(page, &machine);
        store_free_machine(&machine);
    }
    query_end(query);
    value_bool(page->values, "has", count > 0);
    value_text(page->values, "filter", "");
    value_pages(page, number, count > number * PAGE_ITEMS);
}

static void show_machines(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Machines");
    if (page_may_view(&page)) {
        Text summary = {0};
        char *base = serve_base(serve, request);
        Transaction *t = page_read(&page);
        Fleet fleet = store_fleet(t, page.now, MACHINE_ACTIVE_SECONDS);
        add_machines(&page, t);
        text_addf(&summary, "%" PRId64 " active now, %" PRId64 " thread%s; all of the last day",
                  fleet.machines, fleet.threads, text_plural(fleet.threads));
        value_take(page.values, "summary", &summary);
        value_text(page.values, "base", base);
        if (page_end(&page, t))
            page_show(&page, "machines.html");
        free(base);
    }
    page_close(&page);
}

/* ---- Events and errors ---- */

/* The events, or the errors, newest first; with "?test=N" of one test. */
static void show_list(Serve *serve, const WebRequest *request, WebAnswer *answer, bool errors) {
    Page page;
    page_open(&page, serve, request, answer, errors ? "Errors" : "Events");
    if (page_may_view(&page)) {
        Event event;
        Text filter = {0};
        int64_t test = 0;
        int64_t number = page_number(&page);
        int64_t count = 0;
        text_to_int(web_query(request, "test"), 1, INT64_MAX, "test", &test, NULL);
        if (test > 0)
            text_addf(&filter, "test=%" PRId64 "&", test);
        Transaction *t = page_read(&page);
        Query *query = store_events(t, errors, test, (number - 1) * PAGE_ITEMS, PAGE_ITEMS + 1);
        for (; store_next_event(query, &event); count++) {
            if (count < PAGE_ITEMS)
                event_values(value_item(page.values, "events"), &event, page.now);
            store_free_event(&event);
        }
        query_end(query);
        value_bool(page.values, "has", count > 0);
        value_text(page.values, "none",
                   none_of(number, errors ? "No machine met an error." : "Nothing happened."));
        value_take(page.values, "filter", &filter);
        value_number(page.values, "about", test);
        value_pages(&page, number, count > PAGE_ITEMS);
        if (page_end(&page, t))
            page_show(&page, "events.html");
    }
    page_close(&page);
}

static void show_events(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    show_list(serve, request, answer, false);
}

static void show_errors(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    show_list(serve, request, answer, true);
}

static void show_event(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "An event");
    if (page_may_view(&page)) {
        Event event;
        Transaction *t = page_read(&page);
        bool found = store_event(t, web_number(request), &event);
        if (found)
            event_values(page.values, &event, page.now);
        bool read = page_end(&page, t);
        if (read && found)
            page_show(&page, "event.html");
        else if (read)
            page_refuse(&page, WEB_NOT_FOUND, "There is no event of this number.");
        store_free_event(&event);
    }
    page_close(&page);
}

const WebRoute LIST_PAGES[] = {{"/", go_to_index, NULL, NULL},
                               {"/index/", show_index, NULL, NULL},
                               {"/search/", show_search, NULL, NULL},
                               {"/machines/", show_machines, NULL, NULL},
                               {"/events/", show_events, NULL, NULL},
                               {"/errors/", show_errors, NULL, NULL},
                               {"/event/{number}/", show_event, NULL, NULL},
                               {0}};
