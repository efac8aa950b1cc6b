/* SPDX-License-Identifier: MIT */
/* The forms that the HTTP server takes: fields, files, and the limits of both, over real sockets.
 */
#include <check.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "runner.h"
#include "serve/arriving.h"
#include "tools/httpd_rig.h"
#include "tools/raw_web.h"

enum { LARGE_BODY = 4 << 20 };

static atomic_int askings; /* How often the server asked whether a sender may bring a file. */

static bool is_anybody(Serve *serve, const WebRequest *request) {
    (void)serve;
    (void)request;
    return true;
}

static bool knows_word(Serve *serve, const WebRequest *request) {
    (void)serve;
    askings++;
    return strcmp(web_form(request, "word"), "sesame") == 0;
}

static const WebFile SMALL_FILE = {HTTPD_RIG_FILE, is_anybody};
static const WebFile LARGE_FILE = {LARGE_BODY, is_anybody};
static const WebFile KEPT_FILE = {LARGE_BODY, knows_word};

static const WebRoute ROUTES[] = {{"/", httpd_rig_say_back, httpd_rig_say_back, NULL},
                                  {"/file/", NULL, httpd_rig_say_back, &SMALL_FILE},
                                  {"/large/", NULL, httpd_rig_say_back, &LARGE_FILE},
                                  {"/kept/", NULL, httpd_rig_say_back, &KEPT_FILE},
                                  {0}};

static void set_up(void) {
    askings = 0;
    httpd_rig_start(ROUTES);
}

/* ---- Tests ---- */

START_TEST(a_form_is_decoded_with_repeated_and_empty_fields) {
    httpd_rig_post("/?q=a%20b", "Cookie: c=d\r\n",
                   "blacklist=1&blacklist=2&empty=&plus=a+b%26%3D&tc=N=2000&bare&&bad=%4&latin=%E9!"
                   "&lines=a%0D%0Ab%0D%0A&cr=a%0Db%0D&last=%C3%A9");
    httpd_rig_expect_status(200);
    httpd_rig_expect("q=a b cookie=d");
    httpd_rig_expect("blacklist=[1]\nblacklist=[2]\n");
    httpd_rig_expect("empty=[]\n");
    httpd_rig_expect("plus=[a b&=]\n");
    httpd_rig_expect("tc=[N=2000]\n");
    httpd_rig_expect("bare=[]\n");
    httpd_rig_expect("bad=[%4]\n");
    httpd_rig_expect("latin=[\uFFFD!]\n"); /* Of ISO 8859-1. */
    httpd_rig_expect("lines=[a\nb\n]\n");
    httpd_rig_expect("cr=[a\rb\r]\n");
    httpd_rig_expect("last=[é]\n");
}
END_TEST

static void add_part(Text *body, const char *name, const char *file_name, const char *value) {
    text_addf(body, "--XX\r\nContent-Disposition: form-data; name=\"%s\"", name);
    if (file_name)
        text_addf(body, "; filename=\"%s\"\r\nContent-Type: application/octet-stream", file_name);
    text_addf(body, "\r\n\r\n%s\r\n", value);
}

static void send_multipart_to(const char *path, const Text *body) {
    Text request = {0};
    text_addf(&request,
              "POST %s HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: "
              "multipart/form-data; boundary=XX\r\nContent-Length: %zu\r\n\r\n%s",
              path, body->length, text_string(body));
    httpd_rig_exchange(request.data, request.length);
    text_free(&request);
}

static void send_multipart(const Text *body) {
    send_multipart_to("/file/", body);
}

START_TEST(the_file_of_a_form_is_stored_and_removed) {
    Text body = {0};
    Text large = {0};
    for (int i = 0; i < 100000; i++)
        text_add_char(&large, (char)('a' + i % 26));
    add_part(&body, "test_id", NULL, "7");
    add_part(&body, "lines", NULL, "a\r\n\r\nb");
    add_part(&body, "file", "../../etc/passwd", text_string(&large));
    text_add(&body, "--XX--\r\n");
    send_multipart(&body);
    httpd_rig_expect_status(200);
    httpd_rig_expect("test_id=[7]\n");
    httpd_rig_expect("lines=[a\n\nb]\n");
    httpd_rig_expect("file: ../../etc/passwd of 100000 bytes: abcd\n");
    text_free(&body);
    text_free(&large);
}
END_TEST

