/* SPDX-License-Identifier: MIT */
/* A test on a server becomes a result: what servers were recorded to say, and what broken and
   hostile ones might. */
#include "../runner.h"

#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/count.h"
#include "report/markdown.h"
#include "report/page.h"
#include "servertest.h"
#include "tools/openbench_double.h"
#include "tools/recordings.h"

static const char *const PAGES[] = {"info", "results", "summary"};
static const char *const RECORDINGS[] = {
    "16-workload-api-info.json", "17-workload-api-results.json", "18-workload-api-summary.json"};
enum { PAGE_COUNT = 3, INFO = 0, RESULTS = 1, SUMMARY = 2, TEST = 2 };

/* What a server says of test 2: as recorded, with a text replaced in one of the pages. */
static char *answers[PAGE_COUNT];

static void load_answers(void) {
    for (int i = 0; i < PAGE_COUNT; i++) {
        cJSON *recording = recording_load(RECORDINGS[i]);
        answers[i] = recording_body(recording);
        cJSON_Delete(recording);
    }
}

static void replace(int page, const char *from, const char *to) {
    Text text = {0};
    char *at = strstr(answers[page], from);
    ck_assert_msg(at != NULL, "'%s' is not in %s", from, answers[page]);
    text_add_bytes(&text, answers[page], (size_t)(at - answers[page]));
    text_add(&text, to);
    text_add(&text, at + strlen(from));
    free(answers[page]);
    answers[page] = text_take(&text);
}

static bool read_from(Double *server, const char *username, Result *result, Error *err) {
    char path[64];
    char url[128];
    for (int i = 0; i < PAGE_COUNT; i++) {
        snprintf(path, sizeof path, "/api/workload/%d/%s/", TEST, PAGES[i]);
        double_serve(server, path, "application/json", answers[i], strlen(answers[i]));
        free(answers[i]);
    }
    snprintf(url, sizeof url, "%s/", double_url(server));
    ApiAccount account = {.base_url = url, .username = username, .password = "secret"};
    return servertest_read(&account, TEST, result, NULL, err);
}

