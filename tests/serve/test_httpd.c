/* SPDX-License-Identifier: MIT */
/* The HTTP server: methods, headers, proxies, cookies, streams, and a clean end, over real sockets.
 * tests/serve/test_httpd_forms.c has the forms. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "runner.h"
#include "tools/httpd_rig.h"
#include "tools/raw_web.h"
#include "tools/temporary.h"

static atomic_int stream_ends;
static atomic_int stream_reads;
static atomic_bool long_began;
static atomic_bool clock_is_ahead;

/* In place of the C library's: the calendar's clock may be an hour ahead of the system's. */
int clock_gettime(clockid_t clock, struct timespec *out) {
    enum { AHEAD_S = 3600 };
    int status = (int)syscall(SYS_clock_gettime, clock, out);
    if (clock == CLOCK_REALTIME && clock_is_ahead)
        out->tv_sec += AHEAD_S;
    return status;
}

/* ---- Handlers of the test ---- */

static void set_cookie(Serve *serve, const WebRequest *request, WebAnswer *out) {
    (void)serve;
    web_set_cookie(request, out, "c", "v", 60);
    web_redirect(out, "/");
}

static bool read_stream(void *user, Text *out) {
    (void)user;
    if (stream_reads == 0)
        text_add(out, "data: first\n\n");
    if (stream_reads == 2)
        text_add(out, "data: second\n\n");
    return stream_reads++ < 3;
}

static void free_stream(void *user) {
    (void)user;
    stream_ends++;
}

static void follow(Serve *serve, const WebRequest *request, WebAnswer *out) {
    (void)serve;
    (void)request;
    out->type = "text/event-stream";
    out->stream = (WebStream){read_stream, free_stream, NULL};
}

static bool count_reads(void *user, Text *out) {
    (void)user;
    (void)out;
    stream_reads++;
    return true;
}

static void follow_nothing(Serve *serve, const WebRequest *request, WebAnswer *out) {
    (void)serve;
    (void)request;
    out->type = "text/event-stream";
    out->stream = (WebStream){count_reads, free_stream, NULL};
}

static void take_long(Serve *serve, const WebRequest *request, WebAnswer *out) {
    (void)serve;
    (void)request;
    atomic_store(&long_began, true);
    usleep(300000);
    text_add(&out->body, "done");
}

static void send_lost_file(Serve *serve, const WebRequest *request, WebAnswer *out) {
    (void)serve;
    (void)request;
    out->type = "application/zip";
    out->file = mem_strdup("/nowhere/lost.zip");
}

/* A link, which names no file of the server's own, and a folder. */
static char link_path[TEMPORARY_SIZE + 16];

static void send_link(Serve *serve, const WebRequest *request, WebAnswer *out) {
    (void)serve;
    (void)request;
    out->file = mem_strdup(link_path);
}

static void send_folder(Serve *serve, const WebRequest *request, WebAnswer *out) {
    (void)serve;
    (void)request;
    out->file = mem_strdup("/tmp");
}

static const WebRoute ROUTES[] = {{"/", httpd_rig_say_back, httpd_rig_say_back, NULL},
                                  {"/cookie/", set_cookie, NULL, NULL},
                                  {"/folder/", send_folder, NULL, NULL},
                                  {"/follow/", follow, NULL, NULL},
                                  {"/link/", send_link, NULL, NULL},
                                  {"/long/", take_long, NULL, NULL},
                                  {"/lost/", send_lost_file, NULL, NULL},
                                  {"/nothing/", follow_nothing, NULL, NULL},
                                  {0}};

static void set_up(void) {
    stream_reads = stream_ends = 0;
    clock_is_ahead = false;
    httpd_rig_start(ROUTES);
}

/* ---- Tests ---- */

START_TEST(other_methods_are_refused) {
    static const char request[] = "DELETE / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n";
    httpd_rig_exchange(request, sizeof request - 1);
    httpd_rig_expect_status(405);
    httpd_rig_expect("Allow: GET, HEAD, POST\r\n");
}
END_TEST

