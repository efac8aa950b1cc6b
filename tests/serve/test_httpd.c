/* SPDX-License-Identifier: MIT */
/* The HTTP server: forms, files, limits, streams, proxies, and a clean end, over real sockets. */
#include <check.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "runner.h"
#include "serve/arriving.h"
#include "serve/httpd.h"
#include "tools/raw_web.h"

enum { FILE_BODY = 300000, LARGE_BODY = 4 << 20, SPOOL = 3 << 20 };

static char spool[] = "/tmp/reductio-httpd-XXXXXX";
static Httpd *httpd;
static Text answer;
static Words proxies;
static atomic_int stream_ends;
static atomic_int stream_reads;
static atomic_bool long_began;
static atomic_int askings; /* Whether a sender may bring a file. */

/* ---- Handlers of the test ---- */

/* Says back what came: the peer, whether the way was secure, each field and each file. */
static void say_back(Serve *serve, const WebRequest *request, WebAnswer *out) {
    (void)serve;
    out->type = "text/plain";
    text_addf(&out->body, "peer=%s secure=%d q=%s cookie=%s\n", request->peer, request->secure,
              web_query(request, "q"), web_cookie(request, "c"));
    for (size_t i = 0; i < request->form.names.count; i++)
        text_addf(&out->body, "%s=[%s]\n", request->form.names.items[i],
                  request->form.values.items[i]);
    for (size_t i = 0; i < request->upload_count; i++) {
        Text file = {0};
        file_read(request->uploads[i].path, FILE_BODY, &file, NULL);
        text_addf(&out->body, "%s: %s of %zu bytes: %.4s\n", request->uploads[i].name,
                  request->uploads[i].file_name, file.length, text_string(&file));
        text_free(&file);
    }
}

