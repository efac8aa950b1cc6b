/* SPDX-License-Identifier: MIT */
/* Pages: who sees them, what they show, what users do with tests, and that no text breaks out. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "runner.h"
#include "serve/pages.h"
#include "tools/serve_rig.h"

static ServeRig rig;

static const WebRoute *tables[8];

static void set_up(void) {
    size_t count = 0;
    tables[count++] = LIST_PAGES;
    tables[count++] = TEST_PAGES;
    tables[count++] = FORM_PAGES;
    tables[count++] = PEOPLE_PAGES;
    tables[count++] = STOCK_PAGES;
    tables[count++] = LIVE_PAGES;
    rig_start(&rig, tables, count);
}

static void tear_down(void) {
    rig_stop(&rig);
}

static void expect(const char *words) {
    rig_expect(&rig, words);
}

static void expect_not(const char *words) {
    rig_expect_not(&rig, words);
}

static void expect_location(const char *path) {
    ck_assert_msg(strcmp(rig_location(&rig), path) == 0, "leads to '%s' instead of '%s': %s",
                  rig_location(&rig), path, rig_page(&rig));
}

static int64_t add_test(const char *kind) {
    Test test = rig_test(kind, "try-this");
    return rig_add_test(&rig, &test);
}

static Test read_test(int64_t id) {
    Test test;
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_READ);
    ck_assert(store_test(t, id, &test));
    transaction_end(t, NULL);
    return test;
}

static bool add_user(const char *name, bool approver) {
    Error err = {{0}};
    User user;
    bool added = people_add(rig.serve.people, name, RIG_PASSWORD, false, rig.now, NULL, &err);
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    ck_assert(store_user_named(t, name, &user));
    user.approver = approver;
    store_update_user(t, &user);
    store_free_user(&user);
    return transaction_end(t, NULL) && added;
}

/* ---- Lists ---- */

START_TEST(the_index_links_tests_as_scripts_read_them) {
    int64_t sprt = add_test("SPRT");
    add_test("SPSA");
    add_test("DATAGEN");
    rig_add_results(&rig, sprt, rig_add_machine(&rig, sprt, "box"), 10, 1.5);
    rig_get(&rig, "/index/");
    expect("<a href=\"/test/1/\">");
    expect("<a href=\"/tune/2/\">");
    expect("<a href=\"/datagen/3/\">");
    expect("LLR 1.50 <span class=\"nobreak\">(-2.94, 2.94)</span> "
           "<span class=\"nobreak\">[0.00, 5.00]</span>");
    expect("1 machine at work, 4 threads");
    expect_not("error-message");
}
END_TEST

/* Adds tests of one list. */
static void add_many(int count, bool finished) {
    for (int i = 0; i < count; i++) {
        Test test = rig_test("SPRT", "many");
        test.finished = finished;
        test.updated += i;
        rig_add_test(&rig, &test);
    }
}

START_TEST(the_index_begins_each_list_and_links_the_rest) {
    add_many(30, false);
    add_many(12, true);
    rig_get(&rig, "/index/");
    expect("Running <small>25 of 30</small>");
    expect("<a href=\"/index/?list=active\">All 30</a>");
    /* Scripts look for their new test here. */
    expect("href=\"/test/30/\"");
    expect_not("href=\"/test/5/\"");
    expect("Finished <small>10 of 12</small>");
    expect("<a href=\"/index/?list=finished\">All 12</a>");
    expect("No test waits for approval.");
    expect_not("list=pending");
    expect_not("rel=\"next\"");
}
END_TEST

