/* SPDX-License-Identifier: MIT */
#include "serve/visit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "serve/secrets.h"

#define SESSION_COOKIE "sessionid"
#define TOKEN_COOKIE "csrftoken"
#define REFUSAL_COOKIE "refusal"

static const int64_t SESSION_S = 14 * 24 * 3600;
static const int64_t REFUSAL_S = 600;
static const int64_t TOKEN_S = 364 * 24 * 3600;

/* The words of each VisitRefusal. */
static const char *const REFUSALS[] = {
    [VISIT_WRONG_PASSWORD] = "Unable to Authenticate User",
    [VISIT_DISABLED_USER] = "Account has not been enabled by an administrator.",
    [VISIT_SCRIPT_OF_NOBODY] = "Only enabled users can create tests",
};

/* The words of the request's refusal; NULL: there is none. */
static const char *refusal_words(const WebRequest *request) {
    const char *cookie = web_cookie(request, REFUSAL_COOKIE);
    int64_t number = 0;
    return text_to_int(cookie, 0, COUNT(REFUSALS) - 1, REFUSAL_COOKIE, &number, NULL)
               ? REFUSALS[number]
               : NULL;
}

/* Is the text a token that secret_new could have made? */
static bool is_secret(const char *text) {
    return strlen(text) == SECRET_MAX - 1 && strspn(text, "0123456789abcdef") == SECRET_MAX - 1;
}

/* Moves the session into the visit. */
static void take_session(Visit *visit, UserSession *session) {
    visit->digest = session->token;
    visit->csrf = session->csrf;
    visit->message = session->message;
    session->token = session->csrf = session->message = NULL;
}

static void find_session(People *people, const char *cookie, int64_t now, Visit *visit) {
    char digest[DIGEST_HEX_MAX];
    UserSession session = {0};
    secret_digest(cookie, digest);
    Transaction *t = transaction_begin(people_database(people), TRANSACTION_READ);
    bool found =
        store_session(t, digest, now, &session) && store_user(t, session.user_id, &visit->user);
    found = transaction_end(t, &visit->fault) && found;
    if (found && visit->user.enabled)
        take_session(visit, &session);
    else
        store_free_user(&visit->user);
    store_free_session(&session);
}

void visit_open(People *people, const WebRequest *request, int64_t now, Visit *visit) {
    const char *cookie = web_cookie(request, SESSION_COOKIE);
    const char *token = web_cookie(request, TOKEN_COOKIE);
    char fresh[SECRET_MAX];
    *visit = (Visit){0};
    if (is_secret(cookie))
        find_session(people, cookie, now, visit);
    if (!visit->message && refusal_words(request))
        visit->message = mem_strdup(refusal_words(request));
    if (visit->csrf)
        return;
    /* Without a session the token stands in the cookie alone, and the form has to repeat it:
     * another site can neither read nor set the cookie. */
    if (!is_secret(token))
        secret_new(fresh);
    visit->csrf = mem_strdup(is_secret(token) ? token : fresh);
}

void visit_free(Visit *visit) {
    store_free_user(&visit->user);
    free(visit->digest);
    free(visit->csrf);
    free(visit->message);
    *visit = (Visit){0};
}

bool visit_is_user(People *people, const WebRequest *request, int64_t now) {
    Visit visit;
    visit_open(people, request, now, &visit);
    bool user = visit.user.id != 0;
    visit_free(&visit);
    return user;
}

bool visit_owns_form(const Visit *visit, const WebRequest *request) {
    return secret_same(web_form(request, VISIT_TOKEN_FIELD), visit->csrf) &&
           (visit->digest || secret_same(web_cookie(request, TOKEN_COOKIE), visit->csrf));
}

void visit_add_cookie(const Visit *visit, const WebRequest *request, WebAnswer *answer) {
    web_set_cookie(request, answer, TOKEN_COOKIE, visit->csrf, TOKEN_S);
}

bool visit_sign_in(People *people, Visit *visit, const User *user, const WebRequest *request,
                   WebAnswer *answer, int64_t now, Error *err) {
    char cookie[SECRET_MAX];
    char digest[DIGEST_HEX_MAX];
    char csrf[SECRET_MAX];
    secret_new(cookie);
    secret_new(csrf);
    secret_digest(cookie, digest);
    Transaction *t = transaction_begin(people_database(people), TRANSACTION_WRITE);
    store_drop_sessions(t, now);
    if (visit->digest)
        store_end_session(t, visit->digest);
    store_add_session(t, &(UserSession){.token = digest,
                                        .user_id = user->id,
                                        .csrf = csrf,
                                        .created = now,
                                        .expires = now + SESSION_S});
    if (!transaction_end(t, err))
        return false;
    free(visit->digest);
    free(visit->csrf);
    visit->digest = mem_strdup(digest);
    visit->csrf = mem_strdup(csrf);
    web_set_cookie(request, answer, SESSION_COOKIE, cookie, SESSION_S);
    visit_add_cookie(visit, request, answer);
    return true;
}

bool visit_sign_out(People *people, Visit *visit, const WebRequest *request, WebAnswer *answer,
                    Error *err) {
    if (visit->digest) {
        Transaction *t = transaction_begin(people_database(people), TRANSACTION_WRITE);
        store_end_session(t, visit->digest);
        if (!transaction_end(t, err))
            return false;
    }
    web_set_cookie(request, answer, SESSION_COOKIE, "", 0);
    web_set_cookie(request, answer, TOKEN_COOKIE, "", 0);
    return true;
}

static bool set_message(People *people, const Visit *visit, const char *message, Error *err) {
    Transaction *t = transaction_begin(people_database(people), TRANSACTION_WRITE);
    store_set_session_message(t, visit->digest, message);
    return transaction_end(t, err);
}

bool visit_leave_message(People *people, const Visit *visit, const char *message, Error *err) {
    assert(visit->digest);
    return set_message(people, visit, message, err);
}

void visit_refuse(const WebRequest *request, WebAnswer *answer, VisitRefusal why) {
    char number[2] = {(char)('0' + why)};
    web_set_cookie(request, answer, REFUSAL_COOKIE, number, REFUSAL_S);
}

void visit_clear_message(People *people, const Visit *visit, const WebRequest *request,
                         WebAnswer *answer) {
    if (*web_cookie(request, REFUSAL_COOKIE) != '\0')
        web_set_cookie(request, answer, REFUSAL_COOKIE, "", 0);
    if (visit->message && visit->digest)
        set_message(people, visit, NULL, NULL);
}
