/* SPDX-License-Identifier: MIT */
/* HTTP over the loopback: forms, downloads, limits, redirects, and where tokens go. */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/tree.h"
#include "openbench/http.h"
#include "tools/files.h"
#include "tools/openbench_double.h"
#include "runner.h"
#include "tools/temporary.h"

enum { TIMEOUT_S = 120, PATH_SIZE = 4096 };

static Double *server;
static Double *other;
static char folder[PATH_SIZE];

/* libcurl may change errno whenever it closes a connection, as it does for https. Here it does. */
static void free_without_errno(void *bytes) {
    free(bytes);
    errno = 0;
}

static void setup(void) {
    Error err = {0};
    ck_assert_int_eq(curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, free_without_errno, realloc,
                                          strdup, calloc),
                     CURLE_OK);
    ck_assert(http_init(&err));
    server = double_start();
    other = double_start();
    temporary_folder(folder, sizeof folder, "rd-http");
}

static void teardown(void) {
    double_stop(server);
    double_stop(other);
    tree_remove(folder, NULL);
    http_cleanup();
    curl_global_cleanup();
}

static char *join(const char *a, const char *b) {
    Text text = {0};
    text_addf(&text, "%s%s", a, b);
    return text_take(&text);
}

START_TEST(a_form_arrives_as_it_was_given) {
    HttpRequest request = {.url = join(double_url(server), "/clientVersionRef/")};
    HttpResponse response;
    Text form = {0};
    http_form_add(&form, "username", "tester");
    http_form_add(&form, "password", "se cr&t=\xc3\xa9");
    request.form = text_take(&form);
    http_perform(&request, NULL, &response);
    ck_assert_msg(response.outcome == HTTP_DONE, "%s", response.error.text);
    ck_assert_int_eq(response.status, 200);
    ck_assert_str_eq(text_string(&response.body), "{\"error\": \"Bad Credentials\"}");
    char *password = double_field(server, "/clientVersionRef/", 0, "password", 0);
    char *type = double_field(server, "/clientVersionRef/", 0, "@Content-Type", 0);
    ck_assert_str_eq(password, "se cr&t=\xc3\xa9");
    ck_assert_str_eq(type, "application/x-www-form-urlencoded");
    free(password);
    free(type);
    http_response_free(&response);
    http_request_free(&request);
}
END_TEST