START_TEST(finished_tests_come_in_pages) {
    add_many(60, true);
    rig_get(&rig, "/index/?list=finished");
    expect("href=\"?list=finished&#38;page=2\"");
    expect("Finished <small>1 to 50 of 60</small>");
    expect_not("Running");
    rig_get(&rig, "/index/?list=finished&page=2");
    expect("href=\"/test/1/\"");
    expect("href=\"?list=finished&#38;page=1\"");
    expect("data-part=\"/index/?part=lists&amp;list=finished&#38;page=2\"");
    expect("Finished <small>51 to 60 of 60</small>");
    expect_not("page=3\"");
    rig_get(&rig, "/index/?list=finished&page=99");
    expect("Finished <small>51 to 60 of 60</small>");
    expect_not("No test has finished.");
    rig_get(&rig, "/index/?list=none-of-these");
    expect("Running");
}
END_TEST

START_TEST(running_tests_come_in_pages) {
    add_many(120, false);
    rig_get(&rig, "/index/?list=active");
    expect("Running <small>1 to 50 of 120</small>");
    expect("href=\"/test/71/\"");
    expect_not("href=\"/test/70/\"");
    rig_get(&rig, "/index/?list=active&page=3");
    expect("Running <small>101 to 120 of 120</small>");
    expect("href=\"/test/1/\"");
    expect_not("page=4\"");
}
END_TEST

START_TEST(machines_come_in_pages) {
    for (int i = 0; i < 60; i++)
        rig_add_machine(&rig, add_test("SPRT"), "box");
    rig_get(&rig, "/machines/");
    expect("60 active now");
    expect("#60 ·");
    expect_not("#10 ·");
    rig_get(&rig, "/machines/?page=2");
    expect("60 active now");
    expect("#10 ·");
    expect_not("#11 ·");
    expect_not("href=\"?page=3\"");
    rig_get(&rig, "/machines/?page=9");
    expect("#10 ·");
    expect("href=\"?page=1\"");
}
END_TEST

START_TEST(a_page_behind_the_last_does_not_say_that_nothing_is_there) {
    add_many(1, true);
    rig_get(&rig, "/search/?q=many&page=7");
    expect("The list ends before this page.");
    rig_get(&rig, "/errors/?page=7");
    expect("The list ends before this page.");
    rig_get(&rig, "/machines/?page=7");
    expect("No machine was here in the last day");
    rig_get(&rig, "/index/?list=finished&page=7");
    expect("Finished <small>1</small>");
}
END_TEST

/* The links that are used seldom are folded into menus, which are a browser's own. */
START_TEST(the_bar_is_short_and_needs_no_script) {
    rig_get(&rig, "/index/");
    expect("<details class=\"menu\" name=\"menu\"><summary>New</summary>");
    expect("<a href=\"/login/\">Sign in</a>");
    expect_not("Sign out");
    expect_not("/users/");
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    rig_get(&rig, "/index/");
    expect("<summary><span class=\"user\">" RIG_USER "</span></summary>");
    expect("<a href=\"/users/\">Users</a>");
    expect("<button>Sign out</button>");
}
END_TEST

START_TEST(a_search_finds_a_branch) {
    add_test("SPRT");
    rig_get(&rig, "/search/?q=try-th");
    expect("<a href=\"/test/1/\">");
    rig_get(&rig, "/search/?q=nothing");
    expect("No test has these words.");
}
END_TEST

START_TEST(a_fault_is_read_with_its_log) {
    int64_t test = add_test("SPRT");
    rig_add_machine(&rig, test, "box"); /* Machine 1. */
    rig_add_error(&rig, test, 1, "Disconnect", "[Event \"x\"]\n1. e4 *");
    rig_get(&rig, "/errors/");
    expect("<a href=\"/event/1/\">Disconnect</a>");
    rig_get(&rig, "/event/1/");
    expect("1. e4 *");
    rig_get(&rig, "/test/1/");
    expect("<a href=\"/event/1/\">Disconnect</a><small>" RIG_USER ", box #1, ");
    rig_get(&rig, "/event/99/");
    ck_assert_int_eq(rig.answer.status, WEB_NOT_FOUND);
}
END_TEST

/* ---- A test ---- */

