/* SPDX-License-Identifier: MIT */
/* Requests are written, and answers judged, as the protocol says. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "openbench/api.h"
#include "openbench/engineconfig.h"
#include "openbench/sysinfo.h"
#include "runner.h"

enum { TIMEOUT_S = 60 };

static const ApiAccount account = {
    .base_url = "http://h/",
    .username = "tester",
    .password = "secret",
    .machine_id = 2,
    .secret = "526be8d69ec9cd1fe0b8f06cc7fd1245ad79628bc196022c36e2e1271794aa82",
};

/* ---- Requests ---- */

START_TEST(a_form_is_percent_encoded) {
    Text form = {0};
    http_form_add(&form, "a", "x y&=\xc3\xa9+");
    http_form_add(&form, "b", "");
    ck_assert_str_eq(text_string(&form), "a=x+y%26%3D%C3%A9%2B&b=");
    text_free(&form);
}
END_TEST

START_TEST(results_are_written_as_words_of_numbers) {
    ApiResults results = {.test_id = 2,
                          .result_id = 3,
                          .losses = 3,
                          .draws = 4,
                          .wins = 5,
                          .penta = {{0, 1, 3, 1, 1}},
                          .spsa_delta = ""};
    HttpRequest request;
    api_submit_results(&account, &results, &request);
    ck_assert_str_eq(request.url, "http://h/clientSubmitResults/");
    ck_assert_msg(strstr(request.form, "trinomial=3+4+5&pentanomial=0+1+3+1+1&") != NULL, "%s",
                  request.form);
    ck_assert_msg(strstr(request.form, "&spsa_delta=") != NULL, "%s", request.form);
    http_request_free(&request);
}
END_TEST

START_TEST(a_blacklist_is_a_repeated_field) {
    int64_t ids[] = {8, 9};
    IntList list = {ids, 2};
    HttpRequest request;
    api_get_workload(&account, &list, &request);
    ck_assert_msg(strstr(request.form, "&blacklist=8&blacklist=9") != NULL, "%s", request.form);
    http_request_free(&request);
}
END_TEST

START_TEST(a_network_cannot_climb_out_of_its_address) {
    HttpRequest request;
    api_network(&account, "../My Engine", "DEADBEEF", &request);
    ck_assert_str_eq(request.url, "http://h/api/networks/..%2FMy%20Engine/DEADBEEF/");
    http_request_free(&request);
}
END_TEST

static Sysinfo sample_info(const SysinfoCompiler *compiler, const Words *flags) {
    return (Sysinfo){.compilers = compiler,
                     .compiler_count = 1,
                     .cpu_flags = flags,
                     .cpu_name = "Some \"CPU\"",
                     .isa_name = "x86-64-avx2",
                     .os_name = "Linux",
                     .os_ver = "6.1.0",
                     .worker_version = "obworker 0.1.0",
                     .mac_address = "2FC00000001",
                     .logical_cores = 4,
                     .physical_cores = 4,
                     .ram_total_mb = 24105,
                     .machine_name = "box1",
                     .concurrency = 4,
                     .sockets = 1,
                     .cxx_compiler = "g++",
                     .client_version = 49};
}

START_TEST(system_information_is_json_text) {
    SysinfoCompiler compiler = {"Weiss", "gcc", "12.2.0"};
    char *flag = mem_strdup("SSE41");
    Words flags = {.items = &flag, .count = 1};
    Sysinfo info = sample_info(&compiler, &flags);
    char *text = sysinfo_format(&info);
    ck_assert_msg(strstr(text, "\"compilers\":{\"Weiss\":[\"gcc\",\"12.2.0\"]}") != NULL, "%s",
                  text);
    ck_assert_msg(strstr(text, "\"cpu_flags\":[\"SSE41\"]") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "\"machine_id\":null") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "\"noisy\":false,\"focus\":[]") != NULL, "%s", text);
    free(text);
    free(flag);
}
END_TEST

