/* SPDX-License-Identifier: MIT */
/* Routes find the handler of a path, and the limits of addresses count. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "runner.h"
#include "serve/visitors.h"
#include "serve/web.h"

static void show_test(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    (void)serve;
    text_addf(&answer->body, "test %lld", (long long)web_number(request));
}

static void show_file(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    (void)serve;
    text_addf(&answer->body, "file %s of %s", request->arguments[1], request->arguments[0]);
}

static const WebRoute TESTS_ROUTES[] = {{"/test/{number}/", show_test, NULL, 0}, {0}};
static const WebRoute FILES_ROUTES[] = {
    {"/source/{name}/{name}.zip", NULL, NULL, 0},   {"/file/{name}/{name}", show_file, NULL, 0},
    {"/rest/{name}/of/{path}", show_file, NULL, 0}, {"/form/", NULL, show_test, 0},
    {"/one/{name}/", show_test, NULL, 0},           {0}};
static const WebRoute *const TABLES[] = {TESTS_ROUTES, FILES_ROUTES};
static const WebRoutes ROUTES = {TABLES, COUNT(TABLES)};

static WebAnswer answer;

static void set_up(void) {
    answer = (WebAnswer){0};
}

static void tear_down(void) {
    web_answer_free(&answer);
}

static void ask(const char *path, bool post) {
    WebRequest request = {.post = post, .path = mem_strdup(path)};
    web_answer_free(&answer);
    web_dispatch(&ROUTES, NULL, &request, &answer);
    web_request_free(&request);
}

START_TEST(a_pattern_hands_over_its_parts) {
    ask("/test/12/", false);
    ck_assert_str_eq(text_string(&answer.body), "test 12");
    ask("/file/a/b c", false);
    ck_assert_str_eq(text_string(&answer.body), "file b c of a");
    ask("/rest/a/of/b/c/", false);
    ck_assert_str_eq(text_string(&answer.body), "file b/c/ of a");
}
END_TEST

START_TEST(a_path_that_does_not_fit_is_not_found) {
    static const char *const paths[] = {
        "/",           "",           "/test/x/",   "/test/-1/",   "/test//",
        "/file/a/",    "/file/../b", "/file/a/..", "/file/a/b/c", "/test/1234567890123456789/",
        "/rest/a/of/", "/test/12/x"};
    for (size_t i = 0; i < COUNT(paths); i++) {
        ask(paths[i], false);
        ck_assert_msg(answer.status == WEB_NOT_FOUND, "%s: %d", paths[i], (int)answer.status);
    }
}
END_TEST

START_TEST(a_path_without_its_last_slash_leads_to_the_path_with_the_slash) {
    ask("/test/12", false);
    ck_assert_int_eq(answer.status, WEB_FOUND);
    ck_assert_str_eq(web_fields_get(&answer.headers, "Location"), "/test/12/");
    WebRequest request = {.path = mem_strdup("/test/12")};
    web_fields_add(&request.query, "q", "a & b");
    web_fields_add(&request.query, "page", "2");
    web_answer_free(&answer);
    web_dispatch(&ROUTES, NULL, &request, &answer);
    ck_assert_str_eq(web_fields_get(&answer.headers, "Location"), "/test/12/?q=a%20%26%20b&page=2");
    web_request_free(&request);
    ask("/one/a b", false);
    ck_assert_str_eq(web_fields_get(&answer.headers, "Location"), "/one/a%20b/");
    ask("//test/12", false);
    ck_assert_int_eq(answer.status, WEB_NOT_FOUND);
}
END_TEST

START_TEST(a_method_that_a_route_lacks_is_refused) {
    ask("/test/12/", true);
    ck_assert_int_eq(answer.status, WEB_BAD_METHOD);
    ask("/form/", false);
    ck_assert_int_eq(answer.status, WEB_BAD_METHOD);
    ask("/form/", true);
    ck_assert_str_eq(text_string(&answer.body), "test 0");
}
END_TEST

START_TEST(an_address_has_its_burst_and_then_its_rate) {
    Visitors *visitors = visitors_new(2, 3, 5);
    int64_t now = 1;
    for (int i = 0; i < 3; i++)
        ck_assert(visitors_request(visitors, "10.0.0.1", now));
    ck_assert(!visitors_request(visitors, "10.0.0.1", now));
    ck_assert(visitors_request(visitors, "10.0.0.2", now));
    now += CLOCK_NS_PER_SECOND / 2;
    ck_assert(visitors_request(visitors, "10.0.0.1", now));
    ck_assert(!visitors_request(visitors, "10.0.0.1", now));
    now += (int64_t)24 * 3600 * CLOCK_NS_PER_SECOND; /* A day of silence saves up one burst. */
    for (int i = 0; i < 3; i++)
        ck_assert(visitors_request(visitors, "10.0.0.1", now));
    ck_assert(!visitors_request(visitors, "10.0.0.1", now));
    visitors_free(visitors);
}
END_TEST

START_TEST(an_address_has_so_many_connections_however_many_others_come) {
    Visitors *visitors = visitors_new(1, 1, 2);
    char address[32];
    visitors_opened(visitors, "10.0.0.1");
    visitors_opened(visitors, "10.0.0.1");
    for (int i = 0; i < 100000; i++) {
        snprintf(address, sizeof address, "10.%d.%d.%d", 1 + i / 65536, i / 256 % 256, i % 256);
        visitors_request(visitors, address, i + 1);
    }
    ck_assert(!visitors_may_connect(visitors, "10.0.0.1"));
    visitors_closed(visitors, "10.0.0.1");
    ck_assert(visitors_may_connect(visitors, "10.0.0.1"));
    visitors_free(visitors);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_pattern_hands_over_its_parts);
    tcase_add_test(tests, a_path_that_does_not_fit_is_not_found);
    tcase_add_test(tests, a_path_without_its_last_slash_leads_to_the_path_with_the_slash);
    tcase_add_test(tests, a_method_that_a_route_lacks_is_refused);
    tcase_add_test(tests, an_address_has_its_burst_and_then_its_rate);
    tcase_add_test(tests, an_address_has_so_many_connections_however_many_others_come);
}

int main(void) {
    return run_tests("web", add_tests);
}