START_TEST(a_test_is_found_under_every_kind_of_address) {
    add_test("SPSA");
    rig_get(&rig, "/test/1/");
    expect_location("/tune/1/");
    rig_get(&rig, "/test/7/");
    ck_assert_int_eq(rig.answer.status, WEB_NOT_FOUND);
    expect("There is no test 7.");
}
END_TEST

START_TEST(strangers_may_look_and_change_nothing) {
    add_test("SPRT");
    rig_get(&rig, "/test/1/");
    expect_not("value=\"stop\"");
    rig_post(&rig, "/test/1/", "action=stop");
    expect_location("/login/");
    Test test = read_test(1);
    ck_assert(!test.finished);
    store_free_test(&test);
}
END_TEST

START_TEST(another_user_may_not_stop_a_test) {
    add_test("SPRT");
    ck_assert(add_user("bob", false));
    rig_sign_in(&rig, "bob", RIG_PASSWORD);
    rig_post(&rig, "/test/1/", "action=stop");
    rig_get(&rig, rig_location(&rig));
    expect("Only the author, an approver or an administrator may do this.");
    Test test = read_test(1);
    ck_assert(!test.finished);
    store_free_test(&test);
}
END_TEST

START_TEST(the_author_stops_a_test_and_lets_it_go_on) {
    add_test("SPRT");
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    expect_location("/index/");
    rig_post(&rig, "/test/1/", "action=stop");
    expect_location("/test/1/");
    Test test = read_test(1);
    ck_assert(test.finished && !test.passed);
    store_free_test(&test);
    rig_get(&rig, "/events/");
    expect("stopped the test");
    rig_post(&rig, "/test/1/", "action=continue");
    test = read_test(1);
    ck_assert(!test.finished);
    store_free_test(&test);
}
END_TEST

static void add_network(const char *engine) {
    char digest[65];
    memset(digest, 'a', 64);
    digest[64] = '\0';
    Network network = {.engine = (char *)(uintptr_t)engine,
                       .name = (char *)"first.nn",
                       .sha = (char *)"AAAAAAAA",
                       .digest = digest,
                       .author = (char *)RIG_USER,
                       .created = rig.now};
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    store_add_network(t, &network);
    ck_assert(transaction_end(t, NULL));
}

/* It would get no machine, and nobody would know why. */
START_TEST(a_stopped_test_does_not_go_on_without_its_network) {
    static const char *const engines[SIDE_COUNT] = {"new", "old"};
    for (Side side = SIDE_DEV; side < SIDE_COUNT; side++) {
        Test test = rig_test("SPRT", "try-this");
        TestSide *s = &test.sides[side];
        char path[32], refused[96];
        free(s->engine);
        free(s->network);
        free(s->netname);
        s->engine = mem_strdup(engines[side]);
        s->network = mem_strdup("AAAAAAAA");
        s->netname = mem_strdup("first.nn");
        snprintf(refused, sizeof refused, "The network first.nn of %s was removed. Upload it again",
                 engines[side]);
        snprintf(path, sizeof path, "/test/%d/", (int)rig_add_test(&rig, &test));
        rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
        rig_post(&rig, path, "action=stop");
        rig_post(&rig, path, "action=continue");
        rig_get(&rig, rig_location(&rig));
        expect(refused);
        expect("value=\"continue\"");
        rig_change(&rig, "ALTER TABLE networks RENAME TO away");
        rig_post(&rig, path, "action=continue");
        rig_change(&rig, "ALTER TABLE away RENAME TO networks");
        ck_assert_int_eq(rig.answer.status, WEB_UNAVAILABLE);
        rig_expect_logged(&rig, "the database: no such table: networks");
        add_network(engines[side]);
        rig_post(&rig, path, "action=continue");
        rig_get(&rig, path);
        expect("value=\"stop\"");
    }
}
END_TEST