/* ---- Answers ---- */

static void judge_text(int status, const char *body, ApiAnswer *answer) {
    HttpResponse response = {.outcome = HTTP_DONE, .status = status};
    text_add(&response.body, body);
    api_judge(&response, answer);
    http_response_free(&response);
}

static const struct {
    int status;
    const char *body;
    ApiVerdict verdict;
    const char *words; /* in the error */
} answers[] = {
    {200, "{}", API_OK, ""},
    {200, "{\"stop\": true}", API_OK, ""},
    {200, "{\"error\": \"Bad Credentials\"}", API_REFUSED, "Bad Credentials"},
    {200, "{\"error\": \"Bad Client Version: Expected 49\"}", API_WRONG_VERSION, "Expected 49"},
    {200, "{\"error\": \"Bad Client Version: Bad Machine Id\"}", API_UNKNOWN_MACHINE,
     "Bad Machine Id"},
    {200, "{\"error\": \"Bad Client Version: Invalid Secret Token\"}", API_REGISTER, "Invalid"},
    {200, "{\"error\": \"Bad Client Version: Server Configuration Changed\"}", API_REGISTER,
     "Changed"},
    {200, "{\"error\": \"Bad Machine Id\"}", API_REFUSED, "Bad Machine Id"},
    {200, "{\"error\": 7}", API_REFUSED, "without words"},
    {200, "{\"error\": [\"No such test\"]}", API_REFUSED, "No such test"},
    {200, "{\"error\": []}", API_REFUSED, "without words"},
    {200, "", API_RETRY, "empty"},
    {200, "{\"workload\": {\"resu", API_RETRY, "not JSON"},
    {200, "<html>Bad Gateway</html>", API_RETRY, "not JSON"},
    {200, "[]", API_RETRY, "not a JSON object"},
    {200, "null", API_RETRY, "not a JSON object"},
    {404, "{}", API_RETRY, "404"},
    {500, "{\"error\": \"Bad Credentials\"}", API_RETRY, "HTTP status 500"},
    {502, "{}", API_RETRY, "502"},
    {429, "Try again in a minute.\n", API_RETRY, "HTTP status 429: Try again in a minute."},
    {429, "{\"error\": \"Slower\"}", API_RETRY, "429"},
    {429, "", API_RETRY, "HTTP status 429"},
    {404, "<html></html>", API_RETRY, "without a page's path such as /index/"},
    {200, "{} {}", API_RETRY, "not JSON"},
};

START_TEST(answers_mean_what_the_protocol_says) {
    ApiAnswer answer;
    judge_text(answers[_i].status, answers[_i].body, &answer);
    ck_assert_msg(answer.verdict == answers[_i].verdict, "%s: verdict %d, wanted %d",
                  answers[_i].body, (int)answer.verdict, (int)answers[_i].verdict);
    ck_assert_msg(strstr(answer.error.text, answers[_i].words) != NULL, "%s: said %s, wanted %s",
                  answers[_i].body, answer.error.text, answers[_i].words);
    if (answer.verdict == API_WRONG_VERSION)
        ck_assert_int_eq(answer.expected_version, 49);
    api_answer_free(&answer);
}
END_TEST

START_TEST(registration_and_version_are_read) {
    ApiAnswer answer;
    int64_t number;
    char *secret = NULL;
    Error err = {0};
    judge_text(200, "{\"machine_id\": 2, \"secret\": \"abc\"}", &answer);
    ck_assert(api_read_registration(&answer, &number, &secret, &err));
    ck_assert_int_eq(number, 2);
    ck_assert_str_eq(secret, "abc");
    free(secret);
    ck_assert(!api_read_client_version(&answer, &number, &err));
    ck_assert_msg(strstr(err.text, "client_version is missing") != NULL, "%s", err.text);
    api_answer_free(&answer);
    judge_text(200, "{\"machine_id\": \"2\", \"secret\": \"abc\"}", &answer);
    ck_assert(!api_read_registration(&answer, &number, &secret, &err));
    api_answer_free(&answer);
}
END_TEST

