/* SPDX-License-Identifier: MIT */
/* What all pages share: the visit, the frame, the values of templates, and refusals. */
#ifndef SERVE_PAGE_H
#define SERVE_PAGE_H

#include "base/json.h"
#include "serve/serve.h"
#include "serve/values.h"
#include "serve/visit.h"
#include "serve/web.h"

/* A page that is being answered. */
typedef struct {
    Serve *serve;
    const WebRequest *request;
    WebAnswer *answer;
    int64_t now;
    Visit visit;
    cJSON *values; /* Of the template. */
} Page;

/* Begins a page of this title. page_close frees it. */
void page_open(Page *page, Serve *serve, const WebRequest *request, WebAnswer *answer,
               const char *title);
void page_close(Page *page);

/* Each is false after it has answered otherwise: the visitor may not see pages without signing in;
 * has to sign in, or the database cannot tell who it is; sent a form from elsewhere; is no
 * administrator. */
bool page_may_view(Page *page);
bool page_wants_user(Page *page);
bool page_wants_form(Page *page); /* Also wants a user. */
bool page_wants_admin(Page *page);

/* Renders the template, in the frame. Shows, and then forgets, the visit's message. */
void page_show(Page *page, const char *name);

/* Renders the template of a part of a page, which has no frame and shows no message. False after a
 * fault, which the answer says. */
bool page_show_part(Page *page, const char *name);

/* Answers with a page that says why there is no other. */
void page_refuse(Page *page, WebStatus status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuses because the database or git failed. The cause goes to the server's log, and not to
 * strangers. */
void page_refuse_fault(Page *page, const Error *fault);

/* Refuses when a name and a password could not be checked: PEOPLE_WAIT, PEOPLE_FAULT. False: they
 * were. fault: of people_check. */
bool page_refuse_unchecked(Page *page, PeopleVerdict verdict, const Error *fault);

/* Leaves the message for the next page, and sends the browser there. */
void page_return(Page *page, const char *path, const char *message);

/* Transactions: a page that cannot read or write says so. page_end ends the transaction; false when
 * it failed, and the answer says so. */
Transaction *page_read(const Page *page);
Transaction *page_write(const Page *page);
bool page_end(Page *page, Transaction *t);

/* The number of this page of a list, from 1 on, by the query's "page". A list of that many items
 * has no page behind its last. */
enum { PAGE_ITEMS = 50 };
int64_t page_number(const Page *page);
int64_t page_number_within(const Page *page, int64_t count);

/* Says whether the list has a page before and behind: "before" and "behind" are the numbers of
 * these pages, 0 for none. */
void value_pages(Page *page, int64_t number, bool more);

/* Adds "count", the words for how many items a list has: "12", or on a page of several "51 to 100
 * of 1,000"; "" for none. */
void value_count(cJSON *list, int64_t number, int64_t count);

#endif