/* One click takes a test out of all lists; its author alone can bring it back. */
START_TEST(a_deleted_test_is_brought_back_by_those_who_may_change_it) {
    add_test("SPRT");
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    rig_post(&rig, "/test/1/", "action=restore");
    rig_get(&rig, rig_location(&rig));
    expect("The test is not deleted.");
    rig_post(&rig, "/test/1/", "action=delete");
    expect_location("/test/1/");
    rig_get(&rig, "/test/1/");
    expect("deleted");
    expect("value=\"restore\"");
    expect_not("value=\"delete\"");
    expect_not("value=\"continue\"");
    rig_post(&rig, "/test/1/", "action=delete");
    rig_get(&rig, rig_location(&rig));
    expect("The test is deleted already.");
    rig_get(&rig, "/index/");
    expect_not("/test/1/");
    ck_assert(add_user("bob", false));
    rig_sign_in(&rig, "bob", RIG_PASSWORD);
    rig_get(&rig, "/test/1/");
    expect("There is no test 1.");
    rig_post(&rig, "/test/1/", "action=restore");
    expect("There is no test 1.");
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    rig_post(&rig, "/test/1/", "action=restore");
    Test test = read_test(1);
    ck_assert(!test.deleted && test.finished);
    store_free_test(&test);
    rig_get(&rig, "/index/");
    expect("/test/1/");
}
END_TEST

/* Each further result would move its values again. */
START_TEST(a_tuning_that_has_all_its_games_does_not_go_on) {
    for (int games = 0; games < 2; games++) {
        Test tuning = rig_test("SPSA", "try-this");
        tuning.spsa.iterations = tuning.spsa.pairs_per = 1;
        int64_t id = rig_add_test(&rig, &tuning);
        if (games > 0)
            rig_add_results(&rig, id, rig_add_machine(&rig, id, "box"), 10, 1.5);
        char path[32];
        snprintf(path, sizeof path, "/tune/%d/", (int)id);
        rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
        rig_post(&rig, path, "action=stop");
        rig_get(&rig, path);
        if (games > 0)
            expect_not("value=\"continue\"");
        else
            expect("value=\"continue\"");
        rig_post(&rig, path, "action=continue");
        Test test = read_test(id);
        ck_assert_int_eq(test.finished, games > 0);
        store_free_test(&test);
    }
}
END_TEST

START_TEST(a_form_without_the_visits_token_does_nothing) {
    add_test("SPRT");
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    WebFields old = rig.cookies;
    WebRequest request = {.post = true, .path = mem_strdup("/test/1/")};
    for (size_t i = 0; i < old.names.count; i++)
        web_fields_add(&request.cookies, old.names.items[i], old.values.items[i]);
    web_fields_add(&request.form, "action", "stop");
    web_answer_free(&rig.answer);
    web_dispatch(&rig.routes, &rig.serve, &request, &rig.answer);
    web_request_free(&request);
    ck_assert_int_eq(rig.answer.status, WEB_FORBIDDEN);
    Test test = read_test(1);
    ck_assert(!test.finished);
    store_free_test(&test);
}
END_TEST

START_TEST(numbers_change_within_their_bounds) {
    add_test("SPRT");
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    rig_post(&rig, "/test/1/", "action=change&priority=3&throughput=500&workload_size=8");
    Test test = read_test(1);
    ck_assert_int_eq(test.priority, 3);
    ck_assert_int_eq(test.throughput, 500);
    ck_assert_int_eq(test.workload_size, 8);
    store_free_test(&test);
    rig_post(&rig, "/test/1/", "action=change&priority=4&throughput=0&workload_size=8");
    rig_get(&rig, rig_location(&rig));
    expect("throughput: 0 is");
    test = read_test(1);
    ck_assert_int_eq(test.priority, 3);
    store_free_test(&test);
}
END_TEST