START_TEST(a_body_above_the_limit_is_refused_announced_or_not) {
    Text form = {0};
    text_add(&form, "a=");
    for (int i = 0; i < WEB_BODY_LIMIT; i++)
        text_add_char(&form, 'x');
    httpd_rig_post("/", "", text_string(&form));
    httpd_rig_expect_status(413);
    Text request = {0};
    text_addf(&request,
              "POST / HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: "
              "application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n%zx\r\n%s"
              "\r\n0\r\n\r\n",
              form.length, text_string(&form));
    httpd_rig_exchange(request.data, request.length);
    httpd_rig_expect_status(413);
    text_free(&request);
    text_free(&form);
}
END_TEST

START_TEST(what_is_no_form_is_an_empty_form) {
    static const char json[] = "POST / HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: "
                               "application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}";
    httpd_rig_exchange(json, sizeof json - 1);
    httpd_rig_expect_status(200);
    ck_assert_str_eq(raw_body(&rig.answer), "peer=127.0.0.1 secure=0 q= cookie=\n");
}
END_TEST

START_TEST(the_body_of_a_get_is_no_form) {
    static const char get[] = "GET /?q=1 HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: "
                              "application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\na=b";
    httpd_rig_exchange(get, sizeof get - 1);
    httpd_rig_expect_status(200);
    ck_assert_str_eq(raw_body(&rig.answer), "peer=127.0.0.1 secure=0 q=1 cookie=\n");
}
END_TEST

START_TEST(a_nul_in_a_field_is_refused) {
    httpd_rig_post("/", "", "a=b%00c");
    httpd_rig_expect_status(400);
}
END_TEST

START_TEST(a_broken_multipart_form_leaves_no_file) {
    Text body = {0};
    add_part(&body, "file", "a", "half");
    send_multipart(&body);
    httpd_rig_expect_status(400);
    text_free(&body);
}
END_TEST

START_TEST(a_second_file_is_refused) {
    Text body = {0};
    add_part(&body, "file", "a", "1234");
    add_part(&body, "second", "b", "1234");
    text_add(&body, "--XX--\r\n");
    send_multipart(&body);
    httpd_rig_expect_status(400);
    httpd_rig_expect("The form has more than one file.");
    text_free(&body);
}
END_TEST

static void send_file(size_t length) {
    Text value = {0};
    Text body = {0};
    for (size_t i = 0; i < length; i++)
        text_add_char(&value, 'x');
    add_part(&body, "file", "f", text_string(&value));
    text_add(&body, "--XX--\r\n");
    send_multipart_to("/large/", &body);
    text_free(&body);
    text_free(&value);
}

START_TEST(all_files_that_arrive_have_one_limit_together) {
    send_file(HTTPD_RIG_SPOOL + 1);
    httpd_rig_expect_status(503);
    for (int i = 0; i < 3; i++) { /* What has been answered counts no longer. */
        send_file(HTTPD_RIG_SPOOL);
        httpd_rig_expect_status(200);
    }
}
END_TEST

enum { FORMS_LIMIT = 100000, SMALL_FORM = 10000, LARGE_FORM = 110000, HUGE_FORM = 150000 };

/* Starts the server again, with little room for forms. */
static void start_with_little_room(void) {
    Error err = {{0}};
    HttpdSettings settings = httpd_rig_settings();
    settings.forms_limit = FORMS_LIMIT;
    httpd_stop(rig.httpd);
    rig.httpd = httpd_start(&settings, &err);
    ck_assert_msg(rig.httpd != NULL, "%s", err.text);
}

/* The status of the answer to a form of so many bytes, urlencoded or of several parts. */
static int send_form(size_t length, bool encoded) {
    Text value = {0}, body = {0};
    for (size_t i = 0; i < length; i++)
        text_add_char(&value, 'x');
    if (encoded) {
        httpd_rig_post("/", "", text_string(&value));
    } else {
        add_part(&body, "a", NULL, text_string(&value));
        text_add(&body, "--XX--\r\n");
        send_multipart_to("/", &body);
    }
    text_free(&value);
    text_free(&body);
    return raw_status(&rig.answer);
}

START_TEST(all_forms_that_arrive_have_one_limit_together) {
    start_with_little_room();
    for (int i = 0; i < 6; i++) { /* What has been answered counts no longer. */
        bool encoded = i % 2;
        ck_assert_int_eq(send_form(HUGE_FORM, encoded), 503);
        httpd_rig_expect("The server takes too many forms just now");
        ck_assert_int_eq(send_form(LARGE_FORM, encoded), 200);
    }
}
END_TEST

