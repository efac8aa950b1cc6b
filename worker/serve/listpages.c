/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "serve/page.h"
#include "serve/pages.h"
#include "serve/testwords.h"

/* ---- Machines at work ---- */

/* The active machines on each test. */
typedef struct {
    BusyThreads *items;
    size_t count, capacity;
} AtWork;

static AtWork find_work(Transaction *t, int64_t now) {
    AtWork work = {0};
    BusyThreads busy;
    Query *query = store_busy_threads(t, now - MACHINE_ACTIVE_SECONDS, 0);
    while (store_next_busy(query, &busy)) {
        work.items = mem_grow(work.items, &work.capacity, work.count + 1, sizeof *work.items);
        work.items[work.count++] = busy;
    }
    query_end(query);
    return work;
}

static int64_t machines_on(const AtWork *work, int64_t test) {
    for (size_t i = 0; i < work->count; i++)
        if (work->items[i].test_id == test)
            return work->items[i].machines;
    return 0;
}

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
static bool add_tests(cJSON *list, Query *query, const AtWork *work) {
    Test test;
    int64_t count = 0;
    for (; store_next_test(query, &test); count++) {
        if (count < PAGE_ITEMS)
            test_row_values(value_item(list, "tests"), &test,
                            test.finished ? 0 : machines_on(work, test.id));
        store_free_test(&test);
    }
    query_end(query);
    value_bool(list, "has", count > 0);
    return count > PAGE_ITEMS;
}

/* The lists of the index. */
static const struct {
    TestList tests;
    const char *key, *heading, *none;
} INDEX_LISTS[] = {
    {TESTS_ACTIVE, "active", "Running", "No test is running."},
    {TESTS_PENDING, "pending", "Waiting for approval", "No test waits for approval."},
    {TESTS_FINISHED, "finished", "Finished", "No test has finished."},
};

/* A page has as many tests of each list. A list that ended on an earlier page is left out. */
static void add_index_lists(Page *page, Transaction *t) {
    AtWork work = find_work(t, page->now);
    Fleet fleet = store_fleet(t, page->now - MACHINE_ACTIVE_SECONDS);
    int64_t counts[COUNT(INDEX_LISTS)];
    int64_t longest = 0;
    Text machines = {0};
    for (size_t i = 0; i < COUNT(INDEX_LISTS); i++) {
        counts[i] = store_count_tests(t, INDEX_LISTS[i].tests);
        longest = counts[i] > longest ? counts[i] : longest;
    }
    int64_t number = page_number_within(page, longest);
    int64_t skip = (number - 1) * PAGE_ITEMS;
    for (size_t i = 0; i < COUNT(INDEX_LISTS); i++) {
        if (number > 1 && counts[i] <= skip)
            continue;
        cJSON *list =
            add_list(page->values, INDEX_LISTS[i].key, INDEX_LISTS[i].heading, INDEX_LISTS[i].none);
        add_tests(list, store_tests(t, INDEX_LISTS[i].tests, skip, PAGE_ITEMS), &work);
        value_count(list, number, counts[i]);
    }
    value_number(page->values, "page", number);
    value_pages(page, number, longest > skip + PAGE_ITEMS);
    text_addf(&machines, "%" PRId64 " machine%s at work, %" PRId64 " thread%s", fleet.machines,
              text_plural(fleet.machines), fleet.threads, text_plural(fleet.threads));
    value_take(page->values, "machines_now", &machines);
    free(work.items);
}

/* The page of all tests; with "?part=lists" what changes of it. */
static void show_index(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Tests");
    if (page_may_view(&page)) {
        Transaction *t = page_read(&page);
        value_text(page.values, "filter", "");
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
    value_bool(item, "active", page->now - machine->seen <= MACHINE_ACTIVE_SECONDS);
    value_time(item, "seen", machine->seen, page->now);
}

/* Adds the machines of the last day, PAGE_ITEMS at most. */
static void add_machines(Page *page, Transaction *t) {
    enum { DAY_S = 24 * 3600 };
    Machine machine;
    int64_t since = page->now - DAY_S;
    int64_t count = store_fleet(t, since).machines;
    int64_t number = page_number_within(page, count);
    Query *query = store_machines(t, since, (number - 1) * PAGE_ITEMS, PAGE_ITEMS);
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
        Fleet fleet = store_fleet(t, page.now - MACHINE_ACTIVE_SECONDS);
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
        value_text(page.values, "none",
                   none_of(number, errors ? "No machine met an error." : "Nothing happened."));
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
