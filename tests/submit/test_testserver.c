/* SPDX-License-Identifier: MIT */
/* What is asked of the server before a test is created (the engine, its preset, its networks), and
 * how `obworker submit` tells what the server answers, in trouble too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "tools/openbench_double.h"
#include "tools/recordings.h"
#include "tools/submit_rig.h"

/* ---- The engine and its presets ---- */

#define SETTINGS                                                                                   \
    "\"source\": \"https://Git.example/a/b.git\", \"nps\": 777000, \"test_presets\": {"            \
    "\"default\": {\"base_branch\": \"stable\", \"test_bounds\": \"[0.00, 3.00]\", \"priority\": " \
    "2}, "                                                                                         \
    "\"LTC\": {\"both_options\": \"Threads=2 Hash=64\", \"both_time_control\": \"40.0+0.4\", "     \
    "\"workload_size\": 8, \"priority\": 5, \"novelty\": 1}}"

START_TEST(a_preset_fills_what_nothing_says) {
    serve("/api/config/Weiss/", "{" SETTINGS "}");
    write_file("form", "dev_time_control = 1.0+0.01\n");
    SUBMIT(0, "--engine", "Weiss", "--branch", "x", REPO, "--from", "../form", "--preset", "ltc",
           "--option", "Hash=32");
    expect_field(0, "dev_options", "Threads=2 Hash=32");
    expect_field(0, "base_options", "Threads=2 Hash=32");
    expect_field(0, "dev_time_control", "1.0+0.01");
    expect_field(0, "base_time_control", "40.0+0.4");
    expect_field(0, "workload_size", "8");
    expect_field(0, "priority", "5");
    expect_field(0, "base_branch", "stable");
    expect_field(0, "test_bounds", "[0.00, 3.00]");
    expect_field(0, "test_confidence", "[0.05, 0.05]");
    expect_field(0, "scale_nps", "777000");
    expect_in("log",
              "warning: the preset says novelty, which this program's form has not: left out");
    ck_assert_uint_eq(double_count(submit_server, "/api/config/Weiss/"), 1);
}
END_TEST

/* Without --preset the server's speed of the engine is all that is taken. */
START_TEST(the_engine_is_the_one_whose_repository_it_is) {
    serve("/api/buildinfo/", "{\"Other\": 1, \"Reductio\": {}, \"Weiss\": {" SETTINGS "}}");
    SUBMIT(0, "--branch", "x", REPO);
    expect_field(0, "dev_engine", "Weiss");
    expect_field(0, "base_engine", "Weiss");
    expect_field(0, "scale_nps", "777000");
    expect_field(0, "base_branch", "main");
    SUBMIT(0, "--branch", "x", REPO, "--preset", "LTC");
    expect_field(1, "base_branch", "stable");
}
END_TEST

START_TEST(an_engine_without_a_name_in_the_form_is_found_too) {
    serve("/api/buildinfo/", "{\"Reductio\": {}, \"Weiss\": {" SETTINGS "}}");
    write_file("form", "dev_engine =\nbase_engine =\n");
    SUBMIT(0, "--branch", "x", REPO, "--from", "../form");
    expect_field(0, "dev_engine", "Weiss");
    expect_field(0, "base_engine", "Weiss");
    expect_field(0, "scale_nps", "777000");
}
END_TEST

/* Clocks are scaled by the speed of the engine that scale_method names. */
START_TEST(a_test_of_two_engines_has_the_speed_of_the_right_one) {
    static const char *const METHODS[] = {"", "scale_method = BOTH\n", "scale_method = DEV\n",
                                          "scale_nps = 5\n"};
    static const char *const SPEEDS[] = {"7", "7", "8", "5"};
    static const char ENGINES[] = "dev_engine = Weiss\nbase_engine = Reductio\n";
    serve("/api/config/Weiss/", "{\"source\": \"\", \"nps\": 8}");
    serve("/api/config/Reductio/", "{\"source\": \"\", \"nps\": 7}");
    for (size_t i = 0; i < COUNT(METHODS); i++) {
        char *form = text_format("%s%s", ENGINES, METHODS[i]);
        write_file("form", form);
        SUBMIT(0, "--branch", "x", REPO, "--from", "../form");
        expect_field(i, "scale_nps", SPEEDS[i]);
        free(form);
    }
    write_file("form", ENGINES);
    double_replace(submit_server, "/api/config/Reductio/", DOUBLE_INSTEAD, 200,
                   "{\"error\": \"Engine not found\"}");
    SUBMIT(0, "--branch", "x", REPO, "--from", "../form");
    expect_field(COUNT(METHODS), "scale_nps", "1000000");
    expect_in("log", "Engine not found: clocks are scaled for 1000000 nodes a second, and not for "
                     "the speed of Reductio (scale_nps in --from names another number)\n");
}
END_TEST