/* Strangers send such. */
START_TEST(unfinished_forms_keep_out_large_ones_alone) {
    static const char head[] = "POST / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
                               "Content-Type: application/x-www-form-urlencoded\r\n"
                               "Content-Length: 110000\r\n\r\n";
    Text unfinished = {0}, answer = {0};
    start_with_little_room();
    text_add(&unfinished, head);
    for (int i = 1; i < LARGE_FORM; i++)
        text_add_char(&unfinished, 'x');
    int descriptor = raw_connect(httpd_url(rig.httpd));
    ck_assert(raw_send(descriptor, unfinished.data, unfinished.length));
    /* Until so much of the unfinished one has come that there is no room for both. Either is
     * refused when they come together. */
    while (send_form(LARGE_FORM, true) == 200)
        usleep(10000);
    httpd_rig_expect_status(503);
    ck_assert_int_eq(send_form(LARGE_FORM, false), 503);
    ck_assert_int_eq(send_form(SMALL_FORM, true), 200);
    ck_assert_int_eq(send_form(SMALL_FORM, false), 200);
    ck_assert(raw_send(descriptor, "x", 1));
    raw_read(descriptor, NULL, &answer);
    close(descriptor);
    ck_assert_int_eq(send_form(LARGE_FORM, true), 200);
    text_free(&unfinished);
    text_free(&answer);
}
END_TEST

START_TEST(many_small_fields_count_with_the_memory_that_they_take) {
    enum { FIELDS = 2000 };
    Text body = {0};
    start_with_little_room();
    for (int i = 0; i < FIELDS; i++)
        add_part(&body, "a", NULL, "1");
    text_add(&body, "--XX--\r\n");
    send_multipart_to("/", &body);
    httpd_rig_expect_status(503);
    text_free(&body);
}
END_TEST

/* Sends a file that fills the server's whole room for files, behind the word or before the word. */
static void send_kept(const char *word, bool word_first) {
    Text value = {0};
    Text body = {0};
    for (size_t i = 0; i < HTTPD_RIG_SPOOL; i++)
        text_add_char(&value, 'x');
    if (word_first)
        add_part(&body, "word", NULL, word);
    add_part(&body, "file", "f", text_string(&value));
    if (!word_first)
        add_part(&body, "word", NULL, word);
    text_add(&body, "--XX--\r\n");
    send_multipart_to("/kept/", &body);
    text_free(&body);
    text_free(&value);
}

START_TEST(a_stranger_s_file_is_dropped_and_the_rest_of_the_form_is_answered) {
    send_kept("sesame", true);
    httpd_rig_expect_status(200);
    httpd_rig_expect("word=[sesame]\nfile: f of ");
    ck_assert_int_eq(askings, 1);
    send_kept("barley", true);
    httpd_rig_expect_status(200);
    ck_assert_str_eq(raw_body(&rig.answer), "peer=127.0.0.1 secure=0 q= cookie=\nword=[barley]\n");
    send_kept("sesame", false); /* Who sends is not known yet when the file begins. */
    httpd_rig_expect_status(200);
    ck_assert_str_eq(raw_body(&rig.answer), "peer=127.0.0.1 secure=0 q= cookie=\nword=[sesame]\n");
}
END_TEST

/* The start of a form whose file does not come to its end. */
static const char HALF_A_FILE[] =
    "POST /kept/ HTTP/1.1\r\nHost: test\r\nContent-Type: multipart/form-data; boundary=XX\r\n"
    "Content-Length: 4000000\r\n\r\n"
    "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";

START_TEST(a_stranger_s_file_takes_none_of_the_room_for_files) {
    int descriptor = raw_connect(httpd_url(rig.httpd));
    ck_assert(raw_send(descriptor, HALF_A_FILE, sizeof HALF_A_FILE - 1));
    char *half = mem_calloc(1, HTTPD_RIG_SPOOL / 2);
    memset(half, 'x', HTTPD_RIG_SPOOL / 2);
    ck_assert(raw_send(descriptor, half, HTTPD_RIG_SPOOL / 2)); /* ... and no more for now. */
    free(half);
    send_file(HTTPD_RIG_SPOOL);
    httpd_rig_expect_status(200);
    close(descriptor);
}
END_TEST

/* Is a sender waited for who has sent so many bytes, `spooled` of them of a stored file, in an
 * hour? */
static bool is_waited_for(uint64_t received, uint64_t spooled) {
    static const int64_t HOUR_NS = (int64_t)3600 * CLOCK_NS_PER_SECOND;
    Arriving arriving = {.limit = UINT64_C(1) << 30,
                         .received = received,
                         .spooled = spooled,
                         .began_ns = clock_now_ns() - HOUR_NS};
    return arriving_take(&arriving, "x", 1);
}