START_TEST(a_download_is_hashed_and_renamed_when_whole) {
    double_serve(server, "/x", "application/octet-stream", "test", 4);
    HttpRequest request = {.url = join(double_url(server), "/x"), .file = join(folder, "/got")};
    HttpResponse response;
    http_perform(&request, NULL, &response);
    ck_assert_msg(response.outcome == HTTP_DONE, "%s", response.error.text);
    ck_assert_str_eq(response.sha256,
                     "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
    ck_assert_uint_eq(response.file_size, 4);
    Text text = read_whole(request.file);
    ck_assert_str_eq(text_string(&text), "test");
    ck_assert_int_eq(count_entries(folder), 1);
    text_free(&text);
    http_response_free(&response);
    http_request_free(&request);
}
END_TEST

/* Where the environment names a proxy, requests go there, and to the hosts of no_proxy directly. */
START_TEST(the_proxy_of_the_environment_is_used) {
    static const char URL[] = "http://openbench.invalid/x";
    HttpRequest request = {.url = join(URL, "")};
    HttpRequest direct = {.url = join(double_url(other), "/x")};
    HttpResponse response;
    double_serve(server, URL, "application/octet-stream", "by proxy", 8);
    double_serve(other, "/x", "application/octet-stream", "directly", 8);
    setenv("http_proxy", double_url(server), 1);
    http_perform(&request, NULL, &response);
    ck_assert_msg(response.outcome == HTTP_DONE, "%s", response.error.text);
    ck_assert_str_eq(text_string(&response.body), "by proxy");
    http_response_free(&response);
    http_perform(&direct, NULL, &response);
    ck_assert_msg(response.outcome == HTTP_DONE, "%s", response.error.text);
    ck_assert_str_eq(text_string(&response.body), "directly");
    http_response_free(&response);
    http_request_free(&request);
    http_request_free(&direct);
}
END_TEST

START_TEST(what_is_no_200_leaves_no_file) {
    HttpRequest request = {.url = join(double_url(server), "/missing"),
                           .file = join(folder, "/got")};
    HttpResponse response;
    http_perform(&request, NULL, &response);
    ck_assert_int_eq(response.outcome, HTTP_DONE);
    ck_assert_int_eq(response.status, 404);
    ck_assert_int_eq(count_entries(folder), 0);
    http_response_free(&response);
    http_request_free(&request);
}
END_TEST

/* Performs the request while a file may have so many bytes: what a full disk does. */
static void perform_with_room(rlim_t bytes, const HttpRequest *request, HttpResponse *response) {
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    rlim_t before = limit.rlim_cur;
    signal(SIGXFSZ, SIG_IGN);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    http_perform(request, NULL, response);
    limit.rlim_cur = before;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The few bytes are written when the file is closed, the many while they arrive. */
START_TEST(a_download_that_the_disk_has_no_room_for_leaves_no_file) {
    enum { FEW = 4, MANY = 1000000 };
    static const size_t sizes[] = {FEW, MANY};
    char *bytes = mem_calloc(MANY, 1);
    for (int i = 0; i < 2; i++) {
        HttpRequest request = {.url = join(double_url(server), i ? "/many" : "/few"),
                               .file = join(folder, "/got")};
        HttpResponse response;
        double_serve(server, i ? "/many" : "/few", "application/octet-stream", bytes, sizes[i]);
        perform_with_room(sizes[i] / 2, &request, &response);
        ck_assert_int_eq(response.outcome, HTTP_FILE_FAULT);
        ck_assert_msg(strstr(response.error.text, "File too large") != NULL, "%s",
                      response.error.text);
        ck_assert_int_eq(count_entries(folder), 0);
        http_response_free(&response);
        http_request_free(&request);
    }
    free(bytes);
}
END_TEST

START_TEST(what_is_too_long_is_refused) {
    char *bytes = mem_calloc(5000, 1);
    double_serve(server, "/x", "application/octet-stream", bytes, 5000);
    for (int i = 0; i < 2; i++) {
        HttpRequest request = {.url = join(double_url(server), "/x"), .limit = 4999};
        request.file = i ? join(folder, "/got") : NULL;
        HttpResponse response;
        http_perform(&request, NULL, &response);
        /* A file of that length stays as it is; an answer may be another the next time. */
        ck_assert_int_eq(response.outcome, i ? HTTP_REFUSED : HTTP_UNREACHABLE);
        ck_assert_str_eq(response.error.text, "longer than 4999 bytes");
        ck_assert_int_eq(count_entries(folder), 0);
        http_response_free(&response);
        http_request_free(&request);
    }
    free(bytes);
}
END_TEST

START_TEST(a_token_stays_with_its_host) {
    char *there = join(double_url(other), "/x");
    double_replace(server, "/home", DOUBLE_INSTEAD, 302, "/again");
    double_replace(server, "/again", DOUBLE_INSTEAD, 302, there);
    double_serve(other, "/x", "text/plain", "hello", 5);
    HttpRequest request = {.url = join(double_url(server), "/home"), .token = mem_strdup("T0K")};
    HttpResponse response;
    http_perform(&request, NULL, &response);
    ck_assert_msg(response.outcome == HTTP_DONE, "%s", response.error.text);
    ck_assert_str_eq(text_string(&response.body), "hello");
    for (int i = 0; i < 2; i++) {
        char *sent = double_field(server, i ? "/again" : "/home", 0, "@Authorization", 0);
        ck_assert_ptr_nonnull(sent);
        ck_assert_str_eq(sent, "token T0K");
        free(sent);
    }
    ck_assert_uint_eq(double_count(other, "/x"), 1);
    ck_assert_ptr_null(double_field(other, "/x", 0, "@Authorization", 0));
    http_response_free(&response);
    http_request_free(&request);
    free(there);
}
END_TEST

START_TEST(redirects_end_and_posts_do_not_follow_them) {
    HttpResponse response;
    for (int i = 0; i <= HTTP_MAX_REDIRECTS; i++)
        double_replace(server, "/loop", DOUBLE_INSTEAD, 302, "/loop");
    HttpRequest request = {.url = join(double_url(server), "/loop")};
    http_perform(&request, NULL, &response);
    ck_assert_int_eq(response.outcome, HTTP_REFUSED);
    ck_assert_str_eq(response.error.text, "redirected more than 10 times");
    http_response_free(&response);
    http_request_free(&request);
    double_replace(server, "/post", DOUBLE_INSTEAD, 301, "/elsewhere");
    request = (HttpRequest){.url = join(double_url(server), "/post"), .form = mem_strdup("a=b")};
    http_perform(&request, NULL, &response);
    ck_assert_int_eq(response.outcome, HTTP_REFUSED);
    ck_assert_msg(strstr(response.error.text, "/elsewhere") != NULL, "%s", response.error.text);
    ck_assert_uint_eq(double_count(server, "/elsewhere"), 0);
    http_response_free(&response);
    http_request_free(&request);
}
END_TEST

START_TEST(a_cut_connection_is_worth_another_try) {
    HttpResponse response;
    double_replace(server, "/x", DOUBLE_INSTEAD, 0, "");
    HttpRequest request = {.url = join(double_url(server), "/x")};
    http_perform(&request, NULL, &response);
    ck_assert_int_eq(response.outcome, HTTP_UNREACHABLE);
    ck_assert(response.sent);
    http_response_free(&response);
    http_request_free(&request);
    /* Port 1 of the loopback: nobody is there. */
    request = (HttpRequest){.url = mem_strdup("http://127.0.0.1:1/")};
    http_perform(&request, NULL, &response);
    ck_assert_int_eq(response.outcome, HTTP_UNREACHABLE);
    ck_assert(!response.sent);
    http_response_free(&response);
    http_request_free(&request);
    request = (HttpRequest){.url = mem_strdup("file:///etc/passwd")};
    http_perform(&request, NULL, &response);
    ck_assert_int_eq(response.outcome, HTTP_REFUSED);
    http_response_free(&response);
    http_request_free(&request);
}
END_TEST

/* A socket that listens, and whose owner never answers. */
static int silent_server(char *url, size_t size) {
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    ck_assert_int_eq(bind(descriptor, (struct sockaddr *)&address, length), 0);
    ck_assert_int_eq(listen(descriptor, 5), 0);
    ck_assert_int_eq(getsockname(descriptor, (struct sockaddr *)&address, &length), 0);
    snprintf(url, size, "http://127.0.0.1:%d/", ntohs(address.sin_port));
    return descriptor;
}

typedef struct {
    int calls;
    HttpOutcome outcome;
} Seen;

static void on_done(HttpResponse *response, void *user) {
    Seen *seen = user;
    seen->calls++;
    seen->outcome = response->outcome;
}

START_TEST(silence_ends_and_so_does_a_cancelled_call) {
    char url[64];
    int descriptor = silent_server(url, sizeof url);
    HttpRequest request = {.url = mem_strdup(url), .timeout_ms = 300};
    HttpResponse response;
    http_perform(&request, NULL, &response);
    ck_assert_int_eq(response.outcome, HTTP_UNREACHABLE);
    http_response_free(&response);
    http_request_free(&request);
    uv_loop_t loop;
    Seen seen = {0};
    uv_loop_init(&loop);
    request = (HttpRequest){.url = mem_strdup(url)};
    HttpCall *call = http_start(&loop, &request, on_done, &seen);
    ck_assert_ptr_null(request.url);
    uv_run(&loop, UV_RUN_NOWAIT);
    usleep(50000);
    http_cancel(call);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(seen.calls, 1);
    ck_assert_int_eq(seen.outcome, HTTP_CANCELLED);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    close(descriptor);
}
END_TEST

/* ---- Certificates ---- */

/* A port that nobody has. */
static int free_port(void) {
    char url[64];
    int port = 0;
    close(silent_server(url, sizeof url));
    ck_assert_int_eq(sscanf(url, "http://127.0.0.1:%d", &port), 1);
    return port;
}

/* A server of pages over TLS with a certificate of its own making, which nobody vouches for. 0: no
 * openssl here. */
static pid_t tls_server(int port) {
    Text command = {0};
    char address[32];
    text_addf(&command,
              "cd '%s' && openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 1 "
              "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 >/dev/null 2>&1",
              folder);
    bool made = system(text_string(&command)) == 0;
    text_free(&command);
    if (!made)
        return 0;
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid > 0)
        return pid;
    snprintf(address, sizeof address, "%d", port);
    if (chdir(folder) == 0 && freopen("tls.log", "w", stdout) && dup2(1, 2) == 2)
        execlp("openssl", "openssl", "s_server", "-accept", address, "-cert", "cert", "-key", "key",
               "-www", (char *)0);
    _exit(127);
}

/* It answers in plain words and resets the connection; either may come first. */
START_TEST(a_server_without_tls_is_said_to_be_one) {
    HttpResponse response = {0};
    Text url = {0};
    text_addf(&url, "https%s/x", strchr(double_url(server), ':'));
    HttpRequest request = {.url = text_take(&url)};
    http_perform(&request, NULL, &response);
    http_request_free(&request);
    ck_assert_msg(strstr(response.error.text,
                         "(the server does not speak TLS there: is its address http://...?)") ||
                      strstr(response.error.text, "(the server ended the connection before TLS "
                                                  "began: is its address http://...?)"),
                  "%s", response.error.text);
    ck_assert_int_eq(response.outcome, HTTP_UNREACHABLE);
    http_response_free(&response);
}
END_TEST

START_TEST(a_certificate_that_nobody_vouches_for_is_refused) {
    int port = free_port();
    pid_t pid = tls_server(port);
    if (pid == 0) {
        printf("http: no openssl here: certificates are left out\n");
        return;
    }
    HttpResponse response = {.outcome = HTTP_UNREACHABLE};
    for (int i = 0; i < TIMEOUT_S * 10 && response.outcome == HTTP_UNREACHABLE; i++) {
        Text url = {0};
        http_response_free(&response);
        text_addf(&url, "https://127.0.0.1:%d/", port);
        HttpRequest request = {.url = text_take(&url), .token = mem_strdup("T0K")};
        http_perform(&request, NULL, &response);
        http_request_free(&request);
        usleep(100000);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    ck_assert_msg(response.outcome == HTTP_REFUSED, "outcome %d: %s", (int)response.outcome,
                  response.error.text);
    ck_assert_msg(strstr(response.error.text, "certificate") != NULL, "%s", response.error.text);
    ck_assert(response.untrusted);
    ck_assert_int_eq(response.status, 0);
    http_response_free(&response);
}
END_TEST

static const struct {
    const char *url, *target;
    bool form, page, may;
} hops[] = {
    {"https://h/a", "https://h/b", false, false, true},
    {"https://h/a", "https://other/b", false, false, true},
    {"http://h/a", "https://h/b", false, false, true},
    {"https://h/a", "http://h/b", false, false, false},
    {"HTTPS://h/a", "http://h/b", false, false, false},
    {"https://h/a", "ftp://h/b", false, false, false},
    {"https://h/a", "https://h/b", true, false, false},
    {"https://h/a", "https://h/b", true, true, true},
    {"https://h/a", "https://other/b", true, true, false},
    {"https://h/a", "http://h/b", true, true, false},
};

START_TEST(a_redirect_keeps_what_protects_it) {
    char form[] = "password=secret";
    HttpRequest request = {
        .url = (char *)hops[_i].url, .form = hops[_i].form ? form : NULL, .page = hops[_i].page};
    Error err = {0};
    bool may = http_may_follow(&request, hops[_i].url, hops[_i].target, 0, &err);
    ck_assert_msg(may == hops[_i].may, "%s to %s: %d", hops[_i].url, hops[_i].target, may);
    ck_assert_int_eq(err.text[0] != '\0', !may);
}
END_TEST

static void add_tests(TCase *tc) {
    tcase_add_test(tc, a_server_without_tls_is_said_to_be_one);
    tcase_add_test(tc, a_certificate_that_nobody_vouches_for_is_refused);
    tcase_add_loop_test(tc, a_redirect_keeps_what_protects_it, 0, COUNT(hops));
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_form_arrives_as_it_was_given);
    tcase_add_test(tc, a_download_is_hashed_and_renamed_when_whole);
    tcase_add_test(tc, the_proxy_of_the_environment_is_used);
    tcase_add_test(tc, what_is_no_200_leaves_no_file);
    tcase_add_test(tc, a_download_that_the_disk_has_no_room_for_leaves_no_file);
    tcase_add_test(tc, what_is_too_long_is_refused);
    tcase_add_test(tc, a_token_stays_with_its_host);
    tcase_add_test(tc, redirects_end_and_posts_do_not_follow_them);
    tcase_add_test(tc, a_cut_connection_is_worth_another_try);
    tcase_add_test(tc, silence_ends_and_so_does_a_cancelled_call);
}

int main(void) {
    /* A proxy of the developer's must not come between. */
    setenv("no_proxy", "127.0.0.1", 1);
    return run_tests("http", add_tests);
}