#define TWO_ENGINES(reductio, weiss)                                                               \
    "{\"Reductio\": {\"source\": \"" reductio "\", \"nps\": 7}, "                                  \
    "\"Weiss\": {\"source\": \"" weiss "\", \"nps\": 8}}"

START_TEST(a_fork_is_known_by_the_name_of_its_repository) {
    static const char *const REPOS[] = {"https://github.com/you/Reductio.git/", "mine",
                                        "http://192.0.2.2/repo/mine"};
    static const char *const ENGINES[] = {"Reductio", "Weiss", "Weiss"};
    serve("/api/buildinfo/",
          TWO_ENGINES("https://github.com/me/reductio", "http://192.0.2.1/repo/mine"));
    for (size_t i = 0; i < COUNT(REPOS); i++) {
        SUBMIT(0, "--branch", "x", "--repo", REPOS[i]);
        expect_field(i, "dev_engine", ENGINES[i]);
    }
}
END_TEST

/* A folder, or a host that ssh alone knows, has no address on the web. */
START_TEST(an_existing_branch_is_of_the_engine_whose_kept_repository_a_remote_is) {
    char *config = text_format("{\"Reductio\": {\"source\": \"%s/repo/reductio\", \"nps\": 7}, "
                               "\"Weiss\": {\"source\": \"%s/repo/mine\", \"nps\": 8}}",
                               double_url(submit_server), double_url(submit_server));
    char *mine = text_format("%s/repo/mine", double_url(submit_server));
    char *reductio = text_format("%s/repo/reductio", double_url(submit_server));
    serve("/api/buildinfo/", config);
    REFUSE("no engine there has the repository ", "--branch", "x");
    shell("git remote remove origin");
    REFUSE("which engine is it? No remote here tells the repository: --repo URL|NAME says it, or "
           "--engine NAME",
           "--branch", "x");
    shell("git remote add hub hub:mine.git");
    shell("git remote add backup /srv/repositories/reductio.git"); /* Which of the two? */
    REFUSE("which engine is it? No remote here tells the repository", "--branch", "x");
    shell("git remote remove backup");
    SUBMIT(0, "--branch", "x");
    expect_field(0, "dev_engine", "Weiss");
    expect_field(0, "dev_repo", mine);
    expect_field(0, "scale_nps", "8");
    shell("git remote set-url hub /srv/repositories/reductio.git");
    SUBMIT(0, "--branch", "x");
    expect_field(1, "dev_engine", "Reductio");
    expect_field(1, "dev_repo", reductio);
    shell("git remote add origin ../mine.git");
    SUBMIT(0, "--branch", "x");
    expect_field(2, "dev_engine", "Weiss");
    free(config);
    free(mine);
    free(reductio);
}
END_TEST

/* A test of another engine would have that engine's build and speed. */
START_TEST(a_repository_of_no_engine_is_refused) {
    static const char *const ANSWERS[] = {
        TWO_ENGINES("https://git.example/a/bc", "https://git.example/b/a"),
        /* Which of the two is it a fork of? */
        TWO_ENGINES("https://git.example/c/b", "https://git.example/d/b"),
    };
    for (size_t i = 0; i < COUNT(ANSWERS); i++) {
        double_replace(submit_server, "/api/buildinfo/", DOUBLE_INSTEAD, 200, ANSWERS[i]);
        REFUSE("no engine there has the repository https://git.example/a/b (--repo names another; --engine says which engine it is)", "--branch", "x", REPO);
    }
    /* Branches that change this project's tables are of its engine, whatever the repository's name.
     */
    double_replace(submit_server, "/api/buildinfo/", DOUBLE_INSTEAD, 200, ANSWERS[0]);
    SUBMIT(0, "--flag", "KILLER=0", REPO);
    expect_field(0, "dev_engine", "Reductio");
    expect_field(0, "scale_nps", "7");
}
END_TEST