START_TEST(pages_run_no_foreign_script_and_stand_in_no_frame) {
    httpd_rig_get("/", "");
    httpd_rig_expect("X-Content-Type-Options: nosniff\r\n");
    httpd_rig_expect("X-Frame-Options: DENY\r\n");
    httpd_rig_expect("script-src 'self';");
    httpd_rig_expect("Cache-Control: no-store\r\n");
}
END_TEST

/* Asks for a page with a header of `length` bytes. */
static void get_with_header(size_t length) {
    Text header = {0};
    text_add(&header, "X-Long: ");
    for (size_t i = 0; i < length; i++)
        text_add_char(&header, 'x');
    text_add(&header, "\r\n");
    httpd_rig_get("/", text_string(&header));
    text_free(&header);
}

/* Each open connection holds memory for the longest headers, so their length has a limit. */
START_TEST(headers_are_taken_up_to_a_limit) {
    get_with_header(14000);
    httpd_rig_expect_status(200);
    get_with_header(17000);
    httpd_rig_expect_status(431);
}
END_TEST

START_TEST(only_a_trusted_proxy_names_the_client) {
    static const char headers[] =
        "X-Forwarded-For: 203.0.113.9, 198.51.100.7\r\nX-Forwarded-Proto: https\r\n";
    httpd_rig_get("/", headers);
    httpd_rig_expect("peer=127.0.0.1 secure=0");
    words_add(&rig.proxies, "127.0.0.1");
    httpd_rig_get("/", headers);
    httpd_rig_expect("peer=198.51.100.7 secure=1");
    words_add(&rig.proxies, "198.51.100.7");
    httpd_rig_get("/", headers);
    httpd_rig_expect("peer=203.0.113.9 secure=1");
    httpd_rig_get("/", "X-Forwarded-For: 203.0.113.9, ::ffff:198.51.100.7\r\n");
    httpd_rig_expect("peer=203.0.113.9 secure=0");
    httpd_rig_get("/", "X-Forwarded-For: ::ffff:203.0.113.8\r\n");
    httpd_rig_expect("peer=203.0.113.8 secure=0");
    httpd_rig_get("/", "X-Forwarded-For: 2001:DB8::1\r\n");
    httpd_rig_expect("peer=2001:db8::1 secure=0");
    httpd_rig_get("/", "X-Forwarded-For: <script>\r\n");
    httpd_rig_expect("peer=127.0.0.1 secure=0");
}
END_TEST

START_TEST(the_last_line_of_several_names_the_client) {
    words_add(&rig.proxies, "127.0.0.1");
    httpd_rig_get("/", "X-Forwarded-For: 203.0.113.9\r\nx-forwarded-for: 198.51.100.7\r\n");
    httpd_rig_expect("peer=198.51.100.7");
    words_add(&rig.proxies, "198.51.100.7");
    httpd_rig_get("/", "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-For: 198.51.100.7\r\n");
    httpd_rig_expect("peer=203.0.113.9");
}
END_TEST

START_TEST(the_last_line_of_several_names_the_scheme) {
    words_add(&rig.proxies, "127.0.0.1");
    httpd_rig_get("/", "X-Forwarded-Proto: https\r\nX-Forwarded-Proto: http\r\n");
    httpd_rig_expect("secure=0");
    httpd_rig_get("/", "X-Forwarded-Proto: http\r\nx-forwarded-proto: https\r\n");
    httpd_rig_expect("secure=1");
    httpd_rig_get("/", "X-Forwarded-Proto: https, http\r\n");
    httpd_rig_expect("secure=0");
}
END_TEST

START_TEST(a_forwarded_loopback_address_is_limited) {
    static const char headers[] = "X-Forwarded-For: 127.0.0.5\r\n";
    words_add(&rig.proxies, "127.0.0.1");
    for (int i = 0; i < 2; i++) {
        httpd_rig_get("/", headers);
        httpd_rig_expect_status(200);
    }
    httpd_rig_get("/", headers);
    httpd_rig_expect_status(429);
}
END_TEST