START_TEST(only_the_bytes_of_a_stored_file_grant_the_time_of_a_long_body) {
    const uint64_t sent = 200 << 20;
    ck_assert(is_waited_for(sent, sent - 100));
    ck_assert(!is_waited_for(sent, 0)); /* A preamble, or a form that was refused. */
}
END_TEST

START_TEST(a_form_without_a_place_for_a_file_keeps_none) {
    Text body = {0};
    add_part(&body, "a", NULL, "1");
    add_part(&body, "file", "f", "1234");
    text_add(&body, "--XX--\r\n");
    send_multipart_to("/", &body);
    httpd_rig_expect_status(200);
    ck_assert_str_eq(raw_body(&rig.answer), "peer=127.0.0.1 secure=0 q= cookie=\na=[1]\n");
    text_clear(&body);
    add_part(&body, "file", "f", "1234");
    add_part(&body, "second", "g", "1234");
    text_add(&body, "--XX--\r\n");
    send_multipart_to("/", &body);
    httpd_rig_expect_status(400);
    httpd_rig_expect("The form has more than one file.");
    text_free(&body);
}
END_TEST

START_TEST(a_refused_body_without_an_end_is_not_read_for_ever) {
    static const char begin[] = "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n"
                                "Content-Type: application/x-www-form-urlencoded\r\n\r\n";
    enum { CHUNK = 1 << 20, MOST_CHUNKS = 200 };
    Text chunk = {0};
    text_addf(&chunk, "%x\r\n", CHUNK);
    for (int i = 0; i < CHUNK; i++)
        text_add_char(&chunk, 'a');
    text_add(&chunk, "\r\n");
    int descriptor = raw_connect(httpd_url(rig.httpd));
    ck_assert(raw_send(descriptor, begin, sizeof begin - 1));
    int sent = 0;
    while (sent < MOST_CHUNKS && raw_send(descriptor, chunk.data, chunk.length))
        sent++;
    ck_assert_msg(sent < MOST_CHUNKS, "%d chunks of a megabyte were taken", sent);
    close(descriptor);
    text_free(&chunk);
}
END_TEST

/* Starts the server again, with a log. The caller frees *text after stop_logging. */
static void start_logging(Log *log, char **text, size_t *length) {
    Error err = {{0}};
    HttpdSettings settings = httpd_rig_settings();
    log_init(log, open_memstream(text, length), LOG_NORMAL);
    settings.log = log;
    httpd_stop(rig.httpd);
    rig.httpd = httpd_start(&settings, &err);
    ck_assert_msg(rig.httpd != NULL, "%s", err.text);
}

/* Ends the server, whose log is whole then. */
static void stop_logging(Log *log) {
    FILE *file = log->out;
    httpd_stop(rig.httpd);
    rig.httpd = NULL;
    log_free(log);
    fclose(file);
}

START_TEST(a_file_that_the_disk_has_no_room_for_is_refused_and_removed) {
    struct rlimit limit;
    Log log;
    char *text = NULL;
    size_t length = 0;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    rlim_t before = limit.rlim_cur;
    start_logging(&log, &text, &length);
    signal(SIGXFSZ, SIG_IGN);
    limit.rlim_cur = HTTPD_RIG_SPOOL / 2; /* Stands for a full disk. */
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    send_file(HTTPD_RIG_SPOOL);
    httpd_rig_expect_status(503);
    httpd_rig_expect(WEB_FAULT_WORDS);
    ck_assert_ptr_null(strstr(text_string(&rig.answer), "upload-"));
    limit.rlim_cur = before;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    send_file(HTTPD_RIG_SPOOL);
    httpd_rig_expect_status(200);
    stop_logging(&log);
    ck_assert_msg(strstr(text, "/upload-") && strstr(text, ": File too large\n"), "%s", text);
    ck_assert_msg(strchr(text, '\n')[1] == '\0', "more than one line: %s", text);
    free(text);
}
END_TEST

/* Whose folder for files is gone. */
START_TEST(a_file_that_has_no_place_is_refused_and_the_cause_logged) {
    Log log;
    char *text = NULL;
    size_t length = 0;
    start_logging(&log, &text, &length);
    const char *spool = httpd_rig_settings().spool;
    ck_assert_int_eq(rmdir(spool), 0);
    send_file(1);
    httpd_rig_expect_status(503);
    httpd_rig_expect(WEB_FAULT_WORDS);
    ck_assert_int_eq(mkdir(spool, 0700), 0);
    stop_logging(&log);
    char *wanted = text_format("error: %s: No such file or directory\n", spool);
    ck_assert_str_eq(text, wanted);
    free(wanted);
    free(text);
}
END_TEST