START_TEST(a_dry_run_shows_the_preset) {
    serve("/api/config/Reductio/", "{" SETTINGS "}");
    const char *words[] = {"--branch", "x",         REPO,       "--engine", "Reductio", "--preset",
                           "LTC",      "--dry-run", "--server", NULL,       NULL};
    words[COUNT(words) - 2] = double_url(submit_server);
    ck_assert_int_eq(run_submit(words, NULL), 0);
    expect_in("out", "dev_time_control = 40.0+0.4\n");
    expect_in("out", "base_branch = stable\n");
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 0);
    ck_assert_int_eq(run_submit((const char *const[]){"--branch", "x", REPO, "--preset", "LTC",
                                                      "--dry-run", NULL},
                                NULL),
                     2);
    expect_in("log", "--server: is missing: the address");
}
END_TEST

START_TEST(a_preset_that_cannot_be_had_is_refused) {
    static const struct {
        const char *answer, *why;
    } answers[] = {
        {"{" SETTINGS "}", "--preset: Reductio has no preset 'STC' there; it has: default, LTC"},
        {"{\"source\": \"\", \"nps\": 1, \"test_presets\": {}}",
         "--preset: Reductio has no preset 'STC' there; it has: none"},
        {"{\"source\": \"\", \"nps\": 0, \"test_presets\": {\"STC\": {}}}",
         "answer.nps: is not above 0"},
        {"{\"source\": \"\", \"nps\": 1, \"test_presets\": {\"STC\": 7}}",
         "answer.test_presets.STC: expected an object"},
        {"{\"source\": \"\", \"nps\": 1, \"test_presets\": {\"STC\": {\"priority\": []}}}",
         "answer.test_presets.STC.priority: expected a line of text or a number"},
        {"{\"source\": \"\", \"nps\": 1, \"test_presets\": {\"STC\": {\"info\": \"\\u001b[2J\"}}}",
         "answer.test_presets.STC.info: expected a line of text or a number"},
        {"{\"source\": \"\", \"nps\": 1}", "answer.test_presets is missing"},
        {"{\"error\": \"Engine not found\"}", "Engine not found"},
        {"<html>", "the server's answer"},
    };
    for (size_t i = 0; i < COUNT(answers); i++) {
        double_replace(submit_server, "/api/config/Reductio/", DOUBLE_INSTEAD, 200,
                       answers[i].answer);
        REFUSE(answers[i].why, "--engine", "Reductio", "--branch", "x", REPO, "--preset", "STC");
    }
    serve("/api/buildinfo/", "{\"Weiss\": {}}");
    REFUSE("the server has no engine 'Reductoi' (did you mean Reductio?)", "--engine", "Reductoi",
           "--branch", "x", REPO, "--preset", "STC");
    REFUSE("no engine there has the repository https://git.example/a/b (--repo names another; --engine says which engine it is)", "--branch", "x", REPO,
           "--preset", "STC");
}
END_TEST

/* The branches go to a repository that the server keeps, whose address is the server's own. */
START_TEST(a_repository_that_the_server_keeps_needs_no_address) {
    Text config = {0};
    text_addf(
        &config,
        "{\"Reductio\": {\"source\": \"%s/repo/reductio\", \"nps\": 7, \"test_presets\": {}}}",
        double_url(submit_server));
    /* The address of another server's engine is no better than none. */
    double_replace(submit_server, "/api/buildinfo/", DOUBLE_INSTEAD, 200,
                   "{\"Reductio\": {\"source\": \"https://git.example/a/b\", \"nps\": 7,"
                   " \"test_presets\": {}}}");
    REFUSE("--repo: is missing", "--flag", "KILLER=0");
    serve("/api/buildinfo/", text_string(&config));
    SUBMIT(0, "--flag", "KILLER=0", "--push", "origin");
    text_clear(&config);
    text_addf(&config, "%s/repo/reductio", double_url(submit_server));
    expect_field(0, "dev_repo", text_string(&config));
    expect_field(0, "base_repo", text_string(&config));
    text_free(&config);
}
END_TEST

/* A push by ssh says where the repository lies, which is no address on the web. Two things are as
 * before: an address that is given, and one on GitHub. */
