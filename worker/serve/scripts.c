/* SPDX-License-Identifier: MIT */
#include "serve/scripts.h"

#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "serve/networks.h"
#include "serve/newtest.h"
#include "serve/page.h"

static void create_test(Page *page) {
    Text reasons = {0};
    if (newtest_create(page->serve, &page->visit.user, page->request, TESTFORM_TEST, &reasons))
        web_redirect(page->answer, "/index/");
    else
        page_return(page, "/test/new/", text_string(&reasons));
    text_free(&reasons);
}

static void refuse_action(Page *page) {
    page_return(page, "/index/", "The actions of scripts are CREATE_TEST and UPLOAD_NETWORK.");
}

static const char UPLOAD_NETWORK[] = "UPLOAD_NETWORK";

/* What a script may want. The last stands for every other word. */
static const struct {
    const char *name;
    void (*run)(Page *page);
    VisitRefusal nobody; /* Said when the password is wrong. */
} actions[] = {{"CREATE_TEST", create_test, VISIT_SCRIPT_OF_NOBODY},
               {UPLOAD_NETWORK, networks_upload, VISIT_WRONG_PASSWORD},
               {"", refuse_action, VISIT_WRONG_PASSWORD}};

static size_t action_of(const WebRequest *request) {
    size_t i = 0;
    while (i < COUNT(actions) - 1 && strcmp(actions[i].name, web_form(request, "action")) != 0)
        i++;
    return i;
}

static PeopleVerdict check_sender(Serve *serve, const WebRequest *request, User *out, Error *err) {
    return people_check(serve->people, web_form(request, "username"), web_form(request, "password"),
                        request->peer, out, err);
}

/* Does the form come from a page of another site? Browsers name the page's site; scripts do not. */
static bool is_of_another_site(const WebRequest *request) {
    const char *origin = web_header(request, "Origin");
    const char *host = strstr(origin, "://");
    return *origin != '\0' && (!host || !text_equal_nocase(host + 3, web_header(request, "Host")));
}

/* A script signs in with each request. */
void scripts_take(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    User user;
    Error err = {{0}};
    size_t action = action_of(request);
    page_open(&page, serve, request, answer, "Scripts");
    if (is_of_another_site(request)) {
        page_refuse(&page, WEB_FORBIDDEN,
                    "A page of another site sent this form: nothing is done.");
        page_close(&page);
        return;
    }
    PeopleVerdict verdict = check_sender(serve, request, &user, &err);
    if (page_refuse_unchecked(&page, verdict, &err)) {
        /* Said. */
    } else if (verdict != PEOPLE_KNOWN) {
        visit_refuse(request, answer, actions[action].nobody);
        web_redirect(answer, "/login/");
    } else if (!visit_sign_in(serve->people, &page.visit, &user, request, answer, page.now, &err))
        page_refuse_fault(&page, &err);
    else {
        store_free_user(&page.visit.user);
        page.visit.user = user;
        user = (User){0};
        actions[action].run(&page);
    }
    store_free_user(&user);
    page_close(&page);
}

static bool may_send(Serve *serve, const WebRequest *request) {
    User user;
    bool may = !is_of_another_site(request) &&
               strcmp(web_form(request, "action"), UPLOAD_NETWORK) == 0 &&
               check_sender(serve, request, &user, NULL) == PEOPLE_KNOWN;
    if (may)
        store_free_user(&user);
    return may;
}

const WebFile SCRIPTS_FILE = {NETWORKS_FILE_LIMIT, may_send};
