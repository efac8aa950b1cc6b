/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "serve/page.h"
#include "serve/pages.h"
#include "serve/secrets.h"

/* ---- Signing in and out ---- */

static void show_login(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Sign in");
    page_show(&page, "login.html");
    page_close(&page);
}

static void sign_in(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    User user = {0};
    Error err = {{0}};
    page_open(&page, serve, request, answer, "Sign in");
    if (!visit_owns_form(&page.visit, request))
        page_refuse(&page, WEB_FORBIDDEN,
                    "The form was not sent from this page, or cookies are switched off.");
    else {
        PeopleVerdict verdict =
            people_check(serve->people, web_form(request, "username"),
                         web_form(request, "password"), request->peer, &user, &err);
        if (page_refuse_unchecked(&page, verdict, &err)) {
            /* Said. */
        } else if (verdict != PEOPLE_KNOWN) {
            visit_refuse(request, answer,
                         verdict == PEOPLE_DISABLED ? VISIT_DISABLED_USER : VISIT_WRONG_PASSWORD);
            web_redirect(answer, "/login/");
        } else if (visit_sign_in(serve->people, &page.visit, &user, request, answer, page.now,
                                 &err))
            web_redirect(answer, "/index/");
        else
            page_refuse_fault(&page, &err);
        store_free_user(&user);
    }
    page_close(&page);
}

static void sign_out(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    Error err = {{0}};
    page_open(&page, serve, request, answer, "Sign out");
    if (page_wants_form(&page)) {
        if (visit_sign_out(serve->people, &page.visit, request, answer, &err))
            web_redirect(answer, "/index/");
        else
            page_refuse_fault(&page, &err);
    }
    page_close(&page);
}

/* ---- A user's own page ---- */

static void show_profile(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Your account");
    if (page_wants_user(&page)) {
        value_number(page.values, "shortest", PASSWORD_SHORTEST);
        page_show(&page, "profile.html");
    }
    page_close(&page);
}

static void change_password(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Your account");
    if (page_wants_form(&page)) {
        User user = {0};
        Error err = {{0}};
        bool fault = false;
        const char *fresh = web_form(request, "new_password");
        PeopleVerdict verdict =
            people_check(serve->people, page.visit.user.name, web_form(request, "password"),
                         request->peer, &user, &err);
        if (page_refuse_unchecked(&page, verdict, &err)) {
            /* Said. */
        } else if (verdict != PEOPLE_KNOWN)
            page_return(&page, "/profile/", "The present password is another.");
        else if (strcmp(fresh, web_form(request, "again")) != 0)
            page_return(&page, "/profile/", "The new password was not repeated as it was.");
        else if (people_set_password(serve->people, user.name, fresh, page.visit.digest, &fault,
                                     &err))
            page_return(&page, "/profile/",
                        "The password is changed. Other browsers have to sign in again.");
        else if (fault)
            page_refuse_fault(&page, &err);
        else
            page_return(&page, "/profile/", err.text);
        store_free_user(&user);
    }
    page_close(&page);
}

/* ---- Users, for administrators ---- */

static void add_user_row(Page *page, const User *user) {
    cJSON *item = value_item(page->values, "users");
    value_number(item, "id", user->id);
    value_text(item, "name", user->name);
    value_bool(item, "enabled", user->enabled);
    value_bool(item, "approver", user->approver);
    value_bool(item, "admin", user->admin);
    value_bool(item, "is_self", user->id == page->visit.user.id);
    value_time(item, "created", user->created, page->now);
}

static void show_users(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Users");
    if (page_wants_admin(&page)) {
        User user;
        Transaction *t = page_read(&page);
        Query *query = store_users(t);
        while (store_next_user(query, &user)) {
            add_user_row(&page, &user);
            store_free_user(&user);
        }
        query_end(query);
        value_number(page.values, "shortest", PASSWORD_SHORTEST);
        if (page_end(&page, t))
            page_show(&page, "users.html");
    }
    page_close(&page);
}

static void note_user(const Page *page, Transaction *t, const char *what, const char *name) {
    Text summary = {0};
    text_addf(&summary, "%s %s", what, name);
    store_add_event(t, &(Event){.time = page->now,
                                .author = page->visit.user.name,
                                .summary = summary.data,
                                .log = (char *)""});
    text_free(&summary);
}

static void add_user(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Users");
    if (page_wants_form(&page) && page_wants_admin(&page)) {
        Error err = {{0}};
        bool fault = false;
        const char *name = web_form(request, "username");
        if (people_add(serve->people, name, web_form(request, "password"), false, page.now, &fault,
                       &err)) {
            Transaction *t = page_write(&page);
            note_user(&page, t, "added the user", name);
            if (!transaction_end(t, &err))
                serve_log_error(serve, "the event of the new user %s: %s", name, err.text);
            web_redirect(answer, "/users/");
        } else if (fault)
            page_refuse_fault(&page, &err);
        else
            page_return(&page, "/users/", err.text);
    }
    page_close(&page);
}

/* Sets what the form's boxes say. An administrator cannot lock oneself out. */
static void change_user(Serve *serve, const WebRequest *request, WebAnswer *answer) {
    Page page;
    page_open(&page, serve, request, answer, "Users");
    if (page_wants_form(&page) && page_wants_admin(&page)) {
        User user = {0};
        Transaction *t = page_write(&page);
        bool found = store_user(t, web_number(request), &user);
        bool self = user.id == page.visit.user.id;
        if (found) {
            user.enabled = self || web_form(request, "enabled")[0] != '\0';
            user.admin = self || web_form(request, "admin")[0] != '\0';
            user.approver = web_form(request, "approver")[0] != '\0';
            store_update_user(t, &user);
            if (!user.enabled)
                store_end_user_sessions(t, user.id, NULL);
            note_user(&page, t, "changed the rights of", user.name);
        }
        bool done = page_end(&page, t);
        if (done && found)
            web_redirect(answer, "/users/");
        else if (done)
            page_refuse(&page, WEB_NOT_FOUND, "There is no user of this number.");
        store_free_user(&user);
    }
    page_close(&page);
}

const WebRoute PEOPLE_PAGES[] = {{"/login/", show_login, sign_in, NULL},
                                 {"/logout/", NULL, sign_out, NULL},
                                 {"/profile/", show_profile, change_password, NULL},
                                 {"/users/", show_users, add_user, NULL},
                                 {"/users/{number}/", NULL, change_user, NULL},
                                 {0}};
