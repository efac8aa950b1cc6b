/* SPDX-License-Identifier: MIT */
#include "tools/openbench_double_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FOUND = 302, FORBIDDEN = 403 };

/* A redirect; what is to be said is said on the next page. */
static void send_to(Double *d, const char *page, const char *message, Answer *answer) {
    free(d->message);
    d->message = message ? mem_strdup(message) : NULL;
    answer->status = FOUND;
    answer->cookies = true;
    text_add(&answer->body, page);
}

static CreatedTest *create_test(Double *d, const char *kind, const Request *request) {
    CreatedTest test = {.kind = kind};
    for (size_t i = 0; i < request->names.count; i++) {
        words_add(&test.names, request->names.items[i]);
        words_add(&test.values, request->values.items[i]);
    }
    MEM_ADD(d->tests, d->test_count, d->test_capacity, test);
    d->overtaken = true;
    return &d->tests[d->test_count - 1];
}

static bool has_session(const Request *request) {
    return request->cookies && strstr(request->cookies, DOUBLE_SESSION_COOKIE);
}

/* Does the form come from a page of this server, as its cookie and its hidden field show? */
static bool has_token(const Request *request) {
    const char *token = double_form_value(request, "csrfmiddlewaretoken");
    return token && strcmp(token, DOUBLE_CSRF_TOKEN) == 0 && request->cookies &&
           strstr(request->cookies, DOUBLE_CSRF_TOKEN) && request->referer &&
           strstr(request->referer, request->path);
}

static void say_forged(Answer *answer) {
    answer->status = FORBIDDEN;
    answer->type = "text/html";
    text_add(&answer->body, "<html>CSRF verification failed</html>");
}

static bool refuse_test(Double *d, Answer *answer) {
    if (!d->refusal)
        return false;
    send_to(d, d->refusal_page, d->refusal, answer);
    free(d->refusal);
    d->refusal = NULL;
    return true;
}

static bool is_user(const Request *request) {
    Answer ignored = {0};
    bool known = double_check_user(request, &ignored);
    text_free(&ignored.body);
    return known;
}

void double_do_scripts(Double *d, const Request *request, Answer *answer) {
    if (d->want_csrf && !has_token(request)) {
        say_forged(answer);
    } else if (!is_user(request)) {
        send_to(d, "/login/", "Only enabled users can create tests", answer);
    } else if (!refuse_test(d, answer)) {
        create_test(d, "test", request);
        send_to(d, "/index/", NULL, answer);
    }
}

/* A page: its token, what there is to say to whom has the cookie, and links to workloads in no good
 * order. The page behind a form has a link to a newer workload of another user. */
void double_do_page(Double *d, const Request *request, Answer *answer) {
    answer->type = "text/html; charset=utf-8";
    answer->cookies = true;
    text_addf(&answer->body,
              "<html><body>\n<input type=\"hidden\" name=\"csrfmiddlewaretoken\" value=\"%s\">\n",
              DOUBLE_CSRF_TOKEN);
    if (d->message && has_session(request)) {
        text_addf(&answer->body, "<div class=\"error-message\">\n    <pre>%s</pre>\n</div>\n",
                  d->message);
        free(d->message);
        d->message = NULL;
    }
    text_add(&answer->body, "<a href=\"/test/7/\">other</a> <a href=\"/test/new/\">new</a>\n");
    for (size_t i = 0; i < d->test_count; i++)
        text_addf(&answer->body, "<a href=\"/%s/%zu/\">x</a>\n", d->tests[i].kind,
                  DOUBLE_FIRST_TEST + i);
    if (d->overtaken)
        text_add(&answer->body, "<a href=\"/test/2000/\">somebody's</a>\n");
    d->overtaken = false;
    text_add(&answer->body, "</body></html>\n");
}

static bool is_post(const Request *request) {
    return strcmp(request->method, "POST") == 0;
}

void double_do_login(Double *d, const Request *request, Answer *answer) {
    if (!is_post(request)) {
        double_do_page(d, request, answer);
    } else if (!has_token(request)) {
        say_forged(answer);
    } else {
        d->signed_in = is_user(request);
        send_to(d, d->signed_in ? "/index/" : "/login/",
                d->signed_in ? NULL : "Unable to authenticate user", answer);
    }
}

/* What the server makes of a form that names no user, no mode and no base. */
static void complete_test(CreatedTest *test, const char *mode) {
    const char *const more[][2] = {{"username", "tester"}, {"test_mode", mode}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        words_add(&test->names, more[i][0]);
        words_add(&test->values, more[i][1]);
    }
}

static void do_form(Double *d, const char *kind, const char *mode, const Request *request,
                    Answer *answer) {
    if (!d->signed_in || !has_session(request)) {
        send_to(d, "/login/", "Only enabled users can create tests", answer);
    } else if (!is_post(request)) {
        double_do_page(d, request, answer);
    } else if (!has_token(request)) {
        say_forged(answer);
    } else if (!refuse_test(d, answer)) {
        complete_test(create_test(d, kind, request), mode);
        send_to(d, "/index/", NULL, answer);
    }
}

void double_do_tune_form(Double *d, const Request *request, Answer *answer) {
    do_form(d, "tune", "SPSA", request, answer);
}

void double_do_datagen_form(Double *d, const Request *request, Answer *answer) {
    do_form(d, "datagen", "DATAGEN", request, answer);
}