/* One perturbation would be played for all the pairs of a larger workload. */
START_TEST(the_workload_size_of_a_tuning_does_not_change) {
    Test tuning = rig_test("SPSA", "try-this");
    const int64_t size = tuning.workload_size;
    rig_add_test(&rig, &tuning);
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    rig_get(&rig, "/tune/1/");
    expect("name=\"throughput\"");
    expect_not("name=\"workload_size\"");
    rig_post(&rig, "/tune/1/", "action=change&priority=3&throughput=500");
    rig_post(&rig, "/tune/1/", "action=change&priority=4&throughput=600&workload_size=100");
    rig_get(&rig, rig_location(&rig));
    expect("The workload size of a tuning cannot be changed.");
    Test test = read_test(1);
    ck_assert_int_eq(test.priority, 3);
    ck_assert_int_eq(test.throughput, 500);
    ck_assert_int_eq(test.workload_size, size);
    store_free_test(&test);
}
END_TEST

START_TEST(a_second_user_approves_where_the_server_wants_it) {
    Test test = rig_test("SPRT", "mine");
    test.approved = false;
    rig_add_test(&rig, &test);
    rig.serve.catalog.settings.use_cross_approval = true;
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    rig_post(&rig, "/test/1/", "action=approve");
    test = read_test(1);
    ck_assert(!test.approved);
    store_free_test(&test);
    ck_assert(add_user("bob", true));
    rig_sign_in(&rig, "bob", RIG_PASSWORD);
    rig_post(&rig, "/test/1/", "action=approve");
    test = read_test(1);
    ck_assert(test.approved);
    ck_assert_str_eq(test.approver, "bob");
    store_free_test(&test);
    rig_post(&rig, "/test/1/", "action=approve"); /* From a page that was loaded before. */
    rig_get(&rig, rig_location(&rig));
    expect("The test is approved already.");
    rig_post(&rig, "/test/1/", "action=stop");
    rig_post(&rig, "/test/1/", "action=approve");
    rig_get(&rig, rig_location(&rig));
    expect("The test is over already.");
}
END_TEST

/* ---- People ---- */

START_TEST(the_login_form_has_openbenchs_fields) {
    static const char *const fields[] = {
        "type=\"hidden\" name=\"csrfmiddlewaretoken\" value=\"", "type=\"text\" name=\"username\"",
        "type=\"password\" name=\"password\"", "type=\"submit\" name=\"submit\""};
    rig_get(&rig, "/login/");
    for (size_t i = 0; i < COUNT(fields); i++)
        expect(fields[i]);
    ck_assert_ptr_nonnull(web_fields_get(&rig.cookies, "csrftoken"));
}
END_TEST

START_TEST(a_wrong_password_leads_back_with_the_reason) {
    rig_sign_in(&rig, RIG_USER, "not this one");
    expect_location("/login/");
    rig_get(&rig, "/login/");
    expect("<div class=\"error-message\"><pre>Unable to Authenticate User</pre>");
    rig_get(&rig, "/login/");
    expect_not("Unable to Authenticate User");
    ck_assert_int_eq(rig_number(&rig, "SELECT count(*) FROM sessions"), 0);
}
END_TEST

/* Whether the path shows nothing that a server keeps. */
static bool is_for_all(const char *path) {
    static const char *const open[] = {"/login/", "/style.css", "/serve.js"};
    for (size_t i = 0; i < COUNT(open); i++)
        if (strcmp(path, open[i]) == 0)
            return true;
    return false;
}

/* An address of the pattern. */
static char *address_of(const char *pattern) {
    Text path = {0};
    for (const char *at = pattern; *at; at += strcspn(at, "}") + 1) {
        size_t length = strcspn(at, "{");
        text_add_bytes(&path, at, length);
        at += length;
        if (!*at)
            break;
        text_add(&path, text_starts_with(at, "{number}") ? "1" : "x");
    }
    return text_take(&path);
}

START_TEST(a_server_can_want_a_login_to_look) {
    int wanted = 0;
    rig.serve.catalog.settings.require_login_to_view = true;
    rig_add_error(&rig, add_test("SPRT"), 0, "Disconnect", "1. e4 *");
    for (size_t i = 0; i < COUNT(tables) && tables[i]; i++)
        for (const WebRoute *route = tables[i]; route->pattern; route++) {
            char *path = address_of(route->pattern);
            /* The root leads to the index. */
            if (route->get && !is_for_all(path) && strcmp(path, "/") != 0) {
                rig_get(&rig, path);
                ck_assert_msg(strcmp(rig_location(&rig), "/login/") == 0, "%s was shown", path);
                wanted++;
            }
            free(path);
        }
    ck_assert_int_gt(wanted, 20);
}
END_TEST