START_TEST(a_recorded_test_is_read_whole) {
    Double *server = double_start();
    Result result = {0};
    Error err = {0};
    Text block = {0};
    load_answers();
    ck_assert_msg(read_from(server, NULL, &result, &err), "%s", err.text);
    report_block(&result.report, &block);
    ck_assert_str_eq(text_string(&block), "Elo   | 58.45 +- 217.85 (95%)\n"
                                          "SPRT  | N=2000 Threads=1 Hash=8MB\n"
                                          "LLR   | 0.05 (-2.25, 2.89) [0.00, 5.00]\n"
                                          "Games | N: 12 W: 5 L: 3 D: 4\n"
                                          "Penta | [0, 1, 3, 1, 1]\n");
    ck_assert_double_eq_tol(result.path[0].llr, 0.04509201484117151, 1e-4);
    ck_assert_str_eq(result.title, "dev-branch against base-branch");
    ck_assert_str_eq(result.state, "running");
    ck_assert(!result.over);
    ck_assert_uint_eq(result.groups.count, 2);
    ck_assert_str_eq(result.groups.items[0].name, "tester, machine 2");
    ck_assert_str_eq(result.groups.items[1].name, "Intel(R) Xeon(R) Processor");
    ck_assert_int_eq(penta_pairs(&result.groups.items[1].tally.penta), 6);
    ck_assert_str_eq(result.changes, "https://github.com/TerjeKir/weiss/compare/"
                                     "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb..."
                                     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    char *username = double_field(server, "/api/workload/2/info/", 0, "username", 0);
    ck_assert_ptr_null(username);
    text_free(&block);
    result_free(&result);
    double_stop(server);
}
END_TEST

START_TEST(datagen_without_reverses_has_the_trinomial_block_of_the_server) {
    Double *server = double_start();
    Result result = {0};
    Error err = {0};
    Text block = {0};
    load_answers();
    replace(INFO, "\"SPRT\"", "\"DATAGEN\"");
    replace(INFO, "\"use_tri\":\tfalse", "\"use_tri\":\ttrue");
    replace(INFO, "\"use_penta\":\ttrue", "\"use_penta\":\tfalse");
    replace(INFO, "\"passed\":\tfalse", "\"passed\":\ttrue");
    ck_assert_msg(read_from(server, NULL, &result, &err), "%s", err.text);
    ck_assert_str_eq(result.source, "data generation 2");
    ck_assert_str_eq(result.state, "finished"); /* Nothing was to be passed. */
    ck_assert_msg(strstr(result.link, "/datagen/2/") != NULL, "the link is %s", result.link);
    report_block(&result.report, &block);
    /* By the mean and the variance of 3 losses, 4 draws and 5 wins. */
    ck_assert_str_eq(text_string(&block), "Elo   | 58.45 +- 226.10 (95%)\n"
                                          "Conf  | N=2000 Threads=1 Hash=8MB\n"
                                          "Games | N: 12 W: 5 L: 3 D: 4\n");
    text_free(&block);
    result_free(&result);
    double_stop(server);
}
END_TEST

/* The server marks them by the sign of their result, which tells nothing apart from chance. */
START_TEST(fixed_games_are_neither_passed_nor_failed) {
    static const char *const MARKS[] = {"passed", "failed"};
    Double *server = double_start();
    for (size_t i = 0; i < COUNT(MARKS); i++) {
        Result result = {0};
        Error err = {0};
        char from[32];
        char to[32];
        snprintf(from, sizeof from, "\"%s\":\tfalse", MARKS[i]);
        snprintf(to, sizeof to, "\"%s\":\ttrue", MARKS[i]);
        load_answers();
        replace(INFO, "\"SPRT\"", "\"GAMES\"");
        replace(INFO, from, to);
        replace(INFO, "\"finished\":\tfalse", "\"finished\":\ttrue");
        ck_assert_msg(read_from(server, NULL, &result, &err), "%s", err.text);
        ck_assert_str_eq(result.state, "finished");
        result_free(&result);
    }
    double_stop(server);
}
END_TEST

START_TEST(a_login_is_sent_where_there_is_one) {
    Double *server = double_start();
    Result result = {0};
    Error err = {0};
    load_answers();
    ck_assert_msg(read_from(server, "tester", &result, &err), "%s", err.text);
    for (int i = 0; i < PAGE_COUNT; i++) {
        char path[64];
        snprintf(path, sizeof path, "/api/workload/%d/%s/", TEST, PAGES[i]);
        char *password = double_field(server, path, 0, "password", 0);
        ck_assert_str_eq(password, "secret");
        free(password);
    }
    result_free(&result);
    double_stop(server);
}
END_TEST

START_TEST(a_finished_test_says_so_and_its_faults) {
    Double *server = double_start();
    Result result = {0};
    Error err = {0};
    Text page = {0};
    load_answers();
    replace(INFO, "\"passed\":\tfalse", "\"passed\":\ttrue");
    replace(RESULTS, "\"timeloss\":\t0", "\"timeloss\":\t3");
    replace(RESULTS, "\"crashes\":\t0", "\"crashes\":\t1");
    ck_assert_msg(read_from(server, NULL, &result, &err), "%s", err.text);
    ck_assert(result.over);
    ck_assert_str_eq(result.state, "passed");
    page_of_result(&result, &page);
    ck_assert_ptr_nonnull(strstr(text_string(&page), "<strong>1 crash, 3 time losses</strong>"));
    text_free(&page);
    result_free(&result);
    double_stop(server);
}
END_TEST

/* The first crash marks a test, and other machines play on. */
START_TEST(an_error_ends_a_test_only_when_the_server_says_so) {
    static const char *const STATES[] = {"running, after an error", "stopped by an error"};
    for (int finished = 0; finished < 2; finished++) {
        Double *server = double_start();
        Result result = {0};
        Error err = {0};
        load_answers();
        replace(INFO, "\"error\":\tfalse", "\"error\":\ttrue");
        if (finished)
            replace(INFO, "\"finished\":\tfalse", "\"finished\":\ttrue");
        ck_assert_msg(read_from(server, NULL, &result, &err), "%s", err.text);
        ck_assert_int_eq(result.over, finished);
        ck_assert_str_eq(result.state, STATES[finished]);
        result_free(&result);
        double_stop(server);
    }
}
END_TEST

/* Where no game is played, the server's date of the last change is that of the creation. */
START_TEST(a_test_without_games_has_no_last_change) {
    for (int i = 0; i < 2; i++) {
        Double *server = double_start();
        Result result = {0};
        Error err = {0};
        Text page = {0};
        load_answers();
        if (i == 1) {
            replace(INFO, "[3, 4, 5]", "[0, 0, 0]");
            replace(INFO, "[0, 1, 3, 1, 1]", "[0, 0, 0, 0, 0]");
        }
        ck_assert_msg(read_from(server, NULL, &result, &err), "%s", err.text);
        page_of_result(&result, &page);
        ck_assert_ptr_nonnull(strstr(text_string(&page), "created"));
        ck_assert_int_eq(strstr(text_string(&page), "last change") != NULL, i == 0);
        text_free(&page);
        result_free(&result);
        double_stop(server);
    }
}
END_TEST

START_TEST(a_hostile_server_writes_no_markup) {
    Double *server = double_start();
    Result result = {0};
    Error err = {0};
    Text page = {0};
    load_answers();
    replace(INFO, "\"dev-branch\"", "\"<script>alert(1)</script>\"");
    replace(INFO, "\"info\":\t\"\"", "\"info\":\t\"\\\"><img src=x onerror='x'>\\u0007\"");
    replace(RESULTS, "\"tester\"", "\"</table><script>\"");
    replace(SUMMARY, "\"Intel(R) Xeon(R) Processor\"", "\"<b onmouseover=x>\"");
    replace(INFO, "\"Threads=1 Hash=8\"", "\"Threads=<i> Hash=</pre>\"");
    ck_assert_msg(read_from(server, NULL, &result, &err), "%s", err.text);
    page_of_result(&result, &page);
    static const char *const evil[] = {"<script>alert", "<img", "</table><script", "<b ", "<i>",
                                       "Hash=</pre>",   "\a"};
    for (size_t i = 0; i < sizeof evil / sizeof *evil; i++)
        ck_assert_msg(strstr(text_string(&page), evil[i]) == NULL, "'%s' is in the page", evil[i]);
    text_clear(&page);
    markdown_of_result(&result, &page);
    ck_assert_ptr_null(strstr(text_string(&page), "<img"));
    text_free(&page);
    result_free(&result);
    double_stop(server);
}
END_TEST

/* What the server says is refused, with these words. Stops it. */
static void check_refused(Double *server, const char *words) {
    Result result = {0};
    Error err = {0};
    ck_assert_msg(!read_from(server, NULL, &result, &err), "taken, not refused by '%s'", words);
    ck_assert_msg(strstr(err.text, words) != NULL, "'%s' is not in '%s'", words, err.text);
    ck_assert_msg(strncmp(err.text, "test 2 on http://127.0.0.1:", 27) == 0, "%s", err.text);
    result_free(&result);
    double_stop(server);
}

START_TEST(answers_that_make_no_sense_are_named) {
    static const struct {
        int page;
        const char *from, *to, *words;
    } cases[] = {
        {INFO, "\"alpha\":\t0.05", "\"alpha\":\t0", "are no rule of an SPRT"},
        {INFO, "\"eloupper\":\t5", "\"eloupper\":\t-5", "are no rule of an SPRT"},
        {INFO, "\"elolower\":\t0", "\"elolower\":\t\"x\"", "answer.info.elolower"},
        {INFO, "[0, 1, 3, 1, 1]", "[0, 1, 3]", "answer.info.penta: expected 5 numbers, found 3"},
        {INFO, "[0, 1, 3, 1, 1]", "[0, 1, -3, 1, 1]", "answer.info: -3 is no count of games"},
        {RESULTS, "\"LL\":\t0", "\"LL\":\tnull", "answer.results.LL"},
        {SUMMARY, "(0, 1, 3, 1, 1)", "(0, 1", "are no counts of pairs"},
        {INFO, "{", "", "the server's answer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Double *server = double_start();
        load_answers();
        replace(cases[i].page, cases[i].from, cases[i].to);
        check_refused(server, cases[i].words);
    }
}
END_TEST

/* The digest of a tuning as recorded, which the server answers with for test 2. */
static void serve_digest(Double *server, const char *from, const char *to) {
    static const char PATH[] = "/api/spsa/2/digest/";
    cJSON *recording = recording_load("29-spsa-digest.json");
    const cJSON *request = cJSON_GetObjectItemCaseSensitive(recording, "request");
    const cJSON *response = cJSON_GetObjectItemCaseSensitive(recording, "response");
    const char *path = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(request, "path"));
    const char *body = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(response, "body"));
    ck_assert_str_eq(path, "/api/spsa/7/digest/"); /* of its own test */
    const char *at = strstr(body, from);
    Text text = {0};
    ck_assert_msg(at != NULL, "'%s' is not in %s", from, body);
    text_add_bytes(&text, body, (size_t)(at - body));
    text_add(&text, to);
    text_add(&text, at + strlen(from));
    double_serve(server, PATH, "text/plain", text_string(&text), text.length);
    text_free(&text);
    cJSON_Delete(recording);
}

