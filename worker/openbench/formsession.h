/* SPDX-License-Identifier: MIT */
/* A session of a user who is signed in to an OpenBench server as with a browser: the server accepts
 * the forms of tunings and of data generations only from such sessions. Pure: composes requests and
 * reads pages. Source: the recorded forms 46 to 52. */
#ifndef WORKER_OPENBENCH_FORMSESSION_H
#define WORKER_OPENBENCH_FORMSESSION_H

#include "openbench/api.h"

/* The data that a browser keeps of the page shown last. All zero: no page was shown yet. */
typedef struct {
    Words cookies; /* In the form of HttpRequest. */
    char *token;   /* The page's hidden field against forged forms; NULL: the page has none. */
} FormSession;

/* Replaces the session's cookies and token by those of the answer. */
void formsession_take(FormSession *session, HttpResponse *response);
void formsession_free(FormSession *session);

/* Composes a request for a page of the server, such as "tune/new/". The caller frees `request`. */
void formsession_page(const ApiAccount *account, const FormSession *session, const char *path,
                      HttpRequest *request);

/* Composes a request that sends a form to a page. fields: as http_form_add writes fields; the token
 * is added. Takes over `fields`. */
void formsession_send(const ApiAccount *account, const FormSession *session, const char *path,
                      Text *fields, HttpRequest *request);

/* Composes the form that signs the user in. The session must have been shown the page "login/". */
void formsession_sign_in(const ApiAccount *account, const FormSession *session,
                         HttpRequest *request);

#endif