START_TEST(only_administrators_see_and_change_users) {
    ck_assert(add_user("bob", false));
    rig_sign_in(&rig, "bob", RIG_PASSWORD);
    rig_get(&rig, "/users/");
    ck_assert_int_eq(rig.answer.status, WEB_FORBIDDEN);
    rig_post(&rig, "/users/2/", "admin=1&enabled=1");
    ck_assert_int_eq(rig.answer.status, WEB_FORBIDDEN);
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    rig_post(&rig, "/users/", "username=eve&password=a long password");
    expect_location("/users/");
    rig_get(&rig, "/users/");
    expect("<th scope=\"row\">eve<small");
    expect("<span class=\"sr\">eve </span>may approve</label>");
    expect("<button>Save<span class=\"sr\"> eve</span></button>");
    rig_post(&rig, "/users/999/", "approver=1");
    ck_assert_int_eq(rig.answer.status, WEB_NOT_FOUND);
    rig_post(&rig, "/users/2/", "approver=1");
    rig_sign_in(&rig, "bob", RIG_PASSWORD);
    rig_get(&rig, "/login/");
    expect("Account has not been enabled by an administrator.");
}
END_TEST

/* Rights never change without their event. */
START_TEST(a_fault_of_the_database_is_told_to_who_changes_users) {
    ck_assert(add_user("bob", false));
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    rig_change(&rig, "ALTER TABLE events RENAME TO away");
    rig_post(&rig, "/users/2/", "admin=1&enabled=1");
    ck_assert_int_eq(rig.answer.status, WEB_UNAVAILABLE);
    ck_assert_int_eq(rig_number(&rig, "SELECT admin FROM users WHERE id = 2"), 0);
    rig_expect_logged(&rig, "the database: no such table: events");
    rig_change(&rig, "ALTER TABLE away RENAME TO events");
    rig_post(&rig, "/users/2/", "admin=1&enabled=1");
    expect_location("/users/");
    ck_assert_int_eq(rig_number(&rig, "SELECT admin FROM users WHERE id = 2"), 1);
    ck_assert_int_eq(rig_number(&rig, "SELECT count(*) FROM events"), 1);
    rig_change(&rig,
               "CREATE TRIGGER full BEFORE INSERT ON users BEGIN SELECT raise(ABORT, 'full'); "
               "END");
    rig_post(&rig, "/users/", "username=eve&password=a long password");
    ck_assert_int_eq(rig.answer.status, WEB_UNAVAILABLE);
    expect(WEB_FAULT_WORDS);
    rig_expect_logged(&rig, "the database: full");
    rig_change(&rig,
               "CREATE TRIGGER same BEFORE UPDATE ON users BEGIN SELECT raise(ABORT, 'same'); "
               "END");
    rig_post(&rig, "/profile/", "password=" RIG_PASSWORD "&new_password=abcdefgh&again=abcdefgh");
    ck_assert_int_eq(rig.answer.status, WEB_UNAVAILABLE);
    expect(WEB_FAULT_WORDS);
    rig_expect_logged(&rig, "the database: same");
    rig_post(&rig, "/users/", "username=bob&password=a long password");
    rig_get(&rig, "/users/");
    expect("there is a user bob already");
}
END_TEST

START_TEST(an_added_user_whose_event_is_lost_is_logged) {
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    rig_change(&rig, "ALTER TABLE events RENAME TO away");
    rig_post(&rig, "/users/", "username=eve&password=a long password");
    expect_location("/users/");
    rig_expect_logged(&rig, "the database: no such table: events");
    rig_change(&rig, "ALTER TABLE away RENAME TO events");
}
END_TEST

