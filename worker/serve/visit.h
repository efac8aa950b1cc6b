/* SPDX-License-Identifier: MIT */
/* A browser's visit: who is signed in, by the cookie of the session, and the token that a page's
 * forms send back, without which a form is refused. The names are OpenBench's, so that scripts for
 * OpenBench work: cookies "sessionid" and "csrftoken", field "csrfmiddlewaretoken". */
#ifndef SERVE_VISIT_H
#define SERVE_VISIT_H

#include "serve/people.h"
#include "serve/web.h"

#define VISIT_TOKEN_FIELD "csrfmiddlewaretoken"

/* All zero: nobody. */
typedef struct {
    User user;     /* id 0: nobody is signed in. */
    char *digest;  /* Of the session's cookie; NULL: no session. */
    char *csrf;    /* The token of the forms on this visit's pages; never NULL after visit_open. */
    char *message; /* Left by the request before, for the next page; or NULL. */
    Error fault;   /* Why the session could not be looked for; all zero: it could. */
} Visit;

/* Why nobody is signed in. */
typedef enum { VISIT_WRONG_PASSWORD, VISIT_DISABLED_USER, VISIT_SCRIPT_OF_NOBODY } VisitRefusal;

/* Finds the session of the request. now: seconds since the epoch. */
void visit_open(People *people, const WebRequest *request, int64_t now, Visit *visit);
void visit_free(Visit *visit);

/* Has the sender of the request signed in? */
bool visit_is_user(People *people, const WebRequest *request, int64_t now);

/* Does the form come from a page of this visit? */
bool visit_owns_form(const Visit *visit, const WebRequest *request);

/* Adds the cookie that belongs to the forms of a page. Every page with a form needs the cookie. */
void visit_add_cookie(const Visit *visit, const WebRequest *request, WebAnswer *answer);

/* Begins a session of the user in place of the visit's, and adds the cookies. */
bool visit_sign_in(People *people, Visit *visit, const User *user, const WebRequest *request,
                   WebAnswer *answer, int64_t now, Error *err);

/* Ends the session, and removes its cookie. */
bool visit_sign_out(People *people, Visit *visit, const WebRequest *request, WebAnswer *answer,
                    Error *err);

/* Leaves a message for the next page of a user who has signed in. */
bool visit_leave_message(People *people, const Visit *visit, const char *message, Error *err);

/* Has the next page say why the sender could not sign in. A cookie holds the number of the reason:
 * strangers write nothing to the database. */
void visit_refuse(const WebRequest *request, WebAnswer *answer, VisitRefusal why);

/* Forgets the message, which a page has shown. */
void visit_clear_message(People *people, const Visit *visit, const WebRequest *request,
                         WebAnswer *answer);

#endif
