/* SPDX-License-Identifier: MIT */
/* A user who is signed in to an OpenBench server as in a browser: the server takes the forms of a
 * tuning and of a data generation from nobody else. Pure: composes requests and reads pages.
 * Source: the recorded forms 46 to 52. */
#ifndef WORKER_OPENBENCH_FORMSESSION_H
#define WORKER_OPENBENCH_FORMSESSION_H

#include "openbench/api.h"

/* What a browser keeps of the page that it was shown last. All zero: no page was shown yet. */
typedef struct {
    Words cookies; /* As HttpRequest has them. */
    char *token;   /* Against forged forms: the page's hidden field; NULL: the page has none. */
} FormSession;

/* Keeps the answer's cookies and token in place of those before. */
void formsession_take(FormSession *session, HttpResponse *response);
void formsession_free(FormSession *session);

/* A request for a page of the server, "tune/new/". The caller frees it. */
void formsession_page(const ApiAccount *account, const FormSession *session, const char *path,
                      HttpRequest *request);

/* The same with a form, whose fields `fields` has as http_form_add writes them; the token is added.
 * `fields` is taken over. */
void formsession_send(const ApiAccount *account, const FormSession *session, const char *path,
                      Text *fields, HttpRequest *request);

/* The form by which the user signs in, for a session that was shown the page "login/". */
void formsession_sign_in(const ApiAccount *account, const FormSession *session,
                         HttpRequest *request);

#endif