START_TEST(an_administrator_cannot_lock_oneself_out) {
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    rig_post(&rig, "/users/1/", "approver=1");
    rig_get(&rig, "/users/");
    expect("<h1>Users</h1>");
}
END_TEST

START_TEST(a_changed_password_counts) {
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    rig_post(&rig, "/profile/", "password=wrong password&new_password=abcdefgh&again=abcdefgh");
    rig_get(&rig, "/profile/");
    expect("The present password is another.");
    rig_post(&rig, "/profile/", "password=" RIG_PASSWORD "&new_password=abcdefgh&again=abcdefgi");
    rig_get(&rig, "/profile/");
    expect("was not repeated");
    rig_post(&rig, "/profile/", "password=" RIG_PASSWORD "&new_password=abcdefgh&again=abcdefgh");
    rig_get(&rig, "/profile/");
    expect("The password is changed.");
    rig_post(&rig, "/logout/", "");
    rig_get(&rig, "/profile/");
    expect_location("/login/");
    rig_sign_in(&rig, RIG_USER, "abcdefgh");
    expect_location("/index/");
}
END_TEST

/* Takes the browser's cookies away. */
static WebFields take_cookies(void) {
    WebFields cookies = rig.cookies;
    rig.cookies = (WebFields){0};
    return cookies;
}

START_TEST(a_changed_password_ends_the_users_other_visits) {
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    WebFields other = take_cookies();
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    rig_post(&rig, "/profile/", "password=" RIG_PASSWORD "&new_password=abcdefgh&again=abcdefgh");
    rig_get(&rig, "/profile/");
    expect("The password is changed.");
    WebFields own = take_cookies();
    rig.cookies = other;
    rig_get(&rig, "/profile/");
    expect_location("/login/");
    web_fields_free(&rig.cookies);
    rig.cookies = own;
    rig_get(&rig, "/profile/");
    expect_location("");
}
END_TEST

/* ---- Hostile text ---- */

/* Fails where the page has a piece of the hostile text as markup. */
static void expect_harmless(const char *path) {
    rig_get(&rig, path);
    expect_not("<script>");
    expect_not("<img");
    expect_not("\"onload=");
    ck_assert_msg(rig.answer.status == 0, "%s: status %d", path, (int)rig.answer.status);
}

START_TEST(no_text_of_others_becomes_markup) {
    static const char evil[] = "<script>alert(1)</script>\"onload=x '<img src=x>{{csrf}}";
    static const char *const kinds[] = {"SPRT", "SPSA", "DATAGEN"};
    static const char *const addresses[] = {"/test/1/", "/tune/2/", "/datagen/3/"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        Test test = rig_test(kinds[i], evil);
        free(test.author);
        test.author = mem_strdup(evil);
        free(test.sides[0].time_control);
        test.sides[0].time_control = mem_strdup(evil);
        int64_t id = rig_add_test(&rig, &test);
        rig_add_results(&rig, id, rig_add_machine(&rig, id, evil), 10, 1);
        rig_add_error(&rig, id, 0, evil, evil);
    }
    for (size_t i = 0; i < COUNT(addresses); i++)
        expect_harmless(addresses[i]);
    rig_sign_in(&rig, RIG_USER, RIG_PASSWORD);
    for (size_t i = 0; i < COUNT(addresses); i++)
        expect_harmless(addresses[i]);
    static const char *const lists[] = {"/index/",  "/machines/", "/events/",
                                        "/errors/", "/event/1/",  "/index/?part=lists"};
    for (size_t i = 0; i < COUNT(lists); i++)
        expect_harmless(lists[i]);
    rig_get(&rig, "/search/?q=<script>alert(1)</script>");
    expect_not("<script>");
}
END_TEST

START_TEST(the_style_and_the_script_are_served) {
    rig_get(&rig, "/style.css");
    expect(".source{white-space:pre-line}"); /* For the lines of a test's remarks. */
    expect(".llrbar");
    expect(":root{");
    rig_get(&rig, "/serve.js");
    expect("EventSource");
}
END_TEST