START_TEST(an_address_that_asks_too_often_has_to_wait) {
    static const char headers[] = "X-Forwarded-For: 203.0.113.9\r\n";
    words_add(&rig.proxies, "127.0.0.1");
    httpd_rig_get("/", headers);
    httpd_rig_expect_status(200);
    httpd_rig_get("/", headers);
    httpd_rig_expect_status(200);
    httpd_rig_get("/", headers);
    httpd_rig_expect_status(429);
    httpd_rig_expect("Retry-After:");
    httpd_rig_get("/", ""); /* The loopback has no limit. */
    httpd_rig_expect_status(200);
}
END_TEST

START_TEST(a_cookie_is_kept_from_scripts_and_foreign_sites) {
    httpd_rig_get("/cookie/", "");
    httpd_rig_expect_status(302);
    httpd_rig_expect("Set-Cookie: c=v; Path=/; Max-Age=60; SameSite=Lax; HttpOnly\r\n");
    words_add(&rig.proxies, "127.0.0.1");
    httpd_rig_get("/cookie/", "X-Forwarded-Proto: https\r\n");
    httpd_rig_expect("; HttpOnly; Secure\r\n");
}
END_TEST

START_TEST(a_stream_sends_when_it_is_woken_and_ends) {
    static const char request[] = "GET /follow/ HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n";
    int descriptor = raw_connect(httpd_url(rig.httpd));
    raw_send(descriptor, request, sizeof request - 1);
    raw_read(descriptor, "data: first", &rig.answer);
    while (stream_reads < 2) /* The second reading finds nothing, and rests. */
        usleep(1000);
    httpd_wake(rig.httpd);
    raw_read(descriptor, "data: second", &rig.answer);
    httpd_rig_expect("data: second");
    httpd_wake(rig.httpd);
    raw_read(descriptor, NULL, &rig.answer);
    close(descriptor);
    while (stream_ends == 0)
        usleep(1000);
    ck_assert_int_eq(stream_ends, 1);
}
END_TEST

/* Else the client takes the end of the body for the answer to its next request. */
START_TEST(the_answer_to_a_head_of_a_stream_ends_with_its_headers) {
    static const char requests[] = "HEAD /follow/ HTTP/1.1\r\nHost: t\r\n\r\n"
                                   "GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n";
    httpd_rig_exchange(requests, sizeof requests - 1);
    httpd_rig_expect_status(200);
    httpd_rig_expect("Content-Type: text/event-stream\r\n");
    const char *next = raw_body(&rig.answer);
    ck_assert_msg(strncmp(next, "HTTP/1.1 200 ", 13) == 0, "after the headers: %s", next);
    ck_assert_int_eq(stream_reads, 0);
    ck_assert_int_eq(stream_ends, 1);
}
END_TEST

/* A proxy may see another end of such a request, and take what follows for its next one. */
START_TEST(a_request_of_unclear_length_is_refused_with_all_that_follows) {
    static const char *const lengths[] = {
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nContent-Length: 0\r\n",
        "Content-Length : 5\r\n",
    };
    static const char *const methods[] = {"POST", "GET", "DELETE"};
    for (size_t i = 0; i < COUNT(lengths) * COUNT(methods); i++) {
        const char *method = methods[i / COUNT(lengths)];
        const char *told = lengths[i % COUNT(lengths)];
        Text request = {0};
        text_addf(&request,
                  "%s / HTTP/1.1\r\nHost: t\r\n%s\r\n0\r\n\r\n"
                  "GET /nothing/ HTTP/1.1\r\nHost: t\r\n\r\n",
                  method, told);
        text_clear(&rig.answer);
        int descriptor = raw_connect(httpd_url(rig.httpd));
        raw_send(descriptor, text_string(&request), request.length);
        raw_read(descriptor, NULL, &rig.answer);
        close(descriptor);
        int wanted = strcmp(method, "DELETE") == 0 ? 405 : 400;
        ck_assert_msg(raw_status(&rig.answer) == wanted, "%s, %s: %s", method, told,
                      text_string(&rig.answer));
        ck_assert_msg(strstr(text_string(&rig.answer) + 1, "HTTP/1.1 ") == NULL, "%s, %s: %s",
                      method, told, text_string(&rig.answer));
        text_free(&request);
    }
}
END_TEST

