/* SPDX-License-Identifier: MIT */
#include "serve/page.h"

#include <stdarg.h>
#include <stdio.h>

#include "serve/pagetexts.h"

int64_t page_number(const Page *page) {
    enum { MOST = 1000000 };
    int64_t number = 1;
    return text_to_int(web_query(page->request, "page"), 1, MOST, "page", &number, NULL) ? number
                                                                                         : 1;
}

int64_t page_number_within(const Page *page, int64_t count) {
    int64_t last = (count + PAGE_ITEMS - 1) / PAGE_ITEMS;
    int64_t number = page_number(page);
    if (last < 1)
        return 1;
    return number < last ? number : last;
}

void value_pages(Page *page, int64_t number, bool more) {
    value_number(page->values, "before", number - 1);
    value_number(page->values, "behind", more ? number + 1 : 0);
}

void value_count(cJSON *list, int64_t number, int64_t count) {
    int64_t first = (number - 1) * PAGE_ITEMS + 1;
    int64_t last = number * PAGE_ITEMS;
    Text words = {0};
    if (count > PAGE_ITEMS) {
        text_add_grouped(&words, first);
        text_add(&words, " to ");
        text_add_grouped(&words, last < count ? last : count);
        text_add(&words, " of ");
    }
    if (count > 0)
        text_add_grouped(&words, count);
    value_take(list, "count", &words);
}

/* ---- The page ---- */

void page_open(Page *page, Serve *serve, const WebRequest *request, WebAnswer *answer,
               const char *title) {
    *page = (Page){.serve = serve,
                   .request = request,
                   .answer = answer,
                   .now = serve_now(serve),
                   .values = cJSON_CreateObject()};
    visit_open(serve->people, request, page->now, &page->visit);
    const User *user = &page->visit.user;
    value_text(page->values, "title", title);
    value_text(page->values, "user", user->id ? user->name : "");
    value_bool(page->values, "is_admin", user->id && user->admin);
    value_bool(page->values, "is_approver", user->id && user->approver);
    value_text(page->values, "csrf", page->visit.csrf);
    value_text(page->values, "query", web_query(request, "q"));
    value_text(page->values, "message", page->visit.message);
}

void page_close(Page *page) {
    visit_free(&page->visit);
    cJSON_Delete(page->values);
}

bool page_show_part(Page *page, const char *name) {
    Error err = {{0}};
    text_clear(&page->answer->body);
    if (template_render(&PAGE_TEXTS, name, page->values, &page->answer->body, &err))
        return true;
    serve_log_error(page->serve, "a page: %s", err.text);
    web_plain(page->answer, WEB_FAULT, "This page cannot be made: the server's log says why.");
    return false;
}

void page_show(Page *page, const char *name) {
    if (!page_show_part(page, name))
        return;
    visit_clear_message(page->serve->people, &page->visit, page->request, page->answer);
    visit_add_cookie(&page->visit, page->request, page->answer);
}

void page_refuse(Page *page, WebStatus status, const char *fmt, ...) {
    char text[ERROR_MAX];
    va_list arguments;
    va_start(arguments, fmt);
    vsnprintf(text, sizeof text, fmt, arguments);
    va_end(arguments);
    page->answer->status = status;
    cJSON_DeleteItemFromObjectCaseSensitive(page->values, "title");
    value_text(page->values, "title", "This did not work");
    value_text(page->values, "reason", text);
    page_show(page, "refusal.html");
}

void page_refuse_fault(Page *page, const Error *fault) {
    serve_log_error(page->serve, "%s", fault->text);
    page_refuse(page, WEB_UNAVAILABLE, "%s", WEB_FAULT_WORDS);
}

bool page_refuse_unchecked(Page *page, PeopleVerdict verdict, const Error *fault) {
    if (verdict == PEOPLE_WAIT)
        page_refuse(page, WEB_TOO_MANY, "%s", PEOPLE_WAIT_WORDS);
    else if (verdict == PEOPLE_FAULT)
        page_refuse_fault(page, fault);
    return verdict == PEOPLE_WAIT || verdict == PEOPLE_FAULT;
}

void page_return(Page *page, const char *path, const char *message) {
    Error err = {{0}};
    if (visit_leave_message(page->serve->people, &page->visit, message, &err))
        web_redirect(page->answer, path);
    else
        page_refuse_fault(page, &err);
}

bool page_wants_user(Page *page) {
    if (page->visit.user.id)
        return true;
    if (page->visit.fault.text[0] != '\0')
        page_refuse_fault(page, &page->visit.fault);
    else
        web_redirect(page->answer, "/login/");
    return false;
}

bool page_may_view(Page *page) {
    return !page->serve->catalog.settings.require_login_to_view || page_wants_user(page);
}

bool page_wants_form(Page *page) {
    if (!page_wants_user(page))
        return false;
    if (visit_owns_form(&page->visit, page->request))
        return true;
    page_refuse(page, WEB_FORBIDDEN,
                "The form was not sent from a page of this visit: load the page again, and send "
                "the form from there.");
    return false;
}

bool page_wants_admin(Page *page) {
    if (!page_wants_user(page))
        return false;
    if (!page->visit.user.admin)
        page_refuse(page, WEB_FORBIDDEN, "Only an administrator may do this.");
    return page->visit.user.admin;
}

Transaction *page_read(const Page *page) {
    return transaction_begin(page->serve->database, TRANSACTION_READ);
}

Transaction *page_write(const Page *page) {
    return transaction_begin(page->serve->database, TRANSACTION_WRITE);
}

bool page_end(Page *page, Transaction *t) {
    Error err = {{0}};
    if (transaction_end(t, &err))
        return true;
    page_refuse_fault(page, &err);
    return false;
}