START_TEST(a_part_without_a_name_is_refused) {
    static const char *const parts[] = {
        "--XX\r\n\r\nabc\r\n--XX--\r\n",
        "--XX\r\nContent-Disposition: form-data; filename=\"f\"\r\n\r\nabc\r\n--XX--\r\n",
        "--XX\r\nContent-Type: text/plain\r\n\r\n\r\n--XX--\r\n",
        ("--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
         "--XX\r\n\r\nabc\r\n--XX--\r\n")};
    for (size_t i = 0; i < COUNT(parts); i++) {
        Text body = {0};
        text_add(&body, parts[i]);
        send_multipart(&body);
        httpd_rig_expect_status(400);
        httpd_rig_expect("A part of the form has no name.");
        text_free(&body);
    }
}
END_TEST

START_TEST(a_limit_for_files_is_none_for_fields) {
    Text value = {0};
    Text body = {0};
    for (int i = 0; i < WEB_BODY_LIMIT / 2 + 1; i++)
        text_add_char(&value, 'x');
    add_part(&body, "first", NULL, text_string(&value));
    add_part(&body, "file", "f", text_string(&value));
    text_add(&body, "--XX--\r\n");
    send_multipart_to("/large/", &body);
    httpd_rig_expect_status(200);
    text_clear(&body);
    add_part(&body, "first", NULL, text_string(&value));
    add_part(&body, "second", NULL, text_string(&value));
    text_add(&body, "--XX--\r\n");
    send_multipart_to("/large/", &body);
    httpd_rig_expect_status(413);
    text_free(&body);
    text_free(&value);
}
END_TEST

START_TEST(long_names_of_fields_count_as_fields) {
    Text name = {0};
    Text body = {0};
    for (int i = 0; i < 10000; i++)
        text_add_char(&name, 'n');
    for (int i = 0; i < WEB_BODY_LIMIT / 10000 + 1; i++)
        add_part(&body, text_string(&name), NULL, "1");
    text_add(&body, "--XX--\r\n");
    send_multipart_to("/large/", &body);
    httpd_rig_expect_status(413);
    text_free(&body);
    text_free(&name);
}
END_TEST

START_TEST(a_urlencoded_form_is_small_on_every_route) {
    Text form = {0};
    text_add(&form, "a=");
    for (int i = 0; i < WEB_BODY_LIMIT; i++)
        text_add_char(&form, 'x');
    httpd_rig_post("/large/", "", text_string(&form));
    httpd_rig_expect_status(413);
    text_free(&form);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, httpd_rig_stop);
    tcase_add_test(tests, a_form_is_decoded_with_repeated_and_empty_fields);
    tcase_add_test(tests, the_file_of_a_form_is_stored_and_removed);
    tcase_add_test(tests, a_body_above_the_limit_is_refused_announced_or_not);
    tcase_add_test(tests, what_is_no_form_is_an_empty_form);
    tcase_add_test(tests, the_body_of_a_get_is_no_form);
    tcase_add_test(tests, a_nul_in_a_field_is_refused);
    tcase_add_test(tests, a_broken_multipart_form_leaves_no_file);
    tcase_add_test(tests, a_second_file_is_refused);
    tcase_add_test(tests, all_files_that_arrive_have_one_limit_together);
    tcase_add_test(tests, all_forms_that_arrive_have_one_limit_together);
    tcase_add_test(tests, unfinished_forms_keep_out_large_ones_alone);
    tcase_add_test(tests, many_small_fields_count_with_the_memory_that_they_take);
    tcase_add_test(tests, only_the_bytes_of_a_stored_file_grant_the_time_of_a_long_body);
    tcase_add_test(tests, a_stranger_s_file_is_dropped_and_the_rest_of_the_form_is_answered);
    tcase_add_test(tests, a_stranger_s_file_takes_none_of_the_room_for_files);
    tcase_add_test(tests, a_form_without_a_place_for_a_file_keeps_none);
    tcase_add_test(tests, a_refused_body_without_an_end_is_not_read_for_ever);
    tcase_add_test(tests, a_file_that_the_disk_has_no_room_for_is_refused_and_removed);
    tcase_add_test(tests, a_file_that_has_no_place_is_refused_and_the_cause_logged);
    tcase_add_test(tests, a_part_without_a_name_is_refused);
    tcase_add_test(tests, a_limit_for_files_is_none_for_fields);
    tcase_add_test(tests, long_names_of_fields_count_as_fields);
    tcase_add_test(tests, a_urlencoded_form_is_small_on_every_route);
}

int main(void) {
    return run_tests("httpd_forms", add_tests);
}