/* Starts the server anew with these settings. */
static void restart(const HttpdSettings *settings) {
    Error err = {{0}};
    httpd_stop(rig.httpd);
    rig.httpd = httpd_start(settings, &err);
    ck_assert_msg(rig.httpd != NULL, "%s", err.text);
}

/* Else one client could take all streams, and nobody else could follow a page. */
START_TEST(a_client_has_so_many_streams_at_most) {
    enum { OPENED = 60 };
    static const char form[] = "GET /nothing/ HTTP/1.1\r\nHost: t\r\nX-Forwarded-For: %s\r\n\r\n";
    int descriptors[OPENED];
    int refused = 0;
    char request[128];
    HttpdSettings settings = httpd_rig_settings();
    settings.burst = 2 * OPENED;
    restart(&settings);
    words_add(&rig.proxies, "127.0.0.1");
    for (int i = 0; i < OPENED; i++) {
        snprintf(request, sizeof request, form,
                 i == OPENED - 1 ? "203.0.113.9"
                 : i % 2 == 0    ? "2001:db8::1"
                                 : "2001:db8::2");
        text_clear(&rig.answer);
        descriptors[i] = raw_connect(httpd_url(rig.httpd));
        raw_send(descriptors[i], request, strlen(request));
        raw_read(descriptors[i], "\r\n\r\n", &rig.answer);
        refused += raw_status(&rig.answer) == 503;
    }
    ck_assert_int_eq(raw_status(&rig.answer), 200); /* Of another client. */
    ck_assert_int_eq(refused, OPENED - 1 - 50);
    for (int i = 0; i < OPENED; i++)
        close(descriptors[i]);
}
END_TEST

/* Workers take "not found" for good. */
START_TEST(a_file_that_cannot_be_read_is_a_fault_and_logged) {
    Log log;
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    HttpdSettings settings = httpd_rig_settings();
    log_init(&log, file, LOG_NORMAL);
    settings.log = &log;
    restart(&settings);
    httpd_rig_get("/lost/", "");
    httpd_rig_expect_status(503);
    httpd_rig_expect(WEB_FAULT_WORDS);
    ck_assert_ptr_null(strstr(text_string(&rig.answer), "nowhere"));
    char folder[TEMPORARY_SIZE];
    temporary_folder(folder, sizeof folder, "test_httpd");
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    ck_assert_int_eq(symlink("/etc/passwd", link_path), 0);
    httpd_rig_get("/link/", "");
    httpd_rig_expect_status(503);
    ck_assert_int_eq(unlink(link_path), 0);
    ck_assert_int_eq(rmdir(folder), 0);
    httpd_rig_get("/folder/", "");
    httpd_rig_expect_status(503);
    httpd_stop(rig.httpd);
    rig.httpd = NULL;
    log_free(&log);
    fclose(file);
    ck_assert_ptr_nonnull(strstr(text, "error: /nowhere/lost.zip: No such file or directory\n"));
    ck_assert_ptr_nonnull(strstr(text, "/link: Too many levels of symbolic links\n"));
    ck_assert_ptr_nonnull(strstr(text, "error: /tmp: is not a regular file\n"));
    free(text);
}
END_TEST