START_TEST(a_tuning_tells_its_parameters) {
    Double *server = double_start();
    Result result = {0};
    Error err = {0};
    Text text = {0};
    load_answers();
    replace(INFO, "\"test_mode\":\t\"SPRT\"", "\"test_mode\":\t\"SPSA\"");
    serve_digest(server, "", "");
    ck_assert_msg(read_from(server, NULL, &result, &err), "%s", err.text);
    ck_assert_str_eq(result.title, "Tuning of LmrBase, LmrDivisor in dev-branch");
    ck_assert_str_eq(result.source, "tuning 2");
    ck_assert_msg(strstr(result.link, "/tune/2/") != NULL, "the link is %s", result.link);
    ck_assert_msg(result.changes == NULL, "a tuning changes %s", result.changes);
    report_parameters(&result.report, &text);
    ck_assert_str_eq(text_string(&text),
                     "name        value  start  min   max        c  c_end       r  r_end\n"
                     "LmrBase     781.5    780    0  2048  140.146     60  0.0016  0.002\n"
                     "LmrDivisor  2.308   2.31  1.5     4   0.3504   0.15  0.0016  0.002\n");
    text_clear(&text);
    report_json(&result.report, &text);
    ck_assert_ptr_nonnull(
        strstr(text_string(&text), "\"parameters\":[{\"name\":\"LmrBase\",\"value\":781.5,"));
    text_clear(&text);
    markdown_of_result(&result, &text);
    ck_assert_ptr_nonnull(strstr(text_string(&text), "| LmrDivisor | 2.308 | 2.31 |"));
    text_clear(&text);
    page_of_result(&result, &text);
    ck_assert_ptr_nonnull(strstr(text_string(&text), "<td class=\"number\">781.5</td>"));
    ck_assert_ptr_nonnull(strstr(text_string(&text), "A tuning plays one engine against itself"));
    text_free(&text);
    result_free(&result);
    double_stop(server);
}
END_TEST