START_TEST(a_push_by_ssh_to_the_server_is_no_address_of_the_repository) {
    static const char *const REMOTES[] = {"u@192.0.2.1:server/repositories/reductio.git",
                                          "ssh://hub/home/u/reductio", "hub.lab:reductio.git"};
    char *kept = text_format("%s/repo/reductio", double_url(submit_server));
    char *config =
        text_format("{\"Reductio\": {\"source\": \"%s\", \"nps\": 7, \"test_presets\": {}}}", kept);
    serve("/api/buildinfo/", config);
    size_t sent = 0;
    for (size_t i = 0; i < COUNT(REMOTES); i++) {
        char *script = text_format("git remote set-url --push origin %s", REMOTES[i]);
        shell(script);
        SUBMIT(0, "--branch", "x");
        expect_field(sent, "dev_repo", kept);
        expect_field(sent++, "base_repo", kept);
        free(script);
    }
    SUBMIT(0, "--branch", "x", "--repo", "reductio");
    expect_field(sent++, "dev_repo", "reductio");
    shell("git remote set-url --push origin git@github.com:u/reductio.git");
    SUBMIT(0, "--branch", "x");
    expect_field(sent, "dev_repo", "https://github.com/u/reductio");
    free(config);
    free(kept);
}
END_TEST

/* One that says nothing takes its time for each question. */
START_TEST(a_server_that_does_not_answer_is_asked_once) {
    double_replace(submit_server, "/clientVersionRef/", DOUBLE_INSTEAD, 0, "");
    REFUSE(double_url(submit_server), "--engine", "Reductio", "--branch", "x", REPO, "--preset",
           "LTC");
    ck_assert_uint_eq(double_count(submit_server, "/clientVersionRef/"), 1);
    ck_assert_uint_eq(double_count(submit_server, "/api/config/"), 0);
    ck_assert_uint_eq(double_count(submit_server, "/api/config/Reductio/"), 0);
}
END_TEST

START_TEST(what_the_server_does_not_have_is_refused) {
    REFUSE("the server has no engine 'Reduction' (did you mean Reductio?)", "--flag", "KILLER=0",
           REPO, "--engine", "Reduction");
    REFUSE("the server has no book '8moves.epd'", "--flag", "KILLER=0", REPO, "--book",
           "8moves.epd");
    REFUSE("--branch: 'a..b' is not a valid name for a branch", "--flag", "KILLER=0", REPO,
           "--branch", "a..b");
    REFUSE("the base branch: there is no commit 'refs/heads/trunk' in the repository", "--flag",
           "KILLER=0", REPO, "--base-branch", "trunk");
}
END_TEST

/* As a small server of this project's has: no 8moves_v3.epd. */
START_TEST(a_server_without_the_usual_book_gets_its_first_one) {
    enum { QUESTIONS = 3 };
    for (int i = 0; i < QUESTIONS; i++)
        double_replace(submit_server, "/api/config/", DOUBLE_INSTEAD, 200,
                       "{\"engines\": [\"Reductio\"],"
                       " \"books\": {\"own.epd\": {}, \"x.epd\": {}}}");
    REFUSE("the server has no book '8moves_v3.epd'", "--branch", "x", REPO, "--book",
           "8moves_v3.epd");
    SUBMIT(0, "--branch", "x", REPO);
    expect_field(0, "book_name", "own.epd");
    expect_in("log", "the server has no book 8moves_v3.epd, so this takes own.epd");
    SUBMIT(0, "--branch", "x", REPO, "--book", "x.epd");
    expect_field(1, "book_name", "x.epd");
}
END_TEST

/* ---- Networks ---- */

/* The networks of an engine as recorded, which the server has for another of this name. */
static bool serve_networks(const char *engine) {
    if (!recordings_available()) {
        fprintf(stderr, "submit: no recordings here: networks are left out\n");
        return false;
    }
    cJSON *recording = recording_load("41-api-networks.json");
    char *body = recording_body(recording);
    Text path = {0};
    text_addf(&path, "/api/networks/%s/", engine);
    double_serve(submit_server, text_string(&path), "application/json", body, strlen(body));
    text_free(&path);
    free(body);
    cJSON_Delete(recording);
    return true;
}

START_TEST(a_network_is_told_by_its_digits) {
    static const char *const called[] = {"tiny.nnue", "9F86D081", "9f86d081"};
    if (!serve_networks("Weiss"))
        return;
    for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
        Text form = {0};
        text_addf(&form,
                  "dev_engine = Weiss\nbase_engine = Weiss\ndev_branch = killers\n"
                  "base_network = %s\n",
                  called[i]);
        write_file("form", text_string(&form));
        SUBMIT(0, "--from", "../form", REPO);
        char *dev = double_field(submit_server, SCRIPTS, i, "dev_network", 0);
        char *base = double_field(submit_server, SCRIPTS, i, "base_network", 0);
        char *password = double_field(submit_server, "/api/networks/Weiss/", i, "password", 0);
        ck_assert_str_eq(dev, "");
        ck_assert_str_eq(base, "9F86D081");
        ck_assert_str_eq(password, "secret");
        free(dev);
        free(base);
        free(password);
        text_free(&form);
    }
}
END_TEST