START_TEST(stopping_ends_streams_at_rest) {
    static const char request[] = "GET /follow/ HTTP/1.1\r\nHost: t\r\n\r\n";
    int descriptor = raw_connect(httpd_url(rig.httpd));
    raw_send(descriptor, request, sizeof request - 1);
    raw_read(descriptor, "data: first", &rig.answer);
    while (stream_reads < 2)
        usleep(1000);
    httpd_stop(rig.httpd);
    rig.httpd = NULL;
    ck_assert_int_eq(stream_ends, 1);
    close(descriptor);
}
END_TEST

START_TEST(streams_are_woken_twice_a_second_at_most) {
    static const char request[] = "GET /nothing/ HTTP/1.1\r\nHost: t\r\n\r\n";
    int descriptor = raw_connect(httpd_url(rig.httpd));
    raw_send(descriptor, request, sizeof request - 1);
    while (stream_reads == 0)
        usleep(1000);
    int before = stream_reads;
    int64_t began_ns = clock_now_ns();
    for (int i = 0; i < 30; i++) {
        httpd_wake(rig.httpd);
        usleep(10000);
    }
    int reads = stream_reads - before;
    int64_t passed_ms = clock_elapsed_ms(began_ns, clock_now_ns());
    ck_assert_int_le(reads, 2 + passed_ms / 500);
    while (stream_reads == before) /* What was asked for is done in the end. */
        usleep(1000);
    close(descriptor);
}
END_TEST

/* What waits for a time that a wrong clock told would wait for an hour when the clock is set. */
START_TEST(streams_are_woken_when_the_clock_goes_back) {
    static const char request[] = "GET /nothing/ HTTP/1.1\r\nHost: t\r\n\r\n";
    clock_is_ahead = true; /* The system itself waits by the right time. */
    int descriptor = raw_connect(httpd_url(rig.httpd));
    raw_send(descriptor, request, sizeof request - 1);
    while (stream_reads == 0)
        usleep(1000);
    for (int i = 0; i < 3; i++) {
        int before = stream_reads;
        httpd_wake(rig.httpd);
        while (stream_reads == before)
            usleep(1000);
    }
    clock_is_ahead = false;
    close(descriptor);
}
END_TEST

static void *stop_now(void *user) {
    httpd_stop(user);
    return NULL;
}

START_TEST(a_request_under_way_is_answered_before_the_end) {
    static const char request[] = "GET /long/ HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n";
    pthread_t stopper;
    int descriptor = raw_connect(httpd_url(rig.httpd));
    raw_send(descriptor, request, sizeof request - 1);
    while (!atomic_load(&long_began))
        usleep(1000);
    pthread_create(&stopper, NULL, stop_now, rig.httpd);
    raw_read(descriptor, NULL, &rig.answer);
    pthread_join(stopper, NULL);
    rig.httpd = NULL;
    close(descriptor);
    ck_assert_str_eq(raw_body(&rig.answer), "done");
}
END_TEST

START_TEST(a_stop_does_not_wait_for_the_rest_of_a_body) {
    static const char half[] = "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n"
                               "Content-Type: application/x-www-form-urlencoded\r\n\r\nword=";
    int descriptor = raw_connect(httpd_url(rig.httpd));
    raw_send(descriptor, half, sizeof half - 1);
    shutdown(descriptor, SHUT_WR);
    usleep(200000); /* Time to read what has come: without it the test finds less. */
    int64_t began_ns = clock_now_ns();
    httpd_stop(rig.httpd);
    rig.httpd = NULL;
    /* A connection at rest is closed after a minute, and answers are waited for ten. */
    ck_assert_int_lt(clock_elapsed_ms(began_ns, clock_now_ns()), 30 * CLOCK_MS_PER_SECOND);
    close(descriptor);
}
END_TEST

START_TEST(a_port_in_use_is_named) {
    Error err = {{0}};
    HttpdSettings second = httpd_rig_settings();
    char listen[64];
    snprintf(listen, sizeof listen, "%s", httpd_url(rig.httpd) + strlen("http://"));
    second.listen = listen;
    ck_assert_ptr_null(httpd_start(&second, &err));
    ck_assert_msg(strstr(err.text, "the port is in use") != NULL, "%s", err.text);
    ck_assert(httpd_is_local(rig.httpd));
}
END_TEST