START_TEST(counts_of_a_machine_are_found_among_the_rows) {
    ApiAnswer answer;
    ApiTestCounts counts;
    Error err = {0};
    judge_text(200,
               "{\"results\": [{\"machine__id\": 1, \"games\": 2, \"LL\": 1, \"LD\": 0, "
               "\"DD\": 0, \"DW\": 0, \"WW\": 0}, {\"machine__id\": 2, \"games\": 12, \"LL\": 0, "
               "\"LD\": 1, \"DD\": 3, \"DW\": 1, \"WW\": 1}]}",
               &answer);
    ck_assert_msg(api_read_test_results(&answer, 2, &counts, &err), "%s", err.text);
    ck_assert_int_eq(counts.own.n[2], 3);
    ck_assert_int_eq(counts.others.n[0], 1);
    ck_assert_int_eq(counts.others.n[2], 0);
    ck_assert(api_read_test_results(&answer, 99, &counts, &err));
    ck_assert_int_eq(penta_pairs(&counts.own), 0);
    ck_assert_int_eq(counts.others.n[0], 1);
    ck_assert_int_eq(counts.others.n[2], 3);
    api_answer_free(&answer);
    judge_text(200, "{\"results\": [3]}", &answer);
    ck_assert(!api_read_test_results(&answer, 2, &counts, &err));
    api_answer_free(&answer);
    Penta totals;
    judge_text(200, "{\"info\": {\"penta\": [1, 2, 3, 4, 5]}}", &answer);
    ck_assert_msg(api_read_test_pairs(&answer, &totals, &err), "%s", err.text);
    ck_assert_int_eq(totals.n[4], 5);
    api_answer_free(&answer);
    static const char *const wrong[] = {"{\"info\": {\"penta\": [1, 2, 3, 4]}}",
                                        "{\"info\": {\"penta\": [1, 2, 3, 4, 5, 6]}}"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        judge_text(200, wrong[i], &answer);
        ck_assert(!api_read_test_pairs(&answer, &totals, &err));
        ck_assert_msg(text_starts_with(err.text, "answer.info.penta: expected 5 numbers"), "%s",
                      err.text);
        api_answer_free(&answer);
    }
}
END_TEST

/* Every count of a row, and every total, is looked at. */
START_TEST(impossible_counts_are_refused) {
    static const int64_t wrong[] = {-1, (INT64_C(1) << 36) + 1};
    for (size_t w = 0; w < COUNT(wrong); w++)
        for (size_t cell = 0; cell < PENTA_CELLS; cell++) {
            int64_t n[PENTA_CELLS] = {0};
            n[cell] = wrong[w];
            Text body = {0};
            text_addf(&body,
                      "{\"results\": [{\"machine__id\": 1, \"LL\": %" PRId64 ", \"LD\": %" PRId64
                      ", \"DD\": %" PRId64 ", \"DW\": %" PRId64 ", \"WW\": %" PRId64
                      "}], \"info\": {\"penta\": [%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
                      ", %" PRId64 "]}}",
                      n[0], n[1], n[2], n[3], n[4], n[0], n[1], n[2], n[3], n[4]);
            ApiAnswer answer;
            ApiTestCounts counts;
            Penta totals;
            Error err = {0};
            judge_text(200, text_string(&body), &answer);
            ck_assert_msg(!api_read_test_results(&answer, 1, &counts, &err), "%s was taken",
                          text_string(&body));
            ck_assert_msg(text_ends_with(err.text, " is no count of games"), "%s", err.text);
            ck_assert_msg(!api_read_test_pairs(&answer, &totals, &err), "%s: wrong totals",
                          text_string(&body));
            api_answer_free(&answer);
            text_free(&body);
        }
}
END_TEST