START_TEST(a_data_generation_of_one_commit_has_no_elo) {
    Double *server = double_start();
    Result result = {0};
    Error err = {0};
    Text text = {0};
    load_answers();
    replace(INFO, "\"SPRT\"", "\"DATAGEN\"");
    replace(INFO, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    ck_assert_msg(read_from(server, NULL, &result, &err), "%s", err.text);
    ck_assert_str_eq(result.title, "Training data of dev-branch");
    report_block(&result.report, &text);
    ck_assert_str_eq(text_string(&text), "Conf  | N=2000 Threads=1 Hash=8MB\n"
                                         "Games | N: 12 W: 5 L: 3 D: 4\n"
                                         "Penta | [0, 1, 3, 1, 1]\n");
    text_clear(&text);
    page_of_result(&result, &text);
    ck_assert_ptr_null(strstr(text_string(&text), "<dt>Elo</dt>"));
    ck_assert_ptr_null(strstr(text_string(&text), "Likelihood"));
    text_free(&text);
    result_free(&result);
    double_stop(server);
}
END_TEST

START_TEST(a_digest_that_is_none_is_named) {
    static const struct {
        const char *from, *to, *words;
    } cases[] = {
        {"Name,Curr", "Name,", "the digest does not begin with 'Name,Curr,Start"},
        {",780,", ",,", "the digest's line 'LmrBase,781.5000,,0,2048"},
        {"2.3080", "nan", "does not describe a parameter"},
        {",0.0020", "", "does not describe a parameter"},
        {",0.0020", ",0.0020,7", "does not describe a parameter"},
        {"LmrBase", "", "the digest's line ',781.5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Double *server = double_start();
        load_answers();
        replace(INFO, "\"test_mode\":\t\"SPRT\"", "\"test_mode\":\t\"SPSA\"");
        serve_digest(server, cases[i].from, cases[i].to);
        check_refused(server, cases[i].words);
    }
}
END_TEST

START_TEST(the_server_s_own_words_are_told) {
    Double *server = double_start();
    load_answers();
    double_replace(server, "/api/workload/2/info/", DOUBLE_INSTEAD, 200,
                   "{\"error\": \"Requested Workload Id does not exist\"}");
    check_refused(server, "Requested Workload Id does not exist");
}
END_TEST

/* Who has signed in learns nothing by that. */
START_TEST(a_login_is_proposed_to_strangers_alone) {
    static const struct {
        int status;
        const char *body, *words;
    } ANSWERS[] = {{403, "{}", "HTTP status 403"},
                   {200, "{\"error\": \"API requires authentication for this server\"}",
                    "API requires authentication for this server"}};
    static const char *const USERS[] = {NULL, "tester"};
    for (size_t i = 0; i < COUNT(USERS); i++) {
        Double *server = double_start();
        Result result = {0};
        Error err = {0};
        load_answers();
        double_replace(server, "/api/workload/2/info/", DOUBLE_INSTEAD, ANSWERS[_i].status,
                       ANSWERS[_i].body);
        ck_assert(!read_from(server, USERS[i], &result, &err));
        ck_assert_msg(strstr(err.text, ANSWERS[_i].words) != NULL, "%s", err.text);
        ck_assert_int_eq(strstr(err.text, "--username") != NULL, USERS[i] == NULL);
        result_free(&result);
        double_stop(server);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_test(tests, a_recorded_test_is_read_whole);
    tcase_add_test(tests, datagen_without_reverses_has_the_trinomial_block_of_the_server);
    tcase_add_test(tests, fixed_games_are_neither_passed_nor_failed);
    tcase_add_test(tests, a_login_is_sent_where_there_is_one);
    tcase_add_test(tests, a_finished_test_says_so_and_its_faults);
    tcase_add_test(tests, an_error_ends_a_test_only_when_the_server_says_so);
    tcase_add_test(tests, a_test_without_games_has_no_last_change);
    tcase_add_test(tests, a_hostile_server_writes_no_markup);
    tcase_add_test(tests, answers_that_make_no_sense_are_named);
    tcase_add_test(tests, a_tuning_tells_its_parameters);
    tcase_add_test(tests, a_data_generation_of_one_commit_has_no_elo);
    tcase_add_test(tests, a_digest_that_is_none_is_named);
    tcase_add_test(tests, the_server_s_own_words_are_told);
    tcase_add_loop_test(tests, a_login_is_proposed_to_strangers_alone, 0, 2);
}

int main(int argc, char **argv) {
    Error err = {0};
    child_trampoline(argc, argv);
    if (!recordings_available())
        return leave_out("tests on a server", "their recordings are not here");
    if (!http_init(&err))
        return EXIT_FAILURE;
    int status = run_tests("servertest", add_tests);
    http_cleanup();
    return status;
}