START_TEST(a_server_with_few_descriptors_takes_few_connections_and_says_so) {
    static const struct {
        rlim_t files;
        const char *words;
    } rows[] = {{128, "takes 64 connections at a time and not 4000, because it may open 128 files"},
                {64, "takes 8 connections at a time and not 4000, because it may open 64 files"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        Error err = {{0}};
        Log log;
        char logged[512];
        FILE *file = tmpfile();
        struct rlimit limit = {rows[i].files, rows[i].files};
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
            leave_out("a limit of open files", "the system lets none be set");
            return;
        }
        log_init(&log, file, LOG_NORMAL);
        HttpdSettings settings = httpd_rig_settings();
        settings.log = &log;
        httpd_stop(rig.httpd);
        rig.httpd = httpd_start(&settings, &err);
        ck_assert_msg(rig.httpd != NULL, "%s", err.text);
        httpd_rig_get("/", "");
        httpd_rig_expect_status(200);
        rewind(file);
        logged[fread(logged, 1, sizeof logged - 1, file)] = '\0';
        ck_assert_msg(strstr(logged, rows[i].words) != NULL, "%s", logged);
        httpd_stop(rig.httpd);
        rig.httpd = NULL;
        log_free(&log);
        fclose(file);
    }
}
END_TEST

START_TEST(what_is_no_address_is_refused) {
    static const char *const wrong[] = {
        "",       "8000",    "127.0.0.1", "127.0.0.1:",  ":80", "127.0.0.1:70000",
        "::1:80", "[::1:80", "[]:1",      "127.0.0.1:8x"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        Error err = {{0}};
        HttpdSettings bad = httpd_rig_settings();
        bad.listen = wrong[i];
        ck_assert_msg(httpd_start(&bad, &err) == NULL, "'%s' was taken", wrong[i]);
        ck_assert_msg(strstr(err.text, "is no address with a port") != NULL, "%s: %s", wrong[i],
                      err.text);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, httpd_rig_stop);
    tcase_add_test(tests, other_methods_are_refused);
    tcase_add_test(tests, pages_run_no_foreign_script_and_stand_in_no_frame);
    tcase_add_test(tests, headers_are_taken_up_to_a_limit);
    tcase_add_test(tests, only_a_trusted_proxy_names_the_client);
    tcase_add_test(tests, the_last_line_of_several_names_the_client);
    tcase_add_test(tests, the_last_line_of_several_names_the_scheme);
    tcase_add_test(tests, a_forwarded_loopback_address_is_limited);
    tcase_add_test(tests, an_address_that_asks_too_often_has_to_wait);
    tcase_add_test(tests, a_cookie_is_kept_from_scripts_and_foreign_sites);
    tcase_add_test(tests, a_stream_sends_when_it_is_woken_and_ends);
    tcase_add_test(tests, the_answer_to_a_head_of_a_stream_ends_with_its_headers);
    tcase_add_test(tests, streams_are_woken_twice_a_second_at_most);
    tcase_add_test(tests, streams_are_woken_when_the_clock_goes_back);
    tcase_add_test(tests, a_client_has_so_many_streams_at_most);
    tcase_add_test(tests, a_request_of_unclear_length_is_refused_with_all_that_follows);
    tcase_add_test(tests, a_file_that_cannot_be_read_is_a_fault_and_logged);
    tcase_add_test(tests, stopping_ends_streams_at_rest);
    tcase_add_test(tests, a_request_under_way_is_answered_before_the_end);
    tcase_add_test(tests, a_stop_does_not_wait_for_the_rest_of_a_body);
    tcase_add_test(tests, a_port_in_use_is_named);
    tcase_add_test(tests, a_server_with_few_descriptors_takes_few_connections_and_says_so);
    tcase_add_test(tests, what_is_no_address_is_refused);
}

int main(void) {
    return run_tests("httpd", add_tests);
}