/* ---- Addresses ---- */

static const struct {
    const char *given, *base;
    bool plain;
} addresses[] = {
    {"http://127.0.0.1:8000", "http://127.0.0.1:8000/", false},
    {"localhost:8000/", "http://localhost:8000/", false},
    {"http://[::1]:8000", "http://[::1]:8000/", false},
    {"[::1]:8000", "http://[::1]:8000/", false},
    {"[2001:db8::1]:8000", "https://[2001:db8::1]:8000/", false},
    {"[2001:db8::1", NULL, false},
    {"openbench.example", "https://openbench.example/", false},
    {"https://h.example/ob//", "https://h.example/ob/", false},
    {"http://h.example", "http://h.example/", true},
    {"http://127.0.0.1.example", "http://127.0.0.1.example/", true},
    {"http://127.1.2.3", "http://127.1.2.3/", false},
    {"ftp://h.example", NULL, false},
    {"http://user@h.example", NULL, false},
    {"http://h.example/?q", NULL, false},
    {"", NULL, false},
};

START_TEST(a_servers_address_is_read) {
    bool plain = false;
    Error err = {0};
    char *base = http_base_url(addresses[_i].given, &plain, &err);
    if (addresses[_i].base) {
        ck_assert_msg(base != NULL, "%s: %s", addresses[_i].given, err.text);
        ck_assert_str_eq(base, addresses[_i].base);
        ck_assert_int_eq(plain, addresses[_i].plain);
    } else {
        ck_assert_msg(base == NULL, "%s was taken as %s", addresses[_i].given, base);
        ck_assert(err.text[0] != '\0');
    }
    free(base);
}
END_TEST

START_TEST(origins_are_told_apart) {
    ck_assert(http_same_origin("https://h/a", "https://H:443/b"));
    ck_assert(!http_same_origin("https://h/", "http://h/"));
    ck_assert(!http_same_origin("https://h/", "https://h:444/"));
    ck_assert(!http_same_origin("https://h/", "https://h.evil/"));
    ck_assert(!http_same_origin("https://h/", "not a url"));
}
END_TEST

START_TEST(an_address_at_the_server_has_its_path) {
    static const struct {
        const char *address, *base, *path;
    } CASES[] = {{"http://Hub:8000/repo/x", "http://hub:8000", "/repo/x"},
                 {"https://hub/ob/repo/x", "http://hub/ob/", "/repo/x"},
                 {"http://hub:80/repo/x", "http://hub:8000/", NULL},
                 {"http://hub.evil/repo/x", "http://hub/", NULL},
                 {"/repo/x", "http://hub/", NULL}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const char *path = repository_path(CASES[i].address, CASES[i].base);
        ck_assert_msg(text_same(path, CASES[i].path), "%s: %s", CASES[i].address,
                      path ? path : "none");
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("api");
    TCase *own = tcase_create("own");
    tcase_set_timeout(own, TIMEOUT_S);
    tcase_add_test(own, a_form_is_percent_encoded);
    tcase_add_test(own, results_are_written_as_words_of_numbers);
    tcase_add_test(own, a_blacklist_is_a_repeated_field);
    tcase_add_test(own, a_network_cannot_climb_out_of_its_address);
    tcase_add_test(own, system_information_is_json_text);
    tcase_add_loop_test(own, answers_mean_what_the_protocol_says, 0, COUNT(answers));
    tcase_add_test(own, registration_and_version_are_read);
    tcase_add_test(own, counts_of_a_machine_are_found_among_the_rows);
    tcase_add_test(own, impossible_counts_are_refused);
    tcase_add_loop_test(own, a_servers_address_is_read, 0, COUNT(addresses));
    tcase_add_test(own, origins_are_told_apart);
    tcase_add_test(own, an_address_at_the_server_has_its_path);
    suite_add_tcase(suite, own);
    return run_suite(suite);
}
