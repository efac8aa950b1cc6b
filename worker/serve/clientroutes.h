/* SPDX-License-Identifier: MIT */
/* The routes of programs: workers (client…), scripts (scripts/), readers (api/…). */
#ifndef SERVE_CLIENTROUTES_H
#define SERVE_CLIENTROUTES_H

#include "serve/web.h"

/* Tables of routes, each ended by a route without a pattern. */
extern const WebRoute CLIENT_ROUTES[];
extern const WebRoute API_ROUTES[];

#endif