/* What a machine reports belongs to the page, too. */
START_TEST(a_page_that_is_followed_hears_of_faults) {
    Text news = {0};
    Test test = rig_test("SPRT", "try-this");
    int64_t id = rig_add_test(&rig, &test);
    rig_get(&rig, "/live/test/1/");
    ck_assert_str_eq(web_fields_get(&rig.answer.headers, "X-Accel-Buffering"), "no");
    WebStream stream = rig.answer.stream;
    ck_assert(stream.read(stream.user, &news));
    ck_assert_ptr_null(strstr(text_string(&news), "event: change"));
    Error err;
    Transaction *t = transaction_begin(rig.serve.database, TRANSACTION_WRITE);
    store_add_event(t, &(Event){.time = rig.now,
                                .is_error = true,
                                .author = (char *)RIG_USER,
                                .test_id = id,
                                .summary = (char *)"build failed",
                                .log = (char *)""});
    ck_assert_msg(transaction_end(t, &err), "%s", err.text);
    for (int i = 0; i < 100 && strstr(text_string(&news), "event: change") == NULL; i++) {
        usleep(100000); /* The database is looked at every two seconds. */
        ck_assert(stream.read(stream.user, &news));
    }
    ck_assert_ptr_nonnull(strstr(text_string(&news), "event: change"));
    text_free(&news);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_index_links_tests_as_scripts_read_them);
    tcase_add_test(tests, the_index_begins_each_list_and_links_the_rest);
    tcase_add_test(tests, finished_tests_come_in_pages);
    tcase_add_test(tests, the_bar_is_short_and_needs_no_script);
    tcase_add_test(tests, running_tests_come_in_pages);
    tcase_add_test(tests, machines_come_in_pages);
    tcase_add_test(tests, a_page_behind_the_last_does_not_say_that_nothing_is_there);
    tcase_add_test(tests, a_search_finds_a_branch);
    tcase_add_test(tests, a_fault_is_read_with_its_log);
    tcase_add_test(tests, a_test_is_found_under_every_kind_of_address);
    tcase_add_test(tests, strangers_may_look_and_change_nothing);
    tcase_add_test(tests, another_user_may_not_stop_a_test);
    tcase_add_test(tests, the_author_stops_a_test_and_lets_it_go_on);
    tcase_add_test(tests, a_stopped_test_does_not_go_on_without_its_network);
    tcase_add_test(tests, a_deleted_test_is_brought_back_by_those_who_may_change_it);
    tcase_add_test(tests, a_tuning_that_has_all_its_games_does_not_go_on);
    tcase_add_test(tests, a_form_without_the_visits_token_does_nothing);
    tcase_add_test(tests, numbers_change_within_their_bounds);
    tcase_add_test(tests, the_workload_size_of_a_tuning_does_not_change);
    tcase_add_test(tests, a_second_user_approves_where_the_server_wants_it);
    tcase_add_test(tests, the_login_form_has_openbenchs_fields);
    tcase_add_test(tests, a_wrong_password_leads_back_with_the_reason);
    tcase_add_test(tests, a_server_can_want_a_login_to_look);
    tcase_add_test(tests, only_administrators_see_and_change_users);
    tcase_add_test(tests, a_fault_of_the_database_is_told_to_who_changes_users);
    tcase_add_test(tests, an_added_user_whose_event_is_lost_is_logged);
    tcase_add_test(tests, an_administrator_cannot_lock_oneself_out);
    tcase_add_test(tests, a_changed_password_counts);
    tcase_add_test(tests, a_changed_password_ends_the_users_other_visits);
    tcase_add_test(tests, no_text_of_others_becomes_markup);
    tcase_add_test(tests, a_page_that_is_followed_hears_of_faults);
    tcase_add_test(tests, the_style_and_the_script_are_served);
}

int main(void) {
    return run_tests("pages", add_tests);
}
