/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "serve/page.h"
#include "serve/pages.h"
#include "serve/testwords.h"

/* ---- Machines at work ---- */

/* The tests on which machines work now, and how many. */
typedef struct {
    int64_t *tests; /* Of each machine. */
    size_t count, capacity;
    int64_t threads;
} AtWork;

static AtWork find_work(Transaction *t, int64_t now) {
    AtWork work = {0};
    Machine machine;
    Query *query = store_machines(t, now - MACHINE_ACTIVE_SECONDS);
    while (store_next_machine(query, &machine)) {
        work.tests = mem_grow(work.tests, &work.capacity, work.count + 1, sizeof *work.tests);
        work.tests[work.count++] = machine.test_id;
        work.threads += machine.concurrency;
        store_free_machine(&machine);
    }
    query_end(query);
    return work;
}

static int64_t machines_on(const AtWork *work, int64_t test) {
    int64_t count = 0;
    for (size_t i = 0; i < work->count; i++)
        count += work->tests[i] == test;
    return count;
}

/* ---- Lists of tests ---- */

static cJSON *add_list(cJSON *values, const char *key, const char *heading, const char *none) {
    cJSON *list = value_item(values, "lists");
    value_text(list, "key", key);
    value_text(list, "heading", heading);
    value_text(list, "none", none);
    return list;
}

/* Adds the query's tests, PAGE_ITEMS at most unless `all`. Returns whether there are more. */
static bool add_tests(cJSON *list, Query *query, const AtWork *work, bool all) {
    Test test;
    int64_t count = 0;
    bool more = false;
    while (!more && store_next_test(query, &test)) {
        more = !all && count == PAGE_ITEMS;
        if (!more) {
            test_row_values(value_item(list, "tests"), &test,
                            test.finished ? 0 : machines_on(work, test.id));
            count++;
        }
        store_free_test(&test);
    }
    query_end(query);
    value_bool(list, "has", count > 0);
    return more;
}

enum { MOST_TESTS = 100000 };

static void add_open_list(Transaction *t, cJSON *values, TestList kind, const char *key,
                          const char *heading, const char *none, const AtWork *work) {
    cJSON *list = add_list(values, key, heading, none);
    add_tests(list, store_tests(t, kind, 0, MOST_TESTS), work, true);
    value_number(list, "count", store_count_tests(t, kind));
}

static void add_index_lists(Page *page, Transaction *t) {
    AtWork work = find_work(t, page->now);
    int64_t number = page_number(page);
    Text machines = {0};
    if (number == 1) {
        add_open_list(t, page->values, TESTS_ACTIVE, "active", "Running", "No test is running.",
                      &work);
        add_open_list(t, page->values, TESTS_PENDING, "pending", "Waiting for approval",
                      "No test waits for approval.", &work);
    }
    cJSON *list = add_list(page->values, "finished", "Finished", "No test has finished.");
    int64_t skip = (number - 1) * PAGE_ITEMS;
    bool more = add_tests(list, store_tests(t, TESTS_FINISHED, skip, PAGE_ITEMS + 1), &work, false);
    value_number(list, "count", store_count_tests(t, TESTS_FINISHED));
    value_pages(page, number, more);
    text_addf(&machines, "%zu machine%s at work, %" PRId64 " thread%s", work.count,
              text_plural((int64_t)work.count), work.threads, text_plural(work.threads));
    value_take(page->values, "machines_now", &machines);
    free(work.tests);
}

/* The page of all tests; with "?part=lists" what changes of it. */
static void show_index(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Tests");
    if (page_may_view(&page)) {
        Transaction *t = page_read(&page);
        value_text(page.values, "filter", "");
        value_number(page.values, "page", page_number(&page));
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
        AtWork nobody = {0};
        Transaction *t = page_read(&page);
        if (asked[0] != '\0') {
            cJSON *list = add_list(page.values, "found", "Found", "No test has these words.");
            Query *query = store_search_tests(t, asked, (number - 1) * PAGE_ITEMS, PAGE_ITEMS + 1);
            more = add_tests(list, query, &nobody, false);
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
    value_bool(item, "active", page->now - machine->seen <= MACHINE_ACTIVE_SECONDS);
    value_time(item, "seen", machine->seen, page->now);
}

static void show_machines(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    enum { DAY_S = 24 * 3600 };
    Page page;
    page_open(&page, serve, request, answer, "Machines");
    if (page_may_view(&page)) {
        Machine machine;
        Text summary = {0};
        char *base = serve_base(serve, request);
        Transaction *t = page_read(&page);
        AtWork work = find_work(t, page.now);
        Query *query = store_machines(t, page.now - DAY_S);
        while (store_next_machine(query, &machine)) {
            add_machine(&page, &machine);
            store_free_machine(&machine);
        }
        query_end(query);
        text_addf(&summary, "%zu active now, %" PRId64 " thread%s; all of the last day", work.count,
                  work.threads, text_plural(work.threads));
        value_take(page.values, "summary", &summary);
        value_bool(page.values, "has", cJSON_HasObjectItem(page.values, "machines"));
        value_text(page.values, "base", base);
        if (page_end(&page, t))
            page_show(&page, "machines.html");
        free(work.tests);
        free(base);
    }
    page_close(&page);
}

/* ---- Events and errors ---- */

static void add_event(const Page *page, cJSON *item, const Event *event) {
    value_number(item, "id", event->id);
    value_time(item, "time", event->time, page->now);
    value_text(item, "author", event->author);
    value_number(item, "machine", event->machine_id);
    value_number(item, "test", event->test_id);
    value_text(item, "summary", event->summary);
    value_text(item, "log", event->log);
}

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
                add_event(&page, value_item(page.values, "events"), &event);
            store_free_event(&event);
        }
        query_end(query);
        value_bool(page.values, "has", count > 0);
        value_text(page.values, "none", errors ? "No machine met an error." : "Nothing happened.");
        value_take(page.values, "filter", &filter);
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
        bool found = store_event(t, web_number(request, 0), &event);
        if (found)
            add_event(&page, page.values, &event);
        if (page_end(&page, t) && found)
            page_show(&page, "event.html");
        else if (!found)
            page_refuse(&page, WEB_NOT_FOUND, "There is no event of this number.");
        if (found)
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
