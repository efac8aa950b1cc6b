/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "report/html.h"
#include "serve/page.h"
#include "serve/pages.h"
#include "serve/pagetexts.h"

/* ---- The style sheet and the script ---- */

static void show_style(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    (void)serve;
    (void)request;
    answer->type = "text/css; charset=utf-8";
    html_add_style(&answer->body);
    template_text(&PAGE_TEXTS, "serve.css", &answer->body);
    web_header_add(answer, "Cache-Control", "max-age=3600");
}

static void show_script(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    (void)serve;
    (void)request;
    answer->type = "text/javascript; charset=utf-8";
    template_text(&PAGE_TEXTS, "serve.js", &answer->body);
    web_header_add(answer, "Cache-Control", "max-age=3600");
}

/* ---- Streams of events ---- */

/* A page that is followed. */
typedef struct {
    Database *database;
    int64_t test; /* 0: the list of all tests. */
    Text seen;    /* What the page depends on, when it was told last. */
    int64_t looked_ns;
} Follower;

/* The database is looked at for a page no more often than this. */
static const int64_t LOOK_NS = 2 * (int64_t)CLOCK_NS_PER_SECOND;

static void add_state(Transaction *t, const Test *test, Text *out) {
    text_addf(out, "%" PRId64 " %" PRId64 " %" PRId64 " %d%d%d%d %" PRId64 " %" PRId64 "\n",
              test->id, test->updated, tally_games(&test->tally), test->approved, test->finished,
              test->deleted, test->faulty, test->priority, store_count_errors(t, test->id));
}

/* Appends what the page depends on. False when the database cannot be read. */
static bool read_state(const Follower *follower, Text *out) {
    Test test;
    Transaction *t = transaction_begin(follower->database, TRANSACTION_READ);
    if (follower->test == 0) {
        store_active_state(t, out);
        text_addf(out, "%" PRId64 " %" PRId64, store_count_tests(t, TESTS_PENDING),
                  store_count_tests(t, TESTS_FINISHED));
    } else if (store_test(t, follower->test, &test)) {
        add_state(t, &test, out);
        store_free_test(&test);
    }
    return transaction_end(t, NULL);
}

static bool read_news(void *user, Text *out) {
    Follower *follower = user;
    int64_t now = clock_now_ns();
    Text state = {0};
    bool first = follower->looked_ns == 0;
    if (!first && now - follower->looked_ns < LOOK_NS)
        return true;
    follower->looked_ns = now;
    bool read = read_state(follower, &state);
    if (first)
        text_add(out, "retry: 5000\n\n");
    else if (read && strcmp(text_string(&state), text_string(&follower->seen)) != 0)
        text_add(out, "event: change\ndata:\n\n");
    text_free(&follower->seen);
    follower->seen = state;
    return read;
}

static void free_follower(void *user) {
    Follower *follower = user;
    text_free(&follower->seen);
    free(follower);
}

static void follow(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "");
    if (page_may_view(&page)) {
        Follower *follower = mem_calloc(1, sizeof *follower);
        follower->database = serve->database;
        follower->test = web_number(request);
        answer->type = "text/event-stream";
        answer->stream = (WebStream){read_news, free_follower, follower};
        web_header_add(answer, "X-Accel-Buffering", "no"); /* For proxies that collect answers. */
    }
    page_close(&page);
}

const WebRoute LIVE_PAGES[] = {{"/style.css", show_style, NULL, NULL},
                               {"/serve.js", show_script, NULL, NULL},
                               {"/live/index/", follow, NULL, NULL},
                               {"/live/test/{number}/", follow, NULL, NULL},
                               {"/live/tune/{number}/", follow, NULL, NULL},
                               {"/live/datagen/{number}/", follow, NULL, NULL},
                               {0}};