static void set_cookie(Serve *serve, const WebRequest *request, WebAnswer *out) {
    (void)serve;
    web_set_cookie(request, out, "c", "v", 60, true);
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

static const WebFile SMALL_FILE = {FILE_BODY, is_anybody};
static const WebFile LARGE_FILE = {LARGE_BODY, is_anybody};
static const WebFile KEPT_FILE = {LARGE_BODY, knows_word};

static const WebRoute ROUTE_TABLE[] = {{"/", say_back, say_back, NULL},
                                       {"/file/", NULL, say_back, &SMALL_FILE},
                                       {"/cookie/", set_cookie, NULL, NULL},
                                       {"/follow/", follow, NULL, NULL},
                                       {"/long/", take_long, NULL, NULL},
                                       {"/large/", NULL, say_back, &LARGE_FILE},
                                       {"/nothing/", follow_nothing, NULL, NULL},
                                       {"/kept/", NULL, say_back, &KEPT_FILE},
                                       {0}};
static const WebRoute *const TABLES[] = {ROUTE_TABLE};

/* ---- Set-up ---- */

static HttpdSettings settings(void) {
    return (HttpdSettings){.listen = "127.0.0.1:0",
                           .spool = spool,
                           .spool_limit = SPOOL,
                           .stop_s = 600,
                           .proxies = &proxies,
                           .routes = {TABLES, 1},
                           .rate = 1,
                           .burst = 2};
}

static void set_up(void) {
    Error err = {{0}};
    HttpdSettings chosen = settings();
    answer = (Text){0};
    stream_reads = stream_ends = 0;
    atomic_store(&askings, 0);
    ck_assert_ptr_nonnull(mkdtemp(strcpy(spool, "/tmp/reductio-httpd-XXXXXX")));
    httpd = httpd_start(&chosen, &err);
    ck_assert_msg(httpd != NULL, "%s", err.text);
}

static void tear_down(void) {
    httpd_stop(httpd);
    httpd = NULL;
    words_free(&proxies);
    text_free(&answer);
    ck_assert_msg(rmdir(spool) == 0, "a file was left in %s", spool);
}

static void expect(const char *words) {
    ck_assert_msg(strstr(text_string(&answer), words) != NULL, "'%s' is not in: %.1000s", words,
                  text_string(&answer));
}

static void expect_status(int status) {
    ck_assert_msg(raw_status(&answer) == status, "%d instead of %d: %.1000s", raw_status(&answer),
                  status, text_string(&answer));
}

/* ---- Tests ---- */

START_TEST(a_form_is_decoded_with_repeated_and_empty_fields) {
    raw_post(httpd_url(httpd), "/?q=a%20b", "Cookie: c=d\r\n",
             "blacklist=1&blacklist=2&empty=&plus=a+b%26%3D&tc=N=2000&bare&&bad=%4&last=%C3%A9",
             &answer);
    expect_status(200);
    expect("q=a b cookie=d");
    expect("blacklist=[1]\nblacklist=[2]\n");
    expect("empty=[]\n");
    expect("plus=[a b&=]\n");
    expect("tc=[N=2000]\n");
    expect("bare=[]\n");
    expect("bad=[%4]\n");
    expect("last=[é]\n");
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
    raw_exchange(httpd_url(httpd), request.data, request.length, &answer);
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
    add_part(&body, "file", "../../etc/passwd", text_string(&large));
    text_add(&body, "--XX--\r\n");
    send_multipart(&body);
    expect_status(200);
    expect("test_id=[7]\n");
    expect("file: ../../etc/passwd of 100000 bytes: abcd\n");
    text_free(&body);
    text_free(&large);
}
END_TEST

START_TEST(a_body_above_the_limit_is_refused_announced_or_not) {
    Text form = {0};
    text_add(&form, "a=");
    for (int i = 0; i < WEB_BODY_LIMIT; i++)
        text_add_char(&form, 'x');
    raw_post(httpd_url(httpd), "/", "", text_string(&form), &answer);
    expect_status(413);
    Text request = {0};
    text_addf(&request,
              "POST / HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: "
              "application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n%zx\r\n%s"
              "\r\n0\r\n\r\n",
              form.length, text_string(&form));
    raw_exchange(httpd_url(httpd), request.data, request.length, &answer);
    expect_status(413);
    text_free(&request);
    text_free(&form);
}
END_TEST

START_TEST(what_is_no_form_is_an_empty_form) {
    static const char json[] = "POST / HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: "
                               "application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}";
    raw_exchange(httpd_url(httpd), json, sizeof json - 1, &answer);
    expect_status(200);
    ck_assert_str_eq(raw_body(&answer), "peer=127.0.0.1 secure=0 q= cookie=\n");
}
END_TEST

START_TEST(a_nul_in_a_field_is_refused) {
    raw_post(httpd_url(httpd), "/", "", "a=b%00c", &answer);
    expect_status(400);
}
END_TEST

START_TEST(a_broken_multipart_form_leaves_no_file) {
    Text body = {0};
    add_part(&body, "file", "a", "half");
    send_multipart(&body);
    expect_status(400);
    text_free(&body);
}
END_TEST

START_TEST(a_second_file_is_refused) {
    Text body = {0};
    add_part(&body, "file", "a", "1234");
    add_part(&body, "second", "b", "1234");
    text_add(&body, "--XX--\r\n");
    send_multipart(&body);
    expect_status(400);
    expect("The form has more than one file.");
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
    send_file(SPOOL + 1);
    expect_status(503);
    for (int i = 0; i < 3; i++) { /* What has been answered counts no longer. */
        send_file(SPOOL);
        expect_status(200);
    }
}
END_TEST

/* Sends a file that fills the server's whole room for files, behind the word or before the word. */
static void send_kept(const char *word, bool word_first) {
    Text value = {0};
    Text body = {0};
    for (size_t i = 0; i < SPOOL; i++)
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
    expect_status(200);
    expect("word=[sesame]\nfile: f of ");
    ck_assert_int_eq(askings, 1);
    send_kept("barley", true);
    expect_status(200);
    ck_assert_str_eq(raw_body(&answer), "peer=127.0.0.1 secure=0 q= cookie=\nword=[barley]\n");
    send_kept("sesame", false); /* Who sends is not known yet when the file begins. */
    expect_status(200);
    ck_assert_str_eq(raw_body(&answer), "peer=127.0.0.1 secure=0 q= cookie=\nword=[sesame]\n");
}
END_TEST

/* The start of a form whose file does not come to its end. */
static const char HALF_A_FILE[] =
    "POST /kept/ HTTP/1.1\r\nHost: test\r\nContent-Type: multipart/form-data; boundary=XX\r\n"
    "Content-Length: 4000000\r\n\r\n"
    "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";

START_TEST(a_stranger_s_file_takes_none_of_the_room_for_files) {
    int descriptor = raw_connect(httpd_url(httpd));
    ck_assert(raw_send(descriptor, HALF_A_FILE, sizeof HALF_A_FILE - 1));
    char *half = mem_calloc(1, SPOOL / 2);
    memset(half, 'x', SPOOL / 2);
    ck_assert(raw_send(descriptor, half, SPOOL / 2)); /* ... and no more for now. */
    free(half);
    send_file(SPOOL);
    expect_status(200);
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
    expect_status(200);
    ck_assert_str_eq(raw_body(&answer), "peer=127.0.0.1 secure=0 q= cookie=\na=[1]\n");
    text_clear(&body);
    add_part(&body, "file", "f", "1234");
    add_part(&body, "second", "g", "1234");
    text_add(&body, "--XX--\r\n");
    send_multipart_to("/", &body);
    expect_status(400);
    expect("The form has more than one file.");
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
    int descriptor = raw_connect(httpd_url(httpd));
    ck_assert(raw_send(descriptor, begin, sizeof begin - 1));
    int sent = 0;
    while (sent < MOST_CHUNKS && raw_send(descriptor, chunk.data, chunk.length))
        sent++;
    ck_assert_msg(sent < MOST_CHUNKS, "%d chunks of a megabyte were taken", sent);
    close(descriptor);
    text_free(&chunk);
}
END_TEST

START_TEST(a_file_that_the_disk_has_no_room_for_is_refused_and_removed) {
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    rlim_t before = limit.rlim_cur;
    signal(SIGXFSZ, SIG_IGN);
    limit.rlim_cur = SPOOL / 2; /* Stands for a full disk. */
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    send_file(SPOOL);
    expect_status(503);
    expect("The server cannot store the file: its disk is full.");
    limit.rlim_cur = before;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    send_file(SPOOL);
    expect_status(200);
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
        expect_status(400);
        expect("A part of the form has no name.");
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
    expect_status(200);
    text_clear(&body);
    add_part(&body, "first", NULL, text_string(&value));
    add_part(&body, "second", NULL, text_string(&value));
    text_add(&body, "--XX--\r\n");
    send_multipart_to("/large/", &body);
    expect_status(413);
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
    expect_status(413);
    text_free(&body);
    text_free(&name);
}
END_TEST

START_TEST(a_urlencoded_form_is_small_on_every_route) {
    Text form = {0};
    text_add(&form, "a=");
    for (int i = 0; i < WEB_BODY_LIMIT; i++)
        text_add_char(&form, 'x');
    raw_post(httpd_url(httpd), "/large/", "", text_string(&form), &answer);
    expect_status(413);
    text_free(&form);
}
END_TEST

START_TEST(other_methods_are_refused) {
    static const char request[] = "DELETE / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n";
    raw_exchange(httpd_url(httpd), request, sizeof request - 1, &answer);
    expect_status(405);
}
END_TEST

START_TEST(pages_run_no_foreign_script_and_stand_in_no_frame) {
    raw_get(httpd_url(httpd), "/", "", &answer);
    expect("X-Content-Type-Options: nosniff\r\n");
    expect("X-Frame-Options: DENY\r\n");
    expect("script-src 'self';");
    expect("Cache-Control: no-store\r\n");
}
END_TEST

/* Asks for a page with a header of `length` bytes. */
static void get_with_header(size_t length) {
    Text header = {0};
    text_add(&header, "X-Long: ");
    for (size_t i = 0; i < length; i++)
        text_add_char(&header, 'x');
    text_add(&header, "\r\n");
    raw_get(httpd_url(httpd), "/", text_string(&header), &answer);
    text_free(&header);
}

/* Each open connection holds memory for the longest headers, so their length has a limit. */
START_TEST(headers_are_taken_up_to_a_limit) {
    get_with_header(14000);
    expect_status(200);
    get_with_header(17000);
    expect_status(431);
}
END_TEST

START_TEST(only_a_trusted_proxy_names_the_client) {
    static const char headers[] =
        "X-Forwarded-For: 203.0.113.9, 198.51.100.7\r\nX-Forwarded-Proto: https\r\n";
    raw_get(httpd_url(httpd), "/", headers, &answer);
    expect("peer=127.0.0.1 secure=0");
    words_add(&proxies, "127.0.0.1");
    raw_get(httpd_url(httpd), "/", headers, &answer);
    expect("peer=198.51.100.7 secure=1");
    words_add(&proxies, "198.51.100.7");
    raw_get(httpd_url(httpd), "/", headers, &answer);
    expect("peer=203.0.113.9 secure=1");
    raw_get(httpd_url(httpd), "/", "X-Forwarded-For: <script>\r\n", &answer);
    expect("peer=127.0.0.1 secure=0");
}
END_TEST

START_TEST(the_last_line_of_several_names_the_client) {
    words_add(&proxies, "127.0.0.1");
    raw_get(httpd_url(httpd), "/",
            "X-Forwarded-For: 203.0.113.9\r\nx-forwarded-for: 198.51.100.7\r\n", &answer);
    expect("peer=198.51.100.7");
    words_add(&proxies, "198.51.100.7");
    raw_get(httpd_url(httpd), "/",
            "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-For: 198.51.100.7\r\n", &answer);
    expect("peer=203.0.113.9");
}
END_TEST

START_TEST(the_last_line_of_several_names_the_scheme) {
    words_add(&proxies, "127.0.0.1");
    raw_get(httpd_url(httpd), "/", "X-Forwarded-Proto: https\r\nX-Forwarded-Proto: http\r\n",
            &answer);
    expect("secure=0");
    raw_get(httpd_url(httpd), "/", "X-Forwarded-Proto: http\r\nx-forwarded-proto: https\r\n",
            &answer);
    expect("secure=1");
    raw_get(httpd_url(httpd), "/", "X-Forwarded-Proto: https, http\r\n", &answer);
    expect("secure=0");
}
END_TEST

START_TEST(a_forwarded_loopback_address_is_limited) {
    static const char headers[] = "X-Forwarded-For: 127.0.0.5\r\n";
    words_add(&proxies, "127.0.0.1");
    for (int i = 0; i < 2; i++) {
        raw_get(httpd_url(httpd), "/", headers, &answer);
        expect_status(200);
    }
    raw_get(httpd_url(httpd), "/", headers, &answer);
    expect_status(429);
}
END_TEST

START_TEST(an_address_that_asks_too_often_has_to_wait) {
    static const char headers[] = "X-Forwarded-For: 203.0.113.9\r\n";
    words_add(&proxies, "127.0.0.1");
    raw_get(httpd_url(httpd), "/", headers, &answer);
    expect_status(200);
    raw_get(httpd_url(httpd), "/", headers, &answer);
    expect_status(200);
    raw_get(httpd_url(httpd), "/", headers, &answer);
    expect_status(429);
    expect("Retry-After:");
    raw_get(httpd_url(httpd), "/", "", &answer); /* The loopback has no limit. */
    expect_status(200);
}
END_TEST

START_TEST(a_cookie_is_kept_from_scripts_and_foreign_sites) {
    raw_get(httpd_url(httpd), "/cookie/", "", &answer);
    expect_status(302);
    expect("Set-Cookie: c=v; Path=/; Max-Age=60; SameSite=Lax; HttpOnly\r\n");
    words_add(&proxies, "127.0.0.1");
    raw_get(httpd_url(httpd), "/cookie/", "X-Forwarded-Proto: https\r\n", &answer);
    expect("; HttpOnly; Secure\r\n");
}
END_TEST

START_TEST(a_stream_sends_when_it_is_woken_and_ends) {
    static const char request[] = "GET /follow/ HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n";
    int descriptor = raw_connect(httpd_url(httpd));
    raw_send(descriptor, request, sizeof request - 1);
    raw_read(descriptor, "data: first", &answer);
    while (stream_reads < 2) /* The second reading finds nothing, and rests. */
        usleep(1000);
    httpd_wake(httpd);
    raw_read(descriptor, "data: second", &answer);
    expect("data: second");
    httpd_wake(httpd);
    raw_read(descriptor, NULL, &answer);
    close(descriptor);
    while (stream_ends == 0)
        usleep(1000);
    ck_assert_int_eq(stream_ends, 1);
}
END_TEST

START_TEST(stopping_ends_streams_at_rest) {
    static const char request[] = "GET /follow/ HTTP/1.1\r\nHost: t\r\n\r\n";
    int descriptor = raw_connect(httpd_url(httpd));
    raw_send(descriptor, request, sizeof request - 1);
    raw_read(descriptor, "data: first", &answer);
    while (stream_reads < 2)
        usleep(1000);
    httpd_stop(httpd);
    httpd = NULL;
    ck_assert_int_eq(stream_ends, 1);
    close(descriptor);
}
END_TEST

START_TEST(streams_are_woken_twice_a_second_at_most) {
    static const char request[] = "GET /nothing/ HTTP/1.1\r\nHost: t\r\n\r\n";
    int descriptor = raw_connect(httpd_url(httpd));
    raw_send(descriptor, request, sizeof request - 1);
    while (stream_reads == 0)
        usleep(1000);
    int before = stream_reads;
    int64_t began_ns = clock_now_ns();
    for (int i = 0; i < 30; i++) {
        httpd_wake(httpd);
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

static void *stop_now(void *user) {
    httpd_stop(user);
    return NULL;
}

START_TEST(a_request_under_way_is_answered_before_the_end) {
    static const char request[] = "GET /long/ HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n";
    pthread_t stopper;
    int descriptor = raw_connect(httpd_url(httpd));
    raw_send(descriptor, request, sizeof request - 1);
    while (!atomic_load(&long_began))
        usleep(1000);
    pthread_create(&stopper, NULL, stop_now, httpd);
    raw_read(descriptor, NULL, &answer);
    pthread_join(stopper, NULL);
    httpd = NULL;
    close(descriptor);
    ck_assert_str_eq(raw_body(&answer), "done");
}
END_TEST

START_TEST(a_stop_does_not_wait_for_the_rest_of_a_body) {
    static const char half[] = "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n"
                               "Content-Type: application/x-www-form-urlencoded\r\n\r\nword=";
    int descriptor = raw_connect(httpd_url(httpd));
    raw_send(descriptor, half, sizeof half - 1);
    shutdown(descriptor, SHUT_WR);
    usleep(200000); /* Time to read what has come: without it the test finds less. */
    int64_t began_ns = clock_now_ns();
    httpd_stop(httpd);
    httpd = NULL;
    /* A connection at rest is closed after a minute, and answers are waited for ten. */
    ck_assert_int_lt(clock_elapsed_ms(began_ns, clock_now_ns()), 30 * CLOCK_MS_PER_SECOND);
    close(descriptor);
}
END_TEST

START_TEST(a_port_in_use_is_named) {
    Error err = {{0}};
    HttpdSettings second = settings();
    char listen[64];
    snprintf(listen, sizeof listen, "%s", httpd_url(httpd) + strlen("http://"));
    second.listen = listen;
    ck_assert_ptr_null(httpd_start(&second, &err));
    ck_assert_msg(strstr(err.text, "the port is in use") != NULL, "%s", err.text);
    ck_assert(httpd_is_local(httpd));
}
END_TEST

START_TEST(what_is_no_address_is_refused) {
    static const char *const wrong[] = {
        "",       "8000",    "127.0.0.1", "127.0.0.1:",  ":80", "127.0.0.1:70000",
        "::1:80", "[::1:80", "[]:1",      "127.0.0.1:8x"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        Error err = {{0}};
        HttpdSettings bad = settings();
        bad.listen = wrong[i];
        ck_assert_msg(httpd_start(&bad, &err) == NULL, "'%s' was taken", wrong[i]);
        ck_assert_msg(strstr(err.text, "is no address with a port") != NULL, "%s: %s", wrong[i],
                      err.text);
    }
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_form_is_decoded_with_repeated_and_empty_fields);
    tcase_add_test(tests, the_file_of_a_form_is_stored_and_removed);
    tcase_add_test(tests, a_body_above_the_limit_is_refused_announced_or_not);
    tcase_add_test(tests, what_is_no_form_is_an_empty_form);
    tcase_add_test(tests, a_nul_in_a_field_is_refused);
    tcase_add_test(tests, a_broken_multipart_form_leaves_no_file);
    tcase_add_test(tests, a_second_file_is_refused);
    tcase_add_test(tests, all_files_that_arrive_have_one_limit_together);
    tcase_add_test(tests, only_the_bytes_of_a_stored_file_grant_the_time_of_a_long_body);
    tcase_add_test(tests, a_stranger_s_file_is_dropped_and_the_rest_of_the_form_is_answered);
    tcase_add_test(tests, a_stranger_s_file_takes_none_of_the_room_for_files);
    tcase_add_test(tests, a_form_without_a_place_for_a_file_keeps_none);
    tcase_add_test(tests, a_refused_body_without_an_end_is_not_read_for_ever);
    tcase_add_test(tests, a_file_that_the_disk_has_no_room_for_is_refused_and_removed);
    tcase_add_test(tests, a_part_without_a_name_is_refused);
    tcase_add_test(tests, a_limit_for_files_is_none_for_fields);
    tcase_add_test(tests, long_names_of_fields_count_as_fields);
    tcase_add_test(tests, a_urlencoded_form_is_small_on_every_route);
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
    tcase_add_test(tests, streams_are_woken_twice_a_second_at_most);
    tcase_add_test(tests, stopping_ends_streams_at_rest);
    tcase_add_test(tests, a_request_under_way_is_answered_before_the_end);
    tcase_add_test(tests, a_stop_does_not_wait_for_the_rest_of_a_body);
    tcase_add_test(tests, a_port_in_use_is_named);
    tcase_add_test(tests, what_is_no_address_is_refused);
}

int main(void) {
    return run_tests("httpd", add_tests);
}