START_TEST(networks_of_one_engine_are_asked_for_once) {
    if (!serve_networks("Weiss"))
        return;
    write_file("form", "dev_engine = Weiss\nbase_engine = Weiss\ndev_branch = killers\n"
                       "dev_network = tiny.nnue\nbase_network = 9f86d081\n");
    SUBMIT(0, "--from", "../form", REPO);
    expect_field(0, "dev_network", "9F86D081");
    expect_field(0, "base_network", "9F86D081");
    ck_assert_uint_eq(double_count(submit_server, "/api/networks/Weiss/"), 1);
}
END_TEST

START_TEST(a_network_that_there_is_not_is_refused) {
    if (!serve_networks("Weiss"))
        return;
    write_file("form", "dev_engine = Weiss\nbase_engine = Weiss\ndev_branch = killers\n"
                       "dev_network = tinny.nnue\n");
    REFUSE("the server has no network 'tinny.nnue' (did you mean tiny.nnue?)", "--from", "../form",
           REPO);
    double_replace(submit_server, "/api/networks/Weiss/", DOUBLE_INSTEAD, 200, "{\"networks\": 7}");
    REFUSE("answer.networks: expected a list", "--from", "../form", REPO);
}
END_TEST

/* ---- What the server says to a form ---- */

/* The server may know a user who may not create tests. */
START_TEST(reasons_on_the_login_page_are_told) {
    double_refuse_test(submit_server, "/login/", "Only enabled users can create tests");
    SUBMIT(1, "--branch", "x", REPO);
    expect_in("log", "refuses the test of x: Only enabled users can create tests\n");
}
END_TEST

START_TEST(a_lost_answer_is_not_sent_again) {
    double_replace(submit_server, SCRIPTS, DOUBLE_AFTERWARDS, 0, "");
    SUBMIT(1, "--branch", "x", REPO);
    expect_in("log", "/index/ before trying again");
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 1);
}
END_TEST

/* A status of the client's fault made nothing, unlike one of the server's. */
START_TEST(a_form_that_is_turned_down_by_its_status_is_refused) {
    static const struct {
        int status;
        const char *body, *line;
    } ANSWERS[] = {
        {404, "<html></html>", "refuses the test of x: it answers with HTTP status 404\n"},
        {429, "<div class=\"error-message\"><pre>Too many tries</pre></div>",
         "refuses the test of x: Too many tries\n"},
        {502, "<html></html>",
         "whether the server has the test of x is not known (it answers with HTTP status 502)"},
    };
    for (size_t i = 0; i < COUNT(ANSWERS); i++) {
        double_replace(submit_server, SCRIPTS, DOUBLE_INSTEAD, ANSWERS[i].status, ANSWERS[i].body);
        SUBMIT(1, "--branch", "x", REPO);
        expect_in("log", ANSWERS[i].line);
    }
}
END_TEST

/* The form is taken; the page that the server redirects to is in trouble. */
START_TEST(trouble_behind_a_form_is_no_answer_to_the_form) {
    static const int STATUSES[] = {403, 404, 429, 502};
    for (size_t i = 0; i < COUNT(STATUSES); i++) {
        double_replace(submit_server, "/index/", DOUBLE_INSTEAD, 200, "<html></html>");
        double_replace(submit_server, "/index/", DOUBLE_INSTEAD, STATUSES[i], "<html></html>");
        SUBMIT(1, "--branch", "x", REPO);
        char *line = text_format("/index/ answers with HTTP status %d): look at ", STATUSES[i]);
        expect_in("log", line);
        free(line);
        ck_assert_uint_eq(double_count(submit_server, SCRIPTS), i + 1);
    }
}
END_TEST

START_TEST(a_token_against_forged_forms_is_fetched) {
    double_want_csrf(submit_server);
    SUBMIT(0, "--branch", "x", REPO);
    expect_in("out", "test 1000: x against main");
    ck_assert_uint_eq(double_count(submit_server, SCRIPTS), 2);
}
END_TEST

