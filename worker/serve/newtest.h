/* SPDX-License-Identifier: MIT */
/* New tests, tunings and data generations: one check of the forms of scripts and of pages, and one
 * way into the store. Source: the protocol's sections "Creating a test" and "Tunings and data
 * generation", and the recorded forms. */
#ifndef SERVE_NEWTEST_H
#define SERVE_NEWTEST_H

#include <stdint.h>

#include "base/text.h"
#include "openbench/testform.h"
#include "serve/serve.h"
#include "serve/sources.h"
#include "serve/store.h"
#include "serve/web.h"

/* The greatest numbers that a test may be given; a priority may be as far below 0. */
enum {
    PRIORITY_MAX = 1000000,
    THROUGHPUT_MAX = 1000000000,
    WORKLOAD_SIZE_MAX = 100000,
    SCALE_NPS_MAX = 2000000000,
    GAMES_MAX = 1000000000
};

/* Checks the form, looks up the commits, and adds the test of this author. Returns its number, or 0
 * with the reasons, one a line. With a number the reasons are what the author should know: the
 * branches whose upstream did not answer, which is also in the test's first event. The test is
 * approved at once when its author may approve and no second user has to. Blocks while repositories
 * are asked. */
int64_t newtest_create(Serve *serve, const User *author, const WebRequest *request,
                       TestFormKind kind, Text *reasons);

/* Has the server the networks that the test names? A test without them would get no machine. False
 * with err naming the one that was removed. */
bool newtest_has_networks(Transaction *t, const Test *test, Error *err);

/* Finds the commit that the side's repo, in a test's spelling, and its branch mean now; the engine
 * is the side's. Blocks while the repository is asked. False with err set: there is nothing to
 * free. */
bool newtest_find_commit(const Serve *serve, const WebRequest *request, const CatalogEngine *engine,
                         const TestSide *side, SourceCommit *out, Error *err);

#endif
