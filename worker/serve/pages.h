/* SPDX-License-Identifier: MIT */
/* The pages for browsers, as routes. */
#ifndef SERVE_PAGES_H
#define SERVE_PAGES_H

#include "serve/web.h"

/* Each table ends with a route without a pattern. */
extern const WebRoute LIST_PAGES[];   /* Lists of tests, machines, events; the search. */
extern const WebRoute TEST_PAGES[];   /* A test, and what users do with it. */
extern const WebRoute FORM_PAGES[];   /* New tests, tunings, data generations. */
extern const WebRoute PEOPLE_PAGES[]; /* Signing in and out, profiles, users. */
extern const WebRoute STOCK_PAGES[];  /* Engines, books, networks. */
extern const WebRoute LIVE_PAGES[];   /* Streams of events; the style sheet and the script. */

#endif