START_TEST(a_form_is_not_followed_to_another_host) {
    double_replace(submit_server, SCRIPTS, DOUBLE_INSTEAD, 302, "http://127.0.0.2:1/index/");
    SUBMIT(1, "--branch", "x", REPO);
    expect_in("log", "whether the server has the test of x is not known (");
    expect_in(
        "log",
        "redirected to http://127.0.0.2:1/index/: give the server's part of that address instead");
}
END_TEST

START_TEST(a_page_without_reasons_is_told) {
    double_replace(submit_server, SCRIPTS, DOUBLE_INSTEAD, 302, "/test/new/");
    SUBMIT(1, "--branch", "x", REPO);
    expect_in("log", "/test/new/ and says no reason");
}
END_TEST

/* The pages of the index before the form and behind it. Where the first is not shown, a new test
 * cannot be told from an older one with the same settings. */
START_TEST(a_number_that_cannot_be_found_out_is_no_failure) {
    static const struct {
        int status;
        const char *before, *behind;
    } PAGES[] = {{500, "<html></html>", "<a href=\"/test/1000/\">"},
                 {200, "<a href=\"/test/1000/\">", "<a href=\"/test/1000/\">"},
                 {200, "<html></html>", "<html></html>"}};
    SUBMIT(0, "--branch", "x", REPO);
    expect_in("out", "test 1000: x against main");
    for (size_t i = 0; i < COUNT(PAGES); i++) {
        double_replace(submit_server, "/index/", DOUBLE_INSTEAD, PAGES[i].status, PAGES[i].before);
        double_replace(submit_server, "/index/", DOUBLE_INSTEAD, 200, PAGES[i].behind);
        SUBMIT(0, "--branch", "x", REPO);
        expect_in("out",
                  "test of x against main: the server has it, its number could not be found out");
    }
}
END_TEST

START_TEST(a_server_that_shows_its_index_to_users_alone_tells_the_number_too) {
    double_replace(submit_server, "/index/", DOUBLE_INSTEAD, 302, "/login/");
    SUBMIT(0, "--branch", "x", REPO);
    expect_in("out", "test 1000: x against main");
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_preset_fills_what_nothing_says);
    tcase_add_test(tests, the_engine_is_the_one_whose_repository_it_is);
    tcase_add_test(tests, an_engine_without_a_name_in_the_form_is_found_too);
    tcase_add_test(tests, a_test_of_two_engines_has_the_speed_of_the_right_one);
    tcase_add_test(tests, a_fork_is_known_by_the_name_of_its_repository);
    tcase_add_test(tests, an_existing_branch_is_of_the_engine_whose_kept_repository_a_remote_is);
    tcase_add_test(tests, a_repository_of_no_engine_is_refused);
    tcase_add_test(tests, a_dry_run_shows_the_preset);
    tcase_add_test(tests, a_preset_that_cannot_be_had_is_refused);
    tcase_add_test(tests, a_repository_that_the_server_keeps_needs_no_address);
    tcase_add_test(tests, a_push_by_ssh_to_the_server_is_no_address_of_the_repository);
    tcase_add_test(tests, a_server_that_does_not_answer_is_asked_once);
    tcase_add_test(tests, what_the_server_does_not_have_is_refused);
    tcase_add_test(tests, a_server_without_the_usual_book_gets_its_first_one);
    tcase_add_test(tests, a_network_is_told_by_its_digits);
    tcase_add_test(tests, networks_of_one_engine_are_asked_for_once);
    tcase_add_test(tests, a_network_that_there_is_not_is_refused);
    tcase_add_test(tests, reasons_on_the_login_page_are_told);
    tcase_add_test(tests, a_lost_answer_is_not_sent_again);
    tcase_add_test(tests, a_form_that_is_turned_down_by_its_status_is_refused);
    tcase_add_test(tests, trouble_behind_a_form_is_no_answer_to_the_form);
    tcase_add_test(tests, a_token_against_forged_forms_is_fetched);
    tcase_add_test(tests, a_form_is_not_followed_to_another_host);
    tcase_add_test(tests, a_page_without_reasons_is_told);
    tcase_add_test(tests, a_number_that_cannot_be_found_out_is_no_failure);
    tcase_add_test(tests, a_server_that_shows_its_index_to_users_alone_tells_the_number_too);
}

int main(int argc, char **argv) {
    return run_submit_tests(argc, argv, "testserver", add_tests);
}
