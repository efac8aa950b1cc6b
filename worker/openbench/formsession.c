/* SPDX-License-Identifier: MIT */
#include "openbench/formsession.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The server's name of the token, in pages and in forms. */
#define TOKEN "csrfmiddlewaretoken"

/* The value of the hidden field <input type="hidden" name="…" value="…">; allocated, or NULL. */
static char *find_token(const char *page) {
    static const char value[] = "value=\"";
    const char *name = strstr(page, "name=\"" TOKEN "\"");
    const char *end = name ? strchr(name, '>') : NULL;
    const char *at = name ? strstr(name, value) : NULL;
    if (!at || !end || at > end)
        return NULL;
    at += sizeof value - 1;
    return mem_strndup(at, strcspn(at, "\""));
}

void formsession_take(FormSession *session, HttpResponse *response) {
    formsession_free(session);
    session->cookies = response->cookies;
    response->cookies = (Words){0};
    session->token = find_token(text_string(&response->body));
}

void formsession_free(FormSession *session) {
    words_free(&session->cookies);
    free(session->token);
    *session = (FormSession){0};
}

void formsession_page(const ApiAccount *account, const FormSession *session, const char *path,
                      HttpRequest *request) {
    *request = (HttpRequest){.url = text_format("%s%s", account->base_url, path), .page = true};
    for (size_t i = 0; i < session->cookies.count; i++)
        words_add(&request->cookies, session->cookies.items[i]);
}

void formsession_send(const ApiAccount *account, const FormSession *session, const char *path,
                      Text *fields, HttpRequest *request) {
    formsession_page(account, session, path, request);
    if (session->token)
        http_form_add(fields, TOKEN, session->token);
    request->form = text_take(fields);
}

void formsession_sign_in(const ApiAccount *account, const FormSession *session,
                         HttpRequest *request) {
    Text fields = {0};
    http_form_add(&fields, "username", account->username);
    http_form_add(&fields, "password", account->password);
    formsession_send(account, session, "login/", &fields, request);
}
